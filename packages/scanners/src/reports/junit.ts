import type { ScanResult } from '../engine.ts';
import { SEVERITIES, type Severity } from '../types.ts';

const escape = (text: string): string =>
  text.replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, ' ').replaceAll(/[<>&"']/g, (one) => `&#${one.charCodeAt(0)};`);

/** JUnit XML as pipelines read it: a test case a detector, failed by findings of at least `from`. */
export function junitOf(
  { findings, detectors }: Pick<ScanResult, 'findings' | 'detectors'>,
  from: Severity,
): string {
  const bad = findings.filter(({ severity }) => SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(from));
  const cases = detectors.map((id) => {
    const own = bad.filter(({ detector }) => detector === id);
    const text = own
      .map(
        ({ path, line, severity, title, fix }) =>
          `${severity} ${path}${line === null ? '' : `:${line}`} ${title} - ${fix}`,
      )
      .join('\n');
    const failure =
      own.length === 0
        ? ''
        : `<failure message="${own.length} findings">${escape(text.slice(0, 100_000)).replaceAll('  ', '\n')}</failure>`;
    return `  <testcase classname="candela.scan" name="${escape(id)}">${failure}</testcase>`;
  });
  const failed = new Set(bad.map(({ detector }) => detector)).size;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="candela scan" tests="${detectors.length}" failures="${failed}">\n${cases.join('\n')}\n</testsuite>\n`;
}
