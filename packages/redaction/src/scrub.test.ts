import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cut, scrub, scrubAndCut } from './index.ts';

let seed = 42;
const random = (alphabet: string, length: number) => {
  let out = '';
  for (let n = 0; n < length; n++) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    out += alphabet[Math.floor((seed / 2 ** 32) * alphabet.length)];
  }
  return out;
};
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ALNUM = `${UPPER}${UPPER.toLowerCase()}0123456789`;
const LOWER = `${UPPER.toLowerCase()}0123456789`;
const HEX = '0123456789abcdef';
const B32 = `${UPPER}234567`;

/** Forms as their vendors publish them; the letters are drawn, so none is real. */
const SECRETS: readonly (readonly [front: string, secret: () => string])[] = [
  ...['AKIA', 'ASIA'].map((p) => [p, () => random(B32, 16)] as const),
  ['ABSK', () => random(ALNUM, 100)],
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((p) => [p, () => random(ALNUM, 36)] as const),
  ['github_pat_', () => `${random(ALNUM, 22)}_${random(ALNUM, 59)}`],
  ...['glpat-', 'gldt-', 'glrt-'].map((p) => [p, () => random(ALNUM, 20)] as const),
  ['xoxb-', () => `${random('0123456789', 12)}-${random(ALNUM, 24)}`],
  ['xapp-', () => `1-${random(ALNUM, 30)}`],
  ['xoxe-', () => `1-${random(ALNUM, 40)}`],
  [
    'https://hooks.slack.com/services/',
    () => `T${random(UPPER, 8)}/B${random(UPPER, 8)}/${random(ALNUM, 24)}`,
  ],
  ...['sk_live_', 'sk_test_', 'rk_live_', 'whsec_'].map((p) => [p, () => random(ALNUM, 24)] as const),
  ['sk-ant-api03-', () => random(ALNUM, 93)],
  ['sk-ant-admin01-', () => random(ALNUM, 93)],
  ['sk-proj-', () => random(ALNUM, 48)],
  ['sk-', () => random(ALNUM, 48)],
  ['sk-or-v1-', () => random(HEX, 64)],
  ['AIza', () => random(ALNUM, 35)],
  ['ya29.', () => random(ALNUM, 60)],
  ['GOCSPX-', () => random(ALNUM, 28)],
  ['gsk_', () => random(ALNUM, 52)],
  ['xai-', () => random(ALNUM, 80)],
  ['hf_', () => random(ALNUM, 34)],
  ['AGE-SECRET-KEY-1', () => random(`${UPPER}0123456789`, 58)],
  ['dop_v1_', () => random(HEX, 64)],
  ['SG.', () => `${random(ALNUM, 22)}.${random(ALNUM, 43)}`],
  ['SK', () => random(HEX, 32)],
  ['dapi', () => random(HEX, 32)],
  ['pypi-AgEI', () => random(ALNUM, 70)],
  ['npm_', () => random(ALNUM, 36)],
  ['shpat_', () => random(HEX, 32)],
  ['dp.pt.', () => random(ALNUM, 43)],
  ['lin_api_', () => random(ALNUM, 40)],
  ['ntn_', () => random(ALNUM, 46)],
  ['hvs.', () => random(ALNUM, 24)],
  ['sbp_', () => random(HEX, 40)],
  ['eyJ', () => `${random(ALNUM, 20)}.eyJ${random(ALNUM, 40)}.${random(ALNUM, 43)}`],
  ['ops_eyJ', () => random(ALNUM, 240)],
  ['A3-', () => [6, 11, 5, 5, 5].map((length) => random(`${UPPER}0123456789`, length)).join('-')],
  ['bedrock-api-key-', () => random(ALNUM, 40)],
  ['4b1d', () => random(ALNUM, 38)],
  ['CLOJARS_', () => random(LOWER, 60)],
  ['v1.0-', () => `${random(HEX, 24)}-${random(HEX, 146)}`],
  ['duffel_live_', () => random(ALNUM, 43)],
  ['p8e-', () => random(LOWER, 32)],
  ['EAAM', () => random(ALNUM, 90)],
  ['EAAA', () => random(ALNUM, 60)],
  ['sq0atp-', () => random(ALNUM, 22)],
  ['FLWSECK_TEST-', () => `${random(LOWER, 32)}-X`],
  ['fm2_', () => random(ALNUM, 100)],
  ['fo1_', () => random(ALNUM, 43)],
  ['fio-u-', () => random(ALNUM, 64)],
  ['LTAI', () => random(ALNUM, 20)],
  ['gloas-', () => random(ALNUM, 64)],
  ['_gitlab_session=', () => random(LOWER, 32)],
  ['AKCp', () => random(ALNUM, 69)],
  ['cmVmd', () => random(ALNUM, 59)],
  ['eyJrIjoi', () => random(ALNUM, 80)],
  ['pat.', () => `${random(ALNUM, 22)}.${random(LOWER, 24)}.${random(ALNUM, 20)}`],
  ['dt0c01.', () => `${random(UPPER, 24)}.${random(UPPER, 64)}`],
  ['EZAK', () => random(ALNUM, 54)],
  ['ZXlK', () => random(ALNUM, 90)],
  ['API-', () => random(`${UPPER}0123456789`, 26)],
  [
    'access-sandbox-',
    () => `${random(HEX, 8)}-${random(HEX, 4)}-${random(HEX, 4)}-${random(HEX, 4)}-${random(HEX, 12)}`,
  ],
  ['pnu_', () => random(ALNUM, 36)],
  ['pul-', () => random(HEX, 40)],
  ['rdme_', () => random(LOWER, 70)],
  ['rubygems_', () => random(HEX, 48)],
  ['xkeysib-', () => `${random(HEX, 64)}-${random(ALNUM, 16)}`],
  ['sm_pat_', () => random(ALNUM, 16)],
  ['shippo_test_', () => random(HEX, 40)],
  ['HRKU-AA', () => random(ALNUM, 58)],
  ['ico-', () => random(ALNUM, 32)],
  ['s-s4t2ud-', () => random(HEX, 64)],
  ['sgp_local_', () => random(HEX, 40)],
  ['t1.', () => `${random(ALNUM, 12)}.${random(ALNUM, 86)}`],
  ['sha256~', () => random(ALNUM, 43)],
  ['tfp_', () => random(ALNUM, 59)],
  ['pscale_pw_', () => random(ALNUM, 43)],
  ['dnkey-', () => `${random(ALNUM, 26)}-${random(ALNUM, 52)}`],
  ['key-', () => random(HEX, 32)],
  ['pk.', () => `${random(LOWER, 60)}.${random(LOWER, 22)}`],
  ['azure ', () => `${random(ALNUM, 3)}8Q~${random(ALNUM, 32)}`],
  ['scauth_', () => `${random(LOWER, 20)}.${random(LOWER, 4)}.acc-${random(LOWER, 12)}.${random(LOWER, 60)}`],
  ['maxmind ', () => `${random(ALNUM, 6)}_${random(ALNUM, 29)}_mmk`],
  ['mailchimp ', () => `${random(HEX, 32)}-us12`],
  ['Authorization: Basic ', () => random(ALNUM, 24)],
  ['Authorization: Bearer ', () => random(ALNUM, 24)],
  ['"authorization": "', () => random(ALNUM, 24)],
  ['x-api-key: ', () => random(ALNUM, 24)],
  ['Cookie: session=', () => random(ALNUM, 32)],
  ['curl -u admin:', () => random(ALNUM, 12)],
  ['postgres://app:', () => `${random(ALNUM, 12)}@db.example/x`],
  ['https://user:', () => `${random(ALNUM, 12)}@git.example/x.git`],
  ['https://x.example/?api_key=', () => random(ALNUM, 24)],
  ['AccountKey=', () => random(ALNUM, 86)],
  ['-----BEGIN RSA PRIVATE KEY-----\n', () => random(ALNUM, 300)],
];
const BODIES: typeof SECRETS = [
  ['password = "', () => `${random(ALNUM, 10)}1`],
  ['"password": "', () => `${random(ALNUM, 10)}1`],
  ['export DB_PASSWORD=', () => `${random(ALNUM, 12)}1`],
  ['client_secret: ', () => `${random(ALNUM, 20)}1`],
  ['API_TOKEN=', () => `${random(ALNUM, 20)}1`],
  ['SIGNING_KEY=', () => `${random(ALNUM, 20)}1`],
  ["apiKey: '", () => `${random(ALNUM, 20)}1`],
  ['aws_secret_access_key = ', () => `${random(ALNUM, 39)}1`],
];

describe('scrub', () => {
  it('removes at least 99 % of 200 secrets, each in two sentences', () => {
    const escaped: string[] = [];
    let tried = 0;
    for (let round = 0; tried < 200 || round < 4; round++) {
      for (const [tier, list] of [
        [1, SECRETS],
        [2, SECRETS],
        [2, BODIES],
      ] as const) {
        for (const [front, draw] of list) {
          const secret = draw();
          const text =
            round % 2 ? `run it with ${front}${secret}\nand go on` : `{"command":"x ${front}${secret}"}`;
          tried += 1;
          if (scrub(text, tier).includes(secret.split('@')[0] ?? '')) escaped.push(`${tier} ${text}`);
        }
      }
    }
    expect(tried).toBeGreaterThan(200);
    expect(escaped.slice(0, 10), `${escaped.length} of ${tried}`).toEqual([]);
  });

  it.each([
    'commit 9f4dc0b9193b524d2ef3037d764ad348fcf72cf0',
    '6f1c1c70-3d5b-4ad5-9e3b-0f6b0b3b9b11',
    'integrity "sha512-9Q3a0x2dYgZf1B8cR5vT7mK1pL0oN4iU6yH3gF8dS2aW5eQ7rT9uI1oP3zXcVbNm4lKjHgFdSaQwErTyUiOp1A=="',
    'the password is asked for, and a token: see docs/tokens.md',
    'const token = await readToken(file);',
    'password: string',
    'Authorization: Bearer $TOKEN',
    'https://user@host.example/path',
    'packages/telemetry-store/src/queries/spans/span-fields.ts',
    'task-list sk-small disk-usage-of-the-machine',
    'const key = `${user}:${password}@host`',
  ])('leaves %s', (text) => expect(scrub(text, 2)).toBe(text));

  it('a secret that the cut would go through is removed before', () => {
    const text = `${'x'.repeat(80)} ghp_${random(ALNUM, 36)}`;
    expect(scrubAndCut(text, 1, 100)).not.toContain('ghp_');
  });

  it('cuts on a character border, in bytes', () => {
    const text = 'aé😀'.repeat(100);
    for (let bytes = 20; bytes < 60; bytes++) {
      const short = cut(text, bytes);
      expect(Buffer.byteLength(short)).toBeLessThanOrEqual(bytes);
      expect(short).not.toMatch(/\uFFFD/);
      expect(text.startsWith(short.slice(0, -'… [cut]'.length))).toBe(true);
    }
  });

  it('takes a line of a million equal characters, and of beginnings without an end', () => {
    for (const unit of [
      'a',
      'sk-',
      'password=',
      'eyJ.',
      '://a:',
      'cookie: a=',
      'bearer ',
      '-----BEGIN PRIVATE KEY-----',
      'curl ',
    ]) {
      expect(scrub(unit.repeat(Math.ceil(1_000_000 / unit.length)), 2).length).toBeGreaterThan(10);
    }
  });

  it('changes no line of this repository but those that show a secret', () => {
    const root = join(import.meta.dirname, '../../..');
    const files = execFileSync('git', ['ls-files', 'apps', 'packages', 'docs', 'package-lock.json'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    })
      .split('\n')
      .filter(
        (file) => /\.(?:ts|tsx|md|json)$/.test(file) && !/test|fixture|testing|redaction|demo/.test(file),
      );
    const changed: string[] = [];
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8');
      const clean = scrub(text, 2);
      if (clean === text) continue;
      const before = new Set(text.split('\n'));
      for (const line of clean.split('\n'))
        if (!before.has(line)) changed.push(`${file}: ${line.trim().slice(0, 160)}`);
    }
    expect(files.length).toBeGreaterThan(500);
    expect(changed).toEqual([]);
  });
});
