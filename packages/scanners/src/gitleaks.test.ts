import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseDetectors, folderSource, scan } from './index.ts';
import { planted } from './testing/planted.ts';

const MODULE = 'github.com/zricethezav/gitleaks/v8@v8.30.1';

/** gitleaks on the path or where Go installs it; undefined: not here. */
function findGitleaks(): string | undefined {
  const answers = (program: string) => spawnSync(program, ['version'], { stdio: 'ignore' }).status === 0;
  if (answers('gitleaks')) return 'gitleaks';
  const go = spawnSync('go', ['env', 'GOPATH'], { encoding: 'utf8' });
  const installed = go.status === 0 ? join(go.stdout.trim(), 'bin', 'gitleaks') : undefined;
  return installed !== undefined && answers(installed) ? installed : undefined;
}

const gitleaks = findGitleaks();
if (gitleaks === undefined)
  process.stderr.write(`\nSKIPPED: secrets were not compared with gitleaks: go install ${MODULE}\n\n`);

describe.skipIf(gitleaks === undefined)('gitleaks', () => {
  it('finds no planted secret that the detector does not', async () => {
    const root = mkdtempSync(join(tmpdir(), 'candela-gitleaks-'));
    try {
      for (const [path, content] of Object.entries(planted().files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
      const report = join(root, 'report.json');
      execFileSync(
        gitleaks ?? '',
        ['dir', root, '--no-banner', '--exit-code', '0', '-f', 'json', '-r', report],
        { stdio: 'ignore' },
      );
      const theirs = JSON.parse(readFileSync(report, 'utf8')) as { File: string; StartLine: number }[];
      rmSync(report);
      const { findings } = await scan(
        folderSource(root),
        {
          licencePolicy: { allow: [], deny: [] },
          vulnerabilities: undefined,
          knownPackages: {},
          today: '2026-11-28',
        },
        chooseDetectors('secrets,mcp,agent-config'),
        new AbortController().signal,
      );
      const ours = new Set(findings.map(({ path, line }) => `${path}:${line}`));
      expect(theirs.length).toBeGreaterThan(3);
      expect(
        theirs
          .map(({ File, StartLine }) => `${File.slice(File.indexOf(root) + root.length + 1)}:${StartLine}`)
          .filter((place) => !ours.has(place)),
      ).toEqual([]);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
