// Builds what is published, `dist/` (or the folder given): JavaScript and declarations, by the compiler of the house.
// The result is committed, so that the folder installs as it is, by people who have none of the tools.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, 'dist'));
rmSync(out, { recursive: true, force: true });
const tsc = join(here, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.json'), '--outDir', out], {
  stdio: 'inherit',
});
for (const name of readdirSync(out).filter((file) => file.endsWith('.d.ts'))) {
  // The compiler leaves `./x.ts` in declarations, which older compilers of users do not follow.
  const text = readFileSync(join(out, name), 'utf8');
  writeFileSync(join(out, name), text.replace(/(from '\.\/[^']+)\.ts'/g, "$1.js'"));
}
