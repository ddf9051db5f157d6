import type { Filter, SpanRow, SpanSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { type Cursor, decodeCursor, encodeCursor, nanos } from '../core/cursor.ts';
import { fail } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { slices } from '../core/slices.ts';
import { type RawSpan, SPAN_COLUMNS, toSpanRow } from './span-row.ts';
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

/** What a sort orders by, as a value that a cursor can carry and compare exactly. */
const SORT_SQL = {
  start: 'toUnixTimestamp64Nano(Timestamp)',
  duration: 'toInt64(least(Duration, 9223372036854775807))',
  // Ten decimals of a dollar: a whole number compares exactly, a double read back from text need not.
  cost: 'ifNull(toInt64(CostUsd * 1e10), -1)',
  tokens: `toInt64(${INPUT_TOKENS_SQL} + ${OUTPUT_TOKENS_SQL})`,
} as const;

/** One page of matching spans: ids first, then the rows of that page. */
export async function searchSpans(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<SpanSort>,
): Promise<Page<SpanRow>> {
  const list = `spans ${input.sort}`;
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 3);
  const window = cursor ?? input.window;
  const keys = await pageKeys(runner, context, { ...input, window }, cursor);
  const page = keys.slice(0, input.limit);
  const last = page.at(-1);
  const more = keys.length > input.limit && last !== undefined;
  return {
    data: await rows(runner, context, page),
    nextCursor: more
      ? encodeCursor({ list, from: window.from, to: window.to, after: [last.K, last.TraceId, last.SpanId] })
      : null,
  };
}

async function pageKeys(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<SpanSort>,
  cursor: Cursor | undefined,
): Promise<SpanKey[]> {
  const descending = input.sort.startsWith('-');
  const by = input.sort.replace('-', '') as keyof typeof SORT_SQL;
  const direction = descending ? 'DESC' : 'ASC';
  const keys: SpanKey[] = [];
  // Sorted by time, a page comes from the near end of the window; otherwise all of it has to be looked at.
  const parts =
    by === 'start' ? slices(shrink(input.window, cursor, descending), descending) : [input.window];
  for (const part of parts) {
    let scope = Scope.of(context, SPANS).during(part).matching(input.filter);
    if (cursor !== undefined) scope = scope.and(after(scope, SORT_SQL[by], descending, cursor));
    const found = await runner.run<SpanKey>(
      scope,
      `SELECT toString(${SORT_SQL[by]}) AS K, toString(toUnixTimestamp64Nano(Timestamp)) AS Ns, TraceId, SpanId
       ${scope.from}
       ORDER BY ${SORT_SQL[by]} ${direction}, TraceId ${direction}, SpanId ${direction}
       LIMIT ${input.limit + 1 - keys.length}`,
    );
    keys.push(...found);
    if (keys.length > input.limit) break;
  }
  return keys;
}

/** The part of a window that can still hold rows after the cursor of a list sorted by time. */
export function shrink(window: Window, cursor: Cursor | undefined, descending: boolean): Window {
  if (cursor === undefined) return window;
  const last = nanos(cursor.after[0], () => fail('bad_query', { detail: 'The cursor is damaged.' }));
  return descending
    ? { from: window.from, to: last + 1n < window.to ? last + 1n : window.to }
    : { from: last > window.from ? last : window.from, to: window.to };
}

function after(scope: Scope, sql: string, descending: boolean, cursor: Cursor): string {
  const [key = '', traceId = '', spanId = ''] = cursor.after;
  if (!/^-?\d{1,19}$/.test(key)) throw fail('bad_query', { detail: 'The cursor is damaged.' });
  const { params } = scope;
  const bound = `${params.bind(key, 'Int64')}, ${params.bind(traceId, 'String')}, ${params.bind(spanId, 'String')}`;
  return `(${sql}, TraceId, SpanId) ${descending ? '<' : '>'} (${bound})`;
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
