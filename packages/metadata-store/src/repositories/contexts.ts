import { fail } from '@candela/kernel';
import { type Selectable, sql } from 'kysely';
import type { ContextTable, ContextVersionTable } from '../tables/contexts.ts';
import type { Access } from './access.ts';
import { statusOf } from './rules/rows.ts';
import type { ActiveStatus } from './rules/types.ts';
import { holding, nameKeyOf, type StorageScope } from './storage-scope.ts';
import { unlessTaken } from './unless-taken.ts';

/** What a version of a context holds. */
export interface ContextContent {
  readonly content: string;
  readonly tags: readonly string[];
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A context as it is saved: whole. */
export interface ContextDocument extends ContextContent {
  readonly name: string;
  readonly description: string;
  readonly status: ActiveStatus;
}

/** A context as it is kept. Times are epoch milliseconds. */
export interface StoredContext extends ContextDocument {
  readonly id: string;
  /** Of content, tags and meta; the newest. */
  readonly version: number;
  /** Goes up with every change. */
  readonly revision: number;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedBy: string;
  readonly updatedAt: number;
}

/** A context in a list: the beginning of its content. */
export interface ContextSummary extends Omit<StoredContext, 'content' | 'meta'> {
  readonly preview: string;
  /** Characters of the content. */
  readonly length: number;
}

export interface StoredContextVersion extends ContextContent {
  readonly version: number;
  readonly createdBy: string;
  readonly createdAt: number;
}

export interface ContextVersionSummary extends Omit<StoredContextVersion, 'content' | 'meta'> {
  readonly preview: string;
  readonly length: number;
}

/** Where a list goes on: the last context of the page before. */
export interface ContextPlace {
  readonly nameKey: string;
  readonly id: string;
}

/** Contexts of one place at a time; another place's id is unknown here. */
export interface Contexts {
  /** By name, at most `limit`, after a place. */
  list(
    place: StorageScope,
    input: {
      readonly search: string | undefined;
      readonly status: ActiveStatus | undefined;
      readonly limit: number;
      readonly after: ContextPlace | undefined;
    },
  ): Promise<{ contexts: ContextSummary[]; next: ContextPlace | undefined }>;
  /** @throws not_found */
  get(place: StorageScope, id: string): Promise<StoredContext>;
  /** Name and status of those of the ids that there are. */
  heads(
    place: StorageScope,
    ids: readonly string[],
  ): Promise<Pick<StoredContext, 'id' | 'name' | 'status'>[]>;
  /** Ids of those that are INACTIVE. */
  inactive(place: StorageScope): Promise<Set<string>>;
  /** Those of the ids that there are. */
  byIds(place: StorageScope, ids: readonly string[]): Promise<StoredContext[]>;
  /** Characters of their contents together. */
  sizeOf(place: StorageScope, ids: readonly string[]): Promise<number>;
  /** @throws conflict when the name is taken, refused when the place has its fill */
  create(place: StorageScope, context: ContextDocument, by: string): Promise<StoredContext>;
  /** A new version where content, tags or meta differ. @throws not_found, conflict (name taken, another revision) */
  replace(
    place: StorageScope,
    id: string,
    input: { readonly revision: number | undefined; readonly context: ContextDocument; readonly by: string },
  ): Promise<StoredContext>;
  /** @throws not_found */
  delete(place: StorageScope, id: string): Promise<void>;
  /** Newest first, at most `limit`, before a version. */
  versions(
    place: StorageScope,
    id: string,
    input: { readonly limit: number; readonly before: number | undefined },
  ): Promise<{ versions: ContextVersionSummary[]; next: number | undefined }>;
  /** @throws not_found */
  version(place: StorageScope, id: string, version: number): Promise<StoredContextVersion>;
}

const PREVIEW_CHARACTERS = 240;
/** Ids of one statement. */
const IDS_AT_ONCE = 500;

const missing = () => fail('not_found', { what: 'The context' });

const contentOf = (row: Pick<ContextVersionTable, 'content' | 'tags' | 'meta'>): ContextContent => ({
  content: row.content,
  tags: JSON.parse(row.tags) as string[],
  meta: JSON.parse(row.meta) as Record<string, unknown>,
});

const headOf = (row: Omit<Selectable<ContextTable>, 'content' | 'meta'>) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  status: statusOf(row.status),
  version: row.version,
  revision: row.revision,
  createdBy: row.created_by,
  createdAt: Number(row.created_at),
  updatedBy: row.updated_by,
  updatedAt: Number(row.updated_at),
});

const toContext = (row: Selectable<ContextTable>): StoredContext => ({ ...headOf(row), ...contentOf(row) });

const columnsOf = ({ name, description, content, tags, meta, status }: ContextDocument) => ({
  name,
  name_key: nameKeyOf(name),
  description,
  search_key: nameKeyOf([name, description, ...tags].join('\n')),
  content,
  tags: JSON.stringify(tags),
  meta: JSON.stringify(meta),
  status,
});

const preview = sql<string>`substr(content, 1, ${sql.lit(PREVIEW_CHARACTERS)})`.as('preview');
const length = sql<number>`length(content)`.as('length');

export function contexts({ database, at, clock, dialect, limits }: Access): Contexts {
  const unlessNameTaken = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    unlessTaken(
      { dialect },
      () => fail('conflict', { detail: `There is a context called "${name}" already. Choose another name.` }),
      work,
    );

  const of = (place: StorageScope) =>
    database
      .selectFrom('contexts')
      .where('project_id', '=', place.projectId)
      .where('database_config_id', '=', place.databaseConfigId);

  async function get(place: StorageScope, id: string): Promise<StoredContext> {
    const row = await of(place).selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw missing();
    return toContext(row);
  }

  /** @throws not_found when the context is not of this place */
  async function mustBeHere(place: StorageScope, id: string): Promise<void> {
    const row = await of(place).select('id').where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw missing();
  }

  async function keepVersion(place: StorageScope, id: string, of: StoredContextVersion): Promise<void> {
    await at(place)
      .insertInto('context_versions')
      .values({
        context_id: id,
        project_id: place.projectId,
        version: of.version,
        content: of.content,
        tags: JSON.stringify(of.tags),
        meta: JSON.stringify(of.meta),
        created_by: of.createdBy,
        created_at: of.createdAt,
      })
      .execute();
    await at(place)
      .deleteFrom('context_versions')
      .where('context_id', '=', id)
      .where('version', '<=', of.version - limits.versionsPerContext)
      .execute();
  }

  return {
    get,

    async list(place, { search, status, limit, after }) {
      let query = of(place)
        .select([
          'id',
          'name',
          'name_key',
          'description',
          'tags',
          'status',
          'version',
          'revision',
          'created_by',
          'created_at',
          'updated_by',
          'updated_at',
          'project_id',
          'database_config_id',
          'search_key',
          preview,
          length,
        ])
        .orderBy('name_key')
        .orderBy('id')
        .limit(limit + 1);
      if (search !== undefined) {
        query = query.where(sql<boolean>`search_key like ${holding(search)} escape '\\'`);
      }
      if (status !== undefined) query = query.where('status', '=', status);
      if (after !== undefined) {
        query = query.where(({ eb, or, and }) =>
          or([
            eb('name_key', '>', after.nameKey),
            and([eb('name_key', '=', after.nameKey), eb('id', '>', after.id)]),
          ]),
        );
      }
      const found = await query.execute();
      const last = found.length > limit ? found[limit - 1] : undefined;
      return {
        contexts: found.slice(0, limit).map((row) => ({
          ...headOf(row),
          tags: JSON.parse(row.tags) as string[],
          preview: row.preview,
          length: Number(row.length),
        })),
        next: last === undefined ? undefined : { nameKey: last.name_key, id: last.id },
      };
    },

    async heads(place, ids) {
      const found: Pick<StoredContext, 'id' | 'name' | 'status'>[] = [];
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
        const rows = await of(place)
          .select(['id', 'name', 'status'])
          .where('id', 'in', ids.slice(from, from + IDS_AT_ONCE))
          .execute();
        found.push(...rows.map((row) => ({ ...row, status: statusOf(row.status) })));
      }
      return found;
    },

    async inactive(place) {
      const rows = await of(place).select('id').where('status', '!=', 'ACTIVE').execute();
      return new Set(rows.map(({ id }) => id));
    },

    async byIds(place, ids) {
      const found: StoredContext[] = [];
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
        const some = ids.slice(from, from + IDS_AT_ONCE);
        found.push(...(await of(place).selectAll().where('id', 'in', some).execute()).map(toContext));
      }
      return found;
    },

    async sizeOf(place, ids) {
      let size = 0;
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
        const row = await of(place)
          .select(sql<number | null>`sum(length(content))`.as('size'))
          .where('id', 'in', ids.slice(from, from + IDS_AT_ONCE))
          .executeTakeFirst();
        size += Number(row?.size ?? 0);
      }
      return size;
    },

    async create(place, context, by) {
      const { count } = await of(place)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) >= limits.contextsPerPlace) {
        throw fail('refused', {
          detail: `There are ${limits.contextsPerPlace} contexts here, which is the most there may be. Delete some first.`,
        });
      }
      const now = clock.now();
      const row = {
        id: crypto.randomUUID(),
        project_id: place.projectId,
        database_config_id: place.databaseConfigId,
        ...columnsOf(context),
        version: 1,
        revision: 1,
        created_by: by,
        created_at: now,
        updated_by: by,
        updated_at: now,
      };
      await unlessNameTaken(context.name, () => at(place).insertInto('contexts').values(row).execute());
      await keepVersion(place, row.id, { ...context, version: 1, createdBy: by, createdAt: now });
      return toContext(row);
    },

    async replace(place, id, { revision: expected, context, by }) {
      const before = await get(place, id);
      const revision = expected ?? before.revision;
      const columns = columnsOf(context);
      const same =
        columns.content === before.content &&
        columns.tags === JSON.stringify(before.tags) &&
        columns.meta === JSON.stringify(before.meta);
      const version = same ? before.version : before.version + 1;
      const now = clock.now();
      const result = await unlessNameTaken(context.name, () =>
        at(place)
          .updateTable('contexts')
          .set({ ...columns, version, revision: revision + 1, updated_by: by, updated_at: now })
          .where('id', '=', id)
          .where('revision', '=', revision)
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 0n) {
        throw fail('conflict', {
          detail: `Somebody changed this context meanwhile: it is at revision ${before.revision}. Read it again, then change it.`,
        });
      }
      if (!same) await keepVersion(place, id, { ...context, version, createdBy: by, createdAt: now });
      return get(place, id);
    },

    async delete(place, id) {
      await mustBeHere(place, id);
      await at(place).deleteFrom('contexts').where('id', '=', id).execute();
      await at(place).deleteFrom('context_versions').where('context_id', '=', id).execute();
    },

    async versions(place, id, { limit, before }) {
      await mustBeHere(place, id);
      let query = database
        .selectFrom('context_versions')
        .select(['version', 'tags', 'created_by', 'created_at', preview, length])
        .where('context_id', '=', id)
        .orderBy('version', 'desc')
        .limit(limit + 1);
      if (before !== undefined) query = query.where('version', '<', before);
      const found = await query.execute();
      return {
        versions: found.slice(0, limit).map((row) => ({
          version: row.version,
          tags: JSON.parse(row.tags) as string[],
          createdBy: row.created_by,
          createdAt: Number(row.created_at),
          preview: row.preview,
          length: Number(row.length),
        })),
        next: found.length > limit ? found[limit - 1]?.version : undefined,
      };
    },

    async version(place, id, version) {
      await mustBeHere(place, id);
      const row = await database
        .selectFrom('context_versions')
        .selectAll()
        .where('context_id', '=', id)
        .where('version', '=', version)
        .executeTakeFirst();
      if (row === undefined) throw fail('not_found', { what: `Version ${version} of the context` });
      return {
        ...contentOf(row),
        version: row.version,
        createdBy: row.created_by,
        createdAt: Number(row.created_at),
      };
    },
  };
}
