import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lockDirectory } from '@candela/telemetry-store';
import { NODE_BINARY, startPostgres } from '@candela/testkit';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation, PASSWORD } from '../identity/testing/installation.ts';

const CLI = fileURLToPath(new URL('../../../../cli/src/main.ts', import.meta.url));
const SECRETS = 120;
/** When a rotation is killed: milliseconds after it said that it began. */
const KILLS_MS = [0, 3, 10, 30, 100, 300];

interface Where {
  /** What the platform and the command are told. */
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** The only column of what is stored. */
  stored(dir: string, sql: string): Promise<string[]>;
}

const SQLITE = {
  name: 'SQLite',
  make: async (): Promise<Where> => ({
    env: {},
    args: [],
    async stored(dir, sql) {
      const file = new DatabaseSync(join(dir, 'metadata.sqlite'), { readOnly: true });
      file.exec('pragma busy_timeout = 5000');
      const rows = file.prepare(sql).all();
      file.close();
      return rows.map((row) => String(Object.values(row)[0]));
    },
  }),
};
const server = await startPostgres();
const POSTGRES = server && {
  name: 'PostgreSQL',
  async make(): Promise<Where> {
    const url = await server.createDatabase();
    return {
      env: { PLATFORM_DATABASE_URL: url },
      args: ['--only-platform'],
      stored: async (_, sql) => (await server.sql(url, sql)).split('\n'),
    };
  },
};
afterAll(() => server?.stop());

const env = { PATH: process.env['PATH'] ?? '' };

describe.each([SQLITE, ...(POSTGRES ? [POSTGRES] : [])])('a rotation of the master key on $name', (kind) => {
  let where: Where;
  let place: Installation;
  let owner: Browser;
  let apiKey: string;
  /** What every secret must be, as last written. */
  const expected: Record<string, string> = {};
  const running = new Set<ChildProcess>();

  beforeAll(async () => {
    where = await kind.make();
    place = await openInstallation(where.env);
    owner = await place.own();
    apiKey = String(
      (await owner.call('POST', '/api/api-key', { name: 'app', scopes: ['vault'] })).data.apiKey,
    );
    for (let n = 0; n < SECRETS; n += 1) {
      const [key, value] = [`SECRET_${n}`, `${n} `.repeat(2_000)];
      const { status } = await owner.call('POST', '/api/vault', { key, value });
      expect(status).toBe(201);
      expected[key] = value;
    }
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await place.close();
  });

  function rotate(more: Readonly<Record<string, string>> = {}) {
    const child = spawn(NODE_BINARY, [CLI, 'vault', 'rotate', '--data-dir', place.dir, ...where.args], {
      env: { ...env, ...where.env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const told = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (told.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (told.stderr += chunk.toString()));
    const ended = once(child, 'close').then(([code]) => {
      running.delete(child);
      return { code: code as number | null, ...told };
    });
    /** Until it says that it is at work. */
    const began = Promise.race([once(child.stdout, 'data'), ended]);
    return { child, began, ended };
  }

  async function readAll(): Promise<Record<string, string>> {
    const response = await fetch(`${place.platform.http}/api/vault/get-secrets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: '{}',
    });
    const { err, res } = (await response.json()) as { err: string | null; res: Record<string, string> };
    expect(err).toBeNull();
    return res;
  }

  const stored = (sql: string) => where.stored(place.dir, sql);
  const keyFile = () => readFileSync(join(place.dir, 'vault.key'), 'utf8');
  const sealingKeys = async () =>
    (await stored('select distinct substr(value, 1, 19) from vault_versions')).map(
      (text) => text.split('.')[1] ?? '',
    );

  it('loses no read and no write of a platform that runs', async () => {
    const before = keyFile();
    const person = await place.join(owner, 'member');
    const begun = await person.browser.call('POST', '/api/account/totp', { password: PASSWORD });
    const totp = new TOTP({ secret: Secret.fromBase32(String(begun.data.secret)) });
    const code = () => {
      place.clock.shift += 31_000;
      return totp.generate({ timestamp: place.clock.now() });
    };
    await person.browser.call('POST', '/api/account/totp/confirm', { code: code() });

    const listed = await owner.call('GET', '/api/vault?search=SECRET_7&limit=1');
    const target = listed.data[0] as { id: string; key: string; revision: number };
    const rotation = rotate();
    let over = false;
    void rotation.ended.then(() => (over = true));
    let reads = 0;
    const reader = async () => {
      do {
        const seen = await readAll();
        const { [target.key]: _, ...rest } = seen;
        const { [target.key]: __, ...wanted } = expected;
        expect(rest).toEqual(wanted);
        reads += 1;
      } while (!over);
    };
    const writer = async () => {
      let { revision } = target;
      while (!over) {
        const value = `written ${revision}`;
        const answer = await owner.call('PUT', `/api/vault/${target.id}`, { revision, value });
        // A platform that hears late of the new key may seal with a former one no more, and says so.
        if (answer.code === 'overloaded') continue;
        expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
        expected[target.key] = value;
        revision += 1;
        await sleep(5);
      }
    };
    await Promise.all([reader(), reader(), writer()]);
    const { code: ended, stdout, stderr } = await rotation.ended;
    expect([ended, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Sealed \d+ secrets anew[^]*no longer in the file/);
    expect(reads).toBeGreaterThan(2);
    expect(await readAll()).toEqual(expected);
    const after = keyFile();
    expect(after.trim().split('\n')).toHaveLength(1);
    expect(after).not.toBe(before);
    expect(stdout + stderr).not.toContain(after.trim());
    expect(await sealingKeys()).toEqual(await stored('select key_id from vault_keys'));
    const again = place.browser();
    await again.call('POST', '/api/auth/sign-in', { email: person.email, password: PASSWORD });
    const signedIn = await again.call('POST', '/api/auth/sign-in/totp', { code: code() });
    expect([signedIn.status, signedIn.text]).toEqual([200, expect.any(String)]);
  });

  it('that is killed leaves everything readable, and is finished by the next one', async () => {
    for (const delay of KILLS_MS) {
      const { child, began, ended } = rotate();
      await began;
      await sleep(delay);
      child.kill('SIGKILL');
      await ended;
      expect([delay, await readAll()]).toEqual([delay, expected]);
    }
    const last = await rotate().ended;
    expect([last.code, last.stderr]).toEqual([0, '']);
    expect(keyFile().trim().split('\n')).toHaveLength(1);
    expect(await sealingKeys()).toEqual(await stored('select key_id from vault_keys'));
    expect(await readAll()).toEqual(expected);
  });

  it('is one at a time', async () => {
    const before = keyFile();
    const folder = join(place.dir, 'vault-rotation');
    mkdirSync(folder, { recursive: true });
    // As one that is under way holds it.
    const lock = lockDirectory(folder);
    const second = await rotate().ended;
    lock.release();
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toMatch(/^Another "candela vault rotate" is under way/);
    expect(keyFile()).toBe(before);
    expect(await readAll()).toEqual(expected);
  });

  // What is refused before anything is opened is the same everywhere.
  if (kind === SQLITE) {
    it('says what to do with a key of the configuration, and what it cannot take', async () => {
      const key = keyFile().trim();
      const [one, wrong] = await Promise.all([
        rotate({ PLATFORM_VAULT_KEY: key }).ended,
        rotate({ PLATFORM_VAULT_KEY: 'password' }).ended,
      ]);
      expect([one.code, one.stderr]).toEqual([1, expect.stringMatching(/openssl rand -base64 32/)]);
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/is no master key/)]);
      expect(one.stderr + wrong.stderr).not.toContain(key);
      const server = await rotate({ PLATFORM_DATABASE_URL: 'postgres://u:hidden@127.0.0.1:1/x' }).ended;
      expect([server.code, server.stderr]).toEqual([2, expect.stringMatching(/--only-platform/)]);
      const nowhere = join(place.dir, 'nowhere');
      const none = spawn(NODE_BINARY, [CLI, 'vault', 'rotate', '--data-dir', nowhere], { env });
      expect((await once(none, 'close'))[0]).toBe(2);
      expect(existsSync(nowhere)).toBe(false);
    });
  }
});
