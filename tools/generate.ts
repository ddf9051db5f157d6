import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './run.ts';

const ROUTE_TREE = 'apps/web/src/routeTree.gen.ts';

/** The tree of routes as the router's generator writes it; the file itself is left as it was. */
async function makeRouteTree(): Promise<string> {
  const { Generator, getConfig } = await import('@tanstack/router-generator');
  const root = join(ROOT, 'apps/web');
  const file = join(ROOT, ROUTE_TREE);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  await new Generator({ config: getConfig({ disableLogging: true }, root), root }).run();
  const made = readFileSync(file, 'utf8');
  if (before !== undefined && before !== made) writeFileSync(file, before);
  return made;
}

/**
 * Method and path by its id of every route that the pages name, for the browser: the schemas and all other routes stay behind.
 * And the scopes that let a key do something here.
 */
async function makeRouteTable(): Promise<string> {
  const { ROUTES } = await import('@candela/contract');
  const { SCOPES } = await import('@candela/kernel');
  const asked = new Set<string>(['ingest']);
  for (const { permission } of Object.values(ROUTES)) if (permission !== 'public') asked.add(permission.key);
  const scopes = SCOPES.filter((scope) => asked.has(scope)).map((scope) => `'${scope}'`);
  const web = join(ROOT, 'apps/web/src');
  const pages = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.gen|\.test)\.tsx?$/.test(file))
    .map((file) => readFileSync(join(web, file), 'utf8'))
    .join('\n');
  const named = Object.entries(ROUTES).filter(([id]) => pages.includes(`'${id}'`));
  const lines = named.map(([id, { method, path }]) => `  ${id}: '${method} ${path}',`);
  return `// Generated from the contract by "npm run generate".\nexport const ROUTE_TABLE = {\n${lines.join('\n')}\n} as const;\nexport const OFFERED_SCOPES = [${scopes.join(', ')}] as const;\n`;
}

const CLIENT = 'packages/client/dist';

/** What the client library publishes, made beside the committed folder: file name to text. */
function buildClient(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'candela-client-'));
  try {
    execFileSync(process.execPath, [join(ROOT, 'packages/client/build.mjs'), folder], { stdio: 'inherit' });
    return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const client = buildClient();

/** A committed file and the function that makes it. One line per generated file. */
const GENERATED: readonly { path: string; make: () => Promise<string> }[] = [
  {
    path: 'docs/configuration.md',
    make: async () => (await import('../apps/server/src/config.ts')).generateConfigurationDoc(),
  },
  {
    path: 'docs/openapi.json',
    make: async () => (await import('../apps/server/src/features/openapi/generate.ts')).generateOpenApi(),
  },
  {
    path: 'docs/collector/configuration.md',
    make: async () =>
      (await import('../apps/collector/src/settings/doc.ts')).generateCollectorConfigurationDoc(),
  },
  {
    path: 'docs/collector/metrics.md',
    make: async () => (await import('../apps/collector/src/metrics-doc.ts')).generateCollectorMetricsDoc(),
  },
  { path: ROUTE_TREE, make: makeRouteTree },
  { path: 'apps/web/src/api/routes.gen.ts', make: makeRouteTable },
  ...Array.from(client, ([name, text]) => ({ path: `${CLIENT}/${name}`, make: async () => text })),
];
/** Files of a generated folder that are made no more. */
const left = existsSync(join(ROOT, CLIENT))
  ? readdirSync(join(ROOT, CLIENT)).flatMap((name) => (client.has(name) ? [] : [`${CLIENT}/${name}`]))
  : [];

const check = process.argv.includes('--check');
const stale: string[] = [];
for (const { path, make } of GENERATED) {
  const file = join(ROOT, path);
  const made = await make();
  if (existsSync(file) && readFileSync(file, 'utf8') === made) continue;
  if (check) stale.push(path);
  else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, made);
    console.log(`wrote ${path}`);
  }
}
for (const path of left) {
  if (check) stale.push(path);
  else {
    rmSync(join(ROOT, path));
    console.log(`removed ${path}`);
  }
}
if (stale.length > 0) {
  console.error(`Stale generated files: ${stale.join(', ')}. Run "npm run generate" and commit them.`);
  process.exit(1);
}
