import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CandelaError, silentLogger } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { startPostgres } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newApiKey, randomBase62, sha256 } from './keys/format.ts';
import { createIdentity, type Identity } from './service.ts';

const server = await startPostgres();
afterAll(async () => {
  await server?.stop();
});

/** What others of the installation do is known here before long: nobody asks this process to forget. */
describe.skipIf(server === undefined)('two replicas on one PostgreSQL', () => {
  const dir = mkdtempSync(join(tmpdir(), 'candela-replicas-'));
  const stores: MetadataStore[] = [];
  const replicas: Identity[] = [];
  beforeAll(async () => {
    const databaseUrl = await server?.createDatabase();
    for (let n = 0; n < 2; n += 1) {
      const metadata = await openMetadataStore({ dataDir: dir, databaseUrl, logger: silentLogger });
      stores.push(metadata);
      const config = {
        bootstrapApiKey: undefined,
        ingestAnonymous: false,
        host: '127.0.0.1',
        wrongKeysPerMinute: 1e6,
        publicUrl: undefined,
        sessionIdleMs: 1e9,
        sessionLifetimeMs: 1e9,
      };
      replicas.push(createIdentity({ config, metadata, logger: silentLogger }));
    }
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.settle();
    for (const store of stores) await store.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const asked = (replica: Identity | undefined, own: Readonly<Record<string, string>>) => async () => {
    const headers = new Map(Object.entries(own));
    try {
      const context = await replica?.authenticate({
        headers: (name) => headers.get(name),
        remoteAddress: '192.0.2.7',
        endpoint: 'api',
      });
      return context?.principal.kind;
    } catch (thrown) {
      if (thrown instanceof CandelaError) return thrown.code;
      throw thrown;
    }
  };
  const soon = (what: () => Promise<unknown>) => expect.poll(what, { timeout: 30_000, interval: 50 });
  const [one, other] = [() => replicas[0], () => replicas[1]];
  const store = (): MetadataStore => {
    const [first] = stores;
    if (first === undefined) throw new Error('There is a store');
    return first;
  };

  it('refuse a key that was revoked at the other one', async () => {
    const { apiKey, prefix } = newApiKey();
    const { id } = await store().keys.create(sha256(apiKey), {
      projectId: 'default',
      name: 'a key',
      prefix,
      scopes: ['telemetry'],
      environments: null,
      createdBy: null,
      expiresAt: null,
    });
    const authorization = `Bearer ${apiKey}`;
    expect(await asked(one(), { authorization })()).toBe('key');
    expect(await asked(other(), { authorization })()).toBe('key');
    await store().keys.remove('default', id);
    expect(await asked(one(), { authorization })()).toBe('unknown_credential');
    await soon(asked(other(), { authorization })).toBe('unknown_credential');
  });

  it('refuse the session of a person who was removed at the other one', async () => {
    const user = await store().people.create({ email: 'jo@example.com', name: 'Jo', passwordHash: null });
    await store().people.join('default', user.id, 'admin');
    const token = randomBase62(43);
    const session = { userId: user.id, address: '', userAgent: '', expiresAt: Date.now() + 1e9 };
    await store().sessions.create(sha256(token), session);
    const cookie = `candela_session=${token}`;
    expect(await asked(one(), { cookie })()).toBe('user');
    // What it knows of memberships may be of a moment ago.
    await soon(asked(other(), { cookie })).toBe('user');
    await store().change(undefined, ({ people }) => people.remove(user.id));
    expect(await asked(one(), { cookie })()).toBe('no_credential');
    await soon(asked(other(), { cookie })).toBe('no_credential');
  });
});
