import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { baseName } from '../text.ts';
import type { Component, Detector, Ecosystem } from '../types.ts';

type Found = Omit<Component, 'purl' | 'path'>;
type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const PURL_TYPES: Readonly<Record<Ecosystem, string>> = {
  npm: 'npm',
  PyPI: 'pypi',
  Go: 'golang',
  'crates.io': 'cargo',
  Maven: 'maven',
};

/** Package URL (purl-spec): type, namespace, name, version, each percent-encoded. */
function purlOf(ecosystem: Ecosystem, name: string, version: string): string {
  const path =
    ecosystem === 'PyPI'
      ? name.toLowerCase().replaceAll(/[-_.]+/g, '-')
      : ecosystem === 'Maven'
        ? name.replace(':', '/')
        : name;
  const encoded = path
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
  return `pkg:${PURL_TYPES[ecosystem]}/${encoded}@${encodeURIComponent(version)}`;
}

/** One file a lock format: name of the file to what it names. */
const FORMATS: readonly { readonly file: RegExp; readonly read: (source: string) => Found[] }[] = [
  {
    file: /^(package-lock|npm-shrinkwrap)\.json$/,
    read: (source) => {
      const lock = JSON.parse(source) as Json;
      if (isObject(lock['packages'])) {
        return Object.entries(lock['packages']).flatMap(([path, value]): Found[] => {
          if (path === '' || !isObject(value) || value['link'] === true) return [];
          const name = text(value['name']) || path.slice(path.lastIndexOf('node_modules/') + 13);
          return [
            {
              ecosystem: 'npm',
              name,
              version: text(value['version']),
              licence: text(value['license']) || undefined,
            },
          ];
        });
      }
      const walk = (dependencies: unknown): Found[] =>
        isObject(dependencies)
          ? Object.entries(dependencies).flatMap(([name, value]): Found[] =>
              isObject(value)
                ? [
                    { ecosystem: 'npm', name, version: text(value['version']) },
                    ...walk(value['dependencies']),
                  ]
                : [],
            )
          : [];
      return walk(lock['dependencies']);
    },
  },
  {
    file: /^pnpm-lock\.ya?ml$/,
    read: (source) => {
      const lock: unknown = parseYaml(source, { maxAliasCount: 100 });
      const packages = isObject(lock) && isObject(lock['packages']) ? Object.keys(lock['packages']) : [];
      return packages.flatMap((key): Found[] => {
        const match = /^\/?((?:@[^/]+\/)?[^@/]+)[@/]([^(@/]+)/.exec(key);
        return match === null ? [] : [{ ecosystem: 'npm', name: match[1] ?? '', version: match[2] ?? '' }];
      });
    },
  },
  {
    file: /^yarn\.lock$/,
    read: (source) =>
      [
        ...source.matchAll(/^"?((?:@[^@/\s"]+\/)?[^@\s"]+)@[^\n]*:\r?\n[ \t]+version:?[ \t]+"?([^"\s]+)"?/gm),
      ].map(([, name = '', version = '']): Found => ({ ecosystem: 'npm', name, version })),
  },
  { file: /^requirements[\w.-]*\.txt$/, read: (source) => pinned(source) },
  {
    file: /^(poetry|uv|pdm)\.lock$/,
    read: (source) =>
      objects((parseToml(source) as Json)['package']).flatMap((one): Found[] => {
        const local = isObject(one['source']) && ('virtual' in one['source'] || 'editable' in one['source']);
        return local ? [] : [{ ecosystem: 'PyPI', name: text(one['name']), version: text(one['version']) }];
      }),
  },
  {
    file: /^Pipfile\.lock$/,
    read: (source) => {
      const lock = JSON.parse(source) as Json;
      return [lock['default'], lock['develop']]
        .filter(isObject)
        .flatMap((group) =>
          Object.entries(group).flatMap(([name, value]): Found[] =>
            isObject(value)
              ? [{ ecosystem: 'PyPI', name, version: text(value['version']).replace(/^==/, '') }]
              : [],
          ),
        );
    },
  },
  {
    file: /^go\.mod$/,
    read: (source) =>
      [
        ...source.matchAll(
          /^\s*(?:require\s+)?([a-z0-9.-]+\.[a-z]{2,}\/\S+|[a-z0-9-]+\.[a-z]{2,}\S*)\s+(v\d\S*)/gm,
        ),
      ].map(([, name = '', version = '']): Found => ({ ecosystem: 'Go', name, version })),
  },
  {
    file: /^Cargo\.lock$/,
    read: (source) =>
      objects((parseToml(source) as Json)['package']).flatMap((one): Found[] =>
        one['source'] === undefined
          ? []
          : [{ ecosystem: 'crates.io', name: text(one['name']), version: text(one['version']) }],
      ),
  },
  {
    file: /^pom\.xml$/,
    read: (source) => {
      const properties = new Map(
        [...source.matchAll(/<([\w.-]+)>([^<]+)<\/\1>/g)].map(([, name = '', value = '']) => [
          name,
          value.trim(),
        ]),
      );
      const whole = (value: string) =>
        value.replaceAll(/\$\{([\w.-]+)\}/g, (all, name: string) => properties.get(name) ?? all);
      return [...source.matchAll(/<dependency>([\s\S]*?)<\/dependency>/g)].flatMap(
        ([, body = '']): Found[] => {
          const tag = (name: string) =>
            whole(new RegExp(`<${name}>\\s*([^<]+?)\\s*</${name}>`).exec(body)?.[1] ?? '');
          const version = tag('version');
          return version === '' || version.includes('${')
            ? []
            : [{ ecosystem: 'Maven', name: `${tag('groupId')}:${tag('artifactId')}`, version }];
        },
      );
    },
  },
  {
    file: /^gradle\.lockfile$/,
    read: (source) =>
      [...source.matchAll(/^([\w.-]+:[\w.-]+):([^=\s]+)=/gm)].map(
        ([, name = '', version = '']): Found => ({ ecosystem: 'Maven', name, version }),
      ),
  },
];

const pinned = (source: string): Found[] =>
  [...source.matchAll(/^[ \t]*([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?[ \t]*==[ \t]*([^\s;#\\]+)/gm)].map(
    ([, name = '', version = '']): Found => ({ ecosystem: 'PyPI', name, version }),
  );

/** Which manifests a lock file belongs to. */
const familyOf = (name: string): string =>
  /\.(py|toml)$|^requirements|^(poetry|uv|pdm|Pipfile)\.lock$/.test(name) ? 'python' : 'npm';

const MAX_COMPONENTS = 50_000;

/** Packages that lock files name. Manifests without a lock are a finding: nobody knows what is installed. */
export const dependencies: Detector = {
  id: 'dependencies',
  title: 'Dependencies',
  create: (scan) => {
    const folders = new Map<string, { manifests: Set<string>; locked: Set<string> }>();
    const at = (path: string) => {
      const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      const known = folders.get(folder) ?? { manifests: new Set<string>(), locked: new Set<string>() };
      folders.set(folder, known);
      return known;
    };
    return {
      wants: (path) =>
        !/(^|\/)(node_modules|vendor|\.venv|site-packages)\//.test(path) &&
        (FORMATS.some(({ file }) => file.test(baseName(path))) ||
          /^(package\.json|pyproject\.toml|setup\.py)$/.test(baseName(path))),
      async file(file) {
        const name = baseName(file.path);
        const format = FORMATS.find((one) => one.file.test(name));
        if (format === undefined) {
          at(file.path).manifests.add(name);
          return;
        }
        at(file.path).locked.add(familyOf(name));
        const source = await file.text();
        if (source === undefined) return;
        let found: Found[];
        try {
          found = format.read(source);
        } catch {
          scan.coverage.notes.push(
            `${file.path} could not be read as a lock file: its packages are not audited.`,
          );
          return;
        }
        for (const one of found) {
          if (one.name === '' || one.version === '' || scan.components.length >= MAX_COMPONENTS) continue;
          scan.components.push({
            ...one,
            purl: purlOf(one.ecosystem, one.name, one.version),
            path: file.path,
          });
        }
        if (name.startsWith('requirements')) {
          const loose = source
            .split('\n')
            .findIndex((line) => /^[ \t]*[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?[ \t]*(?:$|[<>~!])/.test(line));
          if (loose >= 0) {
            scan.report({
              ruleId: 'dependency-unpinned',
              severity: 'low',
              path: file.path,
              line: loose + 1,
              title: 'Requirements without exact versions',
              explanation:
                'What is installed depends on the day, and a taken-over release arrives by itself.',
              fix: 'Pin with == and hashes, or use a lock file (uv, Poetry, pip-tools).',
              snippet: (source.split('\n')[loose] ?? '').trim().slice(0, 120),
            });
          }
        }
      },
      end() {
        // A workspace is locked by the lock file of its root.
        const lockedAbove = (folder: string, family: string): boolean => {
          for (let part = folder; ; part = part.slice(0, Math.max(0, part.lastIndexOf('/')))) {
            if (folders.get(part)?.locked.has(family) === true) return true;
            if (part === '') return false;
          }
        };
        for (const [folder, { manifests }] of folders) {
          const manifest = [...manifests].find((one) => !lockedAbove(folder, familyOf(one)));
          if (manifest === undefined) continue;
          scan.report({
            ruleId: 'lock-missing',
            severity: 'low',
            path: folder === '' ? manifest : `${folder}/${manifest}`,
            line: null,
            title: `${manifest} without a lock file`,
            explanation: 'Nobody knows which versions run, so vulnerabilities cannot be told.',
            fix: 'Commit the lock file.',
          });
        }
      },
    };
  },
};
