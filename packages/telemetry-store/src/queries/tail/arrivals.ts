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

export interface ArrivalsInput {
  readonly filter: Filter | undefined;
  /** Arrived at this time or later, epoch milliseconds. */
  readonly fromMs: number;
  /** Rows to give, the newest. */
  readonly limit: number;
}

const HOUR_NS = 3_600_000_000_000n;
/**
 * How far the time of a live row may lie from its arrival. It is what bounds the read: tables are sorted by event time.
 * Older rows (a replay, a clock that is wrong) are found by searches.
 */
const MAX_LAG_NS = 6n * HOUR_NS;
const MAX_AHEAD_NS = HOUR_NS;

function arrived<Row>(
  context: RequestContext,
  shape: RowReader<Row>,
  input: Pick<ArrivalsInput, 'filter' | 'fromMs'>,
): Scope {
  const from = BigInt(input.fromMs) * 1_000_000n;
  const scope = Scope.of(context, shape.source).during({
    from: from > MAX_LAG_NS ? from - MAX_LAG_NS : 0n,
    to: BigInt(Date.now()) * 1_000_000n + MAX_AHEAD_NS,
  });
  return scope
    .and(`ReceivedAt >= fromUnixTimestamp64Milli(${scope.params.bind(input.fromMs, 'Int64')})`)
    .matching(input.filter);
}

/** The newest rows that arrived since a moment, oldest arrival first; rows of one moment as they were sent, where that is known. */
export async function readArrivals<Row>(
  runner: Runner,
  context: RequestContext,
  shape: RowReader<Row>,
  input: ArrivalsInput,
): Promise<Arrival<Row>[]> {
  const scope = arrived(context, shape, input);
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
  // Records that are the same in every respect are told apart by how many came before.
  const equals = new Map<string, number>();
  return rows.reverse().map((raw) => {
    const same = `${raw.RowNs} ${raw.RowIds.join(' ')}`;
    const place = equals.get(same) ?? 0;
    equals.set(same, place + 1);
    return {
      id: place === 0 ? same : `${same} ${place}`,
      receivedAtMs: raw.RowAt,
      row: shape.toRow(raw, place),
    };
  });
}

/** How many rows arrived from one moment to another, both included. */
export async function countArrivals<Row>(
  runner: Runner,
  context: RequestContext,
  shape: RowReader<Row>,
  input: Pick<ArrivalsInput, 'filter' | 'fromMs'> & { readonly toMs: number },
): Promise<number> {
  const scope = arrived(context, shape, input);
  const until = scope.and(
    `ReceivedAt <= fromUnixTimestamp64Milli(${scope.params.bind(input.toMs, 'Int64')})`,
  );
  const [row] = await runner.run<{ C: number }>(until, `SELECT count() AS C ${until.from}`);
  return row?.C ?? 0;
}
