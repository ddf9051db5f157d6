import type { Filter, SpanRow, SpanSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { type Cursor, decodeCursor, encodeCursor, listName, nanos } from '../core/cursor.ts';
import { fail } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { slices } from '../core/slices.ts';
import { type RawSpan, SPAN_COLUMNS, toSpanRow } from './span-row.ts';
import { COST_UNITS_SQL } from '../../rollups/rollup.ts';
import { INPUT_TOKENS_SQL, OUTPUT_TOKENS_SQL } from '../core/gen-ai.ts';
import { SPANS } from './span-fields.ts';

export interface SearchInput<Sort extends string> {
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface Page<T> {
  readonly data: T[];
  readonly nextCursor: string | null;
}

interface SpanKey {
  readonly K: string;
  readonly Ns: string;
  readonly TraceId: string;
  readonly SpanId: string;
}

/** What a sort orders by, as a whole number that a cursor can carry and compare exactly. */
const SORT_SQL = {
  start: { sql: 'toUnixTimestamp64Nano(Timestamp)', type: 'Int64' },
  duration: { sql: 'Duration', type: 'UInt64' },
  cost: { sql: `if(isNull(CostUsd), -1, ${COST_UNITS_SQL})`, type: 'Int64' },
  tokens: { sql: `(${INPUT_TOKENS_SQL} + ${OUTPUT_TOKENS_SQL})`, type: 'UInt64' },
} as const;

/** One page of matching spans: ids first, then the rows of that page. */
export async function searchSpans(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<SpanSort>,
): Promise<Page<SpanRow>> {
  const list = listName('spans', context, input.sort, input.filter);
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 4);
  const window = cursor ?? input.window;
  const bounded = { ...input, window };
  const byStart = input.sort === 'start' || input.sort === '-start';
  const keys = byStart
    ? await byTime(runner, context, bounded, cursor)
    : await byFigure(runner, context, bounded, cursor);
  const page = keys.slice(0, input.limit);
  const last = page.at(-1);
  const more = keys.length > input.limit && last !== undefined;
  return {
    data: await rows(runner, context, page),
    nextCursor: more
      ? encodeCursor({
          list,
          from: window.from,
          to: window.to,
          after: [last.K, last.Ns, last.TraceId, last.SpanId],
        })
      : null,
  };
}

interface Order {
  /** The sort value. */
  readonly sql: string;
  readonly type: 'Int64' | 'UInt64';
  readonly descending: boolean;
}

function orderOf(sort: SpanSort): Order {
  const by = sort.replace('-', '') as keyof typeof SORT_SQL;
  return { ...SORT_SQL[by], descending: sort.startsWith('-') };
}

/** Of equal values the time decides, so that most rows never need their ids looked at. */
function select(scope: Scope, { sql, descending }: Order, limit: number): string {
  const direction = descending ? 'DESC' : 'ASC';
  const first = sql === SORT_SQL.start.sql ? [] : [sql];
  const columns = [...first, 'Timestamp', 'TraceId', 'SpanId'].map((column) => `${column} ${direction}`);
  return `SELECT toString(${sql}) AS K, toString(toUnixTimestamp64Nano(Timestamp)) AS Ns, TraceId, SpanId
    ${scope.from} ORDER BY ${columns.join(', ')} LIMIT ${limit}`;
}

/** Sorted by time, a page comes from the near end of the window. */
async function byTime(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<SpanSort>,
  cursor: Cursor | undefined,
): Promise<SpanKey[]> {
  const order = orderOf(input.sort);
  const keys: SpanKey[] = [];
  for (const slice of slices(shrink(input.window, cursor, order.descending), order.descending)) {
    const scope = matching(context, { ...input, window: slice }, order, cursor);
    keys.push(...(await runner.run<SpanKey>(scope, select(scope, order, input.limit + 1 - keys.length))));
    if (keys.length > input.limit) break;
  }
  return keys;
}

/**
 * Sorted by a figure, every matching row has to be looked at, but only at its figure and time: the last place of the
 * page first, then the ids of those before it.
 */
async function byFigure(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<SpanSort>,
  cursor: Cursor | undefined,
): Promise<SpanKey[]> {
  const order = orderOf(input.sort);
  const direction = order.descending ? 'DESC' : 'ASC';
  const all = matching(context, input, order, cursor);
  const [end] = await runner.run<Pick<SpanKey, 'K' | 'Ns'>>(
    all,
    `SELECT toString(${order.sql}) AS K, toString(toUnixTimestamp64Nano(Timestamp)) AS Ns ${all.from}
     ORDER BY ${order.sql} ${direction}, Timestamp ${direction} LIMIT 1 OFFSET ${input.limit}`,
  );
  let page = matching(context, input, order, cursor);
  if (end !== undefined) {
    const { params } = page;
    const key = params.bind(end.K, order.type);
    const beyond = order.descending ? '>' : '<';
    page = page.and(
      `${order.sql} ${beyond} ${key} OR (${order.sql} = ${key} AND Timestamp ${beyond}= ${params.time(BigInt(end.Ns))})`,
    );
  }
  return runner.run<SpanKey>(page, select(page, order, input.limit + 1));
}

function matching(
  context: RequestContext,
  input: SearchInput<SpanSort>,
  order: Order,
  cursor: Cursor | undefined,
): Scope {
  const scope = Scope.of(context, SPANS).during(input.window).matching(input.filter);
  return cursor === undefined ? scope : scope.and(after(scope, order, cursor));
}

/** The part of a window that can still hold rows after the cursor of a list sorted by time. */
export function shrink(window: Window, cursor: Cursor | undefined, descending: boolean): Window {
  if (cursor === undefined) return window;
  const last = nanos(cursor.after[0], () => fail('bad_query', { detail: 'The cursor is damaged.' }));
  return descending
    ? { from: window.from, to: last + 1n < window.to ? last + 1n : window.to }
    : { from: last > window.from ? last : window.from, to: window.to };
}

function after(scope: Scope, { sql, type, descending }: Order, cursor: Cursor): string {
  const [key = '', ns, traceId = '', spanId = ''] = cursor.after;
  const damaged = () => fail('bad_query', { detail: 'The cursor is damaged.' });
  if (!(type === 'UInt64' ? /^\d{1,20}$/ : /^-?\d{1,19}$/).test(key)) throw damaged();
  const { params } = scope;
  const bound = [
    params.bind(key, type),
    params.time(nanos(ns, damaged)),
    params.bind(traceId, 'String'),
    params.bind(spanId, 'String'),
  ];
  return `(${sql}, Timestamp, TraceId, SpanId) ${descending ? '<' : '>'} (${bound.join(', ')})`;
}

async function rows(runner: Runner, context: RequestContext, keys: readonly SpanKey[]): Promise<SpanRow[]> {
  if (keys.length === 0) return [];
  const times = keys.map((key) => BigInt(key.Ns));
  const scope = Scope.of(context, SPANS).during({
    from: times.reduce((a, b) => (a < b ? a : b)),
    to: times.reduce((a, b) => (a > b ? a : b)) + 1n,
  });
  const traceIds = scope.params.bind([...new Set(keys.map((key) => key.TraceId))], 'Array(String)');
  const spanIds = scope.params.bind([...new Set(keys.map((key) => key.SpanId))], 'Array(String)');
  const limited = scope.and(`TraceId IN ${traceIds} AND SpanId IN ${spanIds}`);
  const found = await runner.run<RawSpan>(limited, `SELECT ${SPAN_COLUMNS} ${limited.from}`);
  const byKey = new Map(found.map((raw) => [`${raw.TraceId} ${raw.SpanId} ${raw.StartNs}`, raw]));
  return keys.flatMap((key) => {
    const raw = byKey.get(`${key.TraceId} ${key.SpanId} ${key.Ns}`);
    return raw === undefined ? [] : [toSpanRow(raw)];
  });
}
