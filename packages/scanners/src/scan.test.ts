import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { readPickle } from './detectors/pickle.ts';
import { satisfies } from './detectors/licences.ts';
import { isLookAlike } from './detectors/packages.ts';
import {
  chooseDetectors,
  DETECTORS,
  folderSource,
  junitOf,
  sarifOf,
  bomOf,
  scan,
  type ScanSettings,
} from './index.ts';
import { cleanTwin, planted } from './testing/planted.ts';
import { compareVersions } from './versions/index.ts';
import { OsvIndex } from './vulnerability-index.ts';

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function treeOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = mkdtempSync(join(tmpdir(), 'candela-scan-'));
  folders.push(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const SETTINGS: ScanSettings = {
  licencePolicy: { allow: [], deny: [] },
  vulnerabilities: undefined,
  knownPackages: {},
  today: '2026-11-28',
};
const run = (
  files: Readonly<Record<string, string | Uint8Array>>,
  settings = SETTINGS,
  ids = chooseDetectors(''),
) => scan(folderSource(treeOf(files)), settings, ids, new AbortController().signal);

describe('the planted repository', () => {
  const { files, defects } = planted();

  it('has at least 60 defects, all of which are found', async () => {
    expect(defects.length).toBeGreaterThanOrEqual(60);
    const { findings } = await run(files);
    const found = new Set(findings.map(({ ruleId, path }) => `${ruleId} ${path}`));
    const ofKind = (rule: string, path: string) =>
      rule.startsWith('secret-') &&
      findings.some((one) => one.path === path && one.ruleId.startsWith('secret-'));
    const missing = defects.filter(({ rule, path }) => !found.has(`${rule} ${path}`) && !ofKind(rule, path));
    expect(missing).toEqual([]);
    for (const { title, explanation, fix, fingerprint } of findings) {
      expect([title, explanation, fix].every((text) => text.length > 5)).toBe(true);
      expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(findings.length);
  });

  it('keeps no secret in what it reports', async () => {
    const { findings } = await run(files);
    const text = JSON.stringify(findings);
    for (const secret of ['Q3EGRWLY7XPK2MZT', 'R4nD0mT0k3nV4lu3', 'aB3dE5fG7hJ9kL1m', 'Qw8eR7tY6uI5'])
      expect(text).not.toContain(secret);
  });

  it('has a clean twin, in which nothing is found', async () => {
    const { findings } = await run(cleanTwin());
    expect(
      findings
        .filter(({ ruleId }) => ruleId !== 'vulnerability-data-none')
        .map(({ ruleId, path, snippet }) => `${ruleId} ${path} ${snippet}`),
    ).toEqual([]);
  });

  it('keeps fingerprints when lines move', async () => {
    const before = await run(files);
    const moved = Object.fromEntries(
      Object.entries(files).map(([path, content]) => [
        path,
        typeof content === 'string' && path.endsWith('.py') ? `# moved\n\n${content}` : content,
      ]),
    );
    const after = await run(moved);
    expect(new Set(after.findings.map(({ fingerprint }) => fingerprint))).toEqual(
      new Set(before.findings.map(({ fingerprint }) => fingerprint)),
    );
  });

  it('is reported as SARIF, CycloneDX and JUnit', async () => {
    const result = await run(files);
    const sarif = sarifOf(result, '0.1.0') as {
      runs: { results: object[]; tool: { driver: { rules: { id: string }[] } } }[];
    };
    expect(sarif.runs[0]?.results).toHaveLength(result.findings.length);
    const bom = bomOf(result.components, '0.1.0') as { components: { purl: string }[] };
    expect(bom.components.map(({ purl }) => purl)).toContain('pkg:npm/good@1.0.0');
    const junit = junitOf(result, 'high');
    expect(junit).toContain(`tests="${DETECTORS.length}"`);
    expect(junit).toContain('<failure message=');
  });
});

describe('the folder', () => {
  it('is left neither by links nor by names, and what was not read is counted', async () => {
    const outside = treeOf({ 'secret.py': 'import pickle\npickle.load(x)\n' });
    const root = treeOf({
      'a.py': 'x = 1\n',
      'node_modules/x/i.js': 'eval(x)',
      'big.py': `import pickle\npickle.load(x)\n${'#'.repeat(1_100_000)}`,
    });
    symlinkSync(join(outside, 'secret.py'), join(root, 'link.py'));
    symlinkSync(outside, join(root, 'folder'));
    const { findings, coverage } = await scan(
      folderSource(root),
      SETTINGS,
      chooseDetectors('deserialization'),
      new AbortController().signal,
    );
    expect(findings).toEqual([]);
    expect(Object.fromEntries(coverage.skipped)).toEqual({
      'links and special files': 2,
      'folders of installed packages and caches': 1,
      'files that are too large': 1,
    });
  });

  it('refuses detectors that do not exist, by name', () => {
    expect(() => chooseDetectors('secrets, nonsense')).toThrow(/no detector "nonsense".*secrets, agent-sdk/);
  });

  it.each(DETECTORS.map(({ id }) => id))('%s survives any bytes in any file', async (id) => {
    const paths = Object.keys(planted().files);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.uint8Array({ maxLength: 600 }), async (path, bytes) => {
        const detector = DETECTORS.find((one) => one.id === id);
        const scanned = detector?.create({
          settings: SETTINGS,
          coverage: { filesSeen: 0, filesRead: 0, skipped: new Map(), notes: [] },
          components: [],
          imports: new Map(),
          report: () => undefined,
        });
        const text = Buffer.from(bytes).toString('utf8');
        if (scanned?.wants(path) === true)
          await scanned.file?.({
            path,
            size: bytes.length,
            bytes: async () => bytes,
            text: async () => text,
          });
        scanned?.end?.();
      }),
      { numRuns: 60 },
    );
  });
});

describe('pickles', () => {
  it('names globals of every protocol, also those that are put together on the stack', () => {
    const stack = Buffer.concat([
      Buffer.from([0x80, 4, 0x8c, 5]),
      Buffer.from('posix'),
      Buffer.from([0x94, 0x8c, 6]),
      Buffer.from('system'),
      Buffer.from([0x94, 0x93, 0x94, 0x8c, 2]),
      Buffer.from('id'),
      Buffer.from([0x85, 0x52, 0x2e]),
    ]);
    expect(readPickle(stack)).toEqual({ globals: ['posix system'], calls: true, broken: false });
    expect(readPickle(Buffer.from("cos\nsystem\n(S'id'\ntR."))).toEqual({
      globals: ['os system'],
      calls: true,
      broken: false,
    });
    expect(readPickle(Buffer.from([0x80, 2, 0x4b, 1, 0x2e]))).toEqual({
      globals: [],
      calls: false,
      broken: false,
    });
    expect(readPickle(Buffer.from([0x80, 2, 0xee])).broken).toBe(true);
  });
});

describe('versions', () => {
  it.each([
    [
      'npm',
      [
        '1.0.0-alpha',
        '1.0.0-alpha.1',
        '1.0.0-beta.2',
        '1.0.0-beta.11',
        '1.0.0-rc.1',
        '1.0.0',
        '1.0.1',
        '1.10.0',
        '2.0.0',
      ],
    ],
    ['PyPI', ['1.0.dev1', '1.0a1.dev2', '1.0a1', '1.0b2', '1.0rc1', '1.0', '1.0.post1', '1.1', '1!0.5']],
    [
      'Go',
      [
        'v0.0.0-20190101000000-aaaaaaaaaaaa',
        'v0.0.0-20200101000000-bbbbbbbbbbbb',
        'v1.0.0-rc.1',
        'v1.0.0',
        'v1.2.3',
      ],
    ],
    ['Maven', ['1.0-alpha-1', '1.0-beta', '1.0-rc1', '1.0-SNAPSHOT', '1.0', '1.0-sp', '1.0.1', '1.10']],
  ] as const)('%s are in order', (ecosystem, versions) => {
    for (let a = 0; a < versions.length; a += 1) {
      for (let b = 0; b < versions.length; b += 1) {
        expect(
          Math.sign(compareVersions(ecosystem, versions[a] ?? '', versions[b] ?? '')),
          `${versions[a]} ${versions[b]}`,
        ).toBe(Math.sign(a - b));
      }
    }
  });

  it('OSV ranges are half-open, last_affected is inclusive, withdrawn records and no data are not "0"', async () => {
    const index = new OsvIndex(Date.parse('2026-11-28'));
    expect(index.data).toEqual({ state: 'none' });
    const record = (id: string, name: string, events: object[], more: object = {}) =>
      index.add({
        id,
        modified: '2026-11-20T00:00:00Z',
        summary: 'bad',
        database_specific: { severity: 'HIGH' },
        affected: [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events }] }],
        ...more,
      });
    record('A-1', 'good', [{ introduced: '0' }, { fixed: '1.2.0' }]);
    record('A-2', 'good', [{ introduced: '1.0.0' }, { last_affected: '1.3.0' }]);
    record('A-3', 'good', [{ introduced: '0' }], { withdrawn: '2026-01-01T00:00:00Z' });
    const ids = (version: string) => index.find('npm', 'good', version).map(({ id }) => id);
    expect(ids('1.1.9')).toEqual(['A-1', 'A-2']);
    expect(ids('1.2.0')).toEqual(['A-2']);
    expect(ids('1.3.0')).toEqual(['A-2']);
    expect(ids('1.3.1')).toEqual([]);
    expect(index.data).toMatchObject({ state: 'fresh' });
    const { findings, vulnerabilityData } = await run(cleanTwin(), { ...SETTINGS, vulnerabilities: index });
    expect(findings.map(({ ruleId }) => ruleId)).toEqual(['A-1', 'A-2']);
    expect(vulnerabilityData).toMatchObject({ state: 'fresh', ecosystems: ['npm'] });
  });
});

it('licence expressions and look-alikes', () => {
  const ok = (licence: string) => licence === 'MIT';
  expect(satisfies('(MIT OR GPL-3.0-only)', ok)).toBe(true);
  expect(satisfies('MIT AND GPL-3.0-only', ok)).toBe(false);
  expect(satisfies('SEE LICENSE IN x', ok)).toBeUndefined();
  expect([
    isLookAlike('requets', 'requests'),
    isLookAlike('reqeusts', 'requests'),
    isLookAlike('requests', 'requests'),
    isLookAlike('flask', 'requests'),
  ]).toEqual([true, true, false, false]);
});
