import { fail } from '@candela/kernel';
import { type Selectable, sql } from 'kysely';
import type { VaultSecretTable, VaultVersionTable } from '../tables/vault.ts';
import type { Access } from './access.ts';
import { requireLiveKey } from './sealed.ts';
import { holding, nameKeyOf, type StorageScope } from './storage-scope.ts';
import { unlessTaken } from './unless-taken.ts';

/** A secret as it is kept, without its value. Times are epoch milliseconds. */
export interface StoredSecret {
  readonly id: string;
  readonly key: string;
  readonly tags: readonly string[];
  /** Null: every key of the project. */
  readonly grants: readonly string[] | null;
  readonly version: number;
  readonly revision: number;
  readonly lastVersion: number;
  readonly bytes: number;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly updatedBy: string | null;
  readonly updatedAt: number;
}

/** A value as it is kept: `sealed` opens only as what {@link versionId} names. */
export interface StoredSecretVersion {
  readonly secretId: string;
  readonly version: number;
  readonly sealed: string;
  readonly bytes: number;
  readonly createdBy: string | null;
  readonly createdAt: number;
}

export interface NewSecret extends Pick<StoredSecret, 'id' | 'key' | 'tags' | 'grants' | 'bytes'> {
  /** Of version 1. */
  readonly sealed: string;
}

export interface SecretChanges extends Partial<Pick<StoredSecret, 'tags' | 'grants'>> {
  /** The version after {@link StoredSecret.lastVersion}. */
  readonly next?: { readonly sealed: string; readonly bytes: number };
}

/** Secrets of one place at a time; another place's id is unknown here. */
export interface VaultSecrets {
  /** By name, at most `limit`, after a name. */
  list(
    place: StorageScope,
    input: {
      /** Part of the name, in form. */
      readonly search: string | undefined;
      /** The whole name. */
      readonly key?: string | undefined;
      /** Any of them, whatever their case. */
      readonly tags: readonly string[] | undefined;
      /** Only what this key or application may read. */
      readonly reader: string | undefined;
      readonly limit: number;
      readonly after: string | undefined;
    },
  ): Promise<{ secrets: StoredSecret[]; next: string | undefined }>;
  /** @throws not_found */
  get(place: StorageScope, id: string): Promise<StoredSecret>;
  /** The values in force of some secrets, by the id of the secret. */
  current(place: StorageScope, ids: readonly string[]): Promise<ReadonlyMap<string, StoredSecretVersion>>;
  /** One version. @throws not_found */
  version(place: StorageScope, id: string, version: number): Promise<StoredSecretVersion>;
  /** Newest first. @throws not_found */
  history(place: StorageScope, id: string): Promise<Omit<StoredSecretVersion, 'sealed'>[]>;
  /** @throws conflict when the name is taken, refused when the place has its fill, overloaded when its master key went */
  create(place: StorageScope, secret: NewSecret, by: string | null): Promise<StoredSecret>;
  /**
   * Changes what is named; of versions the newest are kept. @throws not_found, overloaded when its master key went,
   * conflict when the revision is another one by now
   */
  update(
    place: StorageScope,
    id: string,
    input: {
      readonly revision: number | undefined;
      readonly changes: SecretChanges;
      readonly by: string | null;
    },
  ): Promise<{ secret: StoredSecret; dropped: number[] }>;
  /** @throws not_found */
  delete(place: StorageScope, id: string): Promise<void>;
  /** Whatever was granted to one key is granted to another too: it follows the first. Returns how many secrets. */
  grantAlso(projectId: string, from: string, to: string): Promise<number>;
}

/** What the sealed value of a version is bound to. */
export const versionId = (secretId: string, version: number): string => `${secretId}.${version}`;

/** Ids in one statement: far below the parameters that one may have. */
const IDS_AT_ONCE = 500;

const missing = () => fail('not_found', { what: 'The secret' });
const json = (list: readonly string[] | null): string | null => (list === null ? null : JSON.stringify(list));
const tagsKey = (tags: readonly string[]): string => JSON.stringify(tags.map(nameKeyOf));
/** A pattern of LIKE with `\` as its escape: JSON lists that hold exactly this text. */
const listing = (text: string): string => `%${JSON.stringify(text).replaceAll(/[\\%_]/g, '\\$&')}%`;

const toSecret = (row: Selectable<VaultSecretTable>): StoredSecret => ({
  id: row.id,
  key: row.key,
  tags: JSON.parse(row.tags) as string[],
  grants: row.grants === null ? null : (JSON.parse(row.grants) as string[]),
  version: row.version,
  revision: row.revision,
  lastVersion: row.last_version,
  bytes: row.bytes,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  updatedBy: row.updated_by,
  updatedAt: Number(row.updated_at),
});

const toVersion = (row: Selectable<VaultVersionTable>): StoredSecretVersion => ({
  secretId: row.secret_id,
  version: row.version,
  sealed: row.value,
  bytes: row.bytes,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
});

export function vaultSecrets({ database, clock, dialect, limits }: Access): VaultSecrets {
  const rows = ({ projectId, databaseConfigId }: StorageScope) =>
    database
      .selectFrom('vault_secrets')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('database_config_id', '=', databaseConfigId);

  const get: VaultSecrets['get'] = async (place, id) => {
    const row = await rows(place).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw missing();
    return toSecret(row);
  };

  const addVersion = async (version: Omit<StoredSecretVersion, 'createdAt'>): Promise<void> => {
    await requireLiveKey(database, version.sealed);
    await database
      .insertInto('vault_versions')
      .values({
        id: versionId(version.secretId, version.version),
        secret_id: version.secretId,
        version: version.version,
        value: version.sealed,
        bytes: version.bytes,
        created_by: version.createdBy,
        created_at: clock.now(),
      })
      .execute();
  };

  /** All but the newest, and never the one in force. Returns their numbers. */
  const dropOld = async (secretId: string, inForce: number): Promise<number[]> => {
    const kept = await database
      .selectFrom('vault_versions')
      .select('version')
      .where('secret_id', '=', secretId)
      .orderBy('version', 'desc')
      .execute();
    const old = kept
      .slice(limits.versionsPerSecret)
      .map(({ version }) => version)
      .filter((version) => version !== inForce);
    for (const version of old) {
      await database.deleteFrom('vault_versions').where('id', '=', versionId(secretId, version)).execute();
    }
    return old;
  };

  return {
    get,

    async list(place, { search, key, tags, reader, limit, after }) {
      let query = rows(place)
        .orderBy('key')
        .limit(limit + 1);
      if (after !== undefined) query = query.where('key', '>', after);
      if (search !== undefined) {
        query = query.where(sql<boolean>`lower(key) like ${holding(search)} escape '\\'`);
      }
      if (key !== undefined) query = query.where('key', '=', key);
      if (tags !== undefined) {
        query = query.where(({ or }) =>
          or(tags.map((tag) => sql<boolean>`tags_key like ${listing(nameKeyOf(tag))} escape '\\'`)),
        );
      }
      if (reader !== undefined) {
        query = query.where(({ eb, or }) =>
          or([eb('grants', 'is', null), sql<boolean>`grants like ${listing(reader)} escape '\\'`]),
        );
      }
      const found = (await query.execute()).map(toSecret);
      return {
        secrets: found.slice(0, limit),
        next: found.length > limit ? found[limit - 1]?.key : undefined,
      };
    },

    async current({ projectId, databaseConfigId }, ids) {
      const found = new Map<string, StoredSecretVersion>();
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
        const some = await database
          .selectFrom('vault_versions')
          .innerJoin('vault_secrets', (join) =>
            join
              .onRef('vault_secrets.id', '=', 'vault_versions.secret_id')
              .onRef('vault_secrets.version', '=', 'vault_versions.version'),
          )
          .selectAll('vault_versions')
          .where('vault_secrets.project_id', '=', projectId)
          .where('vault_secrets.database_config_id', '=', databaseConfigId)
          .where('vault_secrets.id', 'in', ids.slice(from, from + IDS_AT_ONCE))
          .execute();
        for (const row of some) found.set(row.secret_id, toVersion(row));
      }
      return found;
    },

    async version(place, id, version) {
      await get(place, id);
      const row = await database
        .selectFrom('vault_versions')
        .selectAll()
        .where('id', '=', versionId(id, version))
        .executeTakeFirst();
      if (row === undefined) throw fail('not_found', { what: `Version ${version} of the secret` });
      return toVersion(row);
    },

    async history(place, id) {
      await get(place, id);
      const found = await database
        .selectFrom('vault_versions')
        .select(['id', 'secret_id', 'version', 'bytes', 'created_by', 'created_at'])
        .where('secret_id', '=', id)
        .orderBy('version', 'desc')
        .execute();
      return found.map((row) => {
        const { sealed: _, ...rest } = toVersion({ ...row, value: '' });
        return rest;
      });
    },

    async create({ projectId, databaseConfigId }, { sealed, ...secret }, by) {
      const { count } = await database
        .selectFrom('vault_secrets')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', projectId)
        .where('database_config_id', '=', databaseConfigId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= limits.secretsPerPlace) {
        throw fail('refused', {
          detail: `There are ${limits.secretsPerPlace} secrets here, which is the most there may be. Delete some first.`,
        });
      }
      const now = clock.now();
      const row = {
        id: secret.id,
        project_id: projectId,
        database_config_id: databaseConfigId,
        key: secret.key,
        tags: JSON.stringify(secret.tags),
        tags_key: tagsKey(secret.tags),
        grants: json(secret.grants),
        version: 1,
        revision: 1,
        last_version: 1,
        bytes: secret.bytes,
        created_by: by,
        created_at: now,
        updated_by: by,
        updated_at: now,
      };
      await unlessTaken(
        { dialect },
        (cause) =>
          fail(
            'conflict',
            { detail: `There is a secret ${secret.key} already. Change that one, or choose another name.` },
            { cause },
          ),
        () => database.insertInto('vault_secrets').values(row).execute(),
      );
      await addVersion({ secretId: secret.id, version: 1, sealed, bytes: secret.bytes, createdBy: by });
      return toSecret(row);
    },

    async update(place, id, { revision: expected, changes, by }) {
      const before = await get(place, id);
      const revision = expected ?? before.revision;
      const { tags, grants, next } = changes;
      const version = next === undefined ? before.version : before.lastVersion + 1;
      const result = await database
        .updateTable('vault_secrets')
        .set({
          ...(tags === undefined ? {} : { tags: JSON.stringify(tags), tags_key: tagsKey(tags) }),
          ...(grants === undefined ? {} : { grants: json(grants) }),
          ...(next === undefined ? {} : { version, last_version: version, bytes: next.bytes }),
          revision: revision + 1,
          updated_by: by,
          updated_at: clock.now(),
        })
        .where('id', '=', id)
        .where('revision', '=', revision)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) {
        throw fail('conflict', {
          detail: 'Somebody changed this secret meanwhile. Read it again, then change it.',
        });
      }
      if (next !== undefined) await addVersion({ secretId: id, version, createdBy: by, ...next });
      return {
        dropped: next === undefined ? [] : await dropOld(id, version),
        secret: await get(place, id),
      };
    },

    async delete(place, id) {
      await get(place, id);
      await database.deleteFrom('vault_versions').where('secret_id', '=', id).execute();
      await database.deleteFrom('vault_secrets').where('id', '=', id).execute();
    },

    async grantAlso(projectId, from, to) {
      const granted = await database
        .selectFrom('vault_secrets')
        .select(['id', 'grants'])
        .where('project_id', '=', projectId)
        .where(sql<boolean>`grants like ${listing(from)} escape '\\'`)
        .execute();
      for (const { id, grants } of granted) {
        const ids = JSON.parse(grants ?? '[]') as string[];
        await database
          .updateTable('vault_secrets')
          .set(({ eb }) => ({ grants: JSON.stringify([...ids, to]), revision: eb('revision', '+', 1) }))
          .where('id', '=', id)
          .execute();
      }
      return granted.length;
    },
  };
}
