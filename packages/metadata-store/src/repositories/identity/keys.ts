import { fail, type Scope, SCOPES } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { ApiKeyTable } from '../../tables/identity.ts';
import type { Access } from '../access.ts';

export interface StoredKey {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  /** Null: all of the project. */
  readonly environments: readonly string[] | null;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly replacedBy: string | null;
}

export type NewKey = Pick<
  StoredKey,
  'projectId' | 'name' | 'prefix' | 'scopes' | 'environments' | 'createdBy' | 'expiresAt'
>;
export type KeyChanges = Partial<
  Pick<StoredKey, 'name' | 'scopes' | 'environments' | 'expiresAt' | 'replacedBy'>
>;

export interface KeyPlace {
  readonly createdAt: number;
  readonly id: string;
}

/** API keys of projects, known by the SHA-256 of the key. */
export interface ApiKeys {
  /** The key with the organisation of its project; undefined: no such key. Whether it has expired is for the caller. */
  byHash(keyHash: string): Promise<(StoredKey & { readonly organisationId: string }) | undefined>;
  /** Latest first, with the address of who made it. */
  list(
    projectId: string,
    input: { readonly limit: number; readonly after: KeyPlace | undefined },
  ): Promise<{ keys: (StoredKey & { readonly maker: string | null })[]; next: KeyPlace | undefined }>;
  /** @throws not_found */
  get(projectId: string, id: string): Promise<StoredKey & { readonly maker: string | null }>;
  /** Those of some ids that are keys of the project. */
  existing(projectId: string, ids: readonly string[]): Promise<string[]>;
  create(keyHash: string, key: NewKey): Promise<StoredKey>;
  /** @throws not_found */
  update(projectId: string, id: string, changes: KeyChanges): Promise<void>;
  /** @throws not_found */
  remove(projectId: string, id: string): Promise<void>;
  count(projectId: string): Promise<number>;
  /** Notes that it was used; told to no cache. */
  touch(id: string, at: number): Promise<void>;
}

const missing = () => fail('not_found', { what: 'The API key' });
const isScope = (text: unknown): text is Scope => SCOPES.some((scope) => scope === text);
const millis = (value: number | null): number | null => (value === null ? null : Number(value));

const toKey = (row: Selectable<ApiKeyTable>): StoredKey => ({
  id: row.id,
  projectId: row.project_id,
  name: row.name,
  prefix: row.prefix,
  scopes: (JSON.parse(row.scopes) as unknown[]).filter(isScope),
  environments: row.environments === null ? null : (JSON.parse(row.environments) as string[]),
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  expiresAt: millis(row.expires_at),
  lastUsedAt: millis(row.last_used_at),
  replacedBy: row.replaced_by,
});

const json = (list: readonly string[] | null): string | null => (list === null ? null : JSON.stringify(list));

export function apiKeys({ database, quiet, clock }: Access): ApiKeys {
  const shown = (projectId: string) =>
    database
      .selectFrom('api_keys')
      .leftJoin('users', 'users.id', 'api_keys.created_by')
      .selectAll('api_keys')
      .select('users.email as maker')
      .where('api_keys.project_id', '=', projectId);

  return {
    async byHash(keyHash) {
      const row = await database
        .selectFrom('api_keys')
        .innerJoin('projects', 'projects.id', 'api_keys.project_id')
        .selectAll('api_keys')
        .select('projects.organisation_id')
        .where('api_keys.key_hash', '=', keyHash)
        .executeTakeFirst();
      return row && { ...toKey(row), organisationId: row.organisation_id };
    },

    async list(projectId, { limit, after }) {
      let query = shown(projectId)
        .orderBy('api_keys.created_at', 'desc')
        .orderBy('api_keys.id', 'desc')
        .limit(limit + 1);
      if (after !== undefined) {
        query = query.where(({ eb, or, and }) =>
          or([
            eb('api_keys.created_at', '<', after.createdAt),
            and([eb('api_keys.created_at', '=', after.createdAt), eb('api_keys.id', '<', after.id)]),
          ]),
        );
      }
      const rows = await query.execute();
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        keys: rows.slice(0, limit).map((row) => ({ ...toKey(row), maker: row.maker })),
        next: last === undefined ? undefined : { createdAt: Number(last.created_at), id: last.id },
      };
    },

    async get(projectId, id) {
      const row = await shown(projectId).where('api_keys.id', '=', id).executeTakeFirst();
      if (row === undefined) throw missing();
      return { ...toKey(row), maker: row.maker };
    },

    async existing(projectId, ids) {
      if (ids.length === 0) return [];
      const rows = await database
        .selectFrom('api_keys')
        .select('id')
        .where('project_id', '=', projectId)
        .where('id', 'in', ids)
        .execute();
      return rows.map(({ id }) => id);
    },

    async create(keyHash, key) {
      const row = {
        id: crypto.randomUUID(),
        project_id: key.projectId,
        name: key.name,
        prefix: key.prefix,
        key_hash: keyHash,
        scopes: JSON.stringify(key.scopes),
        environments: json(key.environments),
        created_by: key.createdBy,
        created_at: clock.now(),
        expires_at: key.expiresAt,
        last_used_at: null,
        replaced_by: null,
      };
      await database.insertInto('api_keys').values(row).execute();
      return toKey(row);
    },

    async update(projectId, id, changes) {
      const { name, scopes, environments, expiresAt, replacedBy } = changes;
      const result = await database
        .updateTable('api_keys')
        .set({
          // Always something to set, so that an empty change is none and still finds out whether the key is there.
          id,
          ...(name === undefined ? {} : { name }),
          ...(scopes === undefined ? {} : { scopes: JSON.stringify(scopes) }),
          ...(environments === undefined ? {} : { environments: json(environments) }),
          ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
          ...(replacedBy === undefined ? {} : { replaced_by: replacedBy }),
        })
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) throw missing();
    },

    async remove(projectId, id) {
      const result = await database
        .deleteFrom('api_keys')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw missing();
    },

    async count(projectId) {
      const { count } = await database
        .selectFrom('api_keys')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    async touch(id, at) {
      await quiet.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
    },
  };
}
