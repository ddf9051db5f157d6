import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { NODE_BINARY, type PlatformProcess, startPlatform, startPostgres } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, openBrowser } from './features/identity/testing/browser.ts';
import { applicationWith, publish, publishNext } from './features/prompts/testing/application.ts';
import { callWith, makeKey } from './features/rules/testing/application.ts';
import { askForSecrets } from './features/vault/testing/application.ts';

const server = await startPostgres();
/** One for all replicas: what one seals the others open. */
const VAULT_KEY = randomBytes(32).toString('base64');
const dirs: string[] = [];
const newDir = () => {
  const dir = mkdtempSync(join(tmpdir(), 'candela-on-pg-'));
  dirs.push(dir);
  return dir;
};
afterAll(async () => {
  await server?.stop();
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };

/** Two platforms on one new database, with an owner. */
async function twoReplicas() {
  const url = (await server?.createDatabase()) ?? '';
  const env = {
    PLATFORM_DATABASE_URL: url,
    PLATFORM_VAULT_KEY: VAULT_KEY,
    PLATFORM_ADMIN_EMAIL: OWNER.email,
    PLATFORM_ADMIN_PASSWORD: OWNER.password,
  };
  const one = await startPlatform({ dataDir: newDir(), env });
  const two = await startPlatform({ dataDir: newDir(), env });
  return { url, one, two };
}

async function signIn(http: string): Promise<Browser> {
  const browser = openBrowser(http);
  expect((await browser.call('POST', '/api/auth/sign-in', OWNER)).status).toBe(200);
  return browser;
}

describe.skipIf(server === undefined)('a platform whose metadata is in PostgreSQL', () => {
  it('keeps what people save there, over a restart and for another replica', async () => {
    const url = (await server?.createDatabase()) ?? '';
    const env = { PLATFORM_DATABASE_URL: url, PLATFORM_VAULT_KEY: VAULT_KEY };
    const [one, two] = [newDir(), newDir()];
    const first = await startPlatform({ dataDir: one, env });
    const made = await fetch(`${first.http}/api/telemetry/views`, {
      method: 'POST',
      headers: { origin: first.http },
      body: JSON.stringify({ page: 'traces', name: 'Slow', description: null, search: '?q=duration%3E2s' }),
    });
    expect(made.status).toBe(201);
    const { data } = (await made.json()) as { data: { id: string } };
    expect(readdirSync(one).filter((name) => name.startsWith('metadata'))).toEqual([]);
    const second = await startPlatform({ dataDir: two, env });
    const read = await fetch(`${second.http}/api/telemetry/views/${data.id}`);
    expect(((await read.json()) as { data: unknown }).data).toEqual(data);
    for (const platform of [first, second]) {
      expect((await platform.stop()).code).toBe(0);
      expect(platform.output().join('\n')).not.toContain(new URL(url).password);
    }
  });

  it('stops with a sentence when the server is not there', () => {
    const main = join(import.meta.dirname, 'main.ts');
    const { status, stderr, stdout } = spawnSync(NODE_BINARY, [main], {
      encoding: 'utf8',
      timeout: 100_000,
      env: {
        PATH: process.env['PATH'] ?? '',
        PLATFORM_DATA_DIR: newDir(),
        PLATFORM_PORT: '0',
        PLATFORM_OTLP_HTTP_PORT: '0',
        PLATFORM_OTLP_GRPC_PORT: '0',
        PLATFORM_LOCAL_COLLECTOR: 'false',
        PLATFORM_DATABASE_URL: 'postgres://somebody:hidden-password@127.0.0.1:1/candela',
      },
    });
    expect(status).toBe(1);
    expect(stdout + stderr).toMatch(/127\.0\.0\.1:1, database candela cannot be reached/);
    expect(stdout + stderr).not.toMatch(/hidden-password|\n {4}at /);
  });

  describe('two of them on one database', () => {
    let url: string;
    let one: PlatformProcess;
    let two: PlatformProcess;
    beforeAll(async () => {
      ({ url, one, two } = await twoReplicas());
    });
    afterAll(() => Promise.all([one.stop(), two.stop()]));

    it('a key and a session that are taken away on one replica are refused by the other', async () => {
      const [here, there] = [await signIn(one.http), await signIn(two.http)];
      const key = await here.call('POST', '/api/api-key', { name: 'a key' });
      expect(key.status, key.text).toBe(201);
      const read = async () => {
        const headers = { authorization: `Bearer ${key.data.apiKey}` };
        return (await fetch(`${two.http}/api/telemetry/views`, { headers })).status;
      };
      expect(await read()).toBe(200);
      expect((await here.call('DELETE', `/api/api-key/${key.data.id}`)).status).toBe(200);
      await expect.poll(read, { timeout: 30_000, interval: 50 }).toBe(401);
      expect((await there.call('GET', '/api/account')).status).toBe(200);
      expect((await here.call('POST', '/api/account/sign-out-everywhere', {})).status).toBe(200);
      await expect
        .poll(async () => (await there.call('GET', '/api/account')).status, { timeout: 30_000, interval: 50 })
        .toBe(401);
    });

    it('secrets and prompts that one replica stored the other gives, until they are changed', async () => {
      const owner = await signIn(one.http);
      const { data: key } = await owner.call('POST', '/api/api-key', {
        name: 'app',
        scopes: ['vault', 'prompts'],
      });
      const value = `"quotes" 'and' \\back\\slashes\\ \r\n\t\u0001 \u{1f600} e\u0301 $1 %s ${'x'.repeat(65_536)}`;
      const secret = { key: 'dbPassword', value, tags: ['prod'], grants: [key.id] };
      const made = await owner.call('POST', '/api/vault', secret);
      expect(made.status, made.text).toBe(201);
      const read = () => askForSecrets(two.http, String(key.apiKey), { tags: ['PROD'] });
      expect(await read()).toMatchObject({ err: null, res: { DB_PASSWORD: value } });
      const change = { revision: 1, grants: [] };
      expect((await owner.call('PUT', `/api/vault/${made.data.id}`, change)).status).toBe(200);
      await expect.poll(async () => (await read()).res, { timeout: 30_000, interval: 50 }).toEqual({});
      const sealed = await server?.sql(url, 'select value from vault_versions');
      expect(sealed).toMatch(/^v1\.[0-9a-f]{16}\./);

      const { id, name } = await publish(owner, 'major');
      const [near, far] = [one, two].map(({ http }) => applicationWith(http, String(key.apiKey)));
      let fetches = 0;
      const versions = async () => {
        fetches += 2;
        const both = await Promise.all([near?.compiled({ name }), far?.compiled({ name })]);
        return both.map((fetched) => fetched?.res?.['version']);
      };
      expect(await versions()).toEqual(['1.0.0', '1.0.0']);
      await publishNext(owner, id, 'minor');
      await expect.poll(versions, { timeout: 30_000, interval: 50 }).toEqual(['1.1.0', '1.1.0']);
      // Both count, each on its own, and nothing of it is lost or counted twice.
      const total = async () => (await owner.call('GET', `/api/prompt/${id}/usage`)).data.total as number;
      await expect.poll(total, { timeout: 30_000 }).toBe(fetches);
    });

    it('rules, and contexts they hand out, that one replica changes count on the other within a second', async () => {
      const owner = await signIn(one.http);
      const key = await makeKey(owner, ['rule_engine']);
      const save = async (method: string, path: string, body?: object) => {
        const saved = await owner.call(method, path, body);
        expect(saved.status, saved.text).toBeLessThan(300);
        return { id: String(saved.data.id), at: performance.now() };
      };
      /** What the other one answers to who asks a second after it was saved, or sooner. */
      const countsSince = async (at: number, expected: object) => {
        for (;;) {
          const asked = performance.now();
          const { body } = await callWith(two.http, key, {
            path: '/api/rule-engine/evaluate',
            body: { entity_type: 'context', fields: { tier: 'pro' }, include_entity_data: true },
          });
          const seen = {
            rules: body.matchingRuleIds as string[],
            texts: Object.values(body.entity_data as Record<string, { content: string } | null>).map(
              (record) => record?.content ?? null,
            ),
          };
          if (asked - at > 1_000 || isDeepStrictEqual(seen, expected)) {
            expect(seen).toEqual(expected);
            return;
          }
          await sleep(10);
        }
      };
      const nothing = { rules: [], texts: [] };
      await countsSince(performance.now(), nothing);

      const tone = { name: 'Tone', content: 'be kind' };
      const { id: contextId } = await save('POST', '/api/context', tone);
      const rule = {
        name: 'Paying',
        groups: [{ conditions: [{ field: 'tier', operator: 'equals', value: 'pro' }] }],
        links: [{ entityType: 'context', entityId: contextId }],
      };
      const made = await save('POST', '/api/rule-engine/rules', rule);
      const [ruleAt, contextAt] = [`/api/rule-engine/rules/${made.id}`, `/api/context/${contextId}`];
      const handedOut = { rules: [made.id], texts: ['be kind'] };
      await countsSince(made.at, handedOut);

      const free = { conditions: [{ field: 'tier', operator: 'equals', value: 'free' }] };
      const changes: readonly (readonly [string, string, object | undefined, object])[] = [
        ['PUT', ruleAt, { ...rule, groups: [free] }, nothing],
        ['PUT', ruleAt, rule, handedOut],
        ['PUT', ruleAt, { ...rule, status: 'INACTIVE' }, nothing],
        ['PUT', ruleAt, rule, handedOut],
        ['PUT', contextAt, { ...tone, content: 'be brief' }, { rules: [made.id], texts: ['be brief'] }],
        ['PUT', contextAt, { ...tone, status: 'INACTIVE' }, nothing],
        ['PUT', contextAt, tone, handedOut],
        ['DELETE', contextAt, undefined, { rules: [made.id], texts: [null] }],
        ['DELETE', ruleAt, undefined, nothing],
      ];
      for (const [method, path, body, expected] of changes) {
        await countsSince((await save(method, path, body)).at, expected);
      }
    });
  });
});
