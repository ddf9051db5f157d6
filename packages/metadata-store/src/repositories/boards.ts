import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { BoardTable } from '../tables/boards.ts';
import type { Access } from './access.ts';
import { nameKeyOf } from './storage-scope.ts';

/** A board as it is saved: whole. `definition` is JSON that the contract describes. */
export interface BoardDocument {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly folderId: string | null;
  /** The person whose own it is; null: everybody's of the project. */
  readonly ownerId: string | null;
  readonly definition: string;
  readonly widgetCount: number;
}

/** A board in a list. Times are epoch milliseconds. */
export interface StoredBoardHead extends Omit<BoardDocument, 'definition'> {
  readonly id: string;
  readonly revision: number;
  readonly updatedBy: string;
  readonly updatedAt: number;
}

export interface StoredBoard extends StoredBoardHead {
  readonly definition: string;
}

export interface StoredFolder {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
}

/** Who reads: the project, and the person whose own boards are among them. */
export interface BoardReader {
  readonly projectId: string;
  /** Undefined: a key, which has none of its own. */
  readonly userId: string | undefined;
}

/** Most boards and folders of a project. */
const BOARD_BOUNDS = { boards: 500, folders: 200, depth: 8 } as const;

/** Boards of one project at a time; those of other people and projects are unknown here. */
export interface Boards {
  list(reader: BoardReader): Promise<StoredBoardHead[]>;
  /** @throws not_found */
  get(reader: BoardReader, id: string): Promise<StoredBoard>;
  /** @throws not_found (folder), refused when the project has its fill */
  create(reader: BoardReader, board: BoardDocument, by: string): Promise<StoredBoard>;
  /** @throws not_found, conflict (another revision) */
  replace(
    reader: BoardReader,
    id: string,
    input: { readonly revision: number | undefined; readonly board: BoardDocument; readonly by: string },
  ): Promise<StoredBoard>;
  /** @throws not_found */
  delete(reader: BoardReader, id: string): Promise<void>;
  folders(projectId: string): Promise<StoredFolder[]>;
  /** @throws not_found (parent), refused */
  createFolder(projectId: string, folder: Omit<StoredFolder, 'id'>): Promise<StoredFolder>;
  /** @throws not_found, refused (into itself, too deep) */
  updateFolder(projectId: string, folder: StoredFolder): Promise<StoredFolder>;
  /** @throws not_found, conflict (not empty) */
  deleteFolder(projectId: string, id: string): Promise<void>;
  /** Ids of the boards that a person pinned. */
  pins(projectId: string, userId: string): Promise<Set<string>>;
  pin(projectId: string, userId: string, boardId: string, pinned: boolean): Promise<void>;
}

const missing = (what = 'The board') => fail('not_found', { what });

const headOf = (row: Omit<Selectable<BoardTable>, 'definition'>): StoredBoardHead => ({
  id: row.id,
  title: row.title,
  description: row.description,
  tags: JSON.parse(row.tags) as string[],
  folderId: row.folder_id,
  ownerId: row.owner_id,
  widgetCount: row.widget_count,
  revision: row.revision,
  updatedBy: row.updated_by,
  updatedAt: Number(row.updated_at),
});

const columnsOf = (board: BoardDocument) => ({
  folder_id: board.folderId,
  title: board.title,
  title_key: nameKeyOf(board.title),
  description: board.description,
  tags: JSON.stringify(board.tags),
  definition: board.definition,
  widget_count: board.widgetCount,
  owner_id: board.ownerId,
});

export function boards({ database, quiet, clock }: Access): Boards {
  const visible = ({ projectId, userId }: BoardReader) =>
    database
      .selectFrom('boards')
      .where('project_id', '=', projectId)
      .where(({ eb, or }) =>
        or([eb('owner_id', 'is', null), ...(userId === undefined ? [] : [eb('owner_id', '=', userId)])]),
      );

  async function get(reader: BoardReader, id: string): Promise<StoredBoard> {
    const row = await visible(reader).selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw missing();
    return { ...headOf(row), definition: row.definition };
  }

  const folders = async (projectId: string): Promise<StoredFolder[]> => {
    const rows = await database
      .selectFrom('board_folders')
      .select(['id', 'name', 'parent_id'])
      .where('project_id', '=', projectId)
      .orderBy('name_key')
      .orderBy('id')
      .execute();
    return rows.map(({ id, name, parent_id }) => ({ id, name, parentId: parent_id }));
  };

  async function mustHaveFolder(projectId: string, id: string | null): Promise<void> {
    if (id !== null && !(await folders(projectId)).some((one) => one.id === id)) throw missing('The folder');
  }

  /** @throws refused when the way up from `parentId` meets `id`, or is longer than folders may nest */
  function checkNesting(all: readonly StoredFolder[], id: string | undefined, parentId: string | null): void {
    let depth = 1;
    for (let at = parentId; at !== null; depth += 1) {
      if (at === id) throw fail('refused', { detail: 'A folder cannot lie in itself.' });
      if (depth >= BOARD_BOUNDS.depth)
        throw fail('refused', { detail: `Folders nest at most ${BOARD_BOUNDS.depth} deep.` });
      const up = all.find((one) => one.id === at);
      if (up === undefined) throw missing('The folder');
      at = up.parentId;
    }
  }

  return {
    get,
    folders,

    async list(reader) {
      const rows = await visible(reader)
        .select([
          'id',
          'project_id',
          'folder_id',
          'title',
          'title_key',
          'description',
          'tags',
          'widget_count',
          'owner_id',
          'revision',
          'created_by',
          'created_at',
          'updated_by',
          'updated_at',
        ])
        .orderBy('title_key')
        .orderBy('id')
        .execute();
      return rows.map(headOf);
    },

    async create(reader, board, by) {
      const { projectId } = reader;
      await mustHaveFolder(projectId, board.folderId);
      const { count } = await database
        .selectFrom('boards')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= BOARD_BOUNDS.boards) {
        throw fail('refused', {
          detail: `This project has ${BOARD_BOUNDS.boards} boards, which is the most it may have. Delete some first.`,
        });
      }
      const now = clock.now();
      const row = {
        id: crypto.randomUUID(),
        project_id: projectId,
        ...columnsOf(board),
        revision: 1,
        created_by: by,
        created_at: now,
        updated_by: by,
        updated_at: now,
      };
      await quiet.insertInto('boards').values(row).execute();
      return { ...headOf(row), definition: row.definition };
    },

    async replace(reader, id, { revision: expected, board, by }) {
      const before = await get(reader, id);
      await mustHaveFolder(reader.projectId, board.folderId);
      const revision = expected ?? before.revision;
      const result = await quiet
        .updateTable('boards')
        .set({ ...columnsOf(board), revision: revision + 1, updated_by: by, updated_at: clock.now() })
        .where('project_id', '=', reader.projectId)
        .where('id', '=', id)
        .where('revision', '=', revision)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) {
        throw fail('conflict', {
          detail: `Somebody changed this board meanwhile: it is at revision ${before.revision}. Read it again, then change it.`,
        });
      }
      return get(reader, id);
    },

    async delete(reader, id) {
      await get(reader, id);
      await quiet
        .deleteFrom('boards')
        .where('project_id', '=', reader.projectId)
        .where('id', '=', id)
        .execute();
      await quiet
        .deleteFrom('board_pins')
        .where('project_id', '=', reader.projectId)
        .where('board_id', '=', id)
        .execute();
    },

    async createFolder(projectId, { name, parentId }) {
      const all = await folders(projectId);
      if (all.length >= BOARD_BOUNDS.folders)
        throw fail('refused', { detail: `A project has at most ${BOARD_BOUNDS.folders} folders.` });
      checkNesting(all, undefined, parentId);
      const id = crypto.randomUUID();
      await quiet
        .insertInto('board_folders')
        .values({
          id,
          project_id: projectId,
          parent_id: parentId,
          name,
          name_key: nameKeyOf(name),
          created_at: clock.now(),
        })
        .execute();
      return { id, name, parentId };
    },

    async updateFolder(projectId, { id, name, parentId }) {
      checkNesting(await folders(projectId), id, parentId);
      const result = await quiet
        .updateTable('board_folders')
        .set({ name, name_key: nameKeyOf(name), parent_id: parentId })
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) throw missing('The folder');
      return { id, name, parentId };
    },

    async deleteFolder(projectId, id) {
      const all = await folders(projectId);
      if (!all.some((one) => one.id === id)) throw missing('The folder');
      // Also a private board of somebody else keeps its folder.
      const held = await database
        .selectFrom('boards')
        .select('id')
        .where('project_id', '=', projectId)
        .where('folder_id', '=', id)
        .executeTakeFirst();
      if (held !== undefined || all.some(({ parentId }) => parentId === id)) {
        throw fail('conflict', { detail: 'The folder is not empty. Move or delete what it holds first.' });
      }
      await quiet
        .deleteFrom('board_folders')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .execute();
    },

    async pins(projectId, userId) {
      const rows = await database
        .selectFrom('board_pins')
        .select('board_id')
        .where('project_id', '=', projectId)
        .where('user_id', '=', userId)
        .execute();
      return new Set(rows.map(({ board_id }) => board_id));
    },

    async pin(projectId, userId, boardId, pinned) {
      if (pinned) {
        await quiet
          .insertInto('board_pins')
          .values({ project_id: projectId, user_id: userId, board_id: boardId, created_at: clock.now() })
          .onConflict((clash) => clash.columns(['project_id', 'user_id', 'board_id']).doNothing())
          .execute();
        return;
      }
      await quiet
        .deleteFrom('board_pins')
        .where('project_id', '=', projectId)
        .where('user_id', '=', userId)
        .where('board_id', '=', boardId)
        .execute();
    },
  };
}
