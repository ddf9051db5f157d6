import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { pack } from 'tar-stream';
import { afterEach, describe, expect, it } from 'vitest';
import { readPickle } from './detectors/pickle.ts';
import { satisfies } from './detectors/licences.ts';
import { isLookAlike } from './detectors/packages.ts';
import {
  archiveSource,
  chooseDetectors,
  DETECTORS,
  folderSource,
  junitOf,
  sarifOf,
  bomOf,
  readOsvFolders,
  readRules,
  readSarif,
  scan,
  ScanError,
  type ScanSettings,
  verifyBundle,
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

describe('an uploaded archive', () => {
  const scanned = (bytes: Uint8Array) =>
    scan(archiveSource(bytes), SETTINGS, chooseDetectors('deserialization'), new AbortController().signal);
  const text = (content: string) => Buffer.from(content);
  const bad = text('import pickle\npickle.load(x)\n');
  const tarOf = async (entries: readonly (readonly [object, string])[]) => {
    const tar = pack();
    for (const [head, content] of entries) tar.entry(head as { name: string }, content);
    tar.finalize();
    return Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>));
  };

  it('is read as zip, tar and tar.gz, with the fingerprints of the folder', async () => {
    const ofFolder = await run({ 'src/a.py': bad }, SETTINGS, chooseDetectors('deserialization'));
    const tar = await tarOf([[{ name: './src/a.py' }, bad.toString()]]);
    const zip = zipSync({ 'src/a.py': bad, 'src/': new Uint8Array(), 'b.txt': [text('x'), { level: 0 }] });
    for (const archive of [zip, tar, gzipSync(tar)])
      expect((await scanned(archive)).findings).toEqual(ofFolder.findings);
  });

  it('is left by no name and no link', async () => {
    const zip = zipSync({ '../evil.py': bad, '/etc/evil.py': bad, '..\\evil.py': bad });
    expect(await scanned(zip)).toMatchObject({ findings: [] });
    const tar = await tarOf([
      [{ name: '../../evil.py' }, bad.toString()],
      [{ name: 'link.py', type: 'symlink', linkname: '/etc/passwd' }, ''],
      [{ name: 'hard.py', type: 'link', linkname: '/etc/passwd' }, ''],
      [{ name: 'device', type: 'character-device' }, ''],
    ]);
    const { findings, coverage } = await scanned(tar);
    expect(findings).toEqual([]);
    expect(Object.fromEntries(coverage.skipped)).toEqual({
      'paths that lead elsewhere': 1,
      'links and special files': 3,
    });
  });

  it('is refused by name when it is a bomb, damaged, or no archive', async () => {
    const zeros = new Uint8Array(33 * 1_048_576);
    await expect(scanned(zipSync({ 'a.py': zeros }, { level: 1 }))).rejects.toThrow('archive-bomb');
    await expect(scanned(gzipSync(zeros, { level: 1 }))).rejects.toThrow(/archive-bomb|damaged/);
    await expect(scanned(gzipSync(text('not a tar')))).rejects.toThrow('damaged');
    await expect(scanned(text('hello'))).rejects.toThrow('no zip, tar or tar.gz');
    const zip = zipSync({ 'a.py': bad });
    for (const end of [4, 30, 60, zip.length - 30])
      await expect(scanned(zip.subarray(0, end))).rejects.toThrow('damaged or was cut');
  });

  it('any bytes end in findings or a sentence', async () => {
    const whole = [zipSync({ 'a.py': bad, 'b/c.py': bad }), gzipSync(await tarOf([[{ name: 'a.py' }, 'x']]))];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...whole),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 }),
        async (archive, changes) => {
          const bytes = Uint8Array.from(archive);
          for (const [at, value] of changes) bytes[at % bytes.length] = value;
          await scanned(bytes).catch((thrown: unknown) => expect(thrown).toBeInstanceOf(ScanError));
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('a bundle of rules', () => {
  const yaml = (more = '') => `rules:
  - id: no-print
    severity: medium
    title: Prints to the console
    explanation: Output is lost.
    fix: Use the logger.
    pattern: 'print\\('
    files: ['.py']
${more}`;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const bundle = (rules: string, more: Readonly<Record<string, string>> = {}) => {
    const manifest = `${createHash('sha256').update(rules).digest('hex')}  rules/a.yaml\n`;
    const signature = sign(null, Buffer.from(manifest), privateKey).toString('base64');
    const files = { 'rules/a.yaml': rules, MANIFEST: manifest, 'MANIFEST.sig': signature, ...more };
    return new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  };

  it('finds by its patterns, in the files that it names', async () => {
    const rules = readRules(bundle(yaml()));
    const found = await run({ 'a.py': 'x = 1\nprint(x)\n', 'a.ts': 'print(x)' }, { ...SETTINGS, rules });
    expect(found.findings.map(({ ruleId, path, line }) => [ruleId, path, line])).toEqual([
      ['rules/no-print', 'a.py', 2],
    ]);
  });

  it('is verified by its signature, file by file', () => {
    expect(verifyBundle(bundle(yaml()), [pem])).toBeUndefined();
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(verifyBundle(bundle(yaml()), [other])).toMatch(/none of the known keys/);
    expect(verifyBundle(bundle(yaml()), [])).toMatch(/PLATFORM_SCANNER_RULE_KEYS_FILE/);
    expect(verifyBundle(bundle(yaml(), { 'rules/b.yaml': 'rules: []' }), [pem])).toMatch(/rules\/b.yaml/);
    const changed = bundle(yaml());
    changed.set('rules/a.yaml', Buffer.from(yaml('  # more')));
    expect(verifyBundle(changed, [pem])).toMatch(/not as MANIFEST/);
    changed.delete('rules/a.yaml');
    expect(verifyBundle(changed, [pem])).toMatch(/missing/);
    changed.delete('MANIFEST.sig');
    expect(verifyBundle(changed, [pem])).toMatch(/no MANIFEST/);
  });

  it.each([
    ['rules: 1', /no list "rules"/],
    ['{', /no YAML/],
    ['rules: []', /no rules/],
    ['rules: [{id: A b}]', /no id/],
    [yaml().replace('medium', 'bad'), /severity of "no-print"/],
    [yaml().replace('print\\(', '(?=x)'), /no RE2/],
    [yaml('  - {id: no-print, severity: low, title: t, explanation: e, fix: f, pattern: x}'), /Two rules/],
    ['a: &a [x]\nrules: [*a, *a]', /no YAML/],
  ])('is refused with a sentence: %j', (text, why) => {
    expect(() => readRules(bundle(text))).toThrow(why);
  });
});

describe('SARIF of other tools', () => {
  it('becomes findings, and our own survives the way out and in', async () => {
    const result = await run(planted().files);
    const { findings, detectors } = readSarif(JSON.parse(JSON.stringify(sarifOf(result, '1'))));
    expect(detectors).toEqual(['sarif-candela']);
    const told = (all: readonly { path: string; line: number | null; ruleId: string; severity: string }[]) =>
      all.map(({ path, line, ruleId, severity }) => `${path} ${line} ${ruleId} ${severity}`).toSorted();
    expect(told(findings)).toEqual(told(result.findings));
  });

  it('is hostile text: paths lead nowhere, levels are looked up, suppressed results are left out', () => {
    const { findings } = readSarif({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'Bad/../Tool', rules: [{ id: 'r', helpUri: 'javascript:x' }, 5] } },
          results: [
            {
              ruleId: 'r',
              level: 'error',
              message: { text: 'a\u202eb' },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'file:///../../etc/%2e%2e/passwd' },
                    region: { startLine: -4 },
                  },
                },
              ],
            },
            { ruleId: 'r', suppressions: [{ kind: 'inSource' }] },
            null,
            { ruleIndex: 9, properties: { 'security-severity': '9.8' } },
          ],
        },
        7,
      ],
    });
    expect(findings).toMatchObject([
      { severity: 'critical', ruleId: 'unnamed', path: '', line: null },
      { severity: 'high', detector: 'sarif-bad-tool', path: 'etc/passwd', line: null, title: 'a b' },
    ]);
    for (const wrong of [null, [], {}, { version: '2.0.0', runs: [] }, { version: '2.1.0' }])
      expect(() => readSarif(wrong)).toThrow('no SARIF 2.1.0');
  });
});

it('OSV dumps are read from zip files, of the named packages alone, with their age', async () => {
  const record = (id: string, name: string, modified: string) =>
    Buffer.from(
      JSON.stringify({
        id,
        modified,
        affected: [
          {
            package: { ecosystem: 'npm', name },
            ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
          },
        ],
      }),
    );
  const root = treeOf({
    'npm.zip': zipSync({
      'A.json': record('A', 'good', '2026-11-01T00:00:00Z'),
      'B.json': record('B', 'other', '2026-11-20T00:00:00Z'),
      'C.json': Buffer.from('{'),
    }),
    'broken.zip': Buffer.from('PK no zip'),
  });
  const index = await readOsvFolders([root], Date.parse('2026-11-28'), [{ ecosystem: 'npm', name: 'good' }]);
  expect(index.find('npm', 'good', '1.0.0').map(({ id }) => id)).toEqual(['A']);
  expect(index.find('npm', 'other', '1.0.0')).toEqual([]);
  expect(index.data).toMatchObject({ state: 'fresh', date: '2026-11-20T00:00:00.000Z' });
  const later = await readOsvFolders([root], Date.parse('2027-02-28'));
  expect(later.data).toMatchObject({ state: 'stale' });
  expect(later.find('npm', 'other', '1.0.0')).toHaveLength(1);
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
