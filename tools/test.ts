import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, runSteps, STATIC_STEPS } from './run.ts';

/**
 * The whole suite: the static checks, then the three rings of tests (see vitest.config.ts). Arguments are passed to
 * vitest, e.g. `npm test -- wal`.
 */
const scratch = mkdtempSync(join(tmpdir(), 'candela-test-'));
const only = process.argv.slice(2);
const ring = (project: string) => ({
  name: `${project} tests`,
  args: [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(scratch, `${project}.json`)}`,
    '--passWithNoTests',
    ...only,
  ],
});
const rings = ['unit', 'platform', 'e2e'];
const failed = runSteps([...(only.length > 0 ? [] : STATIC_STEPS), ...rings.map(ring)]);

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const project of rings) {
  try {
    const report = JSON.parse(readFileSync(join(scratch, `${project}.json`), 'utf8')) as Record<
      string,
      number
    >;
    totals.passed += report['numPassedTests'] ?? 0;
    totals.failed += report['numFailedTests'] ?? 0;
    totals.skipped += report['numPendingTests'] ?? 0;
  } catch {
    failed.push(`${project} tests left no report`);
  }
}
rmSync(scratch, { recursive: true, force: true });
// A filter that matches no file must not look like a success.
if (totals.passed + totals.failed === 0) failed.push('no test ran');

if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(failed.length > 0 ? 1 : 0);
