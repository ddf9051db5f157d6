import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { NAME, VERSION } from './about.ts';
import { VARIABLES } from './settings/variables.ts';

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url));
const FILES = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(DEPLOY.length + 1))
  // Of the platform is tested in apps/server.
  .filter((file) => /collector|agent/.test(file))
  .sort();
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
const CHART = join('helm', NAME);
const MANIFEST = join('kubernetes', `${NAME}.yaml`);

type Tree = { readonly [key: string]: unknown };
const documents = (text: string): Tree[] =>
  parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Tree;
  });
/** A template without its actions: lines of nothing else go, values stand for themselves. */
const withoutActions = (template: string) =>
  template
    .replaceAll(/\{\{\/\*.*?\*\/\}\}/gs, '')
    .replaceAll(/^\s*\{\{.*\}\}\s*$/gm, '')
    .replaceAll(/\{\{.*?\}\}/g, 'x');
const find = (tree: unknown, key: string): unknown[] =>
  typeof tree !== 'object' || tree === null
    ? []
    : Object.entries(tree).flatMap(([name, value]) => [
        ...(name === key ? [value] : []),
        ...find(value, key),
      ]);

describe('what deploys the agent', () => {
  it('names no variable that the agent does not have', () => {
    const known = new Set(Object.entries(VARIABLES).flatMap(([name, { aliases }]) => [name, ...aliases]));
    const named = FILES.flatMap((file) =>
      [...read(file).matchAll(/\b(?:OTEL|PLATFORM|K8S|HOST|POD)_[A-Z0-9_]+/g)].map(([name]) => ({
        file,
        name,
      })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
  });

  it.each(FILES.filter((file) => file.endsWith('.yaml')))('is YAML: %s', (file) => {
    const text = file.includes('templates') ? withoutActions(read(file)) : read(file);
    for (const document of documents(text)) expect(document).toBeTypeOf('object');
  });

  it('is of this version', () => {
    expect(parse(read(join(CHART, 'Chart.yaml')))).toMatchObject({ version: VERSION, appVersion: VERSION });
    expect(read(MANIFEST)).toContain(`image: ${NAME}:${VERSION}\n`);
  });

  it('may only read in a cluster, and what the chart may is what the manifest may', () => {
    const rules = (text: string) => find(documents(text), 'rules');
    const manifest = rules(read(MANIFEST));
    expect(manifest).toHaveLength(1);
    expect(rules(withoutActions(read(join(CHART, 'templates/rbac.yaml'))))).toEqual(manifest);
    expect(new Set(find(manifest, 'verbs').flat())).toEqual(new Set(['get', 'list']));
  });

  it('lets the unit put programs into the kernel, as the document says', () => {
    const unit = read('systemd/opentelemetry-gpu-collector.service');
    const wanted = ['CAP_PERFMON', 'CAP_BPF', 'CAP_SYS_PTRACE', 'CAP_CHECKPOINT_RESTORE'];
    for (const name of ['AmbientCapabilities', 'CapabilityBoundingSet'])
      expect(new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]?.split(' ')).toEqual(wanted);
    expect(unit).toMatch(/^LimitMEMLOCK=infinity$/m);
  });

  it('mounts the host to read, and gives the container no more than it needs', () => {
    const manifest = documents(read(MANIFEST));
    const mounts = find(manifest, 'volumeMounts').flat() as Tree[];
    expect(mounts.filter((mount) => mount['readOnly'] !== true)).toEqual([
      { name: 'tmp', mountPath: '/tmp' },
    ]);
    const [container] = find(manifest, 'securityContext');
    expect(container).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], add: ['PERFMON', 'BPF', 'SYS_PTRACE', 'CHECKPOINT_RESTORE'] },
    });
    expect((parse(read(join(CHART, 'values.yaml'))) as Tree)['securityContext']).toEqual(container);
    // Volumes and what mounts them belong together, in the chart as well.
    const chart = documents(withoutActions(read(join(CHART, 'templates/daemonset.yaml'))));
    const names = (tree: unknown, key: string) => (find(tree, key).flat() as Tree[]).map(({ name }) => name);
    expect(names(chart, 'volumeMounts')).toEqual(names(chart, 'volumes'));
    expect(names(manifest, 'volumeMounts')).toEqual(names(manifest, 'volumes'));
    expect(names(chart, 'volumes')).toEqual(names(manifest, 'volumes'));
  });
});
