import type { RequestContext } from '@candela/kernel';
import { POINT_KINDS } from '../../rollups/host-points.ts';
import { after, before, inOrder } from '../core/in-order.ts';
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

export interface Rate {
  readonly Environment: string;
  readonly Host: string;
  readonly MetricName: string;
  readonly Device: string;
  readonly Part: string;
  readonly PerSecond: number;
}

/** Current rates of counters, by device or of all devices of a host together. Two agents count once. */
export function readRates(
  run: Runner,
  context: RequestContext,
  metrics: readonly string[],
  fresh: Fresh,
  options: { readonly byDevice: boolean; readonly host?: HostKey; readonly device?: string },
): Promise<Rate[]> {
  const scope = fresh.points(context, metrics, options.host);
  const own =
    options.device === undefined ? '' : ` AND Device = ${scope.params.bind(options.device, 'String')}`;
  const of = options.byDevice ? 'toString(Device)' : `''`;
  const all = options.byDevice ? '' : ` AND ${NO_LOOPBACK}`;
  return run.run<Rate>(
    scope,
    `SELECT Environment, Host, MetricName, Of AS Device, Part, max(Rated) AS PerSecond FROM (
       SELECT Environment, Host, Agent, MetricName, ${of} AS Of, Part, sum(Each) AS Rated FROM (
         SELECT Environment, Host, Agent, MetricName, Device, Part, Series,
           sumIf(Grown, Elapsed > 0) / sum(Elapsed) AS Each
         FROM ${growth(scope, own + all)} GROUP BY Environment, Host, Agent, MetricName, Device, Part, Series
         HAVING sum(Elapsed) > 0
       ) GROUP BY Environment, Host, Agent, MetricName, Of, Part
     ) GROUP BY Environment, Host, MetricName, Of, Part ORDER BY Of, Part LIMIT 50000`,
  );
}

export interface Increase {
  readonly Environment: string;
  readonly Host: string;
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

const OWN = 'Environment, Host, Agent, MetricName, Device, Part';

/**
 * A row for each series of the scope's counters: what it grew by from each point to the next (`Steps`) and the times of
 * the points (`Ts`, nanoseconds), whose first has no step before it that anybody knows (0; all of it where points are
 * increases). A counter that is lower than before began again: what it shows is all new.
 */
function steps(scope: Scope, more: string): string {
  const own = OWN.split(', ')
    .map((name) => `, any(${name}) AS ${name}`)
    .join('');
  const rows = `(SELECT ${OWN}, Series, Kind, toUnixTimestamp64Nano(TimeUnix) AS T, Value AS V
      ${scope.from}${more} AND Kind > ${POINT_KINDS.level})`;
  // Of points of one time that were not yet put together the largest is the later one.
  const points = inOrder(
    rows,
    'Series',
    ['T', 'V'],
    `${own}, any(Kind) = ${POINT_KINDS.increase} AS Increases`,
  );
  return `(
    SELECT ${OWN}, Series, Ts, arrayMap((t, v, n, pt, pv) -> multiIf(Increases, if(n = t, 0, v), pt < 0, 0, v >= pv, v - pv, v),
      Ts, Vs, ${after('Ts', '-1')}, ${before('Ts', '-1')}, ${before('Vs', '0')}) AS Steps
    FROM ${points}
  )`;
}

/** What counters grew by within the window, those that did. Most error counters stand still: they are sorted out first. */
export function readIncreases(
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
  const moved = `SELECT Series ${scope.from} AND Kind > ${POINT_KINDS.level} GROUP BY Series
     HAVING max(Value) > min(Value) OR max(Kind) = ${POINT_KINDS.increase} AND max(Value) > 0`;
  return run.run<Increase>(
    scope,
    `SELECT Environment, Host, Device, Part, max(Total) AS Increase FROM (
       SELECT Environment, Host, Agent, Device, Part,
         sum(arraySum((v, t) -> if(t >= ${scope.params.bind(window.from, 'Int64')}, v, 0), Steps, Ts)) AS Total
       FROM ${steps(scope, ` AND Series GLOBAL IN (${moved})`)} GROUP BY Environment, Host, Agent, Device, Part
     ) GROUP BY Environment, Host, Device, Part HAVING Increase > 0 ORDER BY Device, Part LIMIT 50000`,
  );
}
