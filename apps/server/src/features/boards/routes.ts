import { BOARD_LIMITS, type BodyOf, type BoardVariable, type ROUTES } from '@candela/contract';
import type { Clock, RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { type AuditEntry, record } from '../audit/service.ts';
import { windowOf } from '../telemetry/service.ts';
import { widgetEvents } from './data.ts';
import { importDocument } from './import/index.ts';
import { type PanelScope, type PanelSources, runPanel } from './kinds.ts';
import { createBoards } from './service.ts';
import { conditionsOf, filler } from './variables.ts';

type BoardHandlers = Pick<
  Handlers,
  | 'listBoards'
  | 'createBoard'
  | 'getBoard'
  | 'replaceBoard'
  | 'deleteBoard'
  | 'duplicateBoard'
  | 'pinBoard'
  | 'exportBoard'
  | 'importBoard'
  | 'createBoardFolder'
  | 'updateBoardFolder'
  | 'deleteBoardFolder'
  | 'boardData'
  | 'queryPanel'
>;

const NANOS_PER_MS = 1_000_000n;

/** Boards: panels that people put side by side. */
export function boardHandlers({
  metadata,
  sources,
  clock,
}: {
  readonly metadata: MetadataStore;
  readonly sources: PanelSources;
  readonly clock: Clock;
}): BoardHandlers {
  const boards = createBoards(metadata);
  /** One window for all widgets: two that ask the same ask for the same moment. */
  const during = (body: { readonly from: string | number; readonly to: string | number }) => {
    const { from, to } = windowOf(body, clock);
    return { from: Number(from / NANOS_PER_MS), to: Number(to / NANOS_PER_MS) };
  };
  const scopeOf = (
    body: Pick<BodyOf<typeof ROUTES.queryPanel>, 'from' | 'to' | 'compare' | 'filters'>,
    variables: readonly BoardVariable[],
  ): PanelScope => {
    const window = during(body);
    return {
      ...window,
      compare: body.compare,
      conditions: conditionsOf(variables, body.filters),
      fill: filler({ ...window, variables, chosen: body.filters }),
    };
  };
  const changeFolder = (
    context: RequestContext,
    verb: 'create' | 'update' | 'delete',
    folder: { readonly id: string; readonly name?: string },
  ): AuditEntry => ({
    action: `board-folder.${verb}`,
    objectKind: 'board-folder',
    objectId: folder.id,
    details: { project: context.projectId, ...(folder.name === undefined ? {} : { name: folder.name }) },
  });
  return {
    listBoards: async ({ context }) => ({ data: await boards.list(context) }),
    getBoard: async ({ context, params }) => ({ data: await boards.get(context, params.id) }),
    exportBoard: ({ context, params }) => boards.file(context, params.id),

    createBoard: async ({ context, body, header }) => {
      const call = callOf(context, 'createBoard', header('idempotency-key'), body);
      return { data: await boards.create(context, body, call) };
    },
    replaceBoard: async ({ context, params, body, header }) => {
      const call = callOf(context, 'replaceBoard', header('idempotency-key'), { ...params, body });
      return { data: await boards.replace(context, params.id, body, call) };
    },
    deleteBoard: async ({ context, params, header }) => {
      const call = callOf(context, 'deleteBoard', header('idempotency-key'), params);
      return { data: await boards.delete(context, params.id, call) };
    },
    duplicateBoard: async ({ context, params, body, header }) => {
      const call = callOf(context, 'duplicateBoard', header('idempotency-key'), { ...params, body });
      return { data: await boards.duplicate(context, params.id, body.title, call) };
    },
    pinBoard: async ({ context, params, body, header }) => {
      const call = callOf(context, 'pinBoard', header('idempotency-key'), { ...params, body });
      return { data: await boards.pin(context, params.id, body.pinned, call) };
    },
    importBoard: async ({ context, body, header }) => {
      const { board, report } = importDocument(body.document);
      const call = callOf(context, 'importBoard', header('idempotency-key'), body);
      const made = await boards.create(context, { ...board, folderId: body.folderId }, call, 'import');
      return { data: { board: made, report } };
    },

    createBoardFolder: async ({ context, body, header }) => {
      const call = callOf(context, 'createBoardFolder', header('idempotency-key'), body);
      return {
        data: await metadata.change(call, async (repositories) => {
          const made = await repositories.boards.createFolder(context.projectId, body);
          await record(repositories, context, changeFolder(context, 'create', made));
          return made;
        }),
      };
    },
    updateBoardFolder: async ({ context, params, body, header }) => {
      const call = callOf(context, 'updateBoardFolder', header('idempotency-key'), { ...params, body });
      return {
        data: await metadata.change(call, async (repositories) => {
          const made = await repositories.boards.updateFolder(context.projectId, { ...body, id: params.id });
          await record(repositories, context, changeFolder(context, 'update', made));
          return made;
        }),
      };
    },
    deleteBoardFolder: async ({ context, params, header }) => {
      const call = callOf(context, 'deleteBoardFolder', header('idempotency-key'), params);
      return {
        data: await metadata.change(call, async (repositories) => {
          await repositories.boards.deleteFolder(context.projectId, params.id);
          await record(repositories, context, changeFolder(context, 'delete', params));
          return { id: params.id };
        }),
      };
    },

    boardData: async ({ context, params, body, signal }) => {
      const board = await boards.get(context, params.id);
      const scope = scopeOf(body, board.variables);
      const wanted = body.widgets === undefined ? undefined : new Set(body.widgets);
      const widgets = board.widgets.filter(({ id }) => wanted?.has(id) ?? true);
      return {
        events: widgetEvents(sources, { widgets, scope, atOnce: BOARD_LIMITS.atOnce }, context, signal),
      };
    },
    queryPanel: async ({ context, body, signal }) => {
      const scope = scopeOf(body, body.variables);
      return { data: await runPanel(sources, { ...body.panel, scope }, context, signal) };
    },
  };
}
