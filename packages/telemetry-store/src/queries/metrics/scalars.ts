import type { MetricAggregation } from '@candela/contract';
import type { Runner } from '../core/run.ts';
import type { Scope, Window } from '../core/scope.ts';
import { after, eachBucket, inOrder, those } from '../core/in-order.ts';
import { grownByBucket } from './increases.ts';
import {
  bucketAt,
  byLine,
  labelsOf,
  lineKeys,
  type PointsInput,
  pointsScope,
  widened,
  withLabels,
} from './points.ts';

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
  /** See `labelsOf`. */
  readonly L: string;
  readonly Bs: number[];
  readonly Vs: (number | null)[];
  readonly Lines: number;
}

/** A series' own value of a bucket, from the points of that bucket, and how those of several series become one. */
const LEVELS: Partial<Record<MetricAggregation, { own: string; across: string }>> = {
  avg: { own: 'arrayAvg(a)', across: 'avg(Own)' },
  // A sum over series is of what each had last, however often it reported.
  sum: { own: 'a[-1]', across: 'sum(Own)' },
  last: { own: 'a[-1]', across: 'argMax(Own, At)' },
  count: { own: 'length(a)', across: 'sum(Own)' },
};

/** Levels (gauges and sums that rise and fall) by bucket and label. */
export async function levelLines(
  runner: Runner,
  input: PointsInput,
  window: Window,
  aggregation: MetricAggregation,
  limit: number,
): Promise<Lines> {
  const scope = pointsScope(input, window);
  const across =
    aggregation === 'min' || aggregation === 'max' ? `${aggregation}(Own)` : LEVELS[aggregation]?.across;
  if (across === undefined) throw new RangeError(`${aggregation} is not for levels`);
  const own = LEVELS[aggregation]?.own;
  const rows = await runner.run<LineRow>(
    scope,
    asLines(
      input,
      `SELECT ${lineKeys(input, 'B')}, ${across} AS V FROM ${withLabels(input, scope, window, own === undefined ? extremes(input, scope, aggregation) : levels(input, scope, own))} GROUP BY ${lineKeys(input, 'B')}`,
      'avg(V)',
      limit,
    ),
  );
  return readLines(rows);
}

/** The least or most of a bucket, which a point that was sent twice does not change. */
const extremes = ({ grid }: PointsInput, scope: Scope, which: string): string =>
  `(SELECT SeriesId, ${bucketAt(grid, 'toUnixTimestamp64Nano(TimeUnix)')} AS B, ${which}(Value) AS Own
    ${scope.from} GROUP BY SeriesId, B)`;

/** What each series has of each bucket; a point that was sent twice counts once, with its largest value. */
function levels({ grid }: PointsInput, scope: Scope, own: string): string {
  const points = inOrder(
    `(SELECT SeriesId, toUnixTimestamp64Nano(TimeUnix) AS T, Value AS V ${scope.from})`,
    'SeriesId',
    ['T', 'V'],
  );
  const once = (array: string) => `if(Tied, ${those(array, 'Last')}, ${array})`;
  return `(SELECT SeriesId, B, Own, At FROM (
    SELECT SeriesId, arrayMap((t, n) -> t != n, if(Tied, Ts, []), ${after('if(Tied, Ts, [])', '-1')}) AS Last,
      ${once('Ts')} AS Times, arrayMap(t -> ${bucketAt(grid, 't')}, Times) AS Bs, arrayCompact(Bs) AS Buckets,
      ${eachBucket(own, once('Vs'), 'Bs')} AS Owns, ${eachBucket('a[-1]', 'Times', 'Bs')} AS Ats
    FROM ${points}
  ) ARRAY JOIN Buckets AS B, Owns AS Own, Ats AS At)`;
}

/** Rates of series that end and begin within a bucket are added up like any others. */
export const PER_SECOND = 'Own / nullIf(Seconds, 0)';

/** Increases of counters, or their rates, by bucket and label. */
export async function increaseLines(
  runner: Runner,
  input: PointsInput,
  window: Window,
  what: 'increase' | 'rate',
  limit: number,
): Promise<Lines> {
  const wide = widened(input, window);
  const scope = pointsScope(input, wide);
  const timed = what === 'rate';
  const own = await grownByBucket(runner, input, scope, window, 'Value', { timed });
  const rows = await runner.run<LineRow>(
    scope,
    asLines(
      input,
      `SELECT ${lineKeys(input, 'B')}, sumKahan(${timed ? PER_SECOND : 'Own'}) AS V FROM ${withLabels(input, scope, wide, own)} GROUP BY ${lineKeys(input, 'B')}`,
      'sum(abs(V))',
      limit,
    ),
  );
  return readLines(rows);
}

export const asLines = (input: PointsInput, cells: string, rank: string, limit: number): string =>
  byLine(input, 'groupArray(B) AS Bs, groupArray(V) AS Vs', cells, rank, limit);

export function readLines(rows: readonly LineRow[]): Lines {
  return {
    lines: rows.map(({ L, Bs, Vs }) => ({
      labels: labelsOf(L),
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
