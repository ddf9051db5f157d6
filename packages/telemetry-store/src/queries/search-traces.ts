import type { TraceRow, TraceSort } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { type Cursor, decodeCursor, encodeCursor } from './cursor.ts';
import type { Runner } from './run.ts';
import { SpanScope, type Window } from './scope.ts';
import { type Page, type SearchInput, shrink } from './search-spans.ts';
import { slices } from './slices.ts';
import { INPUT_TOKENS_SQL, OUTPUT_TOKENS_SQL } from './span-fields.ts';
import { traceRows } from './trace-rows.ts';

interface TraceKey {
  readonly TraceId: string;
  /** Sort value as text. */
  readonly K: string;
}

/**
 * One page of traces of which at least one span matches. Sorted by start, the key of a trace is its first matching
 * span in the window (without a filter that is its start), which a page can find without looking at the whole window.
 */
export async function searchTraces(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<TraceSort>,
): Promise<Page<TraceRow>> {
  const list = `traces ${input.sort}`;
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 2);
  const window = cursor ?? input.window;
  const bounded = { ...input, window };
  const byStart = input.sort === 'start' || input.sort === '-start';
  const keys = byStart
    ? await keysByStart(runner, context, bounded, cursor)
    : await keysByAggregate(runner, context, bounded, cursor);
  const page = keys.slice(0, input.limit);
  const last = page.at(-1);
  const more = keys.length > input.limit && last !== undefined;
  return {
    data: await traceRows(
      runner,
      context,
      page.map((key) => key.TraceId),
      around(window),
    ),
    nextCursor: more
      ? encodeCursor({ list, from: window.from, to: window.to, after: [last.K, last.TraceId] })
      : null,
  };
}

const DAY = 86_400_000_000_000n;

/** Where the other spans of a trace that was seen in a window are looked for. */
function around(window: Window): Window {
  return { from: window.from > DAY ? window.from - DAY : 0n, to: window.to + DAY };
}

async function keysByStart(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<TraceSort>,
  cursor: Cursor | undefined,
): Promise<TraceKey[]> {
  const descending = input.sort.startsWith('-');
  const wanted = input.limit + 1;
  const found: TraceKey[] = [];
  for (const slice of slices(shrink(input.window, cursor, descending), descending)) {
    let after = cursor?.after;
    for (;;) {
      const batch = await candidates(runner, context, input, slice, after, wanted * 2);
      const fresh = await withoutEarlier(runner, context, input, slice, batch);
      found.push(...fresh);
      const last = batch.at(-1);
      if (found.length >= wanted || batch.length < wanted * 2 || last === undefined) break;
      after = [last.K, last.TraceId];
    }
    if (found.length >= wanted) break;
  }
  return found.slice(0, wanted);
}

/** Traces by their first matching span within a slice. */
function candidates(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<TraceSort>,
  slice: Window,
  after: readonly string[] | undefined,
  limit: number,
): Promise<TraceKey[]> {
  const descending = input.sort.startsWith('-');
  const direction = descending ? 'DESC' : 'ASC';
  const scope = SpanScope.of(context).during(slice).matching(input.filter);
  return runner.run<TraceKey>(
    scope,
    `SELECT TraceId, toString(First) AS K FROM (
       SELECT TraceId, toUnixTimestamp64Nano(min(Timestamp)) AS First ${scope.from} GROUP BY TraceId
     ) ${having(scope, 'First', descending, after)}
     ORDER BY First ${direction}, TraceId ${direction} LIMIT ${limit}`,
  );
}

/** Drops the traces whose first matching span lies before the slice: they belong to an older one. */
async function withoutEarlier(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<TraceSort>,
  slice: Window,
  batch: TraceKey[],
): Promise<TraceKey[]> {
  if (batch.length === 0 || slice.from <= input.window.from) return batch;
  const scope = SpanScope.of(context).during({ from: input.window.from, to: slice.from });
  const ids = scope.params.bind(
    batch.map((key) => key.TraceId),
    'Array(String)',
  );
  const limited = scope.and(`TraceId IN ${ids}`).matching(input.filter);
  const earlier = await runner.run<{ TraceId: string }>(limited, `SELECT DISTINCT TraceId ${limited.from}`);
  const known = new Set(earlier.map((row) => row.TraceId));
  return batch.filter((key) => !known.has(key.TraceId));
}

/** Whole numbers, so that a cursor compares exactly. */
const AGGREGATES = {
  duration:
    'max(toUnixTimestamp64Nano(Timestamp) + toInt64(Duration)) - min(toUnixTimestamp64Nano(Timestamp))',
  cost: 'ifNull(toInt64(sumIf(CostUsd, CountsUsage = 1) * 1e10), -1)',
  tokens: `toInt64(sumIf(${INPUT_TOKENS_SQL} + ${OUTPUT_TOKENS_SQL}, CountsUsage = 1))`,
  spanCount: 'toInt64(count())',
} as const;

/** Any other order needs a figure of every trace in the window first. */
function keysByAggregate(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<TraceSort>,
  cursor: Cursor | undefined,
): Promise<TraceKey[]> {
  const descending = input.sort.startsWith('-');
  const direction = descending ? 'DESC' : 'ASC';
  const sql = AGGREGATES[input.sort.replace('-', '') as keyof typeof AGGREGATES];
  const whole = SpanScope.of(context).during(input.window);
  const matching = input.filter === undefined ? undefined : whole.matching(input.filter);
  const scope = matching === undefined ? whole : whole.and(`TraceId IN (SELECT TraceId ${matching.from})`);
  return runner.run<TraceKey>(
    scope,
    `SELECT TraceId, toString(Figure) AS K FROM (
       SELECT TraceId, ${sql} AS Figure ${scope.from} GROUP BY TraceId
     ) ${having(scope, 'Figure', descending, cursor?.after)}
     ORDER BY Figure ${direction}, TraceId ${direction} LIMIT ${input.limit + 1}`,
  );
}

function having(
  scope: SpanScope,
  name: string,
  descending: boolean,
  after: readonly string[] | undefined,
): string {
  if (after === undefined) return '';
  const [key = '', traceId = ''] = after;
  if (!/^-?\d{1,19}$/.test(key)) throw fail('bad_query', { detail: 'The cursor is damaged.' });
  const bound = `${scope.params.bind(key, 'Int64')}, ${scope.params.bind(traceId, 'String')}`;
  return `WHERE (${name}, TraceId) ${descending ? '<' : '>'} (${bound})`;
}
