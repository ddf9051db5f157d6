import { fail } from '@candela/kernel';
import { type Selectable, sql } from 'kysely';
import type { MediaTable } from '../tables/media.ts';
import type { Access } from './access.ts';

/** An image, a sound or a file that messages refer to. Times are epoch milliseconds. */
export interface StoredMedia {
  readonly id: string;
  readonly contentType: string;
  readonly bytes: number;
  /** In base64. */
  readonly sha256: string;
  readonly usedAt: number;
  /** Null: the content is not here (yet). */
  readonly storedAt: number | null;
  readonly failure: string | null;
}

export type NewMedia = Pick<StoredMedia, 'id' | 'contentType' | 'bytes' | 'sha256'>;

/** What an item was sent for: a span, a trace (no span), or an item of a dataset (no trace, its id in place of the span's). */
export interface MediaUse {
  readonly traceId: string;
  readonly spanId: string;
}

/** A use, and which item it is of. */
export type MediaUseOf = MediaUse & { readonly id: string };

/** Media of projects; that of another one is unknown there. Within a change where several calls belong together. */
export interface Media {
  /**
   * Makes room for an item; one that is here already is only used again.
   * @param use what it is sent for; an item remembers {@link USES_OF_ITEM} of them, then it belongs to many
   * @param most bytes that the project may keep, announced ones included
   * @throws refused the project is full, conflict another content has that id
   */
  announce(projectId: string, item: NewMedia, use: MediaUse, most: number): Promise<StoredMedia>;
  /** @throws not_found */
  get(projectId: string, id: string): Promise<StoredMedia>;
  /** Keeps a piece of the content; positions count from 0. */
  write(projectId: string, id: string, position: number, body: Uint8Array): Promise<void>;
  /** The content is complete. */
  finish(projectId: string, id: string): Promise<void>;
  /** Undefined: there is no such piece. */
  read(projectId: string, id: string, position: number): Promise<Uint8Array | undefined>;
  /** What went wrong with an item whose content is not here. @throws not_found */
  report(projectId: string, id: string, failure: string | null): Promise<void>;
  /** What the media of these traces was sent for. */
  usesOf(projectId: string, traceIds: readonly string[]): Promise<MediaUseOf[]>;
  /** Forgets uses, and removes the items that have none left. Returns how many items went. */
  removeUses(projectId: string, uses: readonly MediaUseOf[]): Promise<number>;
  /** Removes what was used last before a time, and what was announced before another and never came. */
  prune(
    projectId: string,
    before: { readonly usedAt: number; readonly announcedAt: number },
  ): Promise<number>;
}

/** Items of one statement. */
const BATCH = 200;
/** Uses that an item remembers: a picture that every call has would need a row of each. */
const USES_OF_ITEM = 1_000;
const columns = ['id', 'content_type', 'bytes', 'sha256', 'used_at', 'stored_at', 'failure'] as const;

const toMedia = (row: Selectable<Omit<MediaTable, 'project_id'>>): StoredMedia => ({
  id: row.id,
  contentType: row.content_type,
  bytes: Number(row.bytes),
  sha256: row.sha256,
  usedAt: Number(row.used_at),
  storedAt: row.stored_at === null ? null : Number(row.stored_at),
  failure: row.failure,
});

export function media({ quiet: database, clock }: Access): Media {
  const find = async (projectId: string, id: string) => {
    const row = await database
      .selectFrom('media')
      .select(columns)
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row === undefined ? undefined : toMedia(row);
  };
  const get: Media['get'] = async (projectId, id) => {
    const found = await find(projectId, id);
    if (found === undefined) throw fail('not_found', { what: 'The media item' });
    return found;
  };
  const set = (projectId: string, id: string, change: Partial<Omit<MediaTable, 'project_id' | 'id'>>) =>
    database
      .updateTable('media')
      .set(change)
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .execute();
  const remove = async (projectId: string, ids: readonly string[]) => {
    for (const table of ['media_chunks', 'media_uses'] as const)
      await database
        .deleteFrom(table)
        .where('project_id', '=', projectId)
        .where('media_id', 'in', [...ids])
        .execute();
    await database
      .deleteFrom('media')
      .where('project_id', '=', projectId)
      .where('id', 'in', [...ids])
      .execute();
  };

  const use = async (projectId: string, id: string, { traceId, spanId }: MediaUse) => {
    const { rows } = await sql<{ known: number | string }>`
      select count(*) as known from
        (select 1 from media_uses where project_id = ${projectId} and media_id = ${id} limit ${USES_OF_ITEM}) as found
    `.execute(database);
    if (Number(rows[0]?.known ?? 0) >= USES_OF_ITEM) return;
    await database
      .insertInto('media_uses')
      .values({
        project_id: projectId,
        media_id: id,
        trace_id: traceId,
        span_id: spanId,
        used_at: clock.now(),
      })
      .onConflict((clash) =>
        clash
          .columns(['project_id', 'media_id', 'trace_id', 'span_id'])
          .doUpdateSet({ used_at: clock.now() }),
      )
      .execute();
  };

  return {
    get,

    async announce(projectId, item, of, most) {
      const now = clock.now();
      const known = await find(projectId, item.id);
      if (known !== undefined) {
        if (known.sha256 !== item.sha256 || known.bytes !== item.bytes)
          throw fail('conflict', { detail: 'Another content has this id. Nothing was taken.' });
        // What is stored keeps the type it was checked with.
        const contentType = known.storedAt === null ? item.contentType : known.contentType;
        await set(projectId, item.id, { used_at: now, content_type: contentType });
        await use(projectId, item.id, of);
        return { ...known, contentType, usedAt: now };
      }
      const row = await database
        .selectFrom('media')
        .select(sql<number | string | null>`sum(bytes)`.as('sum'))
        .where('project_id', '=', projectId)
        .executeTakeFirst();
      if (Number(row?.sum ?? 0) + item.bytes > most)
        throw fail('refused', {
          detail: `The project keeps as much media as it may (${most} bytes, PLATFORM_MEDIA_PROJECT_BYTES). There is room again when older media is past its retention.`,
        });
      const made = {
        id: item.id,
        content_type: item.contentType,
        bytes: item.bytes,
        sha256: item.sha256,
        used_at: now,
        stored_at: null,
        failure: null,
      };
      await database
        .insertInto('media')
        .values({ project_id: projectId, ...made })
        .execute();
      await use(projectId, item.id, of);
      return toMedia(made);
    },

    async write(projectId, id, position, body) {
      await database
        .insertInto('media_chunks')
        .values({ project_id: projectId, media_id: id, position, body })
        .execute();
    },

    async finish(projectId, id) {
      await set(projectId, id, { stored_at: clock.now(), failure: null });
    },

    async read(projectId, id, position) {
      const row = await database
        .selectFrom('media_chunks')
        .select('body')
        .where('project_id', '=', projectId)
        .where('media_id', '=', id)
        .where('position', '=', position)
        .executeTakeFirst();
      return row?.body;
    },

    async report(projectId, id, failure) {
      const { storedAt } = await get(projectId, id);
      if (storedAt === null) await set(projectId, id, { failure });
    },

    async usesOf(projectId, traceIds) {
      const found: MediaUseOf[] = [];
      for (let from = 0; from < traceIds.length; from += BATCH) {
        const rows = await database
          .selectFrom('media_uses')
          .select(['media_id', 'trace_id', 'span_id'])
          .where('project_id', '=', projectId)
          .where('trace_id', 'in', traceIds.slice(from, from + BATCH))
          .execute();
        for (const row of rows) found.push({ id: row.media_id, traceId: row.trace_id, spanId: row.span_id });
      }
      return found;
    },

    async removeUses(projectId, uses) {
      for (const { id, traceId, spanId } of uses)
        await database
          .deleteFrom('media_uses')
          .where('project_id', '=', projectId)
          .where('media_id', '=', id)
          .where('trace_id', '=', traceId)
          .where('span_id', '=', spanId)
          .execute();
      let removed = 0;
      const ids = [...new Set(uses.map(({ id }) => id))];
      for (let from = 0; from < ids.length; from += BATCH) {
        const some = ids.slice(from, from + BATCH);
        const used = await database
          .selectFrom('media_uses')
          .select('media_id')
          .distinct()
          .where('project_id', '=', projectId)
          .where('media_id', 'in', some)
          .execute();
        const still = new Set(used.map((row) => row.media_id));
        const gone = some.filter((id) => !still.has(id));
        if (gone.length > 0) await remove(projectId, gone);
        removed += gone.length;
      }
      return removed;
    },

    async prune(projectId, before) {
      await database
        .deleteFrom('media_uses')
        .where('project_id', '=', projectId)
        .where('used_at', '<', before.usedAt)
        .execute();
      let removed = 0;
      for (;;) {
        const rows = await database
          .selectFrom('media')
          .select('id')
          .where('project_id', '=', projectId)
          .where((is) =>
            is.or([
              is('used_at', '<', before.usedAt),
              is.and([is('stored_at', 'is', null), is('used_at', '<', before.announcedAt)]),
            ]),
          )
          .limit(BATCH)
          .execute();
        if (rows.length === 0) return removed;
        await remove(
          projectId,
          rows.map(({ id }) => id),
        );
        removed += rows.length;
      }
    },
  };
}
