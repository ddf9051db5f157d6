import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RequestContext, silentLogger } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditRetention } from '../../jobs/audit-retention.ts';
import { contextOf } from '../../jobs/runner.ts';
import { auditHandlers } from './routes.ts';
import { record } from './service.ts';

const dir = mkdtempSync(join(tmpdir(), 'candela-audit-'));
let now = Date.UTC(2026, 0, 2);
const clock = { now: () => now };
let store: Awaited<ReturnType<typeof openMetadataStore>>;
beforeAll(async () => {
  store = await openMetadataStore({ dataDir: dir, logger: silentLogger, clock });
});
afterAll(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

const context: RequestContext = {
  principal: { kind: 'user', id: 'u1', sessionId: 's', role: 'admin' },
  organisationId: 'default',
  projectId: 'shop',
  environment: undefined,
  databaseConfigId: 'embedded',
  scopes: new Set(),
  requestId: 'req',
  client: { address: '::1', userAgent: 'curl\u0000/8 \u001b[31m' },
};
const list = (query: object = {}, organisationId = 'default') =>
  auditHandlers(store, clock).listAuditEvents({
    context: { ...context, organisationId },
    params: undefined,
    query: { limit: 50, ...query },
    body: undefined,
    signal: new AbortController().signal,
    header: () => undefined,
    client: { address: '', userAgent: undefined },
    requestId: 'asking',
    caller: { headers: () => undefined, remoteAddress: '', endpoint: 'api' },
    save: async () => 0,
    setCookie: () => {},
    etag: () => {},
  });
const note = (action: `${string}.${string}`, details: object = {}) =>
  store.change(undefined, (repositories) =>
    record(repositories, context, { action, objectKind: 'view', objectId: 'v', details: { ...details } }),
  );

describe('the audit log', () => {
  it('says who did what, when and from where', async () => {
    await note('view.create', { name: 'Slow', tags: ['a'], before: null });
    expect((await list()).data).toEqual([
      {
        id: expect.any(String) as string,
        at: '2026-01-02T00:00:00.000Z',
        projectId: 'shop',
        actorKind: 'user',
        actorId: 'u1',
        actorName: null,
        action: 'view.create',
        objectKind: 'view',
        objectId: 'v',
        details: { name: 'Slow', tags: ['a'], before: null },
        address: '::1',
        userAgent: 'curl\u{fffd}/8 \u{fffd}[31m',
        requestId: 'req',
      },
    ]);
    expect((await list({}, 'other')).data).toEqual([]);
  });

  it('keeps nothing when the change it belongs to fails', async () => {
    const failing = store.change(undefined, async (repositories) => {
      await record(repositories, context, { action: 'view.fail', objectKind: 'view', objectId: null });
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow();
    expect((await list({ action: 'view.fail' })).data).toEqual([]);
  });

  it.each(['password', 'apiKey', 'clientSecret', 'newPassword', 'sessionToken', 'value', 'passwordHash'])(
    'refuses details called %s',
    async (name) => {
      await expect(note('view.create', { [name]: 'x' })).rejects.toThrow();
    },
  );

  it('bounds what it keeps', async () => {
    await note('view.long', { long: 'x'.repeat(10_000), many: Array.from({ length: 1_000 }, () => 'y') });
    const [event] = (await list({ action: 'view.long' })).data;
    expect(JSON.stringify(event).length).toBeLessThan(2_000);
  });

  it('is read by time and page by page; a foreign cursor is refused', async () => {
    now += 1_000;
    for (let n = 0; n < 5; n++) await note('view.page', { n });
    const first = await list({ action: 'view.page', limit: 3 });
    const second = await list({ action: 'view.page', limit: 3, cursor: first.nextCursor });
    expect([first.data.length, second.data.length, second.nextCursor]).toEqual([3, 2, null]);
    expect(new Set([...first.data, ...second.data].map(({ details }) => details['n'])).size).toBe(5);
    expect((await list({ from: String(now) })).data).toHaveLength(5);
    expect(
      (await list({ to: new Date(now).toISOString() })).data.every(({ action }) => action !== 'view.page'),
    ).toBe(true);
    for (const bad of [
      { cursor: 'x' },
      { cursor: Buffer.from('["a",1]').toString('base64url') },
      { from: 'yesterday' },
    ]) {
      await expect(list(bad)).rejects.toMatchObject({ code: 'bad_query' });
    }
  });

  it('forgets what is older than the setting says, never what is younger than 30 days', async () => {
    const today = Date.now();
    now = today - 40 * 86_400_000;
    await note('view.old');
    now = today - 20 * 86_400_000;
    await note('view.young');
    now = today;
    const kept = async () =>
      (await list()).data.map(({ action }) => action).filter((action) => /old|young/.test(action));
    for (const [days, expected] of [
      [50, ['view.young', 'view.old']],
      [30, ['view.young']],
      // The database itself refuses, and the platform goes on.
      [10, ['view.young']],
    ] as const) {
      const { signal } = new AbortController();
      const run = { signal, now: () => now, logger: silentLogger, contextOf };
      await auditRetention(store, days)
        .run(run)
        .catch(() => undefined);
      expect(await kept()).toEqual(expected);
    }
  });
});
