import type { Runner } from '../core/run.ts';
import type { Scope, Window } from '../core/scope.ts';
import { after, before, eachBucket, inOrder, those } from '../core/in-order.ts';
import { beganSince, fallsToOther, restarted } from '../core/restarts.ts';
import {
  type Ahead,
  bucketAt,
  bucketBegin,
  lookback,
  type PointsInput,
  pointsScope,
  type Selected,
  SINCE,
  TIME,
  widened,
} from './points.ts';
import { DELTA } from './variant.ts';

/**
 * What the points of counters and histograms add to which bucket.
 *
 * - Delta: every point counts in its bucket; of points sent twice (same time and start) the largest.
 * - Cumulative: an increase belongs to the bucket of its later point. A run of points breaks where the value falls or
 *   where a start time lies at or after the point before; the first point of a run counts whole, but the very first
 *   known point of a series does so only when it says that it started inside of the window (or the look back before it).
 * - Cumulative, of several processes that are one series: each start time is a run of its own.
 */

/** A point, the one before it and the one after it, as the lambdas below call them. */
const POINT = { t: 't', s: 's', x: 'x' };
const EARLIER = { t: 'pt', s: 'ps', x: 'px' };
const NEXT = { t: 'nt', s: 'ns', x: 'nx' };
/** Whether a run breaks between a point and the one before it. */
const BREAKS = restarted(POINT, EARLIER);
const NOBODY = '-1';

interface Bounds {
  /** Start of the window; points before it only tell what the first one inside grew from. */
  readonly from: string;
  /** Whether the first known point of a series (`t`, `s`) counts. */
  readonly known: string;
}

function boundsOf({ variant }: PointsInput, { params }: Scope, window: Window): Bounds {
  const back = params.bind(window.from - lookback(variant), 'Int64');
  return {
    from: params.bind(window.from, 'Int64'),
    known: beganSince(POINT, back),
  };
}

const isDelta = ({ variant }: Selected): string =>
  variant.kind === 'summary' ? '0' : `AggregationTemporality = ${DELTA}`;

/** What tells points apart that do not follow one another: their series, and more where that is not enough. */
interface Key {
  /** What points are grouped by. */
  readonly key: string;
  /** The part of it besides the series, as a column of its own with a comma before. */
  readonly shape: string;
}

/** Buckets of another shape cannot be subtracted: they are a run of their own. */
const keyOf = ({ variant }: PointsInput): Key =>
  variant.kind === 'histogram'
    ? { key: 'SeriesId, ShapeId', shape: ', ShapeId' }
    : { key: 'SeriesId', shape: '' };

/** Asks {@link Ahead} of what grows; undefined where nothing is asked. */
export async function askedAhead(
  runner: Runner,
  input: Selected,
  window: Window,
): Promise<Ahead | undefined> {
  const { meaning, temporality } = input.variant;
  if (meaning === 'level' || (meaning !== 'distribution' && temporality === 'delta')) return undefined;
  const scope = pointsScope(input, window);
  const [isRestarting, isTwice] = await Promise.all([
    temporality !== 'delta' && isAny(runner, scope, restarting(scope.and(`NOT (${isDelta(input)})`))),
    temporality !== 'cumulative' &&
      meaning === 'distribution' &&
      isSentTwice(runner, scope.and(isDelta(input))),
  ]);
  return { window, oneStart: !isRestarting, sentOnce: !isTwice };
}

/** What is known of this window; undefined where less of it was asked. */
const aheadIn = ({ ahead }: PointsInput, { from, to }: Window): Ahead | undefined =>
  ahead !== undefined && ahead.window.from <= from && ahead.window.to >= to ? ahead : undefined;

const isAny = async (runner: Runner, scope: Scope, sql: string): Promise<boolean> =>
  (await runner.run(scope, `${sql} LIMIT 1`)).length > 0;

/** Series with several start times: most have one, which costs little to ask. */
const restarting = ({ from }: Scope): string =>
  `SELECT SeriesId ${from} GROUP BY SeriesId HAVING min(StartTimeUnix) != max(StartTimeUnix)`;

/** Of how many changes of its start time one at least is a fall, where a series has several writers: one that wanders hardly falls. */
const CHANGES_A_FALL = 8;

/**
 * Series in which several processes take turns, as workers of one server that do not tell themselves apart: a start time comes back
 * after another one, and values fall. As one, their points would fall with each turn and rise as often by all that another process has
 * counted. Undefined: there are none.
 */
async function sharedSeries(
  runner: Runner,
  input: PointsInput,
  points: Scope,
  window: Window,
): Promise<string | undefined> {
  const { kind, temporality } = input.variant;
  if (temporality === 'delta' || aheadIn(input, widened(input, window))?.oneStart === true) return undefined;
  const scope = points.and(`NOT (${isDelta(input)})`);
  const several = restarting(scope);
  if (!(await isAny(runner, scope, several))) return undefined;
  const value = kind === 'sum' ? 'Value' : 'toInt64(Count)';
  const rows = `(SELECT SeriesId, ${TIME} AS T, ${SINCE} AS S, ${value} AS X ${scope.and(`SeriesId GLOBAL IN (${several})`).from})`;
  const shared = `SELECT SeriesId FROM (
    SELECT SeriesId, Ss, arrayCount((t, s, x, pt, ps, px) -> ${fallsToOther(POINT, EARLIER)},
      Ts, Ss, Xs, ${before('Ts', NOBODY)}, ${before('Ss', '0')}, ${before('Xs', '0')}) AS Falls,
      arrayCount(d -> d != 0, arrayDifference(Ss)) AS Changes
    FROM ${inOrder(rows, 'SeriesId', ['T', 'S', 'X'])}
  ) WHERE Falls > 0 AND Changes BETWEEN length(arrayDistinct(Ss)) AND Falls * ${CHANGES_A_FALL}`;
  return (await isAny(runner, scope, shared)) ? shared : undefined;
}

/** A key that tells the processes of {@link sharedSeries} apart; of rows with their start `S`. */
const byWriter = ({ key, shape }: Key, shared: string | undefined): Key =>
  shared === undefined
    ? { key, shape }
    : { key: `${key}, Writer`, shape: `${shape}, if(SeriesId GLOBAL IN (${shared}), S, 0) AS Writer` };

/** What is read of each series besides what it grew by. */
interface Besides {
  /**
   * A second number that grows along and may be missing (not finite), given as `OwnSum`: NaN where all of a bucket is.
   * `OwnSummed` is what `Own` is where the second number is known.
   */
  readonly second?: string;
  /** The seconds that the growth of a bucket took, given as `Seconds`. */
  readonly timed?: boolean;
}

/**
 * Points of a histogram of which only the count and the sum are asked. A series that changes its bounds counts on; only one
 * with several bounds at the same time (of several views) is as many as it has bounds, and deltas are told apart by them
 * where their times and starts are the same.
 */
async function keyOfTotals(runner: Runner, input: PointsInput, scope: Scope): Promise<Key> {
  const { kind, temporality } = input.variant;
  if (kind !== 'histogram' || temporality === 'delta') return keyOf(input);
  const several = `SELECT SeriesId FROM (SELECT SeriesId, ShapeId, min(${TIME}) AS Opens, max(${TIME}) AS Closes ${scope.from} GROUP BY SeriesId, ShapeId)
    GROUP BY SeriesId HAVING count() > 1 AND arrayExists((o, c) -> o <= c, arrayPopFront(tupleElement(arraySort(groupArray((Opens, Closes))) AS Spans, 1)), arrayPopBack(tupleElement(Spans, 2)))`;
  // Hardly a metric has several bounds at all, which costs little to ask.
  const [shapes] = await runner.run<{ Differ: number }>(
    scope,
    `SELECT min(ShapeId) != max(ShapeId) AS Differ ${scope.from}`,
  );
  const areApart = shapes?.Differ === 1 && (await isAny(runner, scope, several));
  const apart = [
    ...(temporality === 'mixed' ? [isDelta(input)] : []),
    ...(areApart ? [`SeriesId GLOBAL IN (${several})`] : []),
  ];
  if (apart.length === 0) return { key: 'SeriesId', shape: '' };
  return { key: 'SeriesId, Lane', shape: `, if(${apart.join(' OR ')}, ShapeId, 0) AS Lane` };
}

/**
 * What each series grew by in each bucket: rows of `SeriesId`, `B` and `Own`.
 * @param scope the points from the look back on
 * @param value the number that never falls in a cumulative series
 */
export async function grownByBucket(
  runner: Runner,
  input: PointsInput,
  scope: Scope,
  window: Window,
  value: string,
  { second, timed = false }: Besides = {},
): Promise<string> {
  const { from, known } = boundsOf(input, scope, window);
  const both = second !== undefined;
  const [own, shared] = await Promise.all([
    keyOfTotals(runner, input, scope),
    sharedSeries(runner, input, scope, window),
  ]);
  const { key, shape } = byWriter(own, shared);
  const rows = `(SELECT SeriesId, ${TIME} AS T, ${SINCE} AS S${shape}, ${value} AS X${both ? `, ${second} AS Y` : ''},
    ${isDelta(input)} AS Delta ${scope.from})`;
  const points = inOrder(rows, key, both ? ['T', 'S', 'X', 'Y'] : ['T', 'S', 'X'], ', any(Delta) AS Delta');
  const grown = (values: string) =>
    those(`arrayMap((v, p, w) -> if(w, v, v - p), ${values}, ${before(values, '0')}, Whole)`, 'Counted');
  // A sum that nobody sent is none, and what it belongs to is in no average.
  const sums = `,
    ${grown('Ys')} AS Added, ${eachBucket('if(arrayExists(v -> isFinite(v), a), arraySum(v -> if(isFinite(v), v, 0), a), nan)', 'Added', 'Bs')} AS Sums,
    ${eachBucket('arraySum(a)', `arrayMap((v, y) -> if(isFinite(y), v, 0), ${grown('Xs')}, Added)`, 'Bs')} AS Summed`;
  const time = timed
    ? `,\n    ${lasting(input, scope, window)}, ${eachBucket('arraySum(a) / 1e9', those('Lasting', 'Counted'), 'Bs')} AS Times`
    : '';
  // In a series of deltas nothing is taken off.
  return `(SELECT SeriesId, B, Own${both ? ', OwnSum, OwnSummed' : ''}${timed ? ', Seconds' : ''} FROM (
  SELECT SeriesId, Delta,
    arrayMap((t, s, x, pt, ps, px) -> Delta OR pt < 0 OR ${BREAKS}, Ts, Ss, Xs, ${before('Ts', NOBODY)}, ${before('Ss', '0')}, ${before('Xs', '0')}) AS Whole,
    arrayMap((t, s, pt, nt, ns) -> t >= ${from} AND if(Delta, NOT (nt = t AND ns = s), pt >= 0 OR ${known}),
      Ts, Ss, ${before('Ts', NOBODY)}, ${after('Ts', NOBODY)}, ${after('Ss', NOBODY)}) AS Counted,
    arrayMap(t -> ${bucketAt(input.grid, 't')}, ${those('Ts', 'Counted')}) AS Bs,
    arrayCompact(Bs) AS Buckets, ${eachBucket('arraySum(a)', grown('Xs'), 'Bs')} AS Grown${both ? sums : ''}${time}
  FROM ${points}
) ARRAY JOIN Buckets AS B, Grown AS Own${both ? ', Sums AS OwnSum, Summed AS OwnSummed' : ''}${timed ? ', Times AS Seconds' : ''})`;
}

/**
 * The nanoseconds that each point stands for, `Lasting`: what came since the point before (of a delta, since its own start)
 * and the silence around it in its bucket, in which nothing came: before a series began, between deltas, and after
 * the last point, as soon as another one would have been due. A bucket that the window cuts, or whose points come no
 * oftener than once, so has the rate at which its points grew; a series that lived for a moment adds little to a long one.
 */
function lasting({ variant, grid }: PointsInput, { params }: Scope, window: Window): string {
  const from = params.bind(window.from, 'Int64');
  const to = params.bind(window.to, 'Int64');
  const usual = params.bind(BigInt(Math.round((variant.interval ?? 0) * 1e9)), 'Int64');
  const [earlier, later] = [before('Ts', NOBODY), after('Ts', NOBODY)];
  const opens = `greatest(${bucketBegin(grid, 't')}, ${from})`;
  const closes = `least(${bucketBegin(grid, 't', 1)}, ${to})`;
  const next = `if(${bucketAt(grid, 'nt')} = ${bucketAt(grid, 't')}, t, least(${closes}, nb))`;
  return `arrayMap((t, s, pt) -> multiIf(NOT Delta AND pt >= 0, pt, s > 0 AND s < t, s, greatest(pt, t - ${usual})), Ts, Ss, ${earlier}) AS Begins,
    arrayMap((t, b, pt, nt, nb) -> t - b + greatest(0, b - greatest(pt, ${opens})) + greatest(0, if(nt < 0, ${closes} - (t - b), ${next}) - t),
      Ts, Begins, ${earlier}, ${later}, ${after('Begins', '0')}) AS Lasting`;
}

/** What is added up of points: columns as they are, and what is made of others, by its name. */
interface Payload {
  readonly columns: readonly string[];
  readonly made?: Readonly<Record<string, string>>;
}

const namesOf = ({ columns, made = {} }: Payload): string => [...columns, ...Object.keys(made)].join(', ');

const readFrom = ({ columns, made = {} }: Payload): string =>
  [...columns, ...Object.entries(made).map(([name, sql]) => `${sql} AS ${name}`)].join(', ');

/**
 * The points of histograms with what they add to which buckets: `Plus` times (1, 0, or -1) to `Here`, and what is
 * taken off `There` when that is not negative; the sum over a bucket is the increase in it. `payload` is what is added,
 * `X` the count; `ShapeId` tells explicit bounds apart. Within a bucket only the ends of an unbroken run matter: the last
 * point counts, the point before the run is taken off. Of all others the wide columns go no further.
 */
export async function weighedPoints(
  runner: Runner,
  input: PointsInput,
  scope: Scope,
  window: Window,
  payload: Payload,
): Promise<string> {
  const { temporality } = input.variant;
  const cumulative = async () => {
    const of = scope.and(`NOT (${isDelta(input)})`);
    const shared = await sharedSeries(runner, input, of, window);
    return endsOfRuns(input, of, window, payload, byWriter(keyOf(input), shared));
  };
  if (temporality !== 'delta' && temporality !== 'mixed') return cumulative();
  const inside = scope.and(isDelta(input)).during(window);
  const isOnce = aheadIn(input, window)?.sentOnce === true || !(await isSentTwice(runner, inside));
  const added = deltas(input, inside, payload, !isOnce);
  if (temporality === 'delta') return added;
  const both = [await cumulative(), added];
  return `(${both.map((rows) => `SELECT ${weighedColumns(input, payload)} FROM ${rows}`).join(' UNION ALL ')})`;
}

const weighedColumns = (input: PointsInput, payload: Payload): string =>
  `${keyOf(input).key}, X, Here, Plus, There, ${namesOf(payload)}`;

/** @param run what tells runs apart: points have no other key, since their start is in it anyway */
function endsOfRuns(input: PointsInput, scope: Scope, window: Window, payload: Payload, run: Key): string {
  const { from, known } = boundsOf(input, scope, window);
  const { key, shape } = keyOf(input);
  const columnsWith = (more: string) => `SeriesId, ${TIME} AS T, ${SINCE} AS S, toInt64(Count) AS X${more}`;
  const points = inOrder(`(SELECT ${columnsWith(run.shape)} ${scope.from})`, run.key, ['T', 'S', 'X']);
  const bucket = (time: string) => `if(${time} < ${from}, -1, ${bucketAt(input.grid, time)})`;
  const ends = `(
  SELECT cityHash64(${key}, t, s, x) AS Key, Here, if(Here < 0, 0, toInt8(NOT (Goes AND Here = After)) - toInt8(Unknown)) AS Plus,
    if(Goes AND Here != After, After, -1) AS There
  FROM (
    SELECT ${key}, t, s, x, ${bucket('t')} AS Here, ${bucket('nt')} AS After, nt >= 0 AND NOT (${restarted(NEXT, POINT)}) AS Goes,
      n = 1 AND NOT ${known} AS Unknown
    FROM ${points}
    ARRAY JOIN Ts AS t, Ss AS s, Xs AS x, ${after('Ts', NOBODY)} AS nt, ${after('Ss', '0')} AS ns, ${after('Xs', '0')} AS nx,
      arrayEnumerate(Ts) AS n
  )
  WHERE Plus != 0 OR There >= 0
)`;
  // One number for all that tells a point: the shorter the key of a join, the faster it is. A point sent twice is there twice: any one of them.
  return `(
  SELECT ${weighedColumns(input, payload)} FROM (SELECT ${columnsWith(shape)}, cityHash64(${key}, T, S, X) AS Key, ${readFrom(payload)} ${scope.from}) AS points
  GLOBAL ANY INNER JOIN ${ends} AS ends USING Key
)`;
}

/** Whether series have several points of one time, as when a sender repeats itself. */
async function isSentTwice(runner: Runner, scope: Scope): Promise<boolean> {
  const [row] = await runner.run<{ Twice: number }>(
    scope,
    `SELECT max(length(Ts) > arrayUniq(Ts)) AS Twice FROM (SELECT groupArray(${TIME}) AS Ts ${scope.from} GROUP BY SeriesId)`,
  );
  return row?.Twice === 1;
}

/** @param twice whether some were sent twice: a statement that leaves these out reads the wide columns twice */
function deltas(input: PointsInput, inside: Scope, payload: Payload, twice: boolean): string {
  const { key, shape } = keyOf(input);
  const columns = `SeriesId${shape}, ${TIME} AS T, ${SINCE} AS S, toInt64(Count) AS X, ${readFrom(payload)},
    ${bucketAt(input.grid, 'T')} AS Here, toInt64(1) AS Plus, toInt64(-1) AS There`;
  if (!twice) return `(SELECT ${columns} ${inside.from})`;
  const tied = `(SELECT SeriesId, T FROM (
      SELECT SeriesId, arraySort(groupArray(${TIME})) AS Ts ${inside.from} GROUP BY SeriesId
    ) ARRAY JOIN ${those('Ts', `arrayMap((t, p) -> t = p, Ts, ${before('Ts', NOBODY)})`)} AS T)`;
  const rows = (which: string) =>
    `SELECT ${columns} ${inside.and(`(SeriesId, ${TIME}) GLOBAL ${which} ${tied}`).from}`;
  return `(${rows('NOT IN')} UNION ALL (${rows('IN')} ORDER BY X DESC LIMIT 1 BY ${key}, T, S))`;
}
