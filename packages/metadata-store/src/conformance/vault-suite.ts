import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SEALED_COLUMNS } from '../repositories/sealed.ts';
import type { NewSecret, SecretChanges } from '../repositories/vault-secrets.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import { codeOf } from './code-of.ts';
import type { Place } from './suite.ts';

const HERE = { projectId: 'p', databaseConfigId: 'embedded' };
const ELSEWHERE = [
  { projectId: 'p', databaseConfigId: 'other' },
  { projectId: 'q', databaseConfigId: 'embedded' },
];
const ALL = { search: undefined, tags: undefined, reader: undefined, limit: 50, after: undefined };
const secret = (key: string, more: Partial<NewSecret> = {}): NewSecret => ({
  id: `id of ${key}`,
  key,
  tags: [],
  grants: null,
  bytes: 3,
  sealed: `sealed ${key}`,
  ...more,
});
const KEYS = { old: '00000000000000aa', current: '00000000000000bb' };

/** What every dialect keeps of secrets and of what is sealed. */
export function describeVault(name: string, makePlace: () => Promise<Place>): void {
  describe(`secrets on ${name}`, () => {
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
        limits: { secretsPerPlace: 4, versionsPerSecret: 3 },
      });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });
    const keysOf = async (input: Partial<Parameters<typeof store.vaultSecrets.list>[1]>) =>
      (await store.vaultSecrets.list(HERE, { ...ALL, ...input })).secrets.map(({ key }) => key);

    it('are kept, and known in their place only', async () => {
      const made = await store.vaultSecrets.create(HERE, secret('A', { tags: ['x'] }), 'jo@example.com');
      expect(made).toMatchObject({ key: 'A', version: 1, revision: 1, createdBy: 'jo@example.com' });
      expect(await store.vaultSecrets.get(HERE, made.id)).toEqual(made);
      const { id } = made;
      for (const other of ELSEWHERE) {
        const { vaultSecrets: secrets } = store;
        expect(await codeOf(secrets.get(other, id))).toBe('not_found');
        expect(await codeOf(secrets.version(other, id, 1))).toBe('not_found');
        expect(await codeOf(secrets.history(other, id))).toBe('not_found');
        expect(await codeOf(secrets.update(other, id, { revision: 1, changes: {}, by: null }))).toBe(
          'not_found',
        );
        expect(await codeOf(secrets.delete(other, id))).toBe('not_found');
        expect((await secrets.current(other, [id])).size).toBe(0);
        expect((await secrets.list(other, ALL)).secrets).toEqual([]);
        await secrets.create(other, secret('A', { id: JSON.stringify(other) }), null);
      }
      expect(await codeOf(store.vaultSecrets.create(HERE, secret('A', { id: 'b' }), null))).toBe('conflict');
    });

    it('are counted by the configuration that keeps them', async () => {
      await store.vaultSecrets.create(HERE, secret('A'), null);
      await store.vaultSecrets.create({ ...HERE, projectId: 'q' }, secret('B'), null);
      expect(await store.kept.in('embedded')).toEqual(['2 secrets']);
      expect(await store.kept.in('other')).toEqual([]);
    });

    it('are as many as may be', async () => {
      for (const key of ['A', 'B', 'C', 'D']) await store.vaultSecrets.create(HERE, secret(key), null);
      expect(await codeOf(store.vaultSecrets.create(HERE, secret('E'), null))).toBe('refused');
    });

    it('are listed by name, part of it, tags and who may read them', async () => {
      await store.vaultSecrets.create(
        HERE,
        secret('DB_PASSWORD', { tags: ['Prod', 'a"b\\%_'], grants: ['k1'] }),
        null,
      );
      await store.vaultSecrets.create(HERE, secret('DBXPORT', { tags: ['prod eu'], grants: [] }), null);
      await store.vaultSecrets.create(HERE, secret('API', { grants: ['k1', 'k_'] }), null);
      await store.vaultSecrets.create(HERE, secret('OPEN'), null);
      expect(await keysOf({})).toEqual(['API', 'DBXPORT', 'DB_PASSWORD', 'OPEN']);
      expect(await keysOf({ search: 'db_' })).toEqual(['DB_PASSWORD']);
      expect(await keysOf({ key: 'DB_PASSWORD' })).toEqual(['DB_PASSWORD']);
      expect(await keysOf({ key: 'db_password' })).toEqual([]);
      expect(await keysOf({ tags: ['PROD'] })).toEqual(['DB_PASSWORD']);
      expect(await keysOf({ tags: ['none', 'PROD EU'] })).toEqual(['DBXPORT']);
      expect(await keysOf({ tags: ['a"b\\%_'] })).toEqual(['DB_PASSWORD']);
      expect(await keysOf({ tags: [] })).toEqual([]);
      expect(await keysOf({ tags: ['a"b\\__'] })).toEqual([]);
      expect(await keysOf({ reader: 'k1' })).toEqual(['API', 'DB_PASSWORD', 'OPEN']);
      expect(await keysOf({ reader: 'kx' })).toEqual(['OPEN']);
      expect(await keysOf({ reader: 'k' })).toEqual(['OPEN']);
      const first = await store.vaultSecrets.list(HERE, { ...ALL, limit: 2 });
      expect(first.next).toBe('DBXPORT');
      expect(await keysOf({ limit: 2, after: first.next })).toEqual(['DB_PASSWORD', 'OPEN']);
    });

    it('have versions, of which the newest are kept', async () => {
      const { id } = await store.vaultSecrets.create(HERE, secret('A'), null);
      const update = (revision: number | undefined, changes: SecretChanges) =>
        store.vaultSecrets.update(HERE, id, { revision, changes, by: 'jo@example.com' });
      now += 5;
      for (let revision = 1; revision <= 4; revision++) {
        const next = { sealed: `sealed ${revision + 1}`, bytes: revision };
        const { secret: changed, dropped } = await update(revision, { next });
        expect(changed).toMatchObject({
          version: revision + 1,
          revision: revision + 1,
          bytes: revision,
          updatedAt: now,
          updatedBy: 'jo@example.com',
          createdBy: null,
        });
        expect(dropped).toEqual(revision >= 3 ? [revision - 2] : []);
      }
      expect(await codeOf(update(4, { tags: ['late'] }))).toBe('conflict');
      expect((await update(undefined, {})).secret.revision).toBe(6);
      const { secret: tagged, dropped } = await update(6, { tags: ['t'], grants: ['k'] });
      expect([tagged, dropped]).toMatchObject([{ version: 5, tags: ['t'], grants: ['k'] }, []]);
      const history = await store.vaultSecrets.history(HERE, id);
      expect(history.map(({ version }) => version)).toEqual([5, 4, 3]);
      expect(JSON.stringify(history)).not.toContain('sealed');
      expect(await store.vaultSecrets.version(HERE, id, 3)).toMatchObject({ sealed: 'sealed 3', version: 3 });
      expect(await codeOf(store.vaultSecrets.version(HERE, id, 1))).toBe('not_found');
      const current = await store.vaultSecrets.current(HERE, [id, 'nobody']);
      expect([...current.values()]).toMatchObject([{ secretId: id, version: 5, sealed: 'sealed 5' }]);
      await store.vaultSecrets.delete(HERE, id);
      await store.vaultSecrets.create(HERE, secret('A'), null);
      expect((await store.vaultSecrets.history(HERE, id)).length).toBe(1);
    });

    it('are granted on to the key that follows, and go with their project', async () => {
      const project = await store.projects.create('org', 'Short lived');
      const its = { projectId: project.id, databaseConfigId: 'embedded' };
      const { id } = await store.vaultSecrets.create(its, secret('A', { grants: ['k1'] }), null);
      await store.vaultSecrets.create(HERE, secret('B', { grants: ['k1'] }), null);
      expect(await store.vaultSecrets.grantAlso(project.id, 'k1', 'k2')).toBe(1);
      expect(await store.vaultSecrets.get(its, id)).toMatchObject({ grants: ['k1', 'k2'], revision: 2 });
      await store.projects.remove('org', project.id);
      expect(await codeOf(store.vaultSecrets.get(its, id))).toBe('not_found');
      const column = SEALED_COLUMNS.find(({ table }) => table === 'vault_versions') ?? SEALED_COLUMNS[0];
      const left = await store.sealed.others(column, KEYS.current, { limit: 9, after: undefined });
      expect(left.map(({ id: version }) => version)).toEqual(['id of B.1']);
    });

    it('are not taken when their master key was given up', async () => {
      const sealed = `v1.${KEYS.old}.a.b`;
      const create = () =>
        store.change(undefined, ({ vaultSecrets }) =>
          vaultSecrets.create(HERE, secret('A', { sealed }), null),
        );
      expect(await codeOf(create())).toBe('overloaded');
      expect(await keysOf({})).toEqual([]);
      await store.vaultKeys.add(KEYS.old);
      await create();
      expect(await store.sealed.count(KEYS.old)).toBe(1);
    });
  });

  describe(`what is sealed on ${name}`, () => {
    it('is found in every column, and swapped only where it is what was read', async () => {
      const place = await makePlace();
      const store = await openMetadata({ dialect: place.dialect(), logger: silentLogger });
      await store.vaultKeys.add(KEYS.old);
      await store.vaultKeys.add(KEYS.current);
      const old = (n: number) => `v1.${KEYS.old}.${n}.x`;
      const current = (n: number) => `v1.${KEYS.current}.${n}.x`;
      const user = await store.people.create({ email: 'a@example.com', name: 'A', passwordHash: null });
      await store.people.update(user.id, { totpSecret: old(1), totpPending: old(2) });
      await store.serverKeys.keepFirst('cookies', old(3));
      await store.connectors.create('o', {
        id: 'c',
        projectId: null,
        name: 'c',
        kind: 'clickhouse',
        url: 'https://c',
        username: 'u',
        database: 'd',
        allowInsecure: false,
        secrets: old(4),
        hasPassword: true,
        hasCa: false,
        hasClientCertificate: false,
      });
      for (const n of [5, 6, 7]) {
        await store.vaultSecrets.create(HERE, secret(`S${n}`, { sealed: old(n) }), null);
      }
      await store.vaultSecrets.create(HERE, secret('NEW', { sealed: current(8) }), null);
      expect(await store.sealed.count(KEYS.old)).toBe(7);
      let swapped = 0;
      for (const column of SEALED_COLUMNS) {
        let after: string | undefined;
        for (;;) {
          const texts = await store.sealed.others(column, KEYS.current, { limit: 2, after });
          for (const text of texts) {
            const anew = text.text.replace(KEYS.old, KEYS.current);
            expect(await store.sealed.swap(column, { ...text, text: 'another' }, anew)).toBe(false);
            expect(await store.sealed.swap(column, text, anew)).toBe(true);
            swapped += 1;
          }
          after = texts.at(-1)?.id;
          if (texts.length < 2) break;
        }
      }
      expect([swapped, await store.sealed.count(KEYS.old), await store.sealed.count(KEYS.current)]).toEqual([
        7, 0, 8,
      ]);
      expect(await store.people.byId(user.id)).toMatchObject({
        totpSecret: current(1),
        totpPending: current(2),
      });
      await store.close();
      await place.dispose();
    });
  });
}
