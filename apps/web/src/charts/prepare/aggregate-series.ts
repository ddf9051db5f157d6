import type { ChartSeries } from './time-chart.ts';

/** The part of an aggregate answer that charts read. */
interface AggregateRows {
  readonly rows: readonly {
    readonly time: string | null;
    readonly group: readonly string[];
    readonly values: readonly (number | null)[];
  }[];
}

/** Separates the values of a group in a key; it can be in no value that a person wrote. */
const JOIN = '\u001f';
export const seriesKey = (group: readonly string[]): string => group.join(JOIN);
export const groupOfKey = (key: string): string[] => key.split(JOIN);

/**
 * Series of one measure of a bucketed aggregate answer, one a group, the largest first: whatever has little room for names
 * names those that matter. Without groups there is one series named `label`.
 */
export function seriesOfAggregate(answer: AggregateRows, measure: number, label: string): ChartSeries[] {
  const found = new Map<string, { label: string; points: { timeMs: number; value: number | null }[] }>();
  for (const row of answer.rows) {
    if (row.time === null) continue;
    const key = row.group.length === 0 ? label : seriesKey(row.group);
    const name = row.group.length === 0 ? label : row.group.map((part) => part || '(none)').join(' · ');
    const series = found.get(key) ?? { label: name, points: [] };
    found.set(key, series);
    series.points.push({ timeMs: Date.parse(row.time), value: row.values[measure] ?? null });
  }
  return largestFirst([...found].map(([key, series]) => ({ key, ...series })));
}

/** By the sum of their values; of the same sum in the order given. */
export function largestFirst(series: readonly ChartSeries[]): ChartSeries[] {
  const sums = new Map(
    series.map((one) => [one, one.points.reduce((sum, { value }) => sum + Math.abs(value ?? 0), 0)]),
  );
  return [...series].sort((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0));
}

/** Moves the points of the period before onto this one. */
export function shifted(series: readonly ChartSeries[], byMs: number): ChartSeries[] {
  return series.map((one) => ({
    ...one,
    points: one.points.map((point) => ({ timeMs: point.timeMs + byMs, value: point.value })),
  }));
}
