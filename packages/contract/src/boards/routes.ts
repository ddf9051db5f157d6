import { z } from 'zod';
import { defineRoute, manages, reads, writes } from '../route.ts';
import { expectedRevision } from '../rules/liberal.ts';
import { frameSchema, panelSchema } from '../panels/schemas.ts';
import { timeSchema } from '../telemetry/common.ts';
import {
  boardFileSchema,
  boardInputSchema,
  boardSchema,
  boardShape,
  boardSummarySchema,
  folderInputSchema,
  folderSchema,
  importReportSchema,
} from './schemas.ts';

const tag = 'Boards';
const id = z.object({ id: z.string().min(1).max(64) });
const one = z.object({ data: boardSchema });
const common = ['metadata_unavailable'] as const;

const listBoards = defineRoute({
  id: 'listBoards',
  method: 'GET',
  path: '/api/boards',
  tag,
  summary: 'All boards that the caller may see, with the folders; seeded ones too',
  permission: reads('telemetry'),
  response: z.object({
    data: z.object({ boards: z.array(boardSummarySchema), folders: z.array(folderSchema) }),
  }),
  errors: common,
});

const createBoard = defineRoute({
  id: 'createBoard',
  method: 'POST',
  path: '/api/boards',
  tag,
  summary: 'Saves a board',
  permission: writes('chat'),
  success: 201,
  body: boardInputSchema,
  response: one,
  errors: ['refused', 'not_found', ...common],
});

const getBoard = defineRoute({
  id: 'getBoard',
  method: 'GET',
  path: '/api/boards/{id}',
  tag,
  summary: 'One board with its widgets',
  permission: reads('telemetry'),
  params: id,
  response: one,
  errors: ['not_found', ...common],
});

const replaceBoard = defineRoute({
  id: 'replaceBoard',
  method: 'PUT',
  path: '/api/boards/{id}',
  tag,
  summary: 'Replaces a board whole. With `revision`, 409 when somebody changed it since',
  permission: writes('chat'),
  params: id,
  body: z.strictObject({ ...boardShape, revision: expectedRevision }),
  response: one,
  errors: ['not_found', 'conflict', 'refused', ...common],
});

const deleteBoard = defineRoute({
  id: 'deleteBoard',
  method: 'DELETE',
  path: '/api/boards/{id}',
  tag,
  summary: 'Deletes a board with its widgets',
  permission: writes('chat'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', 'refused', ...common],
});

const duplicateBoard = defineRoute({
  id: 'duplicateBoard',
  method: 'POST',
  path: '/api/boards/{id}/duplicate',
  tag,
  summary: "Makes a board of one's own from another, also from a seeded one",
  permission: writes('chat'),
  success: 201,
  params: id,
  body: z.strictObject({ title: boardShape.title.optional() }),
  response: one,
  errors: ['not_found', 'refused', ...common],
});

const pinBoard = defineRoute({
  id: 'pinBoard',
  method: 'PUT',
  path: '/api/boards/{id}/pin',
  tag,
  summary: 'Pins a board for the person who asks, or takes the pin away',
  permission: manages('viewer'),
  params: id,
  body: z.strictObject({ pinned: z.boolean() }),
  response: z.object({ data: z.object({ pinned: z.boolean() }) }),
  errors: ['not_found', ...common],
});

const exportBoard = defineRoute({
  id: 'exportBoard',
  method: 'GET',
  path: '/api/boards/{id}/export',
  tag,
  summary: 'The board as a file, without ids of this installation',
  permission: reads('telemetry'),
  params: id,
  response: boardFileSchema,
  errors: ['not_found', ...common],
});

const importBoard = defineRoute({
  id: 'importBoard',
  method: 'POST',
  path: '/api/boards/import',
  tag,
  summary:
    'Makes a board from a file: our own format, a layout JSON with `widgets` and `layouts`, or a classic Grafana dashboard',
  permission: writes('chat'),
  success: 201,
  body: z.strictObject({
    document: z.record(z.string(), z.unknown()),
    folderId: boardShape.folderId,
  }),
  response: z.object({ data: z.object({ board: boardSchema, report: importReportSchema }) }),
  errors: ['refused', 'not_found', ...common],
});

const createFolder = defineRoute({
  id: 'createBoardFolder',
  method: 'POST',
  path: '/api/boards/folders',
  tag,
  summary: 'Makes a folder of boards',
  permission: writes('chat'),
  success: 201,
  body: folderInputSchema,
  response: z.object({ data: folderSchema }),
  errors: ['not_found', 'refused', ...common],
});

const updateFolder = defineRoute({
  id: 'updateBoardFolder',
  method: 'PUT',
  path: '/api/boards/folders/{id}',
  tag,
  summary: 'Renames or moves a folder; into itself is refused',
  permission: writes('chat'),
  params: id,
  body: folderInputSchema,
  response: z.object({ data: folderSchema }),
  errors: ['not_found', 'refused', ...common],
});

const deleteFolder = defineRoute({
  id: 'deleteBoardFolder',
  method: 'DELETE',
  path: '/api/boards/folders/{id}',
  tag,
  summary: 'Deletes an empty folder; 409 while it holds something',
  permission: writes('chat'),
  params: id,
  response: z.object({ data: z.object({ id: z.string() }) }),
  errors: ['not_found', 'conflict', ...common],
});

/** Window and variables that all widgets of an answer share. */
const aroundShape = {
  from: timeSchema.default('-24h'),
  to: timeSchema.default('now'),
  compare: z
    .boolean()
    .default(false)
    .meta({ description: 'Also ask for the period before, where a query can.' }),
  filters: z
    .record(z.string().max(32), z.array(z.string().max(300)).max(50))
    .default({})
    .meta({ description: 'Values of variables by name. A name that the board does not have: 422.' }),
};

export const widgetFrameSchema = z
  .object({ id: z.string(), frame: frameSchema, elapsedMs: z.number() })
  .meta({ id: 'WidgetFrame' });
export const widgetFailureSchema = z
  .object({ id: z.string(), err: z.string(), code: z.string() })
  .meta({ id: 'WidgetFailure' });

const boardData = defineRoute({
  id: 'boardData',
  method: 'POST',
  path: '/api/boards/{id}/data',
  tag,
  summary:
    'Answers of the widgets of a board as server-sent events, each when it is ready: `widget` ({id, frame, elapsedMs}), `failed` ({id, err, code}), and `done`. Equal queries are asked once',
  permission: reads('telemetry'),
  stream: 'events',
  params: id,
  body: z.strictObject({
    ...aroundShape,
    widgets: z
      .array(z.string().max(64))
      .max(60)
      .optional()
      .meta({ description: 'Only these; omitted: all.' }),
  }),
  response: z
    .union([widgetFrameSchema, widgetFailureSchema, z.object({ count: z.number() })])
    .meta({ description: 'Data of the events `widget`, `failed` and `done`.' }),
  errors: ['not_found', 'bad_query', 'refused', 'too_many_streams', 'shutting_down', ...common],
});

const queryPanel = defineRoute({
  id: 'queryPanel',
  method: 'POST',
  path: '/api/panels/query',
  tag,
  summary: 'The answer of one panel, saved or not',
  permission: reads('telemetry'),
  body: z.strictObject({
    ...aroundShape,
    panel: panelSchema,
    variables: boardShape.variables.meta({ description: 'Of the board that the panel is for.' }),
  }),
  response: z.object({ data: frameSchema }),
  errors: ['bad_query', 'refused', 'query_too_expensive', 'store_unavailable'],
});

export const BOARD_ROUTES = {
  listBoards,
  createBoard,
  getBoard,
  replaceBoard,
  deleteBoard,
  duplicateBoard,
  pinBoard,
  exportBoard,
  importBoard,
  createBoardFolder: createFolder,
  updateBoardFolder: updateFolder,
  deleteBoardFolder: deleteFolder,
  boardData,
  queryPanel,
};
