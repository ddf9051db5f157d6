import {
  type Board,
  BOARD_LIMITS,
  type BoardFile,
  type BoardInput,
  type BoardSummary,
  type BoardVariable,
  type Widget,
} from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type {
  BoardDocument,
  BoardReader,
  Call,
  MetadataStore,
  StoredBoard,
  StoredBoardHead,
} from '@candela/metadata-store';
import { actorName, type AuditEntry, record } from '../audit/service.ts';
import { checkBoard } from './check.ts';
import { isSeed, SEEDS, seedOf } from './seeds/index.ts';

/** What is saved of a board beside its head. */
interface Definition {
  readonly widgets: readonly Widget[];
  readonly variables: readonly BoardVariable[];
  readonly refreshSeconds: BoardInput['refreshSeconds'];
}

const iso = (ms: number): string => new Date(ms).toISOString();
const entry = (
  verb: 'create' | 'update' | 'delete' | 'pin' | 'duplicate' | 'import',
  id: string,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry => ({ action: `board.${verb}`, objectKind: 'board', objectId: id, details });

const readerOf = ({ projectId, principal }: RequestContext): BoardReader => ({
  projectId,
  userId: principal.kind === 'user' ? principal.id : undefined,
});

const documentOf = (reader: BoardReader, board: BoardInput): BoardDocument => {
  const { widgets, variables, refreshSeconds } = board;
  if (board.visibility === 'private' && reader.userId === undefined)
    throw fail('refused', { detail: 'A key has no boards of its own: use "project".' });
  return {
    title: board.title,
    description: board.description,
    tags: board.tags,
    folderId: board.folderId,
    ownerId: board.visibility === 'private' ? (reader.userId ?? null) : null,
    definition: JSON.stringify({ widgets, variables, refreshSeconds } satisfies Definition),
    widgetCount: widgets.length,
  };
};

const summaryOf = (head: StoredBoardHead, pins: ReadonlySet<string>): BoardSummary => ({
  id: head.id,
  title: head.title,
  description: head.description,
  tags: [...head.tags],
  folderId: head.folderId,
  visibility: head.ownerId === null ? 'project' : 'private',
  seeded: false,
  pinned: pins.has(head.id),
  widgetCount: head.widgetCount,
  revision: head.revision,
  updatedBy: head.updatedBy,
  updatedAt: iso(head.updatedAt),
});

const boardOf = (stored: StoredBoard, pins: ReadonlySet<string>): Board => {
  const { widgets, variables, refreshSeconds } = JSON.parse(stored.definition) as Definition;
  return {
    ...summaryOf(stored, pins),
    widgets: [...widgets],
    variables: [...variables],
    refreshSeconds,
  };
};

const seededOf = (id: string, { widgets, variables, refreshSeconds, ...seed }: BoardInput): Board => ({
  id,
  title: seed.title,
  description: seed.description,
  tags: seed.tags,
  folderId: null,
  visibility: 'project',
  seeded: true,
  pinned: false,
  widgetCount: widgets.length,
  revision: 0,
  updatedBy: '',
  updatedAt: null,
  widgets,
  variables,
  refreshSeconds,
});

const readOnly = () =>
  fail('refused', { detail: 'This board comes with the product. Duplicate it, then change the copy.' });

/** Boards of a project: what people see and change of them. */
export function createBoards(metadata: MetadataStore) {
  const pinsOf = async (reader: BoardReader): Promise<ReadonlySet<string>> =>
    reader.userId === undefined ? new Set() : metadata.boards.pins(reader.projectId, reader.userId);

  async function get(context: RequestContext, id: string): Promise<Board> {
    const reader = readerOf(context);
    const pins = await pinsOf(reader);
    if (isSeed(id)) return { ...seededOf(id, seedOf(id)), pinned: pins.has(id) };
    return boardOf(await metadata.boards.get(reader, id), pins);
  }

  function create(
    context: RequestContext,
    board: BoardInput,
    call: Call | undefined,
    verb: 'create' | 'duplicate' | 'import' = 'create',
  ): Promise<Board> {
    // A copy has what was saved before, whatever that is.
    if (verb !== 'duplicate') checkBoard(board);
    const reader = readerOf(context);
    return metadata.change(call, async (repositories) => {
      const made = await repositories.boards.create(reader, documentOf(reader, board), actorName(context));
      await record(repositories, context, entry(verb, made.id, { title: made.title }));
      return boardOf(made, new Set());
    });
  }

  return {
    get,
    create,

    async list(context: RequestContext) {
      const reader = readerOf(context);
      const [heads, folders, pins] = await Promise.all([
        metadata.boards.list(reader),
        metadata.boards.folders(reader.projectId),
        pinsOf(reader),
      ]);
      const seeded = Array.from(SEEDS, ([id, board]): BoardSummary => {
        const {
          widgets: _widgets,
          variables: _variables,
          refreshSeconds: _seconds,
          ...summary
        } = seededOf(id, board);
        return { ...summary, pinned: pins.has(id) };
      });
      return { boards: [...heads.map((head) => summaryOf(head, pins)), ...seeded], folders };
    },

    replace(
      context: RequestContext,
      id: string,
      { revision, ...board }: BoardInput & { readonly revision?: number | undefined },
      call: Call | undefined,
    ): Promise<Board> {
      if (isSeed(id)) throw readOnly();
      checkBoard(board);
      const reader = readerOf(context);
      return metadata.change(call, async (repositories) => {
        const input = { revision, board: documentOf(reader, board), by: actorName(context) };
        const changed = await repositories.boards.replace(reader, id, input);
        await record(
          repositories,
          context,
          entry('update', id, { title: changed.title, widgets: changed.widgetCount }),
        );
        const pins =
          reader.userId === undefined
            ? new Set<string>()
            : await repositories.boards.pins(reader.projectId, reader.userId);
        return boardOf(changed, pins);
      });
    },

    delete(context: RequestContext, id: string, call: Call | undefined): Promise<{ id: string }> {
      if (isSeed(id)) throw readOnly();
      const reader = readerOf(context);
      return metadata.change(call, async (repositories) => {
        const { title } = await repositories.boards.get(reader, id);
        await repositories.boards.delete(reader, id);
        await record(repositories, context, entry('delete', id, { title }));
        return { id };
      });
    },

    async duplicate(
      context: RequestContext,
      id: string,
      title: string | undefined,
      call: Call | undefined,
    ): Promise<Board> {
      const from = await get(context, id);
      const copy = `${from.title} (copy)`.slice(0, BOARD_LIMITS.title);
      return create(context, { ...inputOf(from), title: title ?? copy }, call, 'duplicate');
    },

    pin(context: RequestContext, id: string, pinned: boolean, call: Call | undefined) {
      const reader = readerOf(context);
      const { userId } = reader;
      if (userId === undefined) throw fail('refused', { detail: 'Only a person pins boards.' });
      return metadata.change(call, async (repositories) => {
        const { title } = isSeed(id) ? seedOf(id) : await repositories.boards.get(reader, id);
        await repositories.boards.pin(reader.projectId, userId, id, pinned);
        await record(repositories, context, entry('pin', id, { title, pinned }));
        return { pinned };
      });
    },

    /** The board without anything of this installation. */
    async file(context: RequestContext, id: string): Promise<BoardFile> {
      const { title, description, tags, refreshSeconds, variables, widgets } = inputOf(
        await get(context, id),
      );
      return { $candela: 'board', version: 1, title, description, tags, refreshSeconds, variables, widgets };
    },
  };
}

/** A board as it is written. */
const inputOf = (board: Board): BoardInput => ({
  title: board.title,
  description: board.description,
  tags: board.tags,
  folderId: board.folderId,
  visibility: board.visibility,
  refreshSeconds: board.refreshSeconds as BoardInput['refreshSeconds'],
  variables: board.variables,
  widgets: board.widgets,
});
