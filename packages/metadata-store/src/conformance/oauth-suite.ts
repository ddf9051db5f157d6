import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from './code-of.ts';
import type { NewOauthClient, OauthEntry } from '../repositories/oauth.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import type { Place } from './suite.ts';

const CLIENT: NewOauthClient = {
  id: 'client-1',
  organisationId: 'o',
  projectId: 'p',
  name: 'Grafana',
  kind: 'confidential',
  secretHash: 'ab'.repeat(32),
  redirectUris: ['https://grafana.example.com/cb'],
  grants: ['authorization_code', 'refresh_token'],
  scopes: ['telemetry'],
  createdBy: 'u@example.com',
};

const entry = (idHash: string, over: Partial<OauthEntry> = {}) => ({
  kind: 'AccessToken',
  idHash,
  payload: { scope: 'telemetry' },
  grantId: 'g',
  clientId: 'client-1',
  userId: 'u',
  uid: null,
  expiresAt: 2_000_000,
  ...over,
});

/** What every dialect keeps of applications, codes and tokens. */
export function describeOauth(name: string, makePlace: () => Promise<Place>): void {
  describe(`OAuth on ${name}`, () => {
    let place: Place;
    let store: MetadataStore;
    let now = 1_000_000;
    beforeEach(async () => {
      now = 1_000_000;
      place = await makePlace();
      store = await openMetadata({
        dialect: place.dialect(),
        logger: silentLogger,
        clock: { now: () => now },
        limits: { oauthClients: 3 },
      });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });

    it('keeps applications, a name once an organisation', async () => {
      const { oauthClients } = store;
      const made = await oauthClients.create(CLIENT);
      expect(await oauthClients.get('client-1')).toEqual(made);
      expect(made).toEqual({ ...CLIENT, createdAt: now, lastUsedAt: null });
      expect(await codeOf(oauthClients.create({ ...CLIENT, id: 'c2', name: 'GRAFANA' }))).toBe('conflict');
      await oauthClients.create({ ...CLIENT, id: 'c2', organisationId: 'other' });
      expect(await codeOf(oauthClients.own('other', 'client-1'))).toBe('not_found');
      expect(await codeOf(oauthClients.update('other', 'client-1', { name: 'x' }))).toBe('not_found');
      expect(await codeOf(oauthClients.delete('other', 'client-1'))).toBe('not_found');
      expect((await oauthClients.get('client-1'))?.name).toBe('Grafana');
      const changed = await oauthClients.update('o', 'client-1', { name: 'Board', scopes: ['chat'] });
      expect(changed).toEqual({ ...made, name: 'Board', scopes: ['chat'] });
      now += 5;
      await oauthClients.touch('client-1');
      expect((await oauthClients.get('client-1'))?.lastUsedAt).toBe(now);
    });

    it('lists them by name, page by page, and refuses more than an organisation may have', async () => {
      const { oauthClients } = store;
      for (const each of ['b', 'A', 'c']) {
        await oauthClients.create({ ...CLIENT, id: `client-${each}`, name: each });
      }
      const first = await oauthClients.list('o', { limit: 2, after: undefined });
      expect(first.clients.map((client) => client.name)).toEqual(['A', 'b']);
      const second = await oauthClients.list('o', { limit: 2, after: first.next });
      expect(second.clients.map((client) => client.name)).toEqual(['c']);
      expect(second.next).toBeUndefined();
      expect(await codeOf(oauthClients.create({ ...CLIENT, name: 'd' }))).toBe('refused');
    });

    it('takes everything along that an application was given', async () => {
      await store.oauthClients.create(CLIENT);
      await store.oauthEntries.put(entry('t1'));
      await store.oauthEntries.put(entry('t2', { clientId: 'other' }));
      await store.oauthClients.delete('o', 'client-1');
      expect(await store.oauthEntries.find('AccessToken', 't1')).toBeUndefined();
      expect(await store.oauthEntries.find('AccessToken', 't2')).toBeDefined();
    });

    it('knows the origins that applications live at', async () => {
      await store.oauthClients.create({
        ...CLIENT,
        redirectUris: ['com.example.app:/cb', 'https://App_1.example.com:8443/cb'],
      });
      const livesAt = (origin: string) => store.oauthClients.livesAt(origin);
      expect(await livesAt('https://app_1.example.com:8443')).toBe(true);
      for (const other of [
        'https://app_1.example.com',
        'https://appx1.example.com:8443',
        'https://app_1.example.com:84',
        'http://app_1.example.com:8443',
        'null',
        '%',
        '',
      ]) {
        expect(await livesAt(other), other).toBe(false);
      }
    });

    it('keeps an entry until its end', async () => {
      const { oauthEntries } = store;
      await oauthEntries.put(entry('t1', { uid: 'session-uid' }));
      expect(await oauthEntries.find('AccessToken', 't1')).toEqual({
        ...entry('t1', { uid: 'session-uid' }),
        createdAt: now,
        consumedAt: null,
      });
      expect(await oauthEntries.find('RefreshToken', 't1')).toBeUndefined();
      expect((await oauthEntries.findByUid('AccessToken', 'session-uid'))?.idHash).toBe('t1');
      await oauthEntries.put(entry('t1', { payload: { scope: 'chat' } }));
      expect((await oauthEntries.find('AccessToken', 't1'))?.payload).toEqual({ scope: 'chat' });
      now = 2_000_000;
      expect(await oauthEntries.find('AccessToken', 't1')).toBeUndefined();
      expect(await oauthEntries.ofUser('AccessToken', 'u', 10)).toEqual([]);
    });

    it('lets a code be used once, whoever comes at the same time', async () => {
      const { oauthEntries } = store;
      await oauthEntries.put(entry('code', { kind: 'AuthorizationCode' }));
      const tries = await Promise.all(
        Array.from({ length: 8 }, () => oauthEntries.consume('AuthorizationCode', 'code')),
      );
      expect(tries.filter(Boolean)).toHaveLength(1);
      expect((await oauthEntries.find('AuthorizationCode', 'code'))?.consumedAt).toBe(now);
    });

    it('takes a permission back with all that came of it', async () => {
      const { oauthEntries } = store;
      await oauthEntries.put(entry('g', { kind: 'Grant' }));
      await oauthEntries.put(entry('t1'));
      await oauthEntries.put(entry('t2', { kind: 'RefreshToken' }));
      await oauthEntries.put(entry('t3', { grantId: 'another' }));
      await oauthEntries.removeGranted('g');
      for (const [kind, id] of [
        ['Grant', 'g'],
        ['AccessToken', 't1'],
        ['RefreshToken', 't2'],
      ] as const) {
        expect(await oauthEntries.find(kind, id), kind).toBeUndefined();
      }
      expect(await oauthEntries.find('AccessToken', 't3')).toBeDefined();
    });

    it('keeps the first of two server keys', async () => {
      const kept = await Promise.all(['one', 'two'].map((value) => store.serverKeys.keepFirst('k', value)));
      expect(new Set(kept).size).toBe(1);
      expect(await store.serverKeys.get('k')).toBe(kept[0]);
      expect(await store.serverKeys.get('other')).toBeUndefined();
    });
  });
}
