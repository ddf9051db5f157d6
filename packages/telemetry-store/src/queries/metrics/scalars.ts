import type { MetricAggregation } from '@candela/contract';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { increases, lookback, type PointsInput, pointsScope, stepNanos, withLabels } from './points.ts';

/** One line of an answer: the values of its labels, and values by bucket number. */
export interface Line {
  readonly labels: readonly string[];
  readonly values: ReadonlyMap<number, number>;
}

export interface Lines {
  readonly lines: Line[];
  /** Lines that exist; `lines` are the largest. */
  readonly total: number;
}

export interface LineRow {
  readonly L: string[];
  readonly Bs: number[];
  readonly Vs: (number | null)[];
  readonly Lines: number;
}

/** A series' own value of a bucket, and how those of several series become one. */
const LEVELS: Partial<Record<MetricAggregation, { own: string; across: string }>> = {
  avg: { own: 'avg(V)', across: 'avg(Own)' },
  min: { own: 'min(V)', across: 'min(Own)' },
  max: { own: 'max(V)', across: 'max(Own)' },
  // A sum over series is of what each had last, however often it reported.
  sum: { own: 'argMax(V, T)', across: 'sum(Own)' },
  last: { own: 'argMax(V, T)', across: 'argMax(Own, At)' },
  count: { own: 'count()', across: 'sum(Own)' },
};

/** Levels (gauges and sums that rise and fall) by bucket and label. */
export async function levelLines(
  runner: Runner,
  input: PointsInput,
  window: Window,
  aggregation: MetricAggregation,
  limit: number,
): Promise<Lines> {
  const how = LEVELS[aggregation];
  if (how === undefined) throw new RangeError(`${aggregation} is not for levels`);
  const scope = pointsScope(input, window);
  // A point that was sent twice counts once.
  const points = `(SELECT SeriesId, T, max(Value) AS V FROM (
    SELECT SeriesId, toUnixTimestamp64Nano(TimeUnix) AS T, Value ${scope.from}
  ) GROUP BY SeriesId, T)`;
  const own = `(SELECT SeriesId, intDiv(T, ${stepNanos(input.grid)}) AS B, ${how.own} AS Own, max(T) AS At
    FROM ${points} GROUP BY SeriesId, B)`;
  const rows = await runner.run<LineRow>(
    scope,
    asLines(
      `SELECT L, B, ${how.across} AS V FROM ${withLabels(input, scope, window, own)} GROUP BY L, B`,
      'avg(V)',
      limit,
    ),
  );
  return readLines(rows);
}

/** Increases of counters by bucket and label. */
export async function increaseLines(
  runner: Runner,
  input: PointsInput,
  window: Window,
  limit: number,
): Promise<Lines> {
  const wide = { from: window.from - lookback(input.variant), to: window.to };
  const scope = pointsScope(input, wide);
  const adds = increases(input, scope, window, 'Value', '');
  const own = `(SELECT SeriesId, B, sumKahan(W * X) AS Own FROM ${adds} GROUP BY SeriesId, B)`;
  const rows = await runner.run<LineRow>(
    scope,
    asLines(
      `SELECT L, B, sumKahan(Own) AS V FROM ${withLabels(input, scope, wide, own)} GROUP BY L, B`,
      'sum(abs(V))',
      limit,
    ),
  );
  return readLines(rows);
}

/** One row a line, the largest first, with the number of lines there are. */
export const asLines = (cells: string, rank: string, limit: number): string => `
SELECT L, groupArray(B) AS Bs, groupArray(V) AS Vs, count() OVER () AS Lines FROM (${cells})
GROUP BY L ORDER BY ${rank} DESC, L LIMIT ${limit}`;

export function readLines(rows: readonly LineRow[]): Lines {
  return {
    lines: rows.map(({ L, Bs, Vs }) => ({
      labels: L,
      values: new Map(
        Bs.flatMap((bucket, index): [number, number][] => {
          const value = Vs[index];
          return typeof value === 'number' ? [[bucket, value]] : [];
        }),
      ),
    })),
    total: rows[0]?.Lines ?? 0,
  };
}
