import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { Scope, type Window } from '../core/scope.ts';
import type { Grid } from './grid.ts';
import { metricPoints } from './metric-fields.ts';
import { labelSql, seriesIn } from './series-scope.ts';
import { DELTA, type Variant } from './variant.ts';

/** What a statement over the points of a metric is about. */
export interface PointsInput {
  readonly context: RequestContext;
  readonly metric: string;
  readonly variant: Variant;
  readonly filter: Filter | undefined;
  readonly groupBy: readonly string[];
  readonly grid: Grid;
}

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
export function lookback({ interval }: Variant): bigint {
  const two = BigInt(Math.ceil((interval ?? 0) * 2)) * 1_000_000_000n;
  if (two < 5n * MINUTE) return 5n * MINUTE;
  return two > DAY ? DAY : two;
}

/** Points of the variant in a window, by their own table's scope. */
export function pointsScope(input: PointsInput, window: Window): Scope {
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

function matching(input: PointsInput, scope: Scope, window: Window): Scope {
  const series = seriesIn(scope, window);
  return series
    .and(`MetricName = ${series.params.bind(input.metric, 'String')}`)
    .and(`Kind = ${series.params.bind(input.variant.kind, 'String')}`)
    .matching(input.filter);
}

/** Joins the labels `L` of each series to rows with a `SeriesId`; without grouping every row has no labels. */
export function withLabels(input: PointsInput, scope: Scope, window: Window, rows: string): string {
  if (input.groupBy.length === 0) return `(SELECT *, CAST([], 'Array(String)') AS L FROM ${rows})`;
  const labels = input.groupBy.map((field) => labelSql(field, scope.params)).join(', ');
  return `(SELECT * FROM ${rows} AS points GLOBAL INNER JOIN (
  SELECT SeriesId, any([${labels}]) AS L ${matching(input, scope, window).from} GROUP BY SeriesId
) AS labels USING SeriesId)`;
}

export const stepNanos = ({ step }: Grid): string => `${step}000000000`;

/**
 * The points of a window as what they add to which bucket `B`, so that the sum over a bucket is the increase in it:
 * `W` is 1 or -1, `payload` what is added. `value` is the number that never falls in a cumulative series.
 *
 * - Delta: every point counts in its bucket; of points sent twice the largest.
 * - Cumulative: an increase belongs to the bucket of its later point. Within a bucket only the ends of an unbroken run
 *   matter: the last point counts, the point before the run is taken off. A run breaks where the value falls or where
 *   a start time lies at or after the point before; the first point of a run counts whole, but the very first known
 *   point of a series does so only when it says that it started inside of the window (or the look back before it).
 */
export function increases(
  input: PointsInput,
  scope: Scope,
  window: Window,
  value: string,
  payload: string,
): string {
  const from = scope.params.bind(window.from, 'Int64');
  const back = scope.params.bind(window.from - lookback(input.variant), 'Int64');
  const step = stepNanos(input.grid);
  const kind = input.variant.kind;
  const delta = kind === 'summary' ? '0' : `AggregationTemporality = ${DELTA}`;
  const bucket = (time: string) => `if(${time} < ${from}, -1, intDiv(${time}, ${step}))`;
  // Buckets of another shape cannot be subtracted: they are a run of their own.
  const run = kind === 'histogram' ? 'SeriesId, Shape' : 'SeriesId';
  const shape = kind === 'histogram' ? ', cityHash64(ExplicitBounds, length(BucketCounts)) AS Shape' : '';
  return `(
  SELECT * EXCEPT (Adds), Add.1 AS B, Add.2 AS W FROM (
    SELECT *, arrayFilter(add -> add.1 >= 0 AND add.2 != 0, if(Delta,
        [(Here, toInt8(NOT (Next = T AND NextStart = S)))],
        [(Here, toInt8(NOT (Goes AND Here = There)) - toInt8(Unknown)), (There, -toInt8(Goes AND Here != There))]
      )) AS Adds
    FROM (
    SELECT *,
      Next >= 0 AND NOT (NextValue < X OR (NextStart > S AND NextStart >= T AND NextStart < Next)) AS Goes,
      ${bucket('T')} AS Here, ${bucket('Next')} AS There,
      Previous < 0 AND NOT (S > 0 AND S < T AND S >= ${back}) AS Unknown
    FROM (
      SELECT *, lagInFrame(T, 1, toInt64(-1)) OVER near AS Previous, leadInFrame(T, 1, toInt64(-1)) OVER near AS Next,
        leadInFrame(S, 1) OVER near AS NextStart, leadInFrame(X, 1) OVER near AS NextValue
      FROM (
        SELECT SeriesId, toUnixTimestamp64Nano(TimeUnix) AS T, toUnixTimestamp64Nano(StartTimeUnix) AS S,
          ${value} AS X, ${delta} AS Delta${shape}${payload === '' ? '' : `, ${payload}`}
        ${scope.from}
      )
      WINDOW near AS (PARTITION BY ${run} ORDER BY T, S, X ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
    )
    WHERE Delta OR Unknown OR NOT (Goes AND Here = There)
    )
  ) ARRAY JOIN Adds AS Add
)`;
}
