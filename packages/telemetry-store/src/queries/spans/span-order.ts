import type { SpanSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { type Cursor, damagedCursor, nanos } from '../core/cursor.ts';
import type { SearchInput } from '../core/page.ts';
import type { Params } from '../core/params.ts';
import { Scope } from '../core/scope.ts';
import { SPANS } from './span-fields.ts';
import type { SpanKey } from './span-place.ts';

/**
 * What a sort orders by, as a whole number that a cursor can carry and compare exactly. A cost is never negative, and
 * of such numbers the bits are in the order of the numbers; spans without one come before all.
 */
const SORT_SQL = {
  start: { sql: 'toUnixTimestamp64Nano(Timestamp)', type: 'Int64' },
  duration: { sql: 'Duration', type: 'UInt64' },
  cost: { sql: 'reinterpretAsInt64(ifNull(CostUsd, -1))', type: 'Int64' },
  tokens: { sql: 'TotalTokens', type: 'UInt64' },
} as const;

/**
 * What is in the same order, but as columns are stored: of the first of them the engine passes by granules and rows that
 * the page cannot hold, before it reads the others. Of a cost that is its first bits, which are never NULL. Nothing comes
 * last downwards; upwards most spans have none, and there is nothing to pass by.
 */
const STORED_ORDER: Partial<Record<SpanSort, readonly string[]>> = { '-cost': ['CostStep', 'CostUsd'] };

/** The order of a list of spans. */
export interface Order {
  /** The sort value. */
  readonly sql: string;
  /** The columns by which the engine sorts them. */
  readonly by: readonly string[];
  readonly type: 'Int64' | 'UInt64';
  readonly descending: boolean;
}

export function orderOf(sort: SpanSort): Order {
  const value = SORT_SQL[sort.replace('-', '') as keyof typeof SORT_SQL];
  return { ...value, by: STORED_ORDER[sort] ?? [value.sql], descending: sort.startsWith('-') };
}

/** Of equal values the time decides, so that most rows never need their ids looked at. */
export function inOrder(order: Order): string {
  const first = order.sql === SORT_SQL.start.sql ? [] : [order.sql];
  return sortedBy([...first, 'Timestamp', 'TraceId', 'SpanId'], order);
}

export const sortedBy = (columns: readonly string[], { descending }: Order): string =>
  columns.map((column) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ');

const compared = <T extends string | bigint>(a: T, b: T): number => (a < b ? -1 : Number(a > b));

/** The order of {@link inOrder}. */
export const byPlaceAndIds =
  ({ descending }: Order) =>
  (a: SpanKey, b: SpanKey): number =>
    (descending ? -1 : 1) *
    (compared(BigInt(a.K), BigInt(b.K)) ||
      compared(BigInt(a.Ns), BigInt(b.Ns)) ||
      compared(a.TraceId, b.TraceId) ||
      compared(a.SpanId, b.SpanId));

/** Not later than where a page ends; without ids. */
export function upTo(scope: Scope, { sql, type, descending }: Order, end: Pick<SpanKey, 'K' | 'Ns'>): string {
  const { params } = scope;
  return `(${sql}, Timestamp) ${descending ? '>=' : '<='} (${params.bind(end.K, type)}, ${params.time(BigInt(end.Ns))})`;
}

/** Later in the list than the cursor's row. */
function after(scope: Scope, order: Order, cursor: Cursor): string {
  const [, , traceId = '', spanId = ''] = cursor.after;
  const { params } = scope;
  const ids = `${params.bind(traceId, 'String')}, ${params.bind(spanId, 'String')}`;
  const place = placeOf(params, order, cursor);
  return `(${order.sql}, Timestamp, TraceId, SpanId) ${order.descending ? '<' : '>'} (${place}, ${ids})`;
}

/** The same without rows of the cursor's own figure and time, so that no ids have to be read. */
export function strictlyAfter(scope: Scope, order: Order, cursor: Cursor): string {
  const place = placeOf(scope.params, order, cursor);
  return `(${order.sql}, Timestamp) ${order.descending ? '<' : '>'} (${place})`;
}

function placeOf(params: Params, { type }: Order, { after: [key = '', ns] }: Cursor): string {
  if (!(type === 'UInt64' ? /^\d{1,20}$/ : /^-?\d{1,19}$/).test(key)) throw damagedCursor();
  return `${params.bind(key, type)}, ${params.time(nanos(ns, damagedCursor))}`;
}

/** What matches, from the cursor on. */
export function matching(
  context: RequestContext,
  input: SearchInput<SpanSort>,
  order: Order,
  cursor: Cursor | undefined,
): Scope {
  const scope = Scope.of(context, SPANS).during(input.window).matching(input.filter);
  return cursor === undefined ? scope : scope.and(after(scope, order, cursor));
}
