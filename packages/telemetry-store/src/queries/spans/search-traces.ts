import type { TraceRow } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { compileFilter, readsTexts } from '../core/filter.ts';
import { type Cursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { doublings } from '../core/seen-numbers.ts';
import { type LookedPage, shrink, SPREAD } from '../core/page.ts';
import { Patience, type Slice, slicesOfPage } from '../core/slices.ts';
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
): Promise<LookedPage<TraceRow>> {
  const list = listName('traces', context, input.sort, input.filter);
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 2);
  const window = cursor ?? input.window;
  const bounded = { ...input, window };
  const byStart = input.sort === 'start' || input.sort === '-start';
  const {
    page,
    more,
    edge,
    share = null,
  }: FoundPage = byStart
    ? await byFirstMatch(runner, context, bounded, cursor)
    : await byFigure(
        runner,
        context,
        bounded,
        cursor,
        seen && { ...seen, list: `${list} ${doublings(window)}` },
      );
  // Between the traces before an instant and those from it on, in either order: no id comes before all others.
  const last = edge === undefined ? page.at(-1)?.key : { K: `${edge}`, TraceId: '' };
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
    sample: share,
    nextCursor:
      more && last !== undefined && share === null
        ? encodeCursor({ list, from: window.from, to: window.to, after: [last.K, last.TraceId] })
        : null,
  };
}

interface FoundPage {
  readonly page: readonly Found[];
  readonly more: boolean;
  /** Where the next page begins when this one was answered before it was full. */
  readonly edge?: bigint;
  /** The part of the spans that tells which traces match; nothing or null: all. */
  readonly share?: number | null;
}

async function byFigure(
  runner: Runner,
  context: RequestContext,
  input: Input,
  cursor: Cursor | undefined,
  seen: SeenList | undefined,
): Promise<FoundPage> {
  const { page, more, share } = await tracesByFigure(runner, context, input, cursor, seen);
  const found = page.map(({ key, totals, preview }) => ({
    key: { TraceId: key.hash, K: key.figure },
    totals,
    preview,
  }));
  return { page: found, more, share };
}

async function byFirstMatch(
  runner: Runner,
  context: RequestContext,
  input: Input,
  cursor: Cursor | undefined,
): Promise<FoundPage> {
  const descending = input.sort.startsWith('-');
  const wanted = input.limit + 1;
  const found: Found[] = [];
  let pending: Candidates | undefined;
  /** Asks for the figures of the candidates: once for as many slices as a page needs. */
  const settle = async () => {
    if (pending === undefined) return;
    const { first, covered } = pending;
    pending = undefined;
    const fresh = afterCursor(inOrder(first, descending), descending, cursor);
    for (let at = 0; at < fresh.length && found.length < wanted; ) {
      const chunk = fresh.slice(at, at + wanted - found.length + SPARE);
      found.push(...(await withFigures(runner, context, input, covered, chunk)));
      at += chunk.length;
    }
  };
  const held = () => found.length + (pending?.first.size ?? 0);
  const answer = (): FoundPage => ({ page: found.slice(0, input.limit), more: found.length > input.limit });
  // Spans of one trace lie close together: without a filter a page of traces needs many spans.
  let spans = (wanted + SPARE) * (input.filter === undefined ? 12 : 2);
  const window = shrink(input.window, cursor, descending);
  const patience = Patience.of(context, SPANS, input);
  const parts = slicesOfPage(runner, context, SPANS, {
    window,
    newestFirst: descending,
    filter: input.filter,
    wanted,
    found: held,
    patience,
  });
  for await (const slice of parts) {
    let rest = slice;
    while (rest.from < rest.to) {
      const { seen, first, complete } = await candidates(runner, context, input, rest, spans);
      // Large traces: the more spans one has, the more are taken at once.
      if (!complete) spans = Math.min(spans * 4, MAX_SPANS);
      if (seen === undefined) continue;
      pending = together(pending, { first, covered: seen });
      if (held() >= wanted) await settle();
      if (found.length >= wanted) return answer();
      rest = { ...rest, ...(descending ? { to: seen.from } : { from: seen.to }) };
    }
    if (patience.endsAt(slice, window, descending, held()) === undefined) continue;
    await settle();
    const edge = patience.endsAt(slice, window, descending, found.length);
    if (edge !== undefined) return { page: found.slice(0, input.limit), more: true, edge };
  }
  await settle();
  return answer();
}

/** Traces with matching spans in a part of the window that was looked at completely, and when the first of these were. */
interface Candidates {
  readonly first: ReadonlyMap<string, bigint>;
  readonly covered: Window;
}

/** Those of two parts side by side. */
function together(one: Candidates | undefined, other: Candidates): Candidates {
  if (one === undefined) return other;
  const first = new Map(one.first);
  for (const [id, at] of other.first) {
    const known = first.get(id);
    if (known === undefined || at < known) first.set(id, at);
  }
  const { covered } = one;
  return {
    first,
    covered: {
      from: covered.from < other.covered.from ? covered.from : other.covered.from,
      to: covered.to > other.covered.to ? covered.to : other.covered.to,
    },
  };
}

function inOrder(first: ReadonlyMap<string, bigint>, descending: boolean): TraceKey[] {
  const sign = descending ? -1 : 1;
  return [...first]
    .sort(([idA, a], [idB, b]) => sign * (a === b ? (idA < idB ? -1 : 1) : a < b ? -1 : 1))
    .map(([TraceId, at]) => ({ TraceId, K: at.toString() }));
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
): Promise<{ seen: Window | undefined; first: ReadonlyMap<string, bigint>; complete: boolean }> {
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
  if (cut && kept.length === 0) return { seen: undefined, first: new Map(), complete };
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
  return { seen, first, complete };
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
  // Texts are read for the few traces only that have spans before.
  const apart = readsTexts(SPANS, input.filter);
  const rows = await runner.run<CheckedTotals & { Earlier: number }>(
    scope,
    `SELECT ${CHECKED_TOTALS}, countIf(${apart ? before : earlier}) AS Earlier ${scope.from} GROUP BY TraceId ${SPREAD}`,
  );
  const own = rows.filter((row) => row.Earlier === 0);
  const doubtful = apart ? rows.filter((row) => row.Earlier > 0) : [];
  const later = await withoutMatch(
    runner,
    context,
    input,
    { from: input.window.from, to: slice.from },
    doubtful,
  );
  return pair(batch, await withoutRepeats(runner, scope, [...own, ...later]));
}

/** Those of the traces of which no span matches in a window. */
async function withoutMatch<Row extends RawTotals>(
  runner: Runner,
  context: RequestContext,
  input: Input,
  window: Window,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (rows.length === 0) return [];
  const starts = rows.map((row) => BigInt(row.StartNs)).sort((a, b) => (a < b ? -1 : 1));
  const [start = window.from] = starts;
  const open = Scope.of(context, SPANS).during({
    from: start > window.from ? start : window.from,
    to: window.to,
  });
  const ids = open.params.bind(
    rows.map((row) => row.TraceId),
    'Array(String)',
  );
  const scope = open.and(`TraceId IN ${ids}`).matching(input.filter);
  const found = await runner.run<{ TraceId: string }>(scope, `SELECT DISTINCT TraceId ${scope.from}`);
  const matching = new Set(found.map(({ TraceId }) => TraceId));
  return rows.filter((row) => !matching.has(row.TraceId));
}

function pair(keys: readonly TraceKey[], totals: readonly RawTotals[]): Found[] {
  const byId = new Map(totals.map((raw) => [raw.TraceId, raw]));
  return keys.flatMap((key) => {
    const raw = byId.get(key.TraceId);
    return raw === undefined ? [] : [{ key, totals: raw }];
  });
}
