import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import {
  type Distribution,
  type ExponentialPart,
  explicitRanges,
  exponentialRanges,
  mergeExplicit,
} from './distribution.ts';
import { grownByBucket, weighedPoints } from './increases.ts';
import { byLine, labelsOf, lineKeys, type PointsInput, pointsScope, widened, withLabels } from './points.ts';
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

/** What is added up of points whose `keys` (a comma before each) are the same. */
interface Figures {
  readonly keys: string;
  /** Arrays of counts, by the name of their sum. */
  readonly arrays: Readonly<Record<string, string>>;
  /** Numbers, by the name of their sum. */
  readonly numbers?: Readonly<Record<string, string>>;
  /** Columns that the keys decide, by their name. */
  readonly decided?: Readonly<Record<string, string>>;
}

const named = (
  columns: Readonly<Record<string, string>>,
  sql: (column: string, name: string) => string,
  suffix = '',
): string =>
  Object.entries(columns)
    .map(([name, column]) => `, ${sql(column, name)} AS ${name}${suffix}`)
    .join('');

/**
 * {@link weighedPoints} added up: a row for each bucket `B` and the `keys`, with `N`, `Total`, `Least` and `Most` of what
 * was measured, the last two only where every point says them.
 */
function addedUp(input: PointsInput, points: string, figures: Figures): string {
  const { keys, arrays, numbers = {}, decided = {} } = figures;
  const by = lineKeys(input, `B${keys}`);
  const [noLow, noHigh] = ['countIf(X > 0 AND isNull(Min))', 'countIf(X > 0 AND isNull(Max))'];
  const any = (column: string) => `any(${column})`;
  // Nothing is taken off of deltas.
  if (input.variant.temporality === 'delta') {
    return `SELECT ${lineKeys(input, `Here AS B${keys}`)}${named(decided, any)}${named(arrays, (column) => `sumForEach(${column})`)}${named(numbers, (column) => `sum(${column})`)},
  sum(X) AS N, sumKahan(Sum) AS Total, if(${noLow} > 0, NULL, min(Min)) AS Least, if(${noHigh} > 0, NULL, max(Max)) AS Most
FROM ${points} GROUP BY ${by}`;
  }
  // Points whose counts go to the same buckets are put together: a few lots instead of many points.
  const lot = lineKeys(input, `Here, Plus, There${keys}`);
  const lots = `(
  SELECT ${lot}${named(decided, any, 'Of')}${named(arrays, (column) => `sumForEach(${column})`, 'Of')}${named(numbers, (column) => `sum(${column})`, 'Of')},
    sum(X) AS Xs, sumKahan(Sum) AS Summed, min(Min) AS Low, max(Max) AS High, ${noLow} AS NoLow, ${noHigh} AS NoHigh
  FROM ${points} GROUP BY ${lot}
)`;
  // Each lot is added to one bucket and taken off from another: `weight` times.
  const [bucket, weight] = ['Add.1', 'Add.2'];
  const array = (_: string, name: string) => `sumForEach(arrayMap(c -> ${weight} * toInt64(c), ${name}Of))`;
  const number = (_: string, name: string) => `sum(${weight} * toInt64(${name}Of))`;
  return `SELECT ${lineKeys(input, `${bucket} AS B${keys}`)}${named(decided, (_, name) => any(`${name}Of`))}${named(arrays, array)}${named(numbers, number)},
  sum(${weight} * Xs) AS N, sumKahan(${weight} * Summed) AS Total,
  if(sumIf(NoLow, ${weight} > 0) > 0, NULL, minIf(Low, ${weight} > 0)) AS Least,
  if(sumIf(NoHigh, ${weight} > 0) > 0, NULL, maxIf(High, ${weight} > 0)) AS Most
FROM ${lots}
ARRAY JOIN arrayFilter(add -> add.1 >= 0 AND add.2 != 0, [(Here, Plus), (There, -1)]) AS Add GROUP BY ${by}`;
}

/** What is joined, the ends of runs and labels, is little: to make a table of it for each thread costs more than it saves. */
const LITTLE_JOINED = "join_algorithm = 'hash'";
/**
 * What costs is unpacking the wide counts: in portions of some tens of thousands of rows, so that all threads have something
 * to unpack until the end.
 */
const IN_PORTIONS =
  'merge_tree_min_rows_for_concurrent_read = 32768, merge_tree_min_bytes_for_concurrent_read = 33554432';

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
  const adds = await weighedPoints(runner, input, scope, window, {
    columns: ['BucketCounts', 'ExplicitBounds', 'Sum', 'Min', 'Max'],
  });
  const rows = await runner.run<ExplicitRow>(
    scope,
    lineRows(
      input,
      addedUp(input, withLabels(input, scope, wide, adds), {
        keys: ', ShapeId',
        decided: { Bounds: 'ExplicitBounds' },
        arrays: { Counts: 'BucketCounts' },
      }),
      'B, Bounds, Counts, N, Total, Least, Most',
      limit,
      `SETTINGS ${LITTLE_JOINED}`,
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
    zeroWidth: number,
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

/** What has to be alike of points whose counts are added up, as one column: every column less is one less in every select around it. */
const SHAPE_SQL = '(Scale, PositiveOffset, NegativeOffset, ZeroThreshold)';
const SHAPE = { scale: 'Shape.1', positive: 'Shape.2', negative: 'Shape.3', zeroWidth: 'Shape.4' } as const;

/** The place of what fills `counts` on the logarithmic axis: octaves from 1 on, the first and the end of the last. */
const filled = (counts: string, offset: string) => ({
  any: `arrayExists(c -> c != 0, ${counts})`,
  first: `(${offset} + arrayFirstIndex(c -> c != 0, ${counts}) - 1) * exp2(-${SHAPE.scale})`,
  last: `(${offset} + arrayLastIndex(c -> c != 0, ${counts})) * exp2(-${SHAPE.scale})`,
});
const POSITIVE = filled('Positive', SHAPE.positive);
const NEGATIVE = filled('Negative', SHAPE.negative);

/**
 * Rows of {@link addedUp}, those of a line and bucket as one row of `Parts`, with the scale these are brought to, `Common`:
 * the smallest of them, smaller still when their values lie far apart. What fills no bucket has no say in it. A level for
 * each step: the engine resolves what stands within a condition once more for every condition around it.
 */
const toOneScale = (input: PointsInput, rows: string): string => {
  const octaves = ({ any, first, last }: typeof POSITIVE) =>
    `maxIf(${last}, ${any}) - minIf(${first}, ${any})`;
  return `(
  SELECT *, toInt32(least(Coarsest, if(Octaves > 0, floor(log2(${MAX_EXPONENTIAL_BUCKETS} / Octaves)), 1000))) AS Common
  FROM (
    SELECT ${lineKeys(input, 'B')},
      groupArray((${SHAPE.scale}, ${SHAPE.positive}, ${SHAPE.negative}, arrayConcat(Positive, Negative, [Zero]), length(Positive), length(Negative))) AS Parts,
      minIf(${SHAPE.scale}, ${POSITIVE.any} OR ${NEGATIVE.any}) AS Coarsest,
      least(2048, greatest(${octaves(POSITIVE)}, ${octaves(NEGATIVE)})) AS Octaves,
      maxIf(${SHAPE.zeroWidth}, Part.Zero > 0) AS Width, sum(Part.N) AS N, sumKahan(Part.Total) AS Total,
      if(countIf(Part.N > 0 AND isNull(Part.Least)) > 0, NULL, min(Part.Least)) AS Least,
      if(countIf(Part.N > 0 AND isNull(Part.Most)) > 0, NULL, max(Part.Most)) AS Most
    FROM ${rows} AS Part GROUP BY ${lineKeys(input, 'B')}
  )
)`;
};

/** What exponential histograms say of a bucket of time: buckets of one scale and the totals. */
interface ExponentialBucket extends Measured {
  readonly part: ExponentialPart;
}

/** Histograms with exponential buckets: of each line and bucket of time all are brought to one scale. */
export async function exponentialLines(
  runner: Runner,
  input: PointsInput,
  window: Window,
  limit: number,
): Promise<DistributionLines> {
  const { lines, total } = await exponentialParts(runner, input, window, limit);
  return {
    lines: lines.map(({ labels, buckets }) => ({
      labels,
      buckets: new Map(
        [...buckets].map(([bucket, { part, ...rest }]) => [
          bucket,
          { ranges: exponentialRanges(part), spread: 'logarithmic', ...rest },
        ]),
      ),
    })),
    total,
    exact: true,
  };
}

/** {@link exponentialLines} before their buckets become ranges of values. */
export async function exponentialParts(
  runner: Runner,
  input: PointsInput,
  window: Window,
  limit: number,
): Promise<{
  lines: { labels: readonly string[]; buckets: ReadonlyMap<number, ExponentialBucket> }[];
  total: number;
}> {
  const wide = widened(input, window);
  const scope = pointsScope(input, wide);
  const side = (offset: string, length: string, number: number) =>
    `arrayMap(i -> bitShiftRight(toInt64(${offset}) + i - 1, toUInt8(greatest(0, least(62, p.1 - Common)))) * 4 + ${number}, range(1, ${length} + 1))`;
  const adds = await weighedPoints(runner, input, scope, window, {
    columns: ['Sum', 'Min', 'Max', 'ZeroCount', 'PositiveBucketCounts', 'NegativeBucketCounts'],
    made: { Shape: SHAPE_SQL },
  });
  // Points that begin at the same bucket are added up as arrays; only what is left is looked up by bucket. The common
  // scale is taken from these few rows too: to ask all points for it beforehand read them twice.
  const rows = await runner.run<ExponentialRow>(
    scope,
    lineRows(
      input,
      `SELECT ${lineKeys(input, 'B')}, Common AS Scaled, Width, N, Total, Least, Most,
  arrayReduce('sumMap', arrayMap(p -> arrayConcat(${side('p.2', 'p.5', SIDE.positive)}, ${side('p.3', 'p.6', SIDE.negative)}, [${SIDE.zero}]), Parts), arrayMap(p -> p.4, Parts)) AS Buckets
FROM ${toOneScale(
        input,
        `(${addedUp(input, withLabels(input, scope, wide, adds), {
          keys: ', Shape',
          arrays: { Positive: 'PositiveBucketCounts', Negative: 'NegativeBucketCounts' },
          numbers: { Zero: 'ZeroCount' },
        })})`,
      )}`,
      'B, Scaled, Width, Buckets.1, Buckets.2, N, Total, Least, Most',
      limit,
      `SETTINGS ${LITTLE_JOINED}, ${IN_PORTIONS}`,
    ),
  );
  const lines = rows.map((row) => {
    const buckets = new Map<number, ExponentialBucket>();
    for (const [bucket, scale, zeroWidth, keys, counts, ...rest] of row.Cells) {
      const figures = totals([rest]);
      const { min, max } = figures;
      buckets.set(bucket, { part: { scale, zeroWidth, min, max, ...sides(keys, counts) }, ...figures });
    }
    return { labels: labelsOf(row.L), buckets };
  });
  return { lines, total: rows[0]?.Lines ?? 0 };
}

/** Counts by bucket of one scale, in the order of their keys: {@link SIDE}. */
function sides(
  keys: readonly number[],
  counts: readonly number[],
): Pick<ExponentialPart, 'zero' | 'positive' | 'negative'> {
  let zero = 0;
  const positive = { indexes: [] as number[], counts: [] as number[] };
  const negative = { indexes: [] as number[], counts: [] as number[] };
  keys.forEach((key, at) => {
    const count = counts[at] ?? 0;
    const index = Math.floor(key / 4);
    const kind = key - index * 4;
    if (count === 0) return;
    if (kind === SIDE.zero) zero = count;
    else {
      const side = kind === SIDE.positive ? positive : negative;
      side.indexes.push(index);
      side.counts.push(count);
    }
  });
  return { zero, positive, negative };
}

export interface Totals {
  readonly count: number;
  /** Null where no point had a sum. */
  readonly sum: number | null;
  /** How many of `count` are in `sum`: points need not have one. */
  readonly summed: number;
  readonly perSecond: number;
}

export interface TotalLine {
  readonly labels: readonly string[];
  readonly buckets: ReadonlyMap<number, Totals>;
}

/** Count (if `timed` also by second) or, if `summed`, sum alone, of any kind that has them: no buckets are read. */
export async function totalLines(
  runner: Runner,
  input: PointsInput,
  window: Window,
  limit: number,
  { timed, summed }: { readonly timed: boolean; readonly summed: boolean },
): Promise<{ lines: TotalLine[]; total: number }> {
  const wide = widened(input, window);
  const scope = pointsScope(input, wide);
  const own = await grownByBucket(runner, input, scope, window, 'toInt64(Count)', {
    ...(summed ? { second: 'Sum' } : {}),
    timed,
  });
  const figures = [
    'sum(Own) AS N',
    `${summed ? 'if(countIf(isFinite(OwnSum)) = 0, NULL, sumKahanIf(OwnSum, isFinite(OwnSum)))' : 'NULL'} AS Total`,
    `${summed ? 'sum(OwnSummed)' : '0'} AS InTotal`,
    `${timed ? `sumKahan(${PER_SECOND})` : 'NULL'} AS PerSecond`,
  ];
  const rows = await runner.run<{
    L: string;
    Cells: [bucket: number, count: number, sum: number | null, summed: number, perSecond: number | null][];
    Lines: number;
  }>(
    scope,
    lineRows(
      input,
      `SELECT ${lineKeys(input, 'B')}, ${figures.join(', ')} FROM ${withLabels(input, scope, wide, own)} GROUP BY ${lineKeys(input, 'B')}`,
      'B, N, Total, InTotal, PerSecond',
      limit,
    ),
  );
  const lines = rows.map(({ L, Cells }) => ({
    labels: labelsOf(L),
    buckets: new Map(
      Cells.map(([bucket, count, sum, added, perSecond]) => [
        bucket,
        { count: positive(count), sum, summed: positive(added), perSecond: positive(perSecond ?? 0) },
      ]),
    ),
  }));
  return { lines, total: rows[0]?.Lines ?? 0 };
}

const lineRows = (input: PointsInput, cells: string, tuple: string, limit: number, settings = ''): string =>
  `${byLine(input, `groupArray((${tuple})) AS Cells`, cells, 'sum(N)', limit)} ${settings}`;

/** A run that its count did not show to have broken may leave a bucket below nothing. */
const positive = (count: number): number => Math.max(0, count);

type Measured = Pick<Distribution, 'count' | 'sum' | 'min' | 'max'>;

function totals(
  parts: readonly [count: number, sum: number | null, min: number | null, max: number | null][],
): Measured {
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
