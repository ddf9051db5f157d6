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
  /** Where each of the two finds a secret in a folder. */
  async function bothIn(files: Readonly<Record<string, string | Uint8Array>>) {
    const root = mkdtempSync(join(tmpdir(), 'candela-gitleaks-'));
    try {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      }
      const report = join(root, 'report.json');
      execFileSync(
        gitleaks ?? '',
        ['dir', root, '--no-banner', '--exit-code', '0', '-f', 'json', '-r', report],
        { stdio: 'ignore' },
      );
      const found = JSON.parse(readFileSync(report, 'utf8')) as { File: string; StartLine: number }[];
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
      const theirs = found.map(
        ({ File, StartLine }) => `${File.slice(File.indexOf(root) + root.length + 1)}:${StartLine}`,
      );
      return { theirs, missed: theirs.filter((place) => !ours.has(place)) };
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }

  it('finds no planted secret that the detector does not', async () => {
    const { theirs, missed } = await bothIn(planted().files);
    expect(theirs.length).toBeGreaterThan(3);
    expect(missed).toEqual([]);
  });

  it('finds no token of a vendor that the detector does not', async () => {
    let seed = 42;
    const draw = (alphabet: string, length: number): string =>
      Array.from({ length }, () => {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
        return alphabet[Math.floor((seed / 2 ** 32) * alphabet.length)];
      }).join('');
    const [lower, upper, digits] = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];
    const [hex, low, all] = ['0123456789abcdef', lower + digits, lower + upper + digits];
    const tokens = [
      `AKIA${draw('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`,
      `ghp_${draw(all, 36)}`,
      `glpat-${draw(all, 20)}`,
      `xoxb-${draw(digits, 12)}-${draw(digits, 12)}-${draw(all, 24)}`,
      `sk_live_${draw(all, 24)}`,
      `sk_test_${draw(all, 24)}`,
      `sk-ant-api03-${draw(all, 93)}AA`,
      `AIza${draw(all, 35)}`,
      `hf_${draw(lower, 34)}`,
      `dop_v1_${draw(hex, 64)}`,
      `SG.${draw(low, 66)}`,
      `SK${draw(hex, 32)}`,
      `dapi${draw(hex, 32)}`,
      `npm_${draw(low, 36)}`,
      `shpat_${draw(hex, 32)}`,
      `CLOJARS_${draw(low, 60)}`,
      `duffel_test_${draw(low, 43)}`,
      `p8e-${draw(low, 32)}`,
      `FLWSECK_TEST-${draw('0123456789abcdefgh', 32)}-X`,
      `fio-u-${draw(low, 64)}`,
      `LTAI${draw(low, 20)}`,
      `AKCp${draw(all, 69)}`,
      `dt0c01.${draw(low, 24)}.${draw(low, 64)}`,
      `EZAK${draw(low, 54)}`,
      `API-${draw(upper + digits, 26)}`,
      `pnu_${draw(low, 36)}`,
      `pul-${draw(hex, 40)}`,
      `rdme_${draw(low, 70)}`,
      `rubygems_${draw(hex, 48)}`,
      `xkeysib-${draw(hex, 64)}-${draw(low, 16)}`,
      `sm_pat_${draw(all, 16)}`,
      `shippo_live_${draw(hex, 40)}`,
      `HRKU-AA${draw(all, 58)}`,
      `ico-${draw(all, 32)}`,
      `s-s4t2ud-${draw(hex, 64)}`,
      `sgp_${draw(hex, 16)}_${draw(hex, 40)}`,
      `${draw(all, 6)}_${draw(all, 29)}_mmk`,
    ];
    const { theirs, missed } = await bothIn(
      Object.fromEntries(tokens.map((token, at) => [`deploy/${at}.env`, `VALUE=${token}\n`])),
    );
    // Some draws are not random enough for it.
    expect(theirs.length).toBeGreaterThan(tokens.length * 0.7);
    expect(missed.map((place) => tokens[Number(/\d+/.exec(place)?.[0])])).toEqual([]);
  });
});
