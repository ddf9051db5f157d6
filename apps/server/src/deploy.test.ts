import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DEPLOY = join(ROOT, 'deploy');
const FILES = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(DEPLOY.length + 1))
  .filter((file) => !/collector|agent/.test(file))
  .sort();
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
const version = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
/** A template without its actions: lines of nothing else go, values stand for themselves. */
const withoutActions = (template: string) =>
  template
    .replaceAll(/\{\{\/\*.*?\*\/\}\}/gs, '')
    .replaceAll(/^\s*\{\{.*\}\}\s*$/gm, '')
    .replaceAll(/\{\{.*?\}\}/g, 'x');

it('what deploys the platform names no variable that it does not have', () => {
  const documented = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const named = FILES.flatMap((file) =>
    [...read(file).matchAll(/\bPLATFORM_[A-Z0-9_]+/g)].map(([name]) => name),
  );
  expect(new Set(named).size).toBeGreaterThan(8);
  expect(named.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
});

it.each(FILES.filter((file) => file.endsWith('.yaml')))('is YAML: %s', (file) => {
  const text = file.includes('templates') ? withoutActions(read(file)) : read(file);
  for (const document of parseAllDocuments(text)) expect(document.errors).toEqual([]);
});

it('is of this version', () => {
  expect(parse(read('helm/candela/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  for (const file of ['compose/compose.yaml', 'compose/compose.cluster.yaml'])
    expect(read(file)).toContain(`image: candela:${version}\n`);
});

it('builds images from what is there', () => {
  for (const file of ['compose/compose.yaml', 'compose/compose.cluster.yaml']) {
    const dockerfile = /dockerfile: \.\.\/\.\.\/deploy\/(\S+)/.exec(read(file))?.[1];
    expect(FILES).toContain(dockerfile);
  }
});

const helm = spawnSync('helm', ['version']).status === 0;
it.skipIf(!helm)('the chart renders, and refuses replicas without external stores', () => {
  const chart = join(DEPLOY, 'helm/candela');
  const render = (...set: readonly string[]) =>
    execFileSync('helm', ['template', 'obs', chart, ...set.flatMap((pair) => ['--set', pair])], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const needed = ['image.repository=registry.example.com/candela', 'publicUrl=https://candela.example.com'];
  for (const document of parseAllDocuments(
    render(...needed, 'ingress.enabled=true', 'ingress.host=candela.example.com'),
  ))
    expect(document.toJS()).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) });
  expect(() => render(...needed, 'replicas=2')).toThrow(/needs externalStores/);
  expect(render(...needed, 'replicas=3', 'externalStores=true', 'existingSecret=candela')).toMatch(
    /kind: PodDisruptionBudget/,
  );
});

const verify = spawnSync('systemd-analyze', ['--version']).status === 0;
it.skipIf(!verify)('systemd understands the unit', () => {
  const { stderr } = spawnSync(
    'systemd-analyze',
    ['verify', '--man=no', join(DEPLOY, 'systemd/candela.service')],
    {
      encoding: 'utf8',
    },
  );
  const complaints = stderr
    .split('\n')
    .filter((line) => /candela\.service/.test(line) && !/not executable/.test(line));
  expect(complaints).toEqual([]);
});

const charts = process.env['CANDELA_CHARTS'] === '1';
if (!charts) {
  process.stderr.write(
    'SKIPPED: set CANDELA_CHARTS=1 to render the charts and hold them against the types of Kubernetes (needs Go).\n',
  );
}
it.skipIf(!charts)('charts and manifests are what Kubernetes takes', { timeout: 900_000 }, () => {
  const { status, stdout, stderr } = spawnSync('go', ['run', '.', ROOT], {
    cwd: join(ROOT, 'tools/charts'),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^\d+ documents are what Kubernetes takes/);
});
