import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT, runStaticSteps, runSteps, type Step } from './run.ts';

/**
 * The whole suite: the static checks, then the rings of tests (see vitest.config.ts). Arguments are passed to
 * vitest, e.g. `npm test -- wal`.
 */
const scratch = mkdtempSync(join(tmpdir(), 'candela-test-'));
const only = process.argv.slice(2);

/** Projects that run together. */
const RINGS = [['unit'], ['platform', 'e2e'], ['timed']] as const;

/** Of more failed files than these a project, none is tried again: that is no accident of timing. */
const MAX_TRIED_AGAIN = 3;

/**
 * Files of tests that failed once and passed when run again. A file that does so while its name stands here fails the
 * run: an unstable test is found once and mended, not repeated for ever.
 */
const KNOWN_UNSTABLE = new Set(
  readFileSync(join(ROOT, 'tools/testing/known-unstable.txt'), 'utf8')
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== ''),
);

const ALONE = { TEST_PROCESSES_AT_ONCE: '1' };

/** What is read of vitest's report. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** What broke outside of a test, e.g. an import. */
    readonly message: string;
    /** Milliseconds since 1970. */
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const ring = (name: string, projects: readonly string[], files: readonly string[]): Step => ({
  name,
  args: [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(scratch, `${name}.json`)}`,
    '--passWithNoTests',
    ...files,
  ],
});

/** Undefined: the run ended before it could write one. */
function reportOf(name: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(join(scratch, `${name}.json`), 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

/** Files whose time is told at the end. */
const LONGEST = 40;
/** Lines of a failure that are told once more at the end of the run, whose beginning a log may not keep. */
const FAILURE_LINES = 12;

const beginOf = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.includes('node_modules/vitest'))
    .slice(0, FAILURE_LINES)
    .join('\n');

/** Each failed test of a report with how its message begins. */
function failuresOf(report: Report): string[] {
  return report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === 'failed');
      const told = tests.map((test) => ({
        title: ` > ${test.fullName}`,
        text: test.failureMessages.join('\n'),
      }));
      return (told.length > 0 ? told : [{ title: '', text: message }]).map(
        ({ title, text }) => `${relative(ROOT, name)}${title}\n${beginOf(text)}`,
      );
    });
}

const failed = only.length > 0 ? [] : await runStaticSteps();
/** Seconds by file: what `longest-first.ts` wants to know. */
const took = new Map<string, number>();
const totals = { passed: 0, failed: 0, skipped: 0 };
const unstable: string[] = [];
const failures: string[] = [];

for (const projects of RINGS) {
  const name = `${projects.join(' and ')} tests`;
  const red = (await runSteps([ring(name, projects, only)])).length > 0;
  const report = reportOf(name);
  if (report === undefined) {
    failed.push(`${name} left no report`);
    continue;
  }
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests;
  totals.skipped += report.numPendingTests;
  for (const { name: file, startTime, endTime } of report.testResults)
    took.set(relative(ROOT, file), Math.round((endTime - startTime) / 1000));
  if (!red) continue;
  // A machine that was busy at the wrong moment is told from a fault by a second run of the file, alone. A file that
  // passes then is named at the end of the run: it has a race to be found.
  const files = report.testResults.filter(({ status }) => status === 'failed').map((file) => file.name);
  const worthIt = only.length === 0 && files.length > 0 && files.length <= MAX_TRIED_AGAIN * projects.length;
  const again = `${name}, again`;
  failures.push(...failuresOf(report));
  if (!worthIt || (await runSteps([{ ...ring(again, projects, files), env: ALONE }])).length > 0) {
    failed.push(name);
    const second = worthIt ? reportOf(again) : undefined;
    if (second !== undefined) failures.push(...failuresOf(second));
    continue;
  }
  const passedAgain = files.map((file) => relative(ROOT, file));
  unstable.push(...passedAgain);
  const known = passedAgain.filter((file) => KNOWN_UNSTABLE.has(file));
  if (known.length > 0) failed.push(`known as unstable and still so: ${known.join(', ')}`);
  totals.passed += report.numFailedTests;
  totals.failed -= report.numFailedTests;
}
rmSync(scratch, { recursive: true, force: true });
// A filter that matches no file must not look like a success.
if (totals.passed + totals.failed === 0) failed.push('no test ran');

for (const failure of failures) console.error(`\n${failure}`);
if (unstable.length > 0)
  console.error(
    `\nUnstable, passed only when run again; mend them, or add them to tools/testing/known-unstable.txt: ${unstable.join(', ')}`,
  );
if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`);
const longest = [...took].toSorted(([, a], [, b]) => b - a).slice(0, LONGEST);
if (only.length === 0)
  console.log(
    `\nLongest files, in seconds: ${longest.map(([file, seconds]) => `${file} ${seconds}`).join(', ')}`,
  );
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(failed.length > 0 ? 1 : 0);
