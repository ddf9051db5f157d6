import type { RequestContext } from '@candela/kernel';
import { POINT_KINDS } from '../../rollups/host-points.ts';
import { IN_BLOCKS } from '../core/in-order.ts';
import type { Runner } from '../core/run.ts';
import type { Scope, Window } from '../core/scope.ts';
import type { Fresh } from './fresh.ts';
import { type HostKey, points } from './sources.ts';

/**
 * A table expression of every point of the scope with what its series grew by since the point before (`Grown`) and the
 * seconds in between (`Elapsed`, 0 for the first point of a series). A counter that is lower than before began again:
 * what it shows is all new. Columns of the points stay.
 */
export function growth(scope: Scope, more = ''): string {
  return `(
    SELECT Environment, Host, Agent, MetricName, Device, Part, Series, TimeUnix,
      multiIf(Kind = ${POINT_KINDS.increase}, Value, Earlier IS NULL, 0, Value >= Earlier, Value - assumeNotNull(Earlier), Value) AS Grown,
      if(Before IS NULL, 0, (toUnixTimestamp64Nano(TimeUnix) - assumeNotNull(Before)) / 1e9) AS Elapsed
    FROM (
      SELECT Environment, Host, Agent, MetricName, Device, Part, Series, TimeUnix, Kind, Value,
        lagInFrame(toNullable(Value)) OVER own AS Earlier,
        lagInFrame(toNullable(toUnixTimestamp64Nano(TimeUnix))) OVER own AS Before
      ${scope.from}${more} AND Kind > ${POINT_KINDS.level}
      WINDOW own AS (PARTITION BY Series ORDER BY TimeUnix ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
  )`;
}

/** The window with enough before it to hold the last point of every series whose values are current for so long. */
export function withRunUp({ from, to }: Window, freshSeconds: number): Window {
  const runUp = BigInt(freshSeconds) * 1_000_000_000n;
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
 * A row for each series of the scope's counters with its points in their order (`Points`: time in nanoseconds and
 * negated value) and whether each of them is an increase (`Increases`). Of points of one time, not yet put together,
 * the largest is the one.
 */
function seriesOf(scope: Scope, more: string): string {
  return `(
    SELECT any(Environment) AS E, any(Host) AS H, any(Agent) AS A, any(MetricName) AS M, any(Device) AS D, any(Part) AS P,
      any(NOT (${NO_LOOPBACK})) AS Looped, any(Kind) = ${POINT_KINDS.increase} AS Increases,
      arrayCompact(p -> p.1, arraySort(groupArray((toUnixTimestamp64Nano(TimeUnix), -Value)))) AS Points
    ${scope.from}${more} AND Kind > ${POINT_KINDS.level} GROUP BY Series ${IN_BLOCKS}
  )`;
}

/**
 * What a series grew by with point `p` after point `b`. A counter that is lower than before began again: what it shows
 * is all new.
 */
const STEP = 'if(Increases OR p.2 > b.2, -p.2, b.2 - p.2)';

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
  const perSecond = `arraySum((p, b) -> ${STEP}, arrayPopFront(Points), arrayPopBack(Points)) / ((Points[-1].1 - Points[1].1) / 1e9)`;
  const series = `${seriesOf(scope, all)} WHERE length(Points) > 1`;
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
  const scope = points(
    context,
    metrics,
    withRunUp(window, host === undefined ? fresh.mostSeconds : fresh.secondsOf(host)),
    host,
  );
  const isSmall = host !== undefined && window.to - window.from <= AT_ONCE;
  const moved = `SELECT Series ${scope.from} AND Kind > ${POINT_KINDS.level} GROUP BY Series
     HAVING max(Value) > min(Value) OR max(Kind) = ${POINT_KINDS.increase} AND max(Value) > 0`;
  const from = scope.params.bind(window.from, 'Int64');
  // Before the first point nobody knows what a counter showed.
  const grown = `arraySum((p, b) -> if(p.1 < ${from}, 0, ${STEP}), Points,
       arrayPushFront(arrayPopBack(Points), if(Increases, (toInt64(0), 0.), Points[1])))`;
  const series = seriesOf(scope, isSmall ? '' : ` AND Series GLOBAL IN (${moved})`);
  const rows = await run.run<Counted>(
    scope,
    `${ofAgents(DEVICES.each, grown, series)} HAVING Most > 0 ORDER BY Device, Part LIMIT 50000`,
  );
  return rows.map(({ Most, Whole: _whole, ...row }) => ({ ...row, Increase: Most }));
}
