import type { LineFigures } from './explore-series.ts';

export type SeriesColumn = 'name' | keyof LineFigures;
/** A column that the table of series is sorted by, with `-` from the largest down. */
export type SeriesOrder = SeriesColumn | `-${SeriesColumn}`;

const COLUMNS: readonly SeriesColumn[] = ['name', 'least', 'average', 'most', 'last'];
export const SERIES_ORDERS: readonly SeriesOrder[] = COLUMNS.flatMap((column) => [
  column,
  `-${column}` as const,
]);
const NATURAL = new Intl.Collator('en', { numeric: true });

/** Lines in that order; those without a number come last, and those alike stay as they stood. */
export function orderedLines<Line extends { readonly label: string; readonly figures: LineFigures }>(
  lines: readonly Line[],
  order: SeriesOrder | undefined,
): readonly Line[] {
  const column = COLUMNS.find((one) => one === order?.replace('-', ''));
  if (column === undefined) return lines;
  const sign = order?.startsWith('-') === true ? -1 : 1;
  return lines.toSorted((a, b) => {
    if (column === 'name') return sign * NATURAL.compare(a.label, b.label);
    const [left, right] = [a.figures[column], b.figures[column]];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (left - right);
  });
}
