import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
];

const check = process.argv.includes('--check');
const stale: string[] = [];
for (const { path, make } of GENERATED) {
  const file = join(ROOT, path);
  const made = await make();
  if (existsSync(file) && readFileSync(file, 'utf8') === made) continue;
  if (check) stale.push(path);
  else {
    writeFileSync(file, made);
    console.log(`wrote ${path}`);
  }
}
if (stale.length > 0) {
  console.error(`Stale generated files: ${stale.join(', ')}. Run "npm run generate" and commit them.`);
  process.exit(1);
}
