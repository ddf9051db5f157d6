import type { TraceRow } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { compileFilter } from '../core/filter.ts';
import { type Cursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { type Page, shrink } from './search-spans.ts';
import { type Slice, slicesOfPage } from '../core/slices.ts';
import { toTraceRows } from './trace-rows.ts';
import { CHECKED_TOTALS, type CheckedTotals, type RawTotals, withoutRepeats } from './trace-totals.ts';
import { type Seen, type SeenList, type TraceSearchInput, tracesByFigure } from './traces-by-figure.ts';
import { SPANS } from './span-fields.ts';

type Input = TraceSearchInput;

interface TraceKey {
  /** Decides between equal sort values: the id, or the hash of a list sorted by a figure. */
  readonly TraceId: string;
  /** Sort value as text. */
  readonly K: string;
}

/** A trace of the page: its sort value and its figures. */
interface Found {
  readonly key: TraceKey;
  readonly totals: RawTotals;
  readonly preview?: TraceRow['preview'] | undefined;
}

const DAY = 86_400_000_000_000n;
/** Candidates asked for beyond the page, for those that turn out to start earlier. */
const SPARE = 20;
/** Spans taken in one step at most. */
const MAX_SPANS = 1_000_000;

/**
 * One page of traces of which at least one span matches. Sorted by start, the key of a trace is its first matching
 * span in the window (without a filter that is its start), which a page can find without looking at the whole window.
 * The figures of a row count the spans within a day of it: a trace that pauses for longer than a day between two
 * matching spans is listed once for each part. Sorted by a figure: see `tracesByFigure`.
 */
export async function searchTraces(
  runner: Runner,
  context: RequestContext,
  input: Input,
  seen?: Seen,
): Promise<Page<TraceRow>> {
  const list = listName('traces', context, input.sort, input.filter);
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 2);
  const window = cursor ?? input.window;
  const bounded = { ...input, window };
  const byStart = input.sort === 'start' || input.sort === '-start';
  const { page, more } = byStart
    ? cut(await byFirstMatch(runner, context, bounded, cursor), input.limit)
    : await byFigure(
        runner,
        context,
        bounded,
        cursor,
        seen && { ...seen, list: `${list} ${doublings(window)}` },
      );
  const last = page.at(-1)?.key;
  const shown = page.flatMap(({ totals, preview }) =>
    preview === undefined ? [] : [[totals.TraceId, preview] as const],
  );
  return {
    data: await toTraceRows(
      runner,
      context,
      page.map(({ totals }) => totals),
      input.previews === false ? undefined : new Map(shown),
    ),
    nextCursor:
      more && last !== undefined
        ? encodeCursor({ list, from: window.from, to: window.to, after: [last.K, last.TraceId] })
        : null,
  };
}

/** How often an instant has to be doubled to be as long. */
const doublings = ({ from, to }: Window): number => (to - from).toString(2).length;

interface FoundPage {
  readonly page: readonly Found[];
  readonly more: boolean;
}

const cut = (found: readonly Found[], limit: number): FoundPage => ({
  page: found.slice(0, limit),
  more: found.length > limit,
});

async function byFigure(
  runner: Runner,
  context: RequestContext,
  input: Input,
  cursor: Cursor | undefined,
  seen: SeenList | undefined,
): Promise<FoundPage> {
  const { page, more } = await tracesByFigure(runner, context, input, cursor, seen);
  const found = page.map(({ key, totals, preview }) => ({
    key: { TraceId: key.hash, K: key.figure },
    totals,
    preview,
  }));
  return { page: found, more };
}

async function byFirstMatch(
  runner: Runner,
  context: RequestContext,
  input: Input,
  cursor: Cursor | undefined,
): Promise<Found[]> {
  const descending = input.sort.startsWith('-');
  const wanted = input.limit + 1;
  const found: Found[] = [];
  // Spans of one trace lie close together: without a filter a page of traces needs many spans.
  let spans = (wanted + SPARE) * (input.filter === undefined ? 12 : 2);
  const parts = slicesOfPage(runner, context, SPANS, {
    window: shrink(input.window, cursor, descending),
    newestFirst: descending,
    filter: input.filter,
    wanted,
    found: () => found.length,
  });
  for await (const slice of parts) {
    let rest = slice;
    while (rest.from < rest.to) {
      const { seen, keys, complete } = await candidates(runner, context, input, rest, spans);
      // Large traces: the more spans one has, the more are taken at once.
      if (!complete) spans = Math.min(spans * 4, MAX_SPANS);
      if (seen === undefined) continue;
      const fresh = afterCursor(keys, descending, cursor);
      for (let at = 0; at < fresh.length && found.length < wanted; ) {
        const chunk = fresh.slice(at, at + wanted - found.length + SPARE);
        found.push(...(await withFigures(runner, context, input, seen, chunk)));
        at += chunk.length;
      }
      if (found.length >= wanted) return found.slice(0, wanted);
      rest = { ...rest, ...(descending ? { to: seen.from } : { from: seen.to }) };
    }
  }
  return found;
}

interface RawMatch {
  readonly TraceId: string;
  readonly Ns: string;
}

/**
 * The next matching spans of a slice in the order of time, by trace. `seen` is the part of the slice they cover
 * completely; undefined when not even one instant was covered, so that more have to be taken.
 */
async function candidates(
  runner: Runner,
  context: RequestContext,
  input: Input,
  slice: Slice,
  limit: number,
): Promise<{ seen: Window | undefined; keys: TraceKey[]; complete: boolean }> {
  const descending = input.sort.startsWith('-');
  const scope = Scope.of(context, SPANS).during(slice).matching(input.filter);
  const rows = await runner.run<RawMatch>(
    scope,
    `SELECT TraceId, toString(toUnixTimestamp64Nano(Timestamp)) AS Ns ${scope.from}
     ORDER BY Timestamp ${descending ? 'DESC' : 'ASC'} LIMIT ${limit} ${slice.settings}`,
  );
  const complete = rows.length < limit;
  const end = BigInt(rows.at(-1)?.Ns ?? '0');
  // There may be more spans of the last instant than were taken: it belongs to the next round.
  const cut = !complete && !(limit >= MAX_SPANS && rows[0]?.Ns === rows.at(-1)?.Ns);
  const kept = cut ? rows.filter((row) => BigInt(row.Ns) !== end) : rows;
  if (cut && kept.length === 0) return { seen: undefined, keys: [], complete };
  const seen = complete
    ? slice
    : descending
      ? { from: cut ? end + 1n : end, to: slice.to }
      : { from: slice.from, to: cut ? end : end + 1n };
  const first = new Map<string, bigint>();
  for (const row of kept) {
    const at = BigInt(row.Ns);
    const known = first.get(row.TraceId);
    if (known === undefined || at < known) first.set(row.TraceId, at);
  }
  const sign = descending ? -1 : 1;
  const keys = [...first].sort(
    ([idA, a], [idB, b]) => sign * (a === b ? (idA < idB ? -1 : 1) : a < b ? -1 : 1),
  );
  return { seen, keys: keys.map(([TraceId, at]) => ({ TraceId, K: at.toString() })), complete };
}

/** Of the traces that start at the very instant of the cursor, those that were shown already. */
function afterCursor(
  keys: readonly TraceKey[],
  descending: boolean,
  cursor: Cursor | undefined,
): readonly TraceKey[] {
  if (cursor === undefined) return keys;
  const [last = '', lastId = ''] = cursor.after;
  return keys.filter((key) => key.K !== last || (descending ? key.TraceId < lastId : key.TraceId > lastId));
}

/** The figures of the candidates, without those whose first matching span lies before the slice. */
async function withFigures(
  runner: Runner,
  context: RequestContext,
  input: Input,
  slice: Window,
  batch: readonly TraceKey[],
): Promise<Found[]> {
  if (batch.length === 0) return [];
  const near = { from: slice.from > DAY ? slice.from - DAY : 0n, to: slice.to + DAY };
  const open = Scope.of(context, SPANS).during(near);
  const { params } = open;
  const ids = params.bind(
    batch.map((key) => key.TraceId),
    'Array(String)',
  );
  const scope = open.and(`TraceId IN ${ids}`);
  const before = `Timestamp >= ${params.time(input.window.from)} AND Timestamp < ${params.time(slice.from)}`;
  const earlier =
    input.filter === undefined ? before : `${before} AND ${compileFilter(SPANS, input.filter, params)}`;
  const rows = await runner.run<CheckedTotals & { Earlier: number }>(
    scope,
    `SELECT ${CHECKED_TOTALS}, countIf(${earlier}) AS Earlier ${scope.from} GROUP BY TraceId`,
  );
  const own = rows.filter((row) => row.Earlier === 0);
  return pair(batch, await withoutRepeats(runner, scope, own));
}

function pair(keys: readonly TraceKey[], totals: readonly RawTotals[]): Found[] {
  const byId = new Map(totals.map((raw) => [raw.TraceId, raw]));
  return keys.flatMap((key) => {
    const raw = byId.get(key.TraceId);
    return raw === undefined ? [] : [{ key, totals: raw }];
  });
}
