import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { type Distribution, explicitRanges, exponentialRanges, mergeExplicit } from './distribution.ts';
import { grownByBucket, weighedPoints } from './increases.ts';
import { byLine, labelsOf, lineKeys, lookback, type PointsInput, pointsScope, withLabels } from './points.ts';
import { PER_SECOND } from './scalars.ts';

/** Everything measured in one bucket of one line. */
export interface DistributionLine {
  readonly labels: readonly string[];
  readonly buckets: ReadonlyMap<number, Distribution>;
}

export interface DistributionLines {
  readonly lines: DistributionLine[];
  readonly total: number;
  /** False when buckets had to be made coarser, since not all series have the same bounds. */
  readonly exact: boolean;
}

/**
 * Points put together whose counts go to the same buckets and, of each line, have the same `keys` (a comma before
 * each): a few lots instead of many points.
 */
function lots(input: PointsInput, points: string, keys: string, figures: string): string {
  const by = lineKeys(input, `Here, Plus, There${keys}`);
  return `(
  SELECT ${by}, ${figures}, sum(X) AS Xs, sumKahan(Sum) AS Summed, min(Min) AS Low, max(Max) AS High,
    countIf(X > 0 AND isNull(Min)) AS NoLow, countIf(X > 0 AND isNull(Max)) AS NoHigh
  FROM ${points} GROUP BY ${by}
)`;
}

/** Each lot with the bucket `B` it is added to and that it is taken off from: `W` times. */
const ADDED = 'ARRAY JOIN arrayFilter(add -> add.1 >= 0 AND add.2 != 0, [(Here, Plus), (There, -1)]) AS Add';
const [B, W] = ['Add.1', 'Add.2'];
const weighed = (counts: string) => `sumForEach(arrayMap(c -> ${W} * toInt64(c), ${counts}))`;

/** What was measured; `Least` and `Most` only where every point says them. */
const TOTALS = `sum(${W} * Xs) AS N, sumKahan(${W} * Summed) AS Total,
  if(sumIf(NoLow, ${W} > 0) > 0, NULL, minIf(Low, ${W} > 0)) AS Least,
  if(sumIf(NoHigh, ${W} > 0) > 0, NULL, maxIf(High, ${W} > 0)) AS Most`;

interface ExplicitRow {
  readonly L: string;
  readonly Cells: [
    bucket: number,
    bounds: (number | null)[],
    counts: number[],
    count: number,
    sum: number | null,
    min: number | null,
    max: number | null,
  ][];
  readonly Lines: number;
}

/** Histograms with explicit bounds. */
export async function explicitLines(
  runner: Runner,
  input: PointsInput,
  window: Window,
  limit: number,
): Promise<DistributionLines> {
  const wide = widened(input, window);
  const scope = pointsScope(input, wide);
  const adds = await weighedPoints(
    runner,
    input,
    scope,
    window,
    'BucketCounts, ExplicitBounds, Sum, Min, Max',
  );
  const rows = await runner.run<ExplicitRow>(
    scope,
    lineRows(
      input,
      `SELECT ${lineKeys(input, `${B} AS B`)}, any(Bounds) AS Bounds, ${weighed('BucketsOf')} AS Counts, ${TOTALS}
FROM ${lots(input, withLabels(input, scope, wide, adds), ', ShapeId', 'any(ExplicitBounds) AS Bounds, sumForEach(BucketCounts) AS BucketsOf')}
${ADDED} GROUP BY ${lineKeys(input, 'B, ShapeId')}`,
      'B, Bounds, Counts, N, Total, Least, Most',
      limit,
    ),
  );
  const bounds = (list: (number | null)[]) =>
    // JSON has no infinity.
    list.map((bound, index) => bound ?? (index === 0 && list.length > 1 ? -Infinity : Infinity));
  let exact = true;
  const lines = rows.map((row): DistributionLine => {
    const byBucket = Map.groupBy(row.Cells, ([bucket]) => bucket);
    const buckets = new Map<number, Distribution>();
    for (const [bucket, cells] of byBucket) {
      const merged = mergeExplicit(
        cells.map(([, list, counts]) => ({ bounds: bounds(list), counts: counts.map(positive) })),
      );
      exact &&= merged.exact;
      buckets.set(bucket, {
        ranges: explicitRanges(merged.bounds, merged.counts),
        spread: 'linear',
        ...totals(cells.map(([, , , ...rest]) => rest)),
      });
    }
    return { labels: labelsOf(row.L), buckets };
  });
  return { lines, total: rows[0]?.Lines ?? 0, exact };
}

interface ExponentialRow {
  readonly L: string;
  readonly Cells: [
    bucket: number,
    scale: number,
    keys: number[],
    counts: number[],
    count: number,
    sum: number | null,
    min: number | null,
    max: number | null,
  ][];
  readonly Lines: number;
}

/** The four kinds of bucket in one number: index times four, plus this. */
const SIDE = { zero: 0, positive: 1, negative: 2 } as const;

/** Buckets a distribution may have in one scale; beyond, the scale is made smaller. */
const MAX_EXPONENTIAL_BUCKETS = 320;

/**
 * Lots with the scale they are brought to, `Common`: the smallest of all, smaller still when their values lie far apart. A
 * level for each step: the engine resolves what stands within a condition once more for every condition around it.
 */
const toOneScale = (lots: string): string => `(
  SELECT *, toInt32(least(Coarsest, if(Octaves > 0, floor(log2(${MAX_EXPONENTIAL_BUCKETS} / Octaves)), 1000))) AS Common
  FROM (
    SELECT *, least(2048, ifNull(
        max(if(notEmpty(Positive), (PositiveOffset + length(Positive)) * exp2(-Scale), NULL)) OVER ()
          - min(if(notEmpty(Positive), PositiveOffset * exp2(-Scale), NULL)) OVER (), 0)) AS Octaves,
      min(Scale) OVER () AS Coarsest
    FROM ${lots}
  )
)`;

/** Histograms with exponential buckets, brought to one scale. */
export async function exponentialLines(
  runner: Runner,
  input: PointsInput,
  window: Window,
  limit: number,
): Promise<DistributionLines> {
  const wide = widened(input, window);
  const scope = pointsScope(input, wide);
  const side = (counts: string, offset: string, number: number) =>
    `arrayMap(i -> bitShiftRight(toInt64(${offset}) + i - 1, toUInt8(least(62, Scale - Common))) * 4 + ${number}, arrayEnumerate(${counts}))`;
  const payload =
    'Sum, Min, Max, Scale, ZeroCount, PositiveOffset, PositiveBucketCounts, NegativeOffset, NegativeBucketCounts';
  const adds = await weighedPoints(runner, input, scope, window, payload);
  // Points that begin at the same bucket are added up as arrays; only what is left is looked up by bucket. The common
  // scale is taken from these few rows too: to ask all points for it beforehand read them twice.
  const rows = await runner.run<ExponentialRow>(
    scope,
    lineRows(
      input,
      `SELECT ${lineKeys(input, 'B')}, any(Common) AS Scaled, sumMap(Keys, Counted) AS Buckets, sum(Part.N) AS N, sumKahan(Part.Total) AS Total,
  if(countIf(Part.N > 0 AND isNull(Part.Least)) > 0, NULL, min(Part.Least)) AS Least,
  if(countIf(Part.N > 0 AND isNull(Part.Most)) > 0, NULL, max(Part.Most)) AS Most
FROM (
  SELECT *,
    arrayConcat(${side('Positive', 'PositiveOffset', SIDE.positive)}, ${side('Negative', 'NegativeOffset', SIDE.negative)}, [${SIDE.zero}]) AS Keys,
    arrayConcat(Positive, Negative, [Zero]) AS Counted
  FROM ${toOneScale(`(
    SELECT ${lineKeys(input, `${B} AS B`)}, Scale, PositiveOffset, NegativeOffset, ${weighed('PositiveOf')} AS Positive,
      ${weighed('NegativeOf')} AS Negative, sum(${W} * toInt64(Zeros)) AS Zero, ${TOTALS}
    FROM ${lots(
      input,
      withLabels(input, scope, wide, adds),
      ', Scale, PositiveOffset, NegativeOffset',
      'sumForEach(PositiveBucketCounts) AS PositiveOf, sumForEach(NegativeBucketCounts) AS NegativeOf, sum(ZeroCount) AS Zeros',
    )}
    ${ADDED} GROUP BY ${lineKeys(input, 'B, Scale, PositiveOffset, NegativeOffset')}
  )`)}
) AS Part GROUP BY ${lineKeys(input, 'B')}`,
      'B, Scaled, Buckets.1, Buckets.2, N, Total, Least, Most',
      limit,
    ),
  );
  const lines = rows.map((row): DistributionLine => {
    const buckets = new Map<number, Distribution>();
    for (const [bucket, scale, keys, counts, ...rest] of row.Cells) {
      const part = {
        scale,
        zero: 0,
        positive: new Map<number, number>(),
        negative: new Map<number, number>(),
      };
      for (const [at, key] of keys.entries()) {
        const number = positive(counts[at] ?? 0);
        const kind = ((key % 4) + 4) % 4;
        const index = (key - kind) / 4;
        if (number === 0) continue;
        if (kind === SIDE.zero) part.zero = number;
        else (kind === SIDE.positive ? part.positive : part.negative).set(index, number);
      }
      buckets.set(bucket, { ranges: exponentialRanges(part), spread: 'logarithmic', ...totals([rest]) });
    }
    return { labels: labelsOf(row.L), buckets };
  });
  return { lines, total: rows[0]?.Lines ?? 0, exact: true };
}

export interface TotalLine {
  readonly labels: readonly string[];
  readonly buckets: ReadonlyMap<
    number,
    { readonly count: number; readonly sum: number; readonly perSecond: number }
  >;
}

/** Count (if `timed` also by second) and sum alone, of any kind that has them: no buckets are read. */
export async function totalLines(
  runner: Runner,
  input: PointsInput,
  window: Window,
  limit: number,
  timed: boolean,
): Promise<{ lines: TotalLine[]; total: number }> {
  const wide = widened(input, window);
  const scope = pointsScope(input, wide);
  const own = grownByBucket(input, scope, window, 'toInt64(Count)', { second: 'Sum', timed });
  const rows = await runner.run<{
    L: string;
    Cells: [bucket: number, count: number, sum: number | null, perSecond: number | null][];
    Lines: number;
  }>(
    scope,
    lineRows(
      input,
      `SELECT ${lineKeys(input, 'B')}, sum(Own) AS N, sumKahan(OwnSum) AS Total, ${timed ? `sumKahan(${PER_SECOND})` : 'NULL'} AS PerSecond FROM ${withLabels(input, scope, wide, own)} GROUP BY ${lineKeys(input, 'B')}`,
      'B, N, Total, PerSecond',
      limit,
    ),
  );
  const lines = rows.map(({ L, Cells }) => ({
    labels: labelsOf(L),
    buckets: new Map(
      Cells.map(([bucket, count, sum, perSecond]) => [
        bucket,
        { count: positive(count), sum: sum ?? 0, perSecond: positive(perSecond ?? 0) },
      ]),
    ),
  }));
  return { lines, total: rows[0]?.Lines ?? 0 };
}

const widened = (input: PointsInput, window: Window): Window => ({
  from: window.from - lookback(input.variant),
  to: window.to,
});

const lineRows = (input: PointsInput, cells: string, tuple: string, limit: number): string =>
  byLine(input, `groupArray((${tuple})) AS Cells`, cells, 'sum(N)', limit);

/** A run that its count did not show to have broken may leave a bucket below nothing. */
const positive = (count: number): number => Math.max(0, count);

function totals(
  parts: readonly [count: number, sum: number | null, min: number | null, max: number | null][],
): Pick<Distribution, 'count' | 'sum' | 'min' | 'max'> {
  const known = (values: (number | null)[], pick: (...numbers: number[]) => number) => {
    const numbers = values.filter((value) => value !== null);
    return numbers.length === values.length ? pick(...numbers) : null;
  };
  return {
    count: parts.reduce((all, [count]) => all + positive(count), 0),
    sum: parts.reduce((all, [, sum]) => all + (sum ?? 0), 0),
    min: known(
      parts.map(([, , min]) => min),
      Math.min,
    ),
    max: known(
      parts.map(([, , , max]) => max),
      Math.max,
    ),
  };
}
