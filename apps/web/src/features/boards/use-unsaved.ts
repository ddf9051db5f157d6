import type { Widget } from '@candela/contract';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { type BoardAround, panelPreviewQuery } from '../../api/boards.ts';
import type { WidgetState } from './use-board-data.ts';

const WAITING: WidgetState = { stale: true };

/** What decides the answer of a widget. */
const questionOf = ({ query, visual }: Widget): string =>
  JSON.stringify([query, visual.compare === true, visual.type === 'heatmap']);

/** Answers of widgets that are not saved as they are now: those that are new, and those that ask something else. */
export function useUnsaved(
  widgets: readonly Widget[],
  kept: readonly Widget[],
  visible: ReadonlySet<string>,
  around: BoardAround,
): ReadonlyMap<string, WidgetState> {
  const saved = new Map(kept.map((one) => [one.id, questionOf(one)]));
  const changed = widgets.filter((one) => saved.get(one.id) !== questionOf(one));
  return useQueries({
    queries: changed.map(({ id, query, visual }) => ({
      ...panelPreviewQuery({ query, visual }, around),
      enabled: visible.has(id),
      placeholderData: keepPreviousData,
    })),
    combine: (results) =>
      new Map(
        results.map(({ data, error, isFetching }, at): [string, WidgetState] => [
          changed[at]?.id ?? '',
          error !== null
            ? { err: error.message, stale: false }
            : data === undefined
              ? WAITING
              : { frame: data, stale: isFetching },
        ]),
      ),
  });
}
