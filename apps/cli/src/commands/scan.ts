import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Finding, Severity } from '@candela/scanners';
import { type Command, UsageError } from '../command.ts';

/** Scans a folder of this machine; nothing is sent anywhere. */
export const scan: Command = {
  words: ['scan'],
  failureCode: 2,
  summary: 'Looks for what is unsafe in the code of an AI application; exit code 1 when something is found',
  help: `candela scan <folder> [options]

Reads the files of a folder as data: secrets, misused agent SDKs, MCP and agent configuration, skills, model files,
deserialisation, prompts, models, dependencies, vulnerabilities, licences, look-alike packages. Nothing is run or sent.

  --detectors LIST     comma-separated; default all
  --fail-on SEVERITY   critical, high, medium (default), low or info: from where the exit code is 1
  --strict             the same as --fail-on info
  --json FILE          everything as JSON
  --sarif FILE         findings as SARIF 2.1.0
  --bom FILE           packages of lock files as CycloneDX 1.6
  --junit FILE         a test case a detector, for pipelines
  --osv DIR            folder of OSV dumps; without one packages are not looked up, which is said
  --rules DIR          folder of a rule bundle, whose rules/*.yaml are used beside the built-in ones
  --allow-licenses L   comma-separated SPDX ids; --deny-licenses L likewise

Exit codes: 0 nothing of that severity, 1 findings, 2 it could not be done.`,

  async run(args, { cwd, say }) {
    const { values, positionals } = read(args);
    const [target] = positionals;
    if (target === undefined || positionals.length > 1) throw new UsageError('Name one folder to scan.');
    const folder = resolve(cwd, target);
    if (!isFolder(folder)) throw new UsageError(`${folder} is no folder.`);
    const scanners = await import('@candela/scanners');
    const { SEVERITIES } = scanners;
    const failOn = values.strict === true ? 'info' : (values['fail-on'] ?? 'medium');
    const from = SEVERITIES.find((one) => one === failOn);
    if (from === undefined)
      throw new UsageError(`--fail-on takes ${SEVERITIES.join(', ')}, not "${failOn}".`);
    const write = (path: string | undefined, text: () => string) => {
      if (path !== undefined) writeFileSync(resolve(cwd, path), text());
    };
    try {
      const now = Date.now();
      const osv =
        values.osv === undefined ? undefined : await scanners.readOsvFolders([resolve(cwd, values.osv)], now);
      const rules =
        values.rules === undefined ? undefined : scanners.readRules(bundleOf(resolve(cwd, values.rules)));
      const result = await scanners.scan(
        scanners.folderSource(folder),
        {
          licencePolicy: { allow: listOf(values['allow-licenses']), deny: listOf(values['deny-licenses']) },
          vulnerabilities: osv,
          rules,
          knownPackages: {},
          today: new Date(now).toISOString().slice(0, 10),
        },
        scanners.chooseDetectors(values.detectors),
        new AbortController().signal,
      );
      const { findings, coverage, components, vulnerabilityData, detectors } = result;
      write(values.json, () =>
        json({
          detectors,
          findings,
          coverage: { ...coverage, skipped: Object.fromEntries(coverage.skipped) },
          vulnerabilityData,
          components: components.length,
        }),
      );
      write(values.sarif, () => json(scanners.sarifOf(result, VERSION)));
      write(values.bom, () => json(scanners.bomOf(components, VERSION)));
      write(values.junit, () => scanners.junitOf(result, from));
      for (const finding of findings.slice(0, SHOWN)) say(lineOf(finding));
      if (findings.length > SHOWN) say(`... and ${findings.length - SHOWN} more (--json FILE has all).`);
      const skipped = [...coverage.skipped].map(([reason, count]) => `${count} ${reason}`).join(', ');
      say(
        `${countsOf(findings, SEVERITIES)} in ${coverage.filesRead} files that were read, of ${coverage.filesSeen}.`,
      );
      if (skipped !== '') say(`Not read: ${skipped}.`);
      for (const note of coverage.notes) say(note);
      const bad = findings.some(({ severity }) => SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(from));
      return bad ? 1 : 0;
    } catch (thrown) {
      if (thrown instanceof scanners.ScanError) throw new UsageError(thrown.message, { cause: thrown });
      throw thrown;
    }
  },
};

const VERSION = '0.1.0';
const SHOWN = 200;

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** Names in files are an attacker's: no control characters reach the terminal. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
const lineOf = ({ severity, path, line, title, ruleId }: Finding): string =>
  plain(`${severity.padEnd(8)} ${path}${line === null ? '' : `:${line}`}  ${title} (${ruleId})`);

function countsOf(findings: readonly Finding[], severities: readonly Severity[]): string {
  const parts = severities.flatMap((severity) => {
    const count = findings.filter((one) => one.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  return parts.length === 0 ? 'No findings' : parts.join(', ');
}

/** Files of `rules/` in the folder of a bundle. @throws UsageError */
function bundleOf(folder: string): Map<string, Uint8Array> {
  const rules = join(folder, 'rules');
  if (!isFolder(rules)) throw new UsageError(`${folder} has no folder "rules".`);
  return new Map(
    readdirSync(rules)
      .filter((name) => /\.ya?ml$/.test(name))
      .map((name) => [`rules/${name}`, readFileSync(join(rules, name))]),
  );
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function read(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        detectors: text,
        'fail-on': text,
        strict: { type: 'boolean' },
        json: text,
        sarif: text,
        bom: text,
        junit: text,
        osv: text,
        rules: text,
        'allow-licenses': text,
        'deny-licenses': text,
      },
    });
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
  }
}
