import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import { askForSecrets, type Told } from './testing/application.ts';

const SITE = 'https://app.example.com';
/** Of everything that texts break on. */
const AWKWARD = `"quotes" 'and' \\back\\slashes\\ \r\n\t\u0001\u007f \u{1f600} \u05d0 e\u0301 \u00e9 {{x}} $& %s\ufeff`;

let place: Installation;
let owner: Browser;
beforeAll(async () => {
  place = await openInstallation({ PLATFORM_ALLOWED_CORS_ORIGINS: SITE });
  owner = await place.own();
});
afterAll(async () => {
  await place.close();
});

const PATH = '/api/vault';
interface Made {
  readonly id: string;
  readonly revision: number;
}
const store = async (body: object, headers: Record<string, string> = {}): Promise<Made> => {
  const { status, data, text } = await owner.call('POST', PATH, body, headers);
  expect([status, text]).toEqual([201, expect.any(String)]);
  return data as Made;
};
const newKey = async (scopes: readonly string[] = ['vault'], more: object = {}) => {
  const { data } = await owner.call('POST', '/api/api-key', { name: 'app', scopes, ...more });
  return data as { id: string; apiKey: string };
};
const fetchSecrets = (
  apiKey: string | undefined,
  body: object | string,
  headers: Record<string, string> = {},
): Promise<Told> => askForSecrets(place.platform.http, apiKey, body, headers);
interface Row {
  readonly action: string;
  readonly requestId: string;
  readonly objectId: string | null;
  readonly details: Record<string, unknown>;
  readonly actorId: string | null;
}
const rowsOf = async (answer: { readonly headers: Headers }): Promise<Row[]> => {
  const { data } = await owner.call('GET', '/api/audit?limit=500');
  const id = answer.headers.get('x-request-id');
  return (data as Row[]).filter(({ requestId }) => requestId === id);
};

describe('a secret', () => {
  it('goes in, comes back byte for byte where it is asked for, and is nowhere else', async () => {
    const value = `${AWKWARD}${'x'.repeat(65_536)}`;
    const made = await owner.call('POST', PATH, { key: 'dbPassword', value, tags: ['prod', 'PROD', 'db'] });
    expect([made.status, made.data]).toMatchObject([
      201,
      { key: 'DB_PASSWORD', tags: ['PROD', 'db'], grants: null, version: 1, revision: 1 },
    ]);
    expect(made.data.bytes).toBe(Buffer.byteLength(value));
    const { id } = made.data as Made;
    const revealed = await owner.call('POST', `${PATH}/${id}/reveal`, {});
    expect(revealed.data).toEqual({ key: 'DB_PASSWORD', version: 1, value });
    expect(revealed.headers.get('cache-control')).toBe('no-store');
    expect(await rowsOf(revealed)).toMatchObject([{ action: 'secret.reveal', objectId: id }]);
    const { apiKey } = await newKey();
    const told = await fetchSecrets(apiKey, { key: 'db-password' });
    expect(told).toMatchObject({ status: 200, err: null, res: { DB_PASSWORD: value } });
    for (const path of [PATH, `${PATH}/${id}`, `${PATH}/${id}/history`, '/api/audit?limit=500']) {
      const { status, text } = await owner.call('GET', path);
      expect([path, status, text.includes('xxxxxxxx')]).toEqual([path, 200, false]);
    }
  });

  it('is taken in form or refused in a sentence', async () => {
    for (const [body, status, sentence] of [
      [{ key: 'A', value: '' }, 400, /value/],
      [{ key: 'A', value: 'a\0b' }, 400, /NUL/],
      [{ key: 'A', value: 'x'.repeat(131_073) }, 400, /131072/],
      [{ key: 'A', value: 'ü'.repeat(70_000) }, 400, /131072 bytes/],
      [{ key: '!!!', value: 'v' }, 400, /nothing is left/],
      [{ key: '2fa', value: 'v' }, 400, /digit/],
      [{ key: 'A', value: 'v', tags: ['a,b'] }, 400, /commas/],
      [{ key: 'A', value: 'v', grants: ['nobody'] }, 422, /nobody/],
      [{ key: 'A', value: 'v', grants: ['oauth:nobody'] }, 422, /oauth:nobody/],
      [{ key: 'db.password', value: 'v' }, 409, /DB_PASSWORD already/],
      [{ key: 'A', value: 'v', createdBy: 'me' }, 400, /createdBy/],
    ] as const) {
      const answer = await owner.call('POST', PATH, body);
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(sentence)]);
    }
    const lone = await fetch(`${place.platform.http}${PATH}`, {
      method: 'POST',
      headers: { origin: place.platform.http, cookie: cookieOf(owner) },
      body: '{"key":"A","value":"\\ud800"}',
    });
    expect(lone.status).toBe(400);
  });

  it('is changed by one of two people, and made once by a repeated call', async () => {
    const made = await store({ key: 'TWICE', value: 'one' });
    const path = `${PATH}/${made.id}`;
    const both = await Promise.all(
      ['two', 'three'].map((value) => owner.call('PUT', path, { revision: made.revision, value })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const headers = { 'idempotency-key': randomUUID() };
    const again = async (value: string) =>
      owner.call('POST', PATH, { key: 'REPEATED', value }, { ...headers });
    const first = await again('v');
    expect([first.status, (await again('v')).text]).toEqual([201, first.text]);
    expect((await again('another')).status).toBe(422);
    const kept = new DatabaseSync(join(place.dir, 'metadata.sqlite'), { readOnly: true });
    const answers = JSON.stringify(kept.prepare('select * from idempotency').all());
    kept.close();
    expect(answers).toContain('REPEATED');
    expect(answers).not.toContain('"v"');
  });

  it('has a history whose versions can be looked at and brought back', async () => {
    const made = await store({ key: 'AGED', value: 'first', tags: ['t'] });
    const path = `${PATH}/${made.id}`;
    const second = await owner.call('PUT', path, { revision: 1, value: 'second' });
    const tagged = await owner.call('PUT', path, { revision: 2, tags: [], grants: [] });
    expect([second.data, tagged.data]).toMatchObject([
      { version: 2 },
      { version: 2, revision: 3, grants: [] },
    ]);
    const restored = await owner.call('POST', `${path}/restore`, { revision: 3, version: 1 });
    expect(restored.data).toMatchObject({ version: 3, revision: 4 });
    const history = await owner.call('GET', `${path}/history`);
    expect(history.data).toMatchObject([
      { version: 3, current: true },
      { version: 2, current: false },
      { version: 1, current: false },
    ]);
    const reveal = (version?: number) =>
      owner.call('POST', `${path}/reveal`, version === undefined ? {} : { version });
    expect((await reveal()).data.value).toBe('first');
    expect((await reveal(2)).data.value).toBe('second');
    expect((await reveal(9)).status).toBe(404);
    expect((await owner.call('POST', `${path}/restore`, { revision: 4, version: 9 })).status).toBe(404);
    expect((await owner.call('DELETE', path)).status).toBe(200);
    expect((await owner.call('GET', path)).status).toBe(404);
  });
});

describe('an application', () => {
  it('gets by name, by any of some tags, by both, or all it may read', async () => {
    await store({ key: 'TAG_A', value: 'a', tags: ['One', 'x'] });
    await store({ key: 'TAG_B', value: 'b', tags: ['two', 'x'] });
    const { apiKey } = await newKey();
    const ask = async (body: object) => {
      const { status, err, res } = await fetchSecrets(apiKey, body);
      expect([status, err]).toEqual([200, null]);
      return res;
    };
    expect(await ask({ key: 'tagA', source: 'ts-sdk', metaProperties: { a: [1] } })).toEqual({ TAG_A: 'a' });
    expect(await ask({ tags: ['one', 'TWO'] })).toEqual({ TAG_A: 'a', TAG_B: 'b' });
    expect(await ask({ tags: 'two, none' })).toEqual({ TAG_B: 'b' });
    expect(await ask({ key: 'TAG_A', tags: ['two'] })).toEqual({});
    expect(await ask({ key: 'TAG_A', tags: ['x'] })).toEqual({ TAG_A: 'a' });
    expect(await ask({ key: 'NOBODY' })).toEqual({});
    expect(await ask({ key: '!!!' })).toEqual({});
    expect(await ask({ tags: ['none'] })).toEqual({});
    expect(await ask({ key: null, tags: null })).toMatchObject({ TAG_A: 'a', TAG_B: 'b' });
    const all = await ask({});
    for (const empty of [{ key: '', tags: [] }, { key: ' ', tags: '' }, { tags: ' , ' }]) {
      expect(await ask(empty)).toEqual(all);
    }
    expect(Object.keys(all).length).toBeGreaterThan(3);
    expect(Object.values(all).every((value) => typeof value === 'string')).toBe(true);
  });

  it('leaves one row a call that says what it got and nothing of the values', async () => {
    await store({ key: 'NOTED', value: 'never in a row', tags: ['noted'] });
    const { id, apiKey } = await newKey();
    const told = await fetchSecrets(apiKey, { tags: ['noted'], source: 'python-sdk' });
    const rows = await rowsOf(told);
    expect(rows).toMatchObject([
      {
        action: 'secret.fetch',
        actorId: id,
        details: { count: 1, names: ['NOTED'], source: 'python-sdk', tags: ['noted'] },
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain('never in a row');
    const none = await fetchSecrets(apiKey, { key: 'NOBODY' });
    expect(await rowsOf(none)).toMatchObject([{ details: { count: 0, asked: 'NOBODY' } }]);
  });

  it('reads what it was granted, until that is taken back, and keeps it when its key is rotated', async () => {
    const [mine, other, scopeless] = [await newKey(), await newKey(), await newKey(['telemetry'])];
    const { id } = await store({ key: 'GRANTED', value: 'g', grants: [mine.id] });
    const sees = async ({ apiKey }: { apiKey: string }) =>
      (await fetchSecrets(apiKey, { key: 'GRANTED' })).res;
    expect([await sees(mine), await sees(other)]).toEqual([{ GRANTED: 'g' }, {}]);
    expect(await fetchSecrets(scopeless.apiKey, {})).toMatchObject({
      status: 200,
      code: 'forbidden',
      res: {},
    });
    const names = async ({ apiKey }: { apiKey: string }) => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await place.browser().call('GET', `${PATH}?search=granted`, undefined, headers);
      return (answer.data as { key: string }[]).map(({ key }) => key);
    };
    expect([await names(mine), await names(other)]).toEqual([['GRANTED'], []]);
    const rotated = await owner.call('POST', `/api/api-key/${mine.id}/rotate`, {});
    expect(await sees({ apiKey: String(rotated.data.apiKey) })).toEqual({ GRANTED: 'g' });
    const { data: now } = await owner.call('GET', `${PATH}/${id}`);
    await owner.call('PUT', `${PATH}/${id}`, { revision: now.revision, grants: [] });
    expect(await sees({ apiKey: String(rotated.data.apiKey) })).toEqual({});
    expect((await fetchSecrets(undefined, { key: 'GRANTED' }, session(owner))).res).toEqual({ GRANTED: 'g' });
  });

  it('stores, changes and deletes what it was granted, never who may read it', async () => {
    const { id, apiKey } = await newKey();
    const headers = { authorization: `Bearer ${apiKey}` };
    const call = (method: string, path: string, body?: object) =>
      place.browser().call(method, path, body, headers);
    const made = await call('POST', PATH, { key: 'BY_A_KEY', value: 'one', grants: [id] });
    expect([made.status, made.data.createdBy]).toEqual([201, 'app']);
    const path = `${PATH}/${made.data.id}`;
    expect((await call('PUT', path, { value: 'two' })).data.version).toBe(2);
    expect((await call('GET', path)).data.key).toBe('BY_A_KEY');
    expect((await call('GET', `${path}/history`)).data).toHaveLength(2);
    for (const [method, to, body] of [
      ['PUT', path, { grants: null }],
      ['POST', `${path}/reveal`, {}],
      ['POST', `${path}/restore`, { revision: 1, version: 1 }],
    ] as const) {
      expect([method, to, (await call(method, to, body)).status]).toEqual([method, to, 403]);
    }
    const others = `${PATH}/${(await store({ key: 'NOT_MINE', value: 'f', grants: [] })).id}`;
    for (const [method, to, body] of [
      ['GET', others, undefined],
      ['GET', `${others}/history`, undefined],
      ['PUT', others, { value: 'x' }],
      ['DELETE', others, undefined],
    ] as const) {
      expect([method, to, (await call(method, to, body)).status]).toEqual([method, to, 404]);
    }
    expect((await call('DELETE', path)).status).toBe(200);
    const scopes = ['prompts'];
    const { data } = await owner.call('POST', '/api/api-key', { name: 'other scope', scopes });
    const without = { authorization: `Bearer ${data.apiKey}` };
    const refused = await place.browser().call('POST', PATH, { key: 'X', value: 'x' }, without);
    expect(refused.status).toBe(403);
  });

  it('is told what is wrong with status 200 and an empty object, whatever is wrong', async () => {
    const { apiKey, id } = await newKey();
    for (const [key, body, code] of [
      [undefined, {}, 'no_credential'],
      ['pk_nope', {}, 'unknown_credential'],
      [`pk_aaaaaaaa_${'b'.repeat(43)}`, {}, 'unknown_credential'],
      [apiKey, 'no json', 'body_not_json'],
      [apiKey, '[]', 'body_not_json'],
      [apiKey, '', 'body_not_json'],
      [apiKey, { key: 7 }, 'bad_request'],
      [apiKey, { tags: { a: 1 } }, 'bad_request'],
      [apiKey, { key: 'x'.repeat(600) }, 'bad_request'],
      [apiKey, { key: 'x'.repeat(1_100_000) }, 'too_large'],
    ] as const) {
      const told = await fetchSecrets(key, body);
      expect([code, told]).toMatchObject([
        code,
        { status: 200, code, res: {}, err: expect.stringMatching(/./) },
      ]);
      expect(told.headers.get('cache-control')).toBe('no-store');
    }
    await owner.call('DELETE', `/api/api-key/${id}`);
    expect(await fetchSecrets(apiKey, {})).toMatchObject({ status: 200, code: 'unknown_credential' });
  });

  it('of a page is answered where its origin is allowed, and refused before its key is looked at', async () => {
    const { apiKey } = await newKey();
    const allowed = await fetchSecrets(apiKey, { key: 'TAG_A' }, { origin: SITE });
    expect([allowed.status, allowed.res]).toEqual([200, { TAG_A: 'a' }]);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(SITE);
    for (const key of [apiKey, 'pk_nope', undefined]) {
      const refused = await fetchSecrets(key, {}, { origin: 'https://evil.example.com' });
      expect([refused.status, refused.res]).toEqual([403, {}]);
      expect(await rowsOf(refused)).toEqual([]);
    }
  });
});

describe('people', () => {
  it('see names from viewer on, and values from admin on', async () => {
    const { id } = await store({ key: 'SEEN', value: 'only for admins' });
    for (const [role, may] of [
      ['viewer', false],
      ['member', false],
      ['admin', true],
    ] as const) {
      const { data: projects } = await owner.call('GET', '/api/projects');
      const { browser } = await place.join(owner, role, { projects: [projects[0].id] });
      expect([role, (await browser.call('GET', `${PATH}?search=SEEN`)).data]).toMatchObject([
        role,
        [{ key: 'SEEN' }],
      ]);
      expect((await browser.call('GET', `${PATH}/${id}/history`)).status).toBe(200);
      const revealed = await browser.call('POST', `${PATH}/${id}/reveal`, {});
      expect([role, revealed.status]).toEqual([role, may ? 200 : 403]);
      const fetched = await fetchSecrets(undefined, { key: 'SEEN' }, session(browser));
      expect([role, fetched.res]).toEqual([role, may ? { SEEN: 'only for admins' } : {}]);
      if (!may) expect(fetched.code).toBe('forbidden');
    }
  });

  it('and applications of another project or configuration see nothing of it', async () => {
    const project = String((await owner.call('POST', '/api/projects', { name: 'Vault 2' })).data.id);
    const connector = String(
      (await owner.call('POST', '/api/connectors', { kind: 'embedded', name: 'vault 2' })).data.id,
    );
    const places = [
      {},
      { 'x-platform-project-id': project },
      { 'x-platform-database-config-id': connector },
    ] as const;
    const ids: string[] = [];
    for (const [index, headers] of places.entries()) {
      ids.push((await store({ key: 'SHARED_NAME', value: `of ${index}` }, { ...headers })).id);
    }
    const { apiKey } = await newKey();
    for (const [index, headers] of places.entries()) {
      const list = await owner.call('GET', `${PATH}?search=SHARED_NAME`, undefined, headers);
      expect(list.data).toMatchObject([{ id: ids[index] }]);
      for (const [other, id] of ids.entries()) {
        const revealed = await owner.call('POST', `${PATH}/${id}/reveal`, {}, headers);
        expect([index, other, revealed.status]).toEqual([index, other, index === other ? 200 : 404]);
      }
      const told = await fetchSecrets(apiKey, { key: 'SHARED_NAME' }, headers);
      if (index === 1) expect(told).toMatchObject({ code: 'forbidden', res: {} });
      else expect(told.res).toEqual({ SHARED_NAME: `of ${index}` });
    }
    const deleted = await owner.call('DELETE', `/api/connectors/${connector}`);
    expect([deleted.status, deleted.text]).toEqual([409, expect.stringMatching(/keeps 1 secret\./)]);
    const { data: foreign } = await owner.call(
      'POST',
      '/api/api-key',
      { name: 'theirs', projectId: project },
      {},
    );
    const granted = await owner.call('POST', PATH, { key: 'ACROSS', value: 'v', grants: [foreign.id] });
    expect(granted.status).toBe(422);
  });
});

const cookieOf = (browser: Browser): string =>
  [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
function session(browser: Browser): Record<string, string> {
  return { cookie: cookieOf(browser), origin: place.platform.http, 'sec-fetch-site': 'same-origin' };
}
