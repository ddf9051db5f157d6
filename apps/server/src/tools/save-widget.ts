import { CHART_TYPES, SQL_BOUNDS } from '@candela/contract';
import { z } from 'zod';
import { defined } from './search.ts';
import { defineTool } from './tool.ts';

export const saveWidget = defineTool({
  id: 'save_widget',
  title: 'Save as a widget',
  about: 'Puts a statement as a chart on a dashboard (boardId), or on a new one.',
  input: z.object({
    title: z.string().min(1).max(120),
    type: z.enum(CHART_TYPES),
    query: z.string().max(SQL_BOUNDS.query),
    boardId: z.string().max(64).optional(),
    x: z.string().max(300).optional(),
    y: z.array(z.string().max(300)).max(20).optional(),
  }),
  routes: ['saveChatWidget'],
  effect: 'create',
  audience: ['assistant'],
  card: ({ title }) => ({ title: `Save the widget "${title}"` }),
  async run(call, input) {
    const { data } = (await call('saveChatWidget', { body: defined(input) })) as {
      readonly data: { readonly boardId: string; readonly widgetId: string };
    };
    return {
      data,
      page: `/boards/${encodeURIComponent(data.boardId)}`,
      note: `Saved the widget "${input.title}".`,
    };
  },
});
