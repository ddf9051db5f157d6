import {
  BOARD_LIMITS,
  type BoardInput,
  type BoardVariable,
  boardInputSchema,
  compacted,
  GRID,
  type ImportReport,
  type Panel,
  type PanelInput,
  type Placed,
} from '@candela/contract';
import { fail } from '@candela/kernel';
import { troubleOf } from '../check.ts';
import type { Imported } from './index.ts';

/** A widget of another product: what could be made of it. */
export interface Found {
  readonly title: string;
  readonly description: string;
  readonly panel: PanelInput | undefined;
  /** Why there is no panel, or what is different of it. */
  readonly reason: string;
  readonly place: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

/** A text of somebody else's file: one line, bounded. */
export const lineOf = (value: unknown, otherwise: string, most: number = BOARD_LIMITS.title): string => {
  const text =
    typeof value === 'string'
      ? value
          .replaceAll(/\p{Cc}+/gu, ' ')
          .trim()
          .slice(0, most)
      : '';
  return text === '' ? otherwise : text;
};
export const textOf = (value: unknown, most: number): string =>
  typeof value === 'string' ? value.trim().slice(0, most) : '';
export const numberOf = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise;

/** A placeholder stands where a widget could not be mapped, and says why. */
const placeholder = (reason: string): Panel => ({
  query: { kind: 'markdown', text: `Not imported: ${reason}` },
  visual: { type: 'markdown' },
});

/** What was read, with placeholders for widgets that could never be shown. */
export function shownOnly({ board, report }: Imported): Imported {
  const troubles = board.widgets.map(({ query }) => troubleOf(query, board.variables));
  return {
    board: {
      ...board,
      widgets: board.widgets.map((widget, at) => {
        const trouble = troubles[at];
        return trouble === undefined ? widget : { ...widget, ...placeholder(trouble) };
      }),
    },
    report: {
      ...report,
      widgets: report.widgets.map((told, at) => {
        const trouble = troubles[at];
        return trouble === undefined ? told : { ...told, outcome: 'placeholder', reason: trouble };
      }),
    },
  };
}

/** A board of what was found. Places are scaled by the caller; what overlaps is moved down. */
export function boardOf(
  head: {
    readonly title: string;
    readonly description: string;
    readonly tags: readonly string[];
    readonly variables?: readonly BoardVariable[];
  },
  found: readonly Found[],
  format: ImportReport['format'],
): { board: BoardInput; report: ImportReport } {
  if (found.length > BOARD_LIMITS.widgets)
    throw fail('refused', {
      detail: `A board has at most ${BOARD_LIMITS.widgets} widgets; this file has ${found.length}.`,
    });
  const places: Placed[] = found.map(({ place }, index) => ({ id: `w${index + 1}`, ...place }));
  const settled = new Map(
    compacted(places).map(({ id, x, y, w, h }) => [id, { x, y: Math.min(y, GRID.maxRow), w, h }]),
  );
  const board = boardInputSchema.parse({
    title: head.title,
    description: head.description,
    tags: [...new Set(head.tags)].slice(0, BOARD_LIMITS.tags),
    variables: head.variables ?? [],
    widgets: found.map((one, index) => ({
      id: `w${index + 1}`,
      title: one.title,
      description: one.description,
      ...(one.panel ?? placeholder(one.reason)),
      place: settled.get(`w${index + 1}`),
    })),
  });
  return {
    board,
    report: {
      format,
      widgets: found.map(({ title, panel, reason }) => ({
        title,
        outcome: panel === undefined ? 'placeholder' : 'taken',
        reason: reason === '' ? null : reason,
      })),
    },
  };
}
