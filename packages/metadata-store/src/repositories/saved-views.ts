import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { SavedViewTable } from '../tables/saved-views.ts';
import type { Access } from './access.ts';
import { unlessTaken } from './unless-taken.ts';

/** A view as it is kept: the state of a page under a name. Times are epoch milliseconds. */
export interface StoredView {
  readonly id: string;
  readonly page: string;
  readonly name: string;
  readonly description: string | null;
  readonly search: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewView = Pick<StoredView, 'page' | 'name' | 'description' | 'search'>;
export type ViewChanges = Partial<Pick<StoredView, 'name' | 'description' | 'search'>>;

/** Where a list goes on: the last view of the page before. */
export interface ViewPlace {
  readonly nameKey: string;
  readonly id: string;
}

/** Views of one project at a time; another project's id is unknown here. */
export interface SavedViews {
  /** By name, at most `limit`, after a place. */
  list(
    projectId: string,
    input: {
      readonly page: string | undefined;
      readonly limit: number;
      readonly after: ViewPlace | undefined;
    },
  ): Promise<{ views: StoredView[]; next: ViewPlace | undefined }>;
  /** @throws not_found */
  get(projectId: string, id: string): Promise<StoredView>;
  /** @throws conflict when the page has a view of that name, refused when the project has its fill */
  create(projectId: string, view: NewView): Promise<StoredView>;
  /** @throws not_found, conflict */
  update(projectId: string, id: string, changes: ViewChanges): Promise<StoredView>;
  /** @throws not_found */
  delete(projectId: string, id: string): Promise<void>;
}

/** How names are compared: whatever their case and the way their letters are composed. */
const keyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

const missing = () => fail('not_found', { what: 'The saved view' });

function toView(row: Selectable<SavedViewTable>): StoredView {
  return {
    id: row.id,
    page: row.page,
    name: row.name,
    description: row.description,
    search: row.search,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function savedViews({ database, clock, dialect, limits }: Access): SavedViews {
  const maxPerProject = limits.viewsPerProject;
  const taken = (name: string) =>
    fail('conflict', {
      detail: `This page has a view called "${name}" already. Choose another name, or change that one.`,
    });

  const unlessNameTaken = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    unlessTaken({ dialect }, () => taken(name), work);

  async function get(projectId: string, id: string): Promise<StoredView> {
    const row = await database
      .selectFrom('saved_views')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw missing();
    return toView(row);
  }

  return {
    get,

    async list(projectId, { page, limit, after }) {
      let query = database
        .selectFrom('saved_views')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('name_key')
        .orderBy('id')
        .limit(limit + 1);
      if (page !== undefined) query = query.where('page', '=', page);
      if (after !== undefined) {
        query = query.where(({ eb, or, and }) =>
          or([
            eb('name_key', '>', after.nameKey),
            and([eb('name_key', '=', after.nameKey), eb('id', '>', after.id)]),
          ]),
        );
      }
      const rows = await query.execute();
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        views: rows.slice(0, limit).map(toView),
        next: last === undefined ? undefined : { nameKey: last.name_key, id: last.id },
      };
    },

    async create(projectId, view) {
      const { count } = await database
        .selectFrom('saved_views')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow();
      if (count >= maxPerProject) {
        throw fail('refused', {
          detail: `This project has ${maxPerProject} saved views, which is the most it may have. Delete some first.`,
        });
      }
      const now = clock.now();
      const row = {
        id: crypto.randomUUID(),
        project_id: projectId,
        page: view.page,
        name: view.name,
        name_key: keyOf(view.name),
        description: view.description,
        search: view.search,
        created_at: now,
        updated_at: now,
      };
      await unlessNameTaken(view.name, () => database.insertInto('saved_views').values(row).execute());
      return toView(row);
    },

    async update(projectId, id, changes) {
      const { name, description, search } = changes;
      const result = await unlessNameTaken(name ?? '', () =>
        database
          .updateTable('saved_views')
          .set({
            updated_at: clock.now(),
            ...(name === undefined ? {} : { name, name_key: keyOf(name) }),
            ...(description === undefined ? {} : { description }),
            ...(search === undefined ? {} : { search }),
          })
          .where('project_id', '=', projectId)
          .where('id', '=', id)
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 0n) throw missing();
      return get(projectId, id);
    },

    async delete(projectId, id) {
      const result = await database
        .deleteFrom('saved_views')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw missing();
    },
  };
}
