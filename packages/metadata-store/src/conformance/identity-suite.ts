import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from './code-of.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import type { Place } from './suite.ts';

const JO = { email: 'jo@example.com', name: 'Jo', passwordHash: 'hash' };
const SESSION = { address: '127.0.0.1', userAgent: 'test', expiresAt: 9_000_000 };
const KEY = { name: 'app', prefix: 'pk_x', scopes: ['ingest'] as const, environments: null, expiresAt: null };

/** Who may do what, on every dialect. */
export function describeIdentity(name: string, makePlace: () => Promise<Place>): void {
  describe(`identity on ${name}`, () => {
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
      });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });
    const join = async (email = JO.email, role: 'owner' | 'viewer' = 'viewer') => {
      const user = await store.people.create({ ...JO, email });
      await store.people.join('default', user.id, role);
      return user;
    };

    it('begins with one organisation, project and environment, which nobody owns', async () => {
      expect(await store.projects.organisation('default')).toMatchObject({ name: 'Default' });
      expect(await store.projects.list('default')).toMatchObject([{ id: 'default', name: 'Default' }]);
      expect(await store.projects.environments()).toMatchObject([
        { projectId: 'default', name: 'production', origin: 'settings' },
      ]);
      const { createdAt } = await store.projects.organisation('default');
      expect(createdAt).toBeGreaterThan(1_600_000_000_000);
      expect(await store.people.isOwned()).toBe(false);
      await join('owner@example.com', 'owner');
      expect(await store.people.isOwned()).toBe(true);
    });

    it('takes an address once, and gives a person what belongs to it', async () => {
      const jo = await join();
      expect(await codeOf(store.people.create(JO))).toBe('conflict');
      expect(await store.people.byEmail(JO.email)).toEqual(jo);
      expect(await store.people.byEmail('JO@example.com')).toBeUndefined();
      await store.people.link(jo.id, 'google', 'sub-1');
      expect((await store.people.byIdentity('google', 'sub-1'))?.id).toBe(jo.id);
      expect(await store.people.byIdentity('github', 'sub-1')).toBeUndefined();
      expect(await store.people.providersOf(jo.id)).toEqual(['google']);
      await store.people.update(jo.id, { recoveryCodes: ['a'], totpSecret: 's' });
      expect(await store.people.byId(jo.id)).toMatchObject({
        recoveryCodes: ['a'],
        totpSecret: 's',
        name: 'Jo',
      });
      expect(await codeOf(store.people.update('nobody', { name: 'x' }))).toBe('not_found');
    });

    it('takes a step of the authenticator once, and none before it', async () => {
      const { id } = await join();
      const taken = await Promise.all([7, 7, 7].map((step) => store.people.takeTotpStep(id, step)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await store.people.takeTotpStep(id, 6)).toBe(false);
      expect(await store.people.takeTotpStep(id, 8)).toBe(true);
    });

    it('lists members by address, page by page, with the last time they were seen', async () => {
      const anna = await join('anna@example.com', 'owner');
      await join('bert@example.com');
      await join('cleo@example.com');
      await store.sessions.create('h', { ...SESSION, userId: anna.id });
      const first = await store.people.members('default', { limit: 2, after: undefined });
      expect(first.members.map(({ email, lastSeenAt }) => [email, lastSeenAt])).toEqual([
        ['anna@example.com', now],
        ['bert@example.com', null],
      ]);
      const second = await store.people.members('default', { limit: 2, after: first.next });
      expect(second).toMatchObject({ members: [{ email: 'cleo@example.com' }], next: undefined });
      expect((await store.people.members('other', { limit: 2, after: undefined })).members).toEqual([]);
      expect(await store.people.owners('default')).toBe(1);
    });

    it('knows a session by its hash, while account and membership are there', async () => {
      const jo = await join();
      const session = await store.sessions.create('h1', { ...SESSION, userId: jo.id });
      expect(await store.sessions.byToken('h1')).toEqual({
        session,
        email: JO.email,
        membership: { organisationId: 'default', role: 'viewer' },
      });
      await store.sessions.touch(session.id, now + 5);
      expect((await store.sessions.list(jo.id, 10))[0]?.lastSeenAt).toBe(now + 5);
      await store.sessions.create('h2', { ...SESSION, userId: jo.id });
      expect(await codeOf(store.sessions.end('somebody else', session.id))).toBe('not_found');
      expect(await store.sessions.endAll(jo.id, session.id)).toBe(1);
      expect(await store.sessions.byToken('h2')).toBeUndefined();
      await store.people.setRole('default', jo.id, 'admin');
      expect((await store.sessions.byToken('h1'))?.membership?.role).toBe('admin');
    });

    it('removes a person with sessions, links, memberships and keys', async () => {
      const jo = await join();
      const other = await join('other@example.com');
      await store.sessions.create('h1', { ...SESSION, userId: jo.id });
      await store.people.link(jo.id, 'google', 's');
      await store.projects.addMember('default', jo.id);
      await store.keys.create('k1', { ...KEY, projectId: 'default', createdBy: jo.id });
      await store.keys.create('k2', { ...KEY, projectId: 'default', createdBy: other.id });
      expect(await store.change(undefined, ({ people }) => people.remove(jo.id))).toBe(1);
      expect(await store.sessions.byToken('h1')).toBeUndefined();
      expect(await store.people.byIdentity('google', 's')).toBeUndefined();
      expect(await store.keys.byHash('k1')).toBeUndefined();
      expect((await store.keys.byHash('k2'))?.organisationId).toBe('default');
      expect(await store.projects.joinedBy(jo.id)).toEqual([]);
      expect(await store.projects.members('default', 10)).toEqual([]);
    });

    it('keeps sessions in number and age', async () => {
      const jo = await join();
      for (let n = 0; n < 5; n += 1) {
        now += 1_000;
        await store.sessions.create(`h${n}`, { ...SESSION, userId: jo.id });
      }
      await store.sessions.prune(jo.id, { unusedSince: now - 2_500, keep: 2 });
      expect((await store.sessions.list(jo.id, 10)).map(({ createdAt }) => now - createdAt)).toEqual([
        0, 1_000,
      ]);
      now = SESSION.expiresAt + 1;
      await store.sessions.prune(jo.id, { unusedSince: 0, keep: 2 });
      expect(await store.sessions.list(jo.id, 10)).toEqual([]);
    });

    it('ends a sign-in under way once, and keeps few', async () => {
      const attempt = { kind: 'totp', payload: { userId: 'u' }, expiresAt: now + 100 } as const;
      await store.sessions.beginAttempt('a', attempt, 2);
      expect(await store.sessions.attempt('a')).toEqual(attempt);
      const ended = await Promise.all([store.sessions.endAttempt('a'), store.sessions.endAttempt('a')]);
      expect(ended.filter(Boolean)).toHaveLength(1);
      for (const [index, token] of ['b', 'c', 'd'].entries()) {
        await store.sessions.beginAttempt(token, { ...attempt, expiresAt: now + 200 + index }, 2);
      }
      expect(await store.sessions.attempt('b')).toBeUndefined();
      expect(await store.sessions.attempt('c')).toBeDefined();
      now += 300;
      expect(await store.sessions.attempt('d')).toBeUndefined();
    });

    it('keeps projects apart: names once, environments and keys their own', async () => {
      const shop = await store.projects.create('default', 'Shop');
      expect(await codeOf(store.projects.create('default', 'SHOP'))).toBe('conflict');
      expect(await codeOf(store.projects.rename('default', shop.id, 'default'))).toBe('conflict');
      expect(await codeOf(store.projects.get('other', shop.id))).toBe('not_found');
      expect(await codeOf(store.projects.remove('other', shop.id))).toBe('not_found');
      await store.projects.addEnvironments(shop.id, ['staging', 'production'], 'telemetry');
      expect((await store.projects.environments(shop.id)).map((e) => [e.name, e.origin])).toEqual([
        ['production', 'settings'],
        ['staging', 'telemetry'],
      ]);
      expect(await codeOf(store.projects.removeEnvironment('default', 'staging'))).toBe('not_found');
      await store.keys.create('k', { ...KEY, projectId: shop.id, createdBy: null });
      expect((await store.keys.list('default', { limit: 5, after: undefined })).keys).toEqual([]);
      expect((await store.projects.list('default')).map((project) => project.name)).toEqual([
        'Default',
        'Shop',
      ]);
      for (const name of ['Team 100', 'team 20', 'Écran']) await store.projects.create('default', name);
      expect((await store.projects.list('default')).map((project) => project.name)).toEqual([
        'Default',
        'Écran',
        'Shop',
        'team 20',
        'Team 100',
      ]);
      await store.views.create(shop.id, { page: 'traces', name: 'x', description: null, search: '' });
      await store.change(undefined, ({ projects }) => projects.remove('default', shop.id));
      expect(
        (await store.views.list(shop.id, { page: undefined, limit: 5, after: undefined })).views,
      ).toEqual([]);
      expect(await store.keys.byHash('k')).toBeUndefined();
      expect(await store.projects.environments(shop.id)).toEqual([]);
    });

    it('lists keys latest first, changes and rotates them, never tells the hash', async () => {
      const jo = await join();
      const ids: string[] = [];
      for (const hash of ['k1', 'k2', 'k3']) {
        now += 1;
        ids.push((await store.keys.create(hash, { ...KEY, projectId: 'default', createdBy: jo.id })).id);
      }
      const first = await store.keys.list('default', { limit: 2, after: undefined });
      expect(first.keys.map(({ id, maker }) => [id, maker])).toEqual([
        [ids[2], JO.email],
        [ids[1], JO.email],
      ]);
      const second = await store.keys.list('default', { limit: 2, after: first.next });
      expect(second.keys.map(({ id }) => id)).toEqual([ids[0]]);
      expect(JSON.stringify([first, second])).not.toMatch(/"k[123]"/);
      const [id = ''] = ids;
      await store.keys.update('default', id, { environments: ['staging'], scopes: ['chat'], expiresAt: 5 });
      expect(await store.keys.byHash('k1')).toMatchObject({
        environments: ['staging'],
        scopes: ['chat'],
        expiresAt: 5,
        name: 'app',
      });
      await store.keys.touch(id, 77);
      expect((await store.keys.get('default', id)).lastUsedAt).toBe(77);
      expect(await codeOf(store.keys.update('other', id, {}))).toBe('not_found');
      expect(await codeOf(store.keys.remove('other', id))).toBe('not_found');
      await store.keys.remove('default', id);
      expect(await store.keys.count('default')).toBe(2);
    });

    it('invites an address once at a time and takes an invitation once', async () => {
      const invitation = {
        organisationId: 'default',
        email: 'new@example.com',
        role: 'member',
        projects: ['default'],
        invitedBy: 'u',
        expiresAt: now + 10,
      } as const;
      await store.invitations.create('t1', invitation);
      const second = await store.invitations.create('t2', invitation);
      expect(await store.invitations.byToken('t1')).toBeUndefined();
      expect(await store.invitations.byToken('t2')).toEqual(second);
      expect(await store.invitations.count('default')).toBe(1);
      const taken = await Promise.all([store.invitations.take(second.id), store.invitations.take(second.id)]);
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await codeOf(store.invitations.revoke('default', second.id))).toBe('not_found');
    });

    it('knows setup links, the latest ones', async () => {
      for (const token of ['s1', 's2', 's3']) {
        now += 1;
        await store.invitations.addSetupLink(token, 1);
      }
      const known = await Promise.all(
        ['s1', 's2', 's3'].map((token) => store.invitations.hasSetupLink(token)),
      );
      expect(known).toEqual([false, true, true]);
      await store.invitations.endSetupLinks();
      expect(await store.invitations.hasSetupLink('s3')).toBe(false);
    });
  });
}
