import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { Scope, type Window } from '../core/scope.ts';
import type { Grid } from './grid.ts';
import { metricPoints } from './metric-fields.ts';
import { labelSql, seriesIn } from './series-scope.ts';
import { DELTA, type Variant } from './variant.ts';

/** What is known of all points of a metric in a window before its buckets are, so that it need not be asked once more. */
export interface Ahead {
  readonly window: Window;
  /** Every series that counts on has one start time. */
  readonly oneStart: boolean;
  /** No series of deltas has several points of one time. */
  readonly sentOnce: boolean;
}

/** What a statement over the points of a metric is about. */
export interface PointsInput {
  readonly context: RequestContext;
  readonly metric: string;
  readonly variant: Variant;
  readonly filter: Filter | undefined;
  readonly groupBy: readonly string[];
  readonly grid: Grid;
  /** Default: nothing is known. */
  readonly ahead?: Ahead | undefined;
}

/** Nanoseconds of a point, and of the time since when it counts (0: not said). */
export const TIME = 'toUnixTimestamp64Nano(TimeUnix)';
export const SINCE = 'toUnixTimestamp64Nano(StartTimeUnix)';
const MINUTE = 60_000_000_000n;
const DAY = 1_440n * MINUTE;
/** `NO_RECORDED_VALUE`: the series ended here, the point has no value. */
const RECORDED = 'bitAnd(Flags, 1) = 0';
const FINITE: Partial<Record<Variant['kind'], string>> = {
  gauge: 'isFinite(Value)',
  sum: 'isFinite(Value)',
};

/**
 * How long before the window the point is looked for that an increase counts from: two reporting intervals, at least
 * five minutes, at most a day.
 */
export function lookback({ interval, slowest }: Variant): bigint {
  const two = BigInt(Math.ceil((slowest ?? interval ?? 0) * 2)) * 1_000_000_000n;
  if (two < 5n * MINUTE) return 5n * MINUTE;
  return two > DAY ? DAY : two;
}

/** The window with the look back before it. */
export const widened = ({ variant }: Pick<PointsInput, 'variant'>, { from, to }: Window): Window => ({
  from: from - lookback(variant),
  to,
});

export type Selected = Omit<PointsInput, 'grid' | 'groupBy' | 'ahead'>;

/** Points of the variant in a window, by their own table's scope. */
export function pointsScope(input: Selected, window: Window): Scope {
  const { context, metric, variant, filter } = input;
  const base = Scope.of(context, metricPoints(variant.kind));
  let scope = base
    .and(`MetricName = ${base.params.bind(metric, 'String')}`)
    .and(`MetricUnit = ${base.params.bind(variant.unit, 'String')}`)
    .during(window)
    .and(RECORDED);
  const finite = FINITE[variant.kind];
  if (finite !== undefined) scope = scope.and(finite);
  if (variant.kind === 'sum') {
    scope = scope.and(`IsMonotonic = ${variant.meaning === 'counter' ? 'true' : 'false'}`);
    if (variant.meaning !== 'counter') {
      scope = scope.and(`AggregationTemporality ${variant.meaning === 'change' ? '=' : '!='} ${DELTA}`);
    }
  }
  if (filter === undefined) return scope;
  const series = matching(input, scope, window);
  return scope.and(`SeriesId GLOBAL IN (SELECT SeriesId ${series.from})`);
}

function matching(input: Selected, scope: Scope, window: Window): Scope {
  const series = seriesIn(scope, window);
  return series
    .and(`MetricName = ${series.params.bind(input.metric, 'String')}`)
    .and(`Kind = ${series.params.bind(input.variant.kind, 'String')}`)
    .matching(input.filter);
}

/**
 * Joins the labels `L` of each series to rows with a `SeriesId`, as one text in JSON: rows carry the number of a text
 * in a dictionary instead of an array. Without grouping there are none.
 */
export function withLabels(input: PointsInput, scope: Scope, window: Window, rows: string): string {
  if (input.groupBy.length === 0) return rows;
  const labels = input.groupBy.map((field) => labelSql(field, scope.params)).join(', ');
  return `(SELECT * FROM ${rows} AS points GLOBAL INNER JOIN (
  SELECT SeriesId, toLowCardinality(toJSONString(any([${labels}]))) AS L ${matching(input, scope, window).from} GROUP BY SeriesId
) AS labels USING SeriesId)`;
}

/** What tells rows of {@link withLabels} apart: their labels, if they have any, and `keys`. */
export const lineKeys = ({ groupBy }: PointsInput, keys: string): string =>
  groupBy.length === 0 ? keys : `L, ${keys}`;

/**
 * `columns` of each line of `cells`, a row a line, the largest first, with the number of lines there are. Without
 * labels all cells are one line: every GROUP BY less is one less for which the engine looks through all that lies within it.
 */
export const byLine = (
  { groupBy }: PointsInput,
  columns: string,
  cells: string,
  rank: string,
  limit: number,
): string =>
  groupBy.length === 0
    ? `
SELECT '[]' AS L, ${columns}, 1 AS Lines FROM (${cells}) HAVING count() > 0`
    : `
SELECT L, ${columns}, count() OVER () AS Lines FROM (${cells})
GROUP BY L ORDER BY ${rank} DESC, L LIMIT ${limit}`;

/** The labels of {@link byLine}. */
export const labelsOf = (text: string): string[] => JSON.parse(text) as string[];

const stepNanos = ({ step }: Grid): string => `${step}000000000`;

/** The number of the bucket that a time in nanoseconds lies in. */
export const bucketAt = (grid: Grid, time: string): string =>
  `intDiv(${grid.offset === 0n ? time : `${time} - ${grid.offset}`}, ${stepNanos(grid)})`;

/** When the bucket of such a time begins, or one so many after it. */
export function bucketBegin(grid: Grid, time: string, after = 0): string {
  const bucket = after === 0 ? bucketAt(grid, time) : `(${bucketAt(grid, time)} + ${after})`;
  return `${bucket} * ${stepNanos(grid)}${grid.offset === 0n ? '' : ` + ${grid.offset}`}`;
}
