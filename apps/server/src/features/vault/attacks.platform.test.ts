import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startPlatform } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, openBrowser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import { askForSecrets } from './testing/application.ts';

const PATH = '/api/vault';
let place: Installation;
let owner: Browser;
beforeAll(async () => {
  place = await openInstallation();
  owner = await place.own();
});
afterAll(async () => {
  await place.close();
});

const store = async (body: object): Promise<{ readonly id: string }> => {
  const { status, data, text } = await owner.call('POST', PATH, body);
  expect([status, text]).toEqual([201, expect.any(String)]);
  return data as { id: string };
};
const newKey = async () =>
  (await owner.call('POST', '/api/api-key', { name: 'app', scopes: ['vault'] })).data as { apiKey: string };
const fetchSecrets = (apiKey: string, body: object) => askForSecrets(place.platform.http, apiKey, body);

/** Does something to the file itself, as who has it may. */
function tamperWith(dir: string, sql: string, ...values: string[]): void {
  const file = new DatabaseSync(join(dir, 'metadata.sqlite'));
  file.exec('pragma busy_timeout = 5000');
  const { changes } = file.prepare(sql).run(...values);
  file.close();
  if (sql.startsWith('update')) expect(changes).toBe(1);
}

describe('rows of the database that somebody changed', () => {
  const tamper = (sql: string, ...values: string[]) => tamperWith(place.dir, sql, ...values);
  const valueOf = (id: string): string => {
    const file = new DatabaseSync(join(place.dir, 'metadata.sqlite'), { readOnly: true });
    const row = file.prepare('select value from vault_versions where id = ?').get(id);
    file.close();
    return String(row?.['value']);
  };

  it('are an error that names the secret, never a value', async () => {
    const one = await store({ key: 'TAMPER_ONE', value: 'value one', tags: ['tamper'] });
    const two = await store({ key: 'TAMPER_TWO', value: 'value two', tags: ['tamper'] });
    const { apiKey } = await newKey();
    await owner.call('PUT', `${PATH}/${one.id}`, { revision: 1, value: 'value one again' });
    const [first, second, other] = [`${one.id}.1`, `${one.id}.2`, `${two.id}.1`].map((id) => [
      id,
      valueOf(id),
    ]);
    const set = ([id, value]: readonly string[]) =>
      tamper('update vault_versions set value = ? where id = ?', value ?? '', id ?? '');
    const broken = async (name: string) => {
      const told = await fetchSecrets(apiKey, { tags: ['tamper'] });
      expect(told).toMatchObject({ status: 200, code: 'secret_unreadable', res: {} });
      expect(told.err).toContain(name);
      expect(JSON.stringify(told)).not.toMatch(/value (?:one|two)/);
    };
    const works = async () =>
      expect((await fetchSecrets(apiKey, { tags: ['tamper'] })).res).toEqual({
        TAMPER_ONE: 'value one again',
        TAMPER_TWO: 'value two',
      });
    await works();
    // Two rows exchanged, a former version in the place of a later one, one character changed.
    set([second?.[0] ?? '', other?.[1] ?? '']);
    await broken('TAMPER_ONE');
    set([second?.[0] ?? '', first?.[1] ?? '']);
    await broken('TAMPER_ONE');
    const text = second?.[1] ?? '';
    set([second?.[0] ?? '', `${text.slice(0, -3)}${text.at(-3) === 'A' ? 'B' : 'A'}${text.slice(-2)}`]);
    await broken('TAMPER_ONE');
    set(second ?? []);
    await works();
    // One under the name of another, and one in another place.
    tamper('update vault_secrets set key = ? where id = ?', 'TAMPER_X', two.id);
    await broken('TAMPER_X');
    tamper('update vault_secrets set key = ? where id = ?', 'TAMPER_TWO', two.id);
    await works();
    const revealed = await owner.call('POST', `${PATH}/${one.id}/reveal`, { version: 1 });
    expect(revealed.data.value).toBe('value one');
  });

  it('that log what is read: without a row no value', async () => {
    await store({ key: 'UNLOGGED', value: 'not without a row' });
    const { apiKey } = await newKey();
    tamper('alter table audit_log rename to audit_log_away');
    const told = await fetchSecrets(apiKey, { key: 'UNLOGGED' });
    tamper('alter table audit_log_away rename to audit_log');
    expect(told).toMatchObject({ status: 200, res: {} });
    expect(told.err).not.toBeNull();
    expect((await fetchSecrets(apiKey, { key: 'UNLOGGED' })).res).toEqual({ UNLOGGED: 'not without a row' });
  });
});

describe('a value', () => {
  const EMAIL = 'owner@example.com';
  const PASSWORD = 'correct horse battery';
  const dir = mkdtempSync(join(tmpdir(), 'candela-canary-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** How a text may hide in other bytes: as such, as UTF-16, in hexadecimal, in base64 wherever it begins. */
  function formsOf(text: string): Buffer[] {
    const bytes = Buffer.from(text);
    const base64 = [0, 1, 2].map((shift) =>
      Buffer.concat([Buffer.alloc(shift), bytes])
        .toString('base64')
        .slice(4, -4),
    );
    return [
      bytes,
      Buffer.from(text, 'utf16le'),
      Buffer.from(bytes.toString('hex')),
      ...base64.map((each) => Buffer.from(each)),
    ];
  }
  const filesIn = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  it('is in no log, metric, row, answer to a mistake or file, nor in what a crash leaves', async () => {
    const canaries = Array.from({ length: 4 }, () => `canary${randomBytes(24).toString('hex')}end`);
    const [first = '', second = '', refused = '', broken = ''] = canaries;
    const env = {
      PLATFORM_ADMIN_EMAIL: EMAIL,
      PLATFORM_ADMIN_PASSWORD: PASSWORD,
      PLATFORM_LOG_LEVEL: 'debug',
    };
    const platform = await startPlatform({ dataDir: dir, env });
    const person = openBrowser(platform.http);
    await person.call('POST', '/api/auth/sign-in', { email: EMAIL, password: PASSWORD });
    const seen: string[] = [];
    const call = async (...given: Parameters<Browser['call']>) => {
      const answer = await person.call(...given);
      seen.push(answer.text, JSON.stringify([...answer.headers]));
      return answer;
    };
    const { id } = (await call('POST', PATH, { key: 'CANARY', value: first })).data as { id: string };
    const headers = { 'idempotency-key': 'once' };
    expect((await call('PUT', `${PATH}/${id}`, { revision: 1, value: second }, headers)).status).toBe(200);
    const { data: key } = await person.call('POST', '/api/api-key', { name: 'app', scopes: ['vault'] });
    const apiKey = String(key.apiKey);
    expect((await askForSecrets(platform.http, apiKey, {})).res).toEqual({ CANARY: second });
    expect((await person.call('POST', `${PATH}/${id}/reveal`, { version: 1 })).data.value).toBe(first);
    // Mistakes that carry a value.
    for (const [method, path, body, status] of [
      ['POST', PATH, { key: 'CANARY', value: refused }, 409],
      ['POST', PATH, { key: 'OTHER', value: [refused] }, 400],
      ['POST', PATH, { key: 'OTHER', value: `${refused}\0` }, 400],
      ['POST', PATH, { key: 'OTHER', value: refused, more: refused }, 400],
      ['POST', PATH, { key: 'OTHER', value: refused.repeat(3_000) }, 400],
      ['PUT', `${PATH}/${id}`, { revision: 1, value: refused }, 409],
      ['PUT', `${PATH}/nobody`, { revision: 1, value: refused }, 404],
      ['PATCH', `${PATH}/${id}`, { value: refused }, 405],
    ] as const) {
      expect([method, path, (await call(method, path, body)).status]).toEqual([method, path, status]);
    }
    const halves = await fetch(`${platform.http}${PATH}`, {
      method: 'POST',
      headers: { origin: platform.http },
      body: `{"key":"OTHER","value":"${refused}`,
    });
    seen.push(await halves.text());
    // One that cannot be opened: a failure of ours, which is logged with its cause.
    await call('POST', PATH, { key: 'BROKEN', value: broken });
    tamperWith(dir, "update vault_secrets set key = 'MOVED' where key = 'BROKEN'");
    const told = await askForSecrets(platform.http, apiKey, { key: 'MOVED' });
    expect(told).toMatchObject({ code: 'secret_unreadable', res: {} });
    seen.push(JSON.stringify(told));
    for (const path of ['/api/audit?limit=500', PATH, `${PATH}/${id}/history`, '/metrics', '/openapi.json']) {
      expect([path, (await call('GET', path)).status]).toEqual([path, 200]);
    }
    process.kill(platform.pid, 'SIGABRT');
    await platform.exited;

    const haystacks = new Map<string, Buffer>([
      ['answers', Buffer.from(seen.join('\n'))],
      ['output', Buffer.from(platform.output().join('\n'))],
      ...filesIn(dir).map((file): [string, Buffer] => [file, readFileSync(file)]),
    ]);
    expect([...haystacks.keys()].join()).toMatch(/metadata\.sqlite,|metadata\.sqlite-wal/);
    expect(haystacks.get('output')?.toString()).toContain('secret_unreadable');
    for (const [where, bytes] of haystacks) {
      const found = canaries.filter((canary) => formsOf(canary).some((form) => bytes.includes(form)));
      expect([where, found]).toEqual([where, []]);
    }
    // The search finds what is there.
    const probe = Buffer.from(`x${first}`).toString('base64');
    expect(formsOf(first).some((form) => probe.includes(form.toString()))).toBe(true);
  });
});
