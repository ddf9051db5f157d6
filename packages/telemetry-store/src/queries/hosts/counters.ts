import { HOST_LIMITS } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { POINT_KINDS } from '../../rollups/host-points.ts';
import { IN_BLOCKS } from '../core/in-order.ts';
import { beganSince, restarted } from '../core/restarts.ts';
import type { Runner } from '../core/run.ts';
import type { Scope, Window } from '../core/scope.ts';
import type { Fresh } from './fresh.ts';
import { type HostKey, points } from './sources.ts';

const SECOND = 1_000_000_000n;

/**
 * A table expression of every point of the scope with what its series grew by since the point before (`Grown`) and the
 * seconds in between (`Elapsed`). What a counter shows is all new where it began again, and of its first point where it
 * says that it began at or after `from`, the start of the scope; of another first point nothing is known, and both are 0.
 * Columns of the points stay.
 */
export function growth(scope: Scope, from: bigint, more = ''): string {
  const point = { t: 'Ns', s: 'SinceNs', x: 'Value' };
  const began = beganSince(point, scope.params.bind(from, 'Int64'));
  const earlier = { t: 'Before', s: 'SinceBefore', x: 'Earlier' };
  return `(
    SELECT Environment, Host, Agent, MetricName, Device, Part, Series, TimeUnix,
      multiIf(Kind = ${POINT_KINDS.increase}, Value, Before < 0, if(${began}, Value, 0), ${restarted(point, earlier)}, Value, Value - Earlier) AS Grown,
      (Ns - multiIf(Before >= 0, Before, ${began}, SinceNs, Ns)) / 1e9 AS Elapsed
    FROM (
      SELECT Environment, Host, Agent, MetricName, Device, Part, Series, TimeUnix, Kind, Value, SinceNs,
        toUnixTimestamp64Nano(TimeUnix) AS Ns, lagInFrame(Value) OVER own AS Earlier,
        lagInFrame(SinceNs) OVER own AS SinceBefore, lagInFrame(Ns, 1, toInt64(-1)) OVER own AS Before
      ${scope.from}${more} AND Kind > ${POINT_KINDS.level}
      WINDOW own AS (PARTITION BY Series ORDER BY TimeUnix ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
  )`;
}

/** As long as charts of metrics look back at least, so that both know the same points. */
const LEAST_RUN_UP = 300;

/** The window with enough before it to hold the last point of every series whose values are current for so long. */
export function withRunUp({ from, to }: Window, freshSeconds: number): Window {
  const runUp = BigInt(Math.max(LEAST_RUN_UP, freshSeconds)) * SECOND;
  return { from: from > runUp ? from - runUp : 0n, to };
}

/**
 * What a machine sends to itself is no traffic of its own: agents that measure the loopback interface too show it among
 * the interfaces, not in the sum of all.
 */
export const NO_LOOPBACK = `NOT (MetricName IN ('system.network.io', 'hw.network.io') AND Device IN ('lo', 'lo0'))`;

interface Counted {
  readonly Environment: string;
  readonly Host: string;
  readonly MetricName: string;
  readonly Device: string;
  readonly Part: string;
  readonly Whole: number;
  readonly Most: number;
}

export interface Rate {
  readonly Environment: string;
  readonly Host: string;
  readonly MetricName: string;
  readonly Device: string;
  readonly Part: string;
  /** Of all devices of the host together. */
  readonly Whole: boolean;
  readonly PerSecond: number;
}

/**
 * A row for each series of the scope's counters with its points in their order (`Points`: time in nanoseconds, negated
 * value and start time), whether each of them is an increase (`Increases`) and whether the first says that it began at or
 * after `from` (`Began`). Of points of one time, not yet put together, the largest is the one.
 */
function seriesOf(scope: Scope, from: bigint, more: string): string {
  const first = { t: 'Points[1].1', s: 'Points[1].3', x: '-Points[1].2' };
  return `(
    SELECT any(Environment) AS E, any(Host) AS H, any(Agent) AS A, any(MetricName) AS M, any(Device) AS D, any(Part) AS P,
      any(NOT (${NO_LOOPBACK})) AS Looped, any(Kind) = ${POINT_KINDS.increase} AS Increases,
      arrayCompact(p -> p.1, arraySort(groupArray((toUnixTimestamp64Nano(TimeUnix), -Value, toInt64(SinceNs))))) AS Points,
      ${beganSince(first, scope.params.bind(from, 'Int64'))} AS Began
    ${scope.from}${more} AND Kind > ${POINT_KINDS.level} GROUP BY Series ${IN_BLOCKS}
  )`;
}

/** What a series grew by with point `p` after point `b`. Where a counter began again what it shows is all new. */
const STEP = `if(Increases OR ${restarted({ t: 'p.1', s: 'p.3', x: '-p.2' }, { t: 'b.1', s: 'b.3', x: '-b.2' })}, -p.2, b.2 - p.2)`;

/** Series of a host, of each agent added up: two agents that tell the same count once. */
const ofAgents = (device: string, figure: string, series: string): string => `
     SELECT E AS Environment, H AS Host, M AS MetricName, O.1 AS Device, O.2 AS Whole, P AS Part, max(Total) AS Most
     FROM (
       SELECT E, H, A, M, ${device} AS O, P, sum(${figure}) AS Total FROM ${series} GROUP BY E, H, A, M, O, P
     ) GROUP BY E, H, M, O, P`;

/** Of which device a figure is told, and whether that is all of the host's. */
const DEVICES = {
  each: `(toString(D), 0)`,
  all: `('', 1)`,
  both: `arrayJoin(if(Looped, [(toString(D), 0)], [(toString(D), 0), ('', 1)]))`,
} as const;

/** Current rates of counters, by device or of all devices of a host together. Two agents count once. */
export async function readRates(
  run: Runner,
  context: RequestContext,
  metrics: readonly string[],
  fresh: Fresh,
  options: { readonly of: keyof typeof DEVICES; readonly host?: HostKey },
): Promise<Rate[]> {
  const scope = fresh.points(context, metrics, options.host);
  const all = options.of === 'all' ? ` AND ${NO_LOOPBACK}` : '';
  // Of all hosts: no longer than the points of each of them were looked for.
  const from =
    options.host === undefined
      ? fresh.to - BigInt(HOST_LIMITS.freshSeconds) * SECOND
      : fresh.fromOf(options.host);
  const perSecond = `(if(Began, -Points[1].2, 0) + arraySum((p, b) -> ${STEP}, arrayPopFront(Points), arrayPopBack(Points)))
         / ((Points[-1].1 - if(Began, Points[1].3, Points[1].1)) / 1e9)`;
  const series = `${seriesOf(scope, from, all)} WHERE length(Points) > 1 OR Began`;
  const rows = await run.run<Counted>(
    scope,
    `${ofAgents(DEVICES[options.of], perSecond, series)} ORDER BY Device, Part LIMIT 50000`,
  );
  return rows.map(({ Most, Whole, ...row }) => ({ ...row, Whole: Whole > 0, PerSecond: Most }));
}

export interface Increase {
  readonly Environment: string;
  readonly Host: string;
  readonly MetricName: string;
  readonly Device: string;
  readonly Part: string;
  readonly Increase: number;
}

/**
 * The direction of errors of packets, by the part they are told as: of `system.network.errors` that is the direction itself,
 * of `hw.errors` the type before it. What else hardware counts (of GPUs, packets that were dropped) has no direction here.
 */
export const PACKET_ERRORS: ReadonlyMap<string, string> = new Map([
  ['receive', 'receive'],
  ['transmit', 'transmit'],
  ['receive/receive', 'receive'],
  ['transmit/transmit', 'transmit'],
]);

/** Counters of one host are few enough to take their points of so long a window at once. */
const AT_ONCE = 24n * 3_600_000_000_000n;

/** What counters grew by within the window, those that did. Most error counters stand still: of many they are sorted out first. */
export async function readIncreases(
  run: Runner,
  context: RequestContext,
  metrics: readonly string[],
  window: Window,
  fresh: Fresh,
  host?: HostKey,
): Promise<Increase[]> {
  // The point before the window is what its first point grew from.
  const wide = withRunUp(window, host === undefined ? fresh.mostSeconds : fresh.secondsOf(host));
  const scope = points(context, metrics, wide, host);
  const isSmall = host !== undefined && window.to - window.from <= AT_ONCE;
  const moved = `SELECT Series ${scope.from} AND Kind > ${POINT_KINDS.level} GROUP BY Series
     HAVING max(Value) > min(Value)
       OR (max(Kind) = ${POINT_KINDS.increase} OR max(SinceNs) >= ${scope.params.bind(wide.from, 'Int64')}) AND max(Value) > 0`;
  const from = scope.params.bind(window.from, 'Int64');
  // What a counter showed before its first point only a start within these points tells.
  const grown = `if(Points[1].1 >= ${from} AND (Increases OR Began), -Points[1].2, 0)
       + arraySum((p, b) -> if(p.1 < ${from}, 0, ${STEP}), arrayPopFront(Points), arrayPopBack(Points))`;
  const series = seriesOf(scope, wide.from, isSmall ? '' : ` AND Series GLOBAL IN (${moved})`);
  const rows = await run.run<Counted>(
    scope,
    `${ofAgents(DEVICES.each, grown, series)} HAVING Most > 0 ORDER BY Device, Part LIMIT 50000`,
  );
  return rows.map(({ Most, Whole: _whole, ...row }) => ({ ...row, Increase: Most }));
}
