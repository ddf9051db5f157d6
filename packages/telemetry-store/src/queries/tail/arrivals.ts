import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { idSql, type RowReader } from '../core/row-shape.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';

/** A row that arrived, and what tells it from others. */
export interface Arrival<Row> {
  readonly id: string;
  /** When the platform took it, epoch milliseconds. */
  readonly receivedAtMs: number;
  readonly row: Row;
}

/** A span of arrivals, both ends included, epoch milliseconds. */
export interface Arriving {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface ArrivalsInput extends Arriving {
  readonly filter: Filter | undefined;
  /** Rows to give, the newest. */
  readonly limit: number;
}

const HOUR_NS = 3_600_000_000_000n;
/**
 * How far the time of a live row may lie from its arrival. It is what bounds the read: tables are sorted by event time.
 * Older rows (a replay, a clock that is wrong) are found by searches.
 */
const MAX_LAG_HOURS = 6n;
const MAX_AHEAD_HOURS = 1n;

function arrived<Row>(
  context: RequestContext,
  shape: RowReader<Row>,
  { fromMs, toMs }: Arriving,
  filter: Filter | undefined,
): Scope {
  const { time } = shape.source;
  const from = BigInt(fromMs) * 1_000_000n - MAX_LAG_HOURS * HOUR_NS;
  const scope = Scope.of(context, shape.source).during({
    from: from > 0n ? from : 0n,
    to: BigInt(toMs) * 1_000_000n + MAX_AHEAD_HOURS * HOUR_NS,
  });
  return scope
    .and(between(scope, { fromMs, toMs }))
    .and(
      // Of each row, so that a read of a longer time (a count of several) has no other rows.
      `${time} >= ReceivedAt - INTERVAL ${MAX_LAG_HOURS} HOUR AND ${time} < ReceivedAt + INTERVAL ${MAX_AHEAD_HOURS} HOUR`,
    )
    .matching(filter);
}

const between = ({ params }: Scope, { fromMs, toMs }: Arriving): string =>
  `ReceivedAt BETWEEN fromUnixTimestamp64Milli(${params.bind(fromMs, 'Int64')}) AND fromUnixTimestamp64Milli(${params.bind(toMs, 'Int64')})`;

/** The newest rows that arrived in a time, oldest arrival first; rows of one moment as they were sent, where that is known. */
export async function readArrivals<Row>(
  runner: Runner,
  context: RequestContext,
  shape: RowReader<Row>,
  input: ArrivalsInput,
): Promise<Arrival<Row>[]> {
  const scope = arrived(context, shape, input, input.filter);
  const order = ['ReceivedAt', shape.source.time, ...(shape.sent ?? shape.ids)];
  const rows = await runner.run<
    Readonly<Record<string, unknown>> & { RowNs: string; RowAt: number; RowIds: string[] }
  >(
    scope,
    `SELECT ${shape.columns}, toString(toUnixTimestamp64Nano(${shape.source.time})) AS RowNs,
      toUnixTimestamp64Milli(ReceivedAt) AS RowAt, ${idSql(shape.ids)} AS RowIds
     ${scope.from}
     ORDER BY ${order.map((column) => `${column} DESC`).join(', ')}
     LIMIT ${input.limit}`,
  );
  // Records that are the same in every respect and came together are told apart by how many came before. A span that is
  // sent again, with its end, is another arrival.
  const equals = new Map<string, number>();
  return rows.reverse().map((raw) => {
    const same = `${raw.RowAt} ${raw.RowNs} ${raw.RowIds.join(' ')}`;
    const place = equals.get(same) ?? 0;
    equals.set(same, place + 1);
    return {
      id: place === 0 ? same : `${same} ${place}`,
      receivedAtMs: raw.RowAt,
      row: shape.toRow(raw, place),
    };
  });
}

/** How many rows arrived in each of these times. */
export async function countArrivals<Row>(
  runner: Runner,
  context: RequestContext,
  shape: RowReader<Row>,
  input: { readonly filter: Filter | undefined; readonly during: readonly Arriving[] },
): Promise<number[]> {
  const { during } = input;
  if (during.length === 0) return [];
  const whole = {
    fromMs: Math.min(...during.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...during.map(({ toMs }) => toMs)),
  };
  const scope = arrived(context, shape, whole, input.filter);
  const counts = during.map((each) => `countIf(${between(scope, each)})`);
  const [row] = await runner.run<{ C: number[] }>(scope, `SELECT [${counts.join(', ')}] AS C ${scope.from}`);
  return row?.C ?? [];
}

/**
 * The newest arrival of the tenant in a time, whatever a view shows of it, epoch milliseconds; undefined: nothing arrived. It
 * reads two narrow columns.
 */
export async function newestArrival<Row>(
  runner: Runner,
  context: RequestContext,
  shape: RowReader<Row>,
  during: Arriving,
): Promise<number | undefined> {
  const scope = arrived(context, shape, during, undefined);
  const [row] = await runner.run<{ Newest: number; C: number }>(
    scope,
    `SELECT toUnixTimestamp64Milli(max(ReceivedAt)) AS Newest, count() AS C ${scope.from}`,
  );
  return row === undefined || row.C === 0 ? undefined : row.Newest;
}
