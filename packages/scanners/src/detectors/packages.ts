import { baseName, isPython, isScript, isTest, isVendored, lineCounter, withoutComments } from '../text.ts';
import type { Detector, Ecosystem } from '../types.ts';
import { NODE_BUILTINS, PYTHON_BUILTINS, PYTHON_PACKAGES } from './module-names.ts';

/** Damerau-Levenshtein distance of at most 1. */
export function isLookAlike(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [x, y] = [a.slice(at), b.slice(at)];
  return (
    x.slice(1) === y.slice(1) ||
    x.slice(1) === y ||
    x === y.slice(1) ||
    (x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2))
  );
}

/** Names that much-used packages of AI applications have; a project adds its own. */
const KNOWN: Readonly<Partial<Record<Ecosystem, readonly string[]>>> = {
  npm: [
    'openai',
    'langchain',
    'express',
    'react',
    'lodash',
    'axios',
    'anthropic',
    'dotenv',
    'typescript',
    'zod',
    'llamaindex',
    'chalk',
    'webpack',
    'next',
    'vite',
  ],
  PyPI: [
    'openai',
    'anthropic',
    'langchain',
    'requests',
    'numpy',
    'pandas',
    'torch',
    'transformers',
    'tensorflow',
    'scikit-learn',
    'fastapi',
    'pydantic',
    'litellm',
    'llama-index',
    'tiktoken',
    'huggingface-hub',
    'streamlit',
    'gradio',
    'boto3',
    'urllib3',
    'chromadb',
  ],
};

/** Packages of their own right whose names are one letter away. */
const WELL_KNOWN_TWINS: ReadonlySet<string> = new Set(['gaxios', 'preact', 'lodash-es', 'ioredis']);

const normal = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

/** Packages that code imports and no lock file has (a model may have made them up), and names that look like known ones. */
export const packages: Detector = {
  id: 'packages',
  title: 'Hallucinated and look-alike packages',
  create: (scan) => {
    const local = new Set<string>();
    const declared = new Set<string>();
    return {
      wants: (path) =>
        !isVendored(path) &&
        (isPython(path) ||
          isScript(path) ||
          baseName(path) === 'package.json' ||
          baseName(path) === 'pyproject.toml'),
      async file(file) {
        const { path } = file;
        for (const part of path.split('/').slice(0, -1)) local.add(part);
        local.add(baseName(path).replace(/\.[^.]+$/, ''));
        const source = await file.text();
        if (source === undefined) return;
        if (baseName(path) === 'package.json' || baseName(path) === 'pyproject.toml') {
          for (const [, name = ''] of source.matchAll(
            /"((?:@[\w.-]+\/)?[\w.-]+)"\s*:\s*"(?:[\^~>=<*]|\d|workspace:|file:|npm:|latest)/g,
          ))
            declared.add(name);
          for (const [, name = ''] of source.matchAll(
            /["']([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:[<>=~!]=?[^"']*)?["']\s*,?/g,
          ))
            declared.add(normal(name));
          const own = /"name"\s*:\s*"([^"]+)"/.exec(source)?.[1];
          if (own !== undefined) declared.add(own);
          return;
        }
        if (isTest(path)) return;
        const text = withoutComments(path, source);
        const lineOf = lineCounter(text);
        const note = (ecosystem: Ecosystem, name: string, offset: number) => {
          const key = `${ecosystem} ${name}`;
          if (!scan.imports.has(key)) scan.imports.set(key, { ecosystem, path, line: lineOf(offset) });
        };
        if (isPython(path)) {
          for (const match of text.matchAll(
            /^[ \t]*(?:from[ \t]+([A-Za-z_]\w*)(?:\.[\w.]+)?[ \t]+import|import[ \t]+([A-Za-z_]\w*))/gm,
          )) {
            const name = match[1] ?? match[2] ?? '';
            if (!PYTHON_BUILTINS.has(name)) note('PyPI', name, match.index);
          }
        } else {
          for (const match of text.matchAll(
            /(?:from\s+|import\s*\(\s*|require\s*\(\s*|^import\s+)["']((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:\/[^"']*)?["']/gm,
          )) {
            const name = match[1] ?? '';
            if (!NODE_BUILTINS.has(name)) note('npm', name, match.index);
          }
        }
      },
      end() {
        const locked = new Map<Ecosystem, Set<string>>();
        for (const { ecosystem, name } of scan.components) {
          const names = locked.get(ecosystem) ?? new Set<string>();
          names.add(ecosystem === 'PyPI' ? normal(name) : name);
          locked.set(ecosystem, names);
        }
        for (const [key, { ecosystem, path, line }] of scan.imports) {
          const name = key.slice(ecosystem.length + 1);
          const names = locked.get(ecosystem);
          const package_ = ecosystem === 'PyPI' ? normal(PYTHON_PACKAGES.get(name) ?? name) : name;
          // Without a lock file nothing can be told; modules of the tree are no packages.
          if (
            names === undefined ||
            names.has(package_) ||
            declared.has(package_) ||
            declared.has(name) ||
            local.has(name)
          )
            continue;
          if (
            ecosystem === 'PyPI' &&
            [...names].some(
              (one) =>
                one.replaceAll('-', '') === normal(name).replaceAll('-', '') ||
                one.endsWith(`-${normal(name)}`) ||
                one.startsWith(`${normal(name)}-`),
            )
          )
            continue;
          scan.report({
            ruleId: 'package-not-locked',
            severity: 'medium',
            confidence: 'medium',
            path,
            line,
            title: `${name} is imported and stands in no lock file`,
            explanation: 'Either it is missing, or a model made the name up: attackers register such names.',
            fix: 'Check that the package exists and is the one you mean before installing it.',
            snippet: name,
          });
        }
        for (const { ecosystem, name, version, path } of scan.components) {
          const known = [...(KNOWN[ecosystem] ?? []), ...(scan.settings.knownPackages[ecosystem] ?? [])];
          if (name.length < 5 || known.includes(name) || WELL_KNOWN_TWINS.has(name)) continue;
          const like = known.find((one) => one.length >= 5 && isLookAlike(name, one));
          if (like === undefined) continue;
          scan.report({
            ruleId: 'package-look-alike',
            severity: 'high',
            confidence: 'medium',
            path,
            line: null,
            title: `${name} looks like ${like}`,
            explanation: 'A letter more, less or swapped is how malicious packages get installed.',
            fix: `Use ${like}, or add ${name} to the known packages.`,
            snippet: `${name} ${version}`,
          });
        }
      },
    };
  },
};
