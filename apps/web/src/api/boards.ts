import type { Board, BoardVariable, Frame, Panel } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { eventReader } from '../lib/event-stream.ts';
import { brokenOff } from './broken-off.ts';
import { type BodyOf, call, openStream } from './client.ts';

/** What all queries of boards begin with. */
export const BOARD_KEYS = ['boards'] as const;

/** Boards and folders of the project. */
export const boardsQuery = () =>
  queryOptions({
    queryKey: [...BOARD_KEYS, 'list'],
    queryFn: ({ signal }) => call('listBoards', { signal }).then((answer) => answer.data),
  });

export const boardQuery = (id: string) =>
  queryOptions({
    queryKey: [...BOARD_KEYS, 'one', id],
    queryFn: ({ signal }): Promise<Board> =>
      call('getBoard', { params: { id }, signal }).then(({ data }) => data),
  });

export type BoardBody = BodyOf<'createBoard'>;

export const createBoard = (body: BoardBody): Promise<Board> =>
  call('createBoard', { body }).then(({ data }) => data);
export const replaceBoard = (id: string, body: BodyOf<'replaceBoard'>): Promise<Board> =>
  call('replaceBoard', { params: { id }, body }).then(({ data }) => data);
export const deleteBoard = (id: string) => call('deleteBoard', { params: { id } });
export const duplicateBoard = (id: string): Promise<Board> =>
  call('duplicateBoard', { params: { id }, body: {} }).then(({ data }) => data);
export const pinBoard = ({ id, pinned }: { id: string; pinned: boolean }) =>
  call('pinBoard', { params: { id }, body: { pinned } });
export const exportBoard = (id: string) => call('exportBoard', { params: { id } });
export const importBoard = ({ document, folderId }: BodyOf<'importBoard'>) =>
  call('importBoard', { body: { document, folderId } }).then(({ data }) => data);
export interface FolderBody {
  readonly name: string;
  readonly parentId: string | null;
}
export const createFolder = (body: FolderBody) => call('createBoardFolder', { body });
export const updateFolder = ({ id, ...body }: FolderBody & { readonly id: string }) =>
  call('updateBoardFolder', { params: { id }, body });
export const deleteFolder = (id: string) => call('deleteBoardFolder', { params: { id } });

/** Window, period before and chosen variables of an answer. */
export interface BoardAround {
  readonly from: string;
  readonly to: string;
  readonly compare: boolean;
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly environment: string | undefined;
  /** Of the board, for panels that are not saved. */
  readonly variables?: readonly BoardVariable[];
}

const bodyOf = ({ from, to, compare, filters }: BoardAround) => ({
  from,
  to,
  compare,
  filters: Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, [...values]])),
});

/** The answer of a panel that is not saved. */
export const panelPreviewQuery = (panel: Panel, around: BoardAround) =>
  queryOptions({
    queryKey: ['panel-preview', panel, around],
    retry: false,
    queryFn: ({ signal }): Promise<Frame> =>
      call('queryPanel', {
        body: { ...bodyOf(around), panel, variables: [...(around.variables ?? [])] },
        environment: around.environment,
        signal,
      }).then(({ data }) => data),
  });

export type WidgetAnswer =
  | { readonly id: string; readonly frame: Frame }
  | { readonly id: string; readonly err: string };

/** Answers of the widgets of a board, each when it is there. @throws ApiError when it is refused or breaks off */
export async function* boardAnswers(
  id: string,
  around: BoardAround,
  widgets: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<WidgetAnswer> {
  const { body } = await openStream('boardData', {
    params: { id },
    body: { ...bodyOf(around), widgets: [...widgets] },
    environment: around.environment,
    signal,
    headers: { accept: 'text/event-stream' },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read = eventReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      for (const { event, data } of read(decoder.decode(step.value, { stream: true }))) {
        if (event === 'failure') throw brokenOff(data);
        if (event === 'widget' || event === 'failed') yield JSON.parse(data) as WidgetAnswer;
        if (event === 'done') return;
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
