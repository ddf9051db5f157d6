import { CHART_TYPES, SQL_BOUNDS } from '@candela/contract';
import { z } from 'zod';
import { defineTool } from './tool.ts';

export const boardInput = z.object({
  title: z.string().trim().min(1).max(120),
  widgets: z
    .array(
      z.object({
        title: z.string().trim().min(1).max(120),
        type: z.enum(CHART_TYPES),
        query: z.string().max(SQL_BOUNDS.query),
      }),
    )
    .min(1)
    .max(24),
});

/** A dashboard as a file of ours: statements two a row, stats three. */
export function boardFile({ title, widgets }: z.output<typeof boardInput>): Record<string, unknown> {
  let x = 0;
  let y = 0;
  let row = 0;
  return {
    $candela: 'board',
    version: 1,
    title,
    description: '',
    tags: [],
    refreshSeconds: 0,
    variables: [],
    widgets: widgets.map((widget, index) => {
      const [w, h] = widget.type === 'stat' ? [4, 4] : [6, 8];
      if (x + w > 12) {
        x = 0;
        y += row;
        row = 0;
      }
      const place = { x, y, w, h };
      x += w;
      row = Math.max(row, h);
      return {
        id: `w${index + 1}`,
        title: widget.title,
        description: '',
        query: { kind: 'sql', query: widget.query },
        visual: { type: widget.type },
        place,
      };
    }),
  };
}

export const makeBoard = defineTool({
  id: 'make_board',
  title: 'Draft a dashboard',
  about: 'Drafts a dashboard of statements, which the person may import. Nothing is saved.',
  input: boardInput,
  routes: ['executeSql'],
  effect: 'read',
  taints: false,
  audience: ['assistant'],
  run(_call, input) {
    const layout = boardFile(input);
    const data = { widgets: input.widgets.length };
    return Promise.resolve({ data, layout, note: `Drafted the dashboard "${input.title}".` });
  },
});
