import { boardFile, boardInput } from './make-board.ts';
import { defineTool } from './tool.ts';

export const createBoard = defineTool({
  id: 'create_board',
  title: 'Create a dashboard',
  about: 'A dashboard of statements as of run_sql.',
  input: boardInput,
  routes: ['importBoard'],
  effect: 'create',
  audience: ['mcp'],
  async run(call, input) {
    const body = { document: boardFile(input), folderId: null };
    const { data } = (await call('importBoard', { body })) as {
      readonly data: { readonly board: { readonly id: string } };
    };
    return { data: { id: data.board.id }, page: `/boards/${encodeURIComponent(data.board.id)}` };
  },
});
