import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.ts';

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
