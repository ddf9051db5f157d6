import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { before } from '../core/in-order.ts';
import type { Window } from '../core/scope.ts';
import { type Grid, gridOf, type Steps } from './grid.ts';
import { checkSize, type MetricSelection, POINTS_AT_ONCE } from './plan.ts';
import { askedAhead } from './increases.ts';
import { type Ahead, pointsScope, SINCE, TIME, widened } from './points.ts';
import { DELTA, type Variant } from './variant.ts';

/** What only grows in a cumulative series of a meaning. */
const GROWS: Partial<Record<Variant['meaning'], string>> = {
  counter: 'Value',
  distribution: 'toInt64(Count)',
  quantiles: 'toInt64(Count)',
};

/** How often the series of a metric report, in seconds; null when nobody knows. */
interface Rhythm {
  /** Of the series in the middle. */
  readonly usual: number | null;
  /** What a bucket has to hold two of; see {@link waitedFor}. */
  readonly slowest: number | null;
  /** Whether values of a series that only grow fall again and again while its start stays. */
  readonly torn: boolean;
}

/** Points that are looked at, about: the newest of the window. */
const POINTS = 50_000;
/** Reports of a series that are looked at, at least. */
const REPORTS = 8;
/** Series that are looked at, about. */
const SERIES = 200;

/** Falls that no restart explains, and the part of all points that they are at least. */
const [FALLS, FALLING] = [3, 0.1];

/** A variant with its rhythm, and the buckets of a query about it; `torn` where its numbers are doubtful. @throws bad_query, refused */
export async function timed(
  runner: Runner,
  context: RequestContext,
  query: MetricSelection & Steps,
  variant: Variant,
): Promise<{
  readonly variant: Variant;
  readonly grid: Grid;
  readonly torn: boolean;
  readonly ahead?: Ahead | undefined;
}> {
  checkSize(variant);
  if (query.stepSeconds !== undefined)
    return {
      variant,
      grid: gridOf(query.window, query.stepSeconds, null, variant.series, query.offsetMs),
      torn: false,
    };
  const { metric, filter, window } = query;
  const input = { context, metric, variant, filter };
  const [{ usual, slowest, torn }, ahead] = await Promise.all([
    rhythmOf(runner, context, query, variant),
    // More points are asked part by part: no statement puts all of them in order.
    variant.points <= POINTS_AT_ONCE ? askedAhead(runner, input, widened(input, window)) : undefined,
  ]);
  return {
    ahead,
    variant: { ...variant, interval: usual, slowest },
    grid: gridOf(query.window, undefined, slowest, variant.series, query.offsetMs),
    torn,
  };
}

/**
 * The rhythm of the points themselves: what the rows of series say of it is halved where a sender repeats itself, and
 * stretched by every silence. A delta series that is silent has nothing new, so that its points may lie any time apart: the
 * time that each stands for is how often it is asked.
 */
async function rhythmOf(
  runner: Runner,
  context: RequestContext,
  { metric, filter, window }: Pick<MetricSelection, 'metric' | 'filter' | 'window'>,
  variant: Variant,
): Promise<Rhythm> {
  const scope = pointsScope({ context, metric, variant, filter }, newest(window, variant));
  const nth = Math.ceil(variant.series / SERIES);
  const some = nth === 1 ? scope : scope.and(`SeriesId % ${scope.params.bind(nth, 'UInt32')} = 0`);
  const delta = variant.temporality === 'delta' || variant.temporality === 'mixed';
  const lasts = `quantileExactIf(0.5)((${TIME} - ${SINCE}) / 1e9, ${delta ? `AggregationTemporality = ${DELTA} AND ${SINCE} > 0 AND ${SINCE} < ${TIME}` : '0'})`;
  const grows = delta ? undefined : GROWS[variant.meaning];
  const fallen =
    grows === undefined
      ? '0'
      : `arrayCount((p, before) -> p.2 = before.2 AND p.3 < before.3, Points, ${before('Points', '(0, -1, 0)')})`;
  const [row] = await runner.run<{ Every: number[]; Torn: number }>(
    some,
    `SELECT groupArrayIf(multiIf(isNaN(Lasts), Apart, isNaN(Apart), Lasts, least(Lasts, Apart)) AS One, isFinite(One)) AS Every,
  max(Falls >= ${FALLS} AND Falls >= ${FALLING} * length(Points)) AS Torn FROM (
  SELECT Points, arrayFilter(gap -> gap > 0, arrayPopFront(arrayDifference(tupleElement(Points, 1)))) AS Gaps,
    if(length(Gaps) > 1, arrayReduce('quantileExactInclusive(0.5)', Gaps) / 1e9, nan) AS Apart, Lasts, ${fallen} AS Falls
  FROM (
    SELECT arraySort(groupArray((${TIME}, ${SINCE}, ${grows ?? '0'}))) AS Points, ${lasts} AS Lasts
    ${some.from} GROUP BY SeriesId
  )
)`,
  );
  const every = (row?.Every ?? []).sort((a, b) => a - b);
  const usual = every[every.length >> 1] ?? variant.interval;
  return {
    usual,
    slowest: waitedFor(every, Number(window.to - window.from) / 1e9) ?? usual,
    torn: row?.Torn === 1,
  };
}

/** The end of the window, as much of it as is looked at. */
function newest(window: Window, { last, perSecond, interval }: Variant): Window {
  const to = last < window.to ? last + 1n : window.to;
  const seconds = Math.max(POINTS / Math.max(perSecond, 1e-6), REPORTS * (interval ?? 0));
  const from = to - BigInt(Math.ceil(seconds)) * 1_000_000_000n;
  return { from: from > window.from ? from : window.from, to };
}

/** Buckets that are many, and the fewest that still show how something went. */
const [MANY_BUCKETS, FEW_BUCKETS] = [60, 6];
/** Series of which each bucket should hold something. */
const MOST_SERIES = 0.95;

/**
 * The interval that a bucket holds two of, so that a sum over series is one of all of them: the longest one, when many
 * buckets are left; else that of nearly all series. Series so slow that they would leave few buckets are not waited for,
 * unless half of all are as slow.
 * @param every intervals of series in seconds, in order
 * @param seconds length of the window
 */
export function waitedFor(every: readonly number[], seconds: number): number | undefined {
  const patience = Math.max(every[every.length >> 1] ?? 0, seconds / (2 * FEW_BUCKETS));
  const patient = every.filter((one) => one <= patience);
  const longest = patient.at(-1);
  if (longest === undefined || longest * 2 * MANY_BUCKETS <= seconds) return longest;
  return patient[Math.ceil(patient.length * MOST_SERIES) - 1];
}
