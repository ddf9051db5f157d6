import type { Filter, SpanRow, SpanSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { type Cursor, decodeCursor, encodeCursor, listName, nanos } from '../core/cursor.ts';
import { fail } from '@candela/kernel';
import { readsTexts } from '../core/filter.ts';
import { type FieldReading, fieldReading } from '../core/field-reading.ts';
import { basisOf } from '../core/basis.ts';
import type { Params } from '../core/params.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { Patience, slicesOfPage } from '../core/slices.ts';
import { type RawSpan, SPAN_COLUMNS, toSpanRow } from './span-row.ts';
import { SPANS } from './span-fields.ts';
import { UNFINISHED } from './trace-totals.ts';

export interface SearchInput<Sort extends string> {
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor: string | undefined;
  /**
   * Of a list whose filter reads texts or attributes. In the order of time: after so many milliseconds the page is answered with
   * the rows it has, as soon as it has one; its cursor leads on. In the order of a figure: the page is made of a part of the rows
   * first, where all of them take long. Default: it is full, and of all rows.
   */
  readonly patienceMs?: number | undefined;
}

/** Whether a part of a list is worth more than all of it later: of its first page only. */
export const isHurried = ({ patienceMs, cursor }: SearchInput<string>): boolean =>
  patienceMs !== undefined && cursor === undefined;

/** A search of spans whose rows carry the values of some fields besides their own. */
export interface SpanSearchInput extends SearchInput<SpanSort> {
  readonly fields?: readonly string[];
}

export interface Page<T> {
  readonly data: T[];
  readonly nextCursor: string | null;
}

/** A page that may be made of a part of the rows: see {@link Basis}. */
export interface LookedPage<T> extends Page<T> {
  /** About what part of the rows was looked at; null: all. Such a page has no cursor. */
  readonly sample: number | null;
}

interface SpanKey {
  readonly K: string;
  readonly Ns: string;
  readonly TraceId: string;
  readonly SpanId: string;
  /** Where it was read along with the key. */
  readonly row?: SpanRow;
}

/** A figure as the page and the engine know it, a time, and whose the row is. */
const PLACE_BYTES = 32;

const KEY_COLUMNS = 'toString(toUnixTimestamp64Nano(Timestamp)) AS StartNs, TraceId, SpanId';

/** Longer values of fields are cut: they stand in a cell. */
const VALUE_CHARACTERS = 300;

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

/**
 * One page of matching spans: where they are first, by narrow columns, then the rows. Of a page in the order of time for
 * which texts are read the rows are read along: those of rare words lie far apart, and finding them again costs as much.
 */
export async function searchSpans(
  runner: Runner,
  context: RequestContext,
  input: SpanSearchInput,
): Promise<LookedPage<SpanRow>> {
  const fields = (input.fields ?? []).map((name) => fieldReading(SPANS, name));
  const list = listName('spans', context, input.sort, input.filter);
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 4);
  const window = cursor ?? input.window;
  const bounded = { ...input, window };
  const byStart = input.sort === 'start' || input.sort === '-start';
  const {
    found,
    edge,
    share = null,
  }: Found = byStart
    ? await byTime(runner, context, bounded, cursor, fields.length === 0 && readsTexts(SPANS, input.filter))
    : await byFigure(runner, context, bounded, cursor);
  const stored = found.slice(0, input.limit);
  const last = stored.at(-1);
  const page = onceEach(byStart ? stored : await withoutEnded(runner, context, stored));
  const next = edge === undefined ? (found.length > input.limit ? last : undefined) : placeAt(edge);
  // Fields may lie in maps: these are read only for rows that are shown. In the order of time the copy with the end of a
  // span that was sent while it ran has the same place, perhaps beyond the page.
  const known = page.every(({ row }) => row !== undefined && !(byStart && row.unfinished));
  return {
    data:
      known && fields.length === 0
        ? page.flatMap(({ row }) => row ?? [])
        : await rows(runner, context, page, { fields, filter: input.filter }),
    sample: share,
    nextCursor:
      next === undefined || share !== null
        ? null
        : encodeCursor({
            list,
            from: window.from,
            to: window.to,
            after: [next.K, next.Ns, next.TraceId, next.SpanId],
          }),
  };
}

interface Found {
  /** Those of the page and, where there is one, the next. */
  readonly found: SpanKey[];
  /** Where the next page begins when this one was answered before it was full. */
  readonly edge?: bigint;
  /** The part of the spans that it was made of; nothing or null: all. */
  readonly share?: number | null;
}

/** Between the spans before an instant and those from it on, in either order of time: no ids come before all others. */
const placeAt = (edge: bigint): SpanKey => ({ K: `${edge}`, Ns: `${edge}`, TraceId: '', SpanId: '' });

/**
 * A span that was stored twice (resent, or sent while it ran and once more with its end) is one row. Its copies stand
 * side by side and a cursor leads past all of them, so that a page is shorter by them, the
 * last one perhaps empty, and no span is missing.
 */
function onceEach(keys: readonly SpanKey[]): SpanKey[] {
  const byPlace = new Map<string, SpanKey>();
  for (const key of keys) {
    const place = placeKey(key);
    if (byPlace.get(place)?.row?.unfinished !== false) byPlace.set(place, key);
  }
  return [...byPlace.values()];
}

/**
 * In the order of a figure the copy of a span that was sent while it ran stands elsewhere than the one with its end, which
 * alone knows the figure: where there is an end, the list has the span at its place only.
 */
async function withoutEnded(
  runner: Runner,
  context: RequestContext,
  keys: readonly SpanKey[],
): Promise<readonly SpanKey[]> {
  const running = keys.filter(({ row }) => row?.unfinished === true);
  const ended = await endedOf(runner, context, running, undefined);
  return keys.filter((key) => key.row?.unfinished !== true || !ended.has(placeKey(key)));
}

/** Those of the spans of which the copy with the end is stored, and matches. */
async function endedOf(
  runner: Runner,
  context: RequestContext,
  keys: readonly SpanKey[],
  filter: Filter | undefined,
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const scope = spansAt(context, keys).and(`NOT (${UNFINISHED})`).matching(filter);
  const ends = await runner.run<SpanKey>(
    scope,
    `SELECT toString(toUnixTimestamp64Nano(Timestamp)) AS Ns, TraceId, SpanId ${scope.from}`,
  );
  return new Set(ends.map(placeKey));
}

const placeKey = ({ TraceId, SpanId, Ns }: Pick<SpanKey, 'TraceId' | 'SpanId' | 'Ns'>): string =>
  `${TraceId} ${SpanId} ${Ns}`;

interface Order {
  /** The sort value. */
  readonly sql: string;
  /** The columns by which the engine sorts them. */
  readonly by: readonly string[];
  readonly type: 'Int64' | 'UInt64';
  readonly descending: boolean;
}

function orderOf(sort: SpanSort): Order {
  const value = SORT_SQL[sort.replace('-', '') as keyof typeof SORT_SQL];
  return { ...value, by: STORED_ORDER[sort] ?? [value.sql], descending: sort.startsWith('-') };
}

/** Of equal values the time decides, so that most rows never need their ids looked at. */
function inOrder(order: Order): string {
  const first = order.sql === SORT_SQL.start.sql ? [] : [order.sql];
  return sortedBy([...first, 'Timestamp', 'TraceId', 'SpanId'], order);
}

const sortedBy = (columns: readonly string[], { descending }: Order): string =>
  columns.map((column) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ');

/** Sorted by time, a page comes from the near end of the window. */
async function byTime(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<SpanSort>,
  cursor: Cursor | undefined,
  withRows: boolean,
): Promise<Found> {
  const order = orderOf(input.sort);
  const keys: SpanKey[] = [];
  const window = shrink(input.window, cursor, order.descending);
  const patience = await Patience.of(runner, context, SPANS, input);
  const parts = slicesOfPage(runner, context, SPANS, {
    window,
    newestFirst: order.descending,
    filter: input.filter,
    wanted: input.limit + 1,
    found: () => keys.length,
    patience,
  });
  for await (const slice of parts) {
    const scope = matching(context, { ...input, window: slice }, order, cursor);
    const raws = await runner.run<RawSpan>(
      scope,
      `SELECT ${withRows ? SPAN_COLUMNS : KEY_COLUMNS} ${scope.from}
       ORDER BY ${inOrder(order)} LIMIT ${input.limit + 1 - keys.length} ${slice.settings}`,
    );
    keys.push(...raws.map((raw) => (withRows ? withRow(raw, raw.StartNs) : keyOf(raw, raw.StartNs))));
    if (keys.length > input.limit) break;
    const edge = patience.endsAt(slice, window, order.descending, keys.length);
    if (edge !== undefined) return { found: keys, edge };
  }
  return { found: keys };
}

/**
 * Sorted by a figure, every matching row has to be looked at, but only at its figure and time. The times of the page
 * then lead to its few rows; of rows with the same figure at the same time the ids decide among these.
 */
async function byFigure(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<SpanSort>,
  cursor: Cursor | undefined,
): Promise<Found> {
  const order = orderOf(input.sort);
  const basis = await basisOf(runner, context, SPANS, { ...input, hurried: isHurried(input) });
  if (basis.share !== null) {
    const scope = Scope.of(context, SPANS).during(basis.window).matching(input.filter);
    return {
      found: await rowsByFigure(runner, scope, order, basis.limit, basis.settings),
      share: basis.share,
    };
  }
  const all = Scope.of(context, SPANS).during(input.window).matching(input.filter);
  if (cursor === undefined && readsTexts(SPANS, input.filter)) {
    const found = await rowsAlong(runner, all, order, input.limit + 1);
    if (found !== undefined) return { found };
  }
  const beyond = cursor === undefined ? all : all.and(strictlyAfter(all, order, cursor));
  const places = await runner.run<Place>(
    beyond,
    `SELECT toString(${order.sql}) AS K, toString(toUnixTimestamp64Nano(Timestamp)) AS Ns ${beyond.from}
     ORDER BY ${sortedBy([...order.by, 'Timestamp'], order)} LIMIT ${input.limit + 1}`,
    // With a filter nearly every granule has a figure beyond those of the page, of some row that does not match.
    input.filter === undefined ? { rowBytes: PLACE_BYTES } : {},
  );
  const times = places.map(({ Ns }) => BigInt(Ns));
  // Rows at the very place of the cursor of which not all were shown.
  if (cursor !== undefined) times.push(nanos(cursor.after[1], damaged));
  if (times.length === 0) return { found: [] };
  const end = places.length > input.limit ? places.at(-1) : undefined;
  const near = matching(context, input, order, cursor).at(times);
  const scope = end === undefined ? near : near.and(upTo(near, order, end));
  return { found: await rowsByFigure(runner, scope, order, input.limit + 1) };
}

type Place = Pick<SpanKey, 'K' | 'Ns'>;

/**
 * The first rows in the order of a figure, read along with their places: where words are looked for, to find a few rows again costs
 * more than to read them late. Undefined where the last of them has the figure and the time of another one, so that the
 * ids of these decide, which are not read of every row that matches.
 */
async function rowsAlong(
  runner: Runner,
  scope: Scope,
  order: Order,
  limit: number,
): Promise<SpanKey[] | undefined> {
  const raws = await runner.run<RawSpan & { readonly K: string }>(
    scope,
    `SELECT toString(${order.sql}) AS K, ${SPAN_COLUMNS} ${scope.from}
     ORDER BY ${sortedBy([...order.by, 'Timestamp'], order)} LIMIT ${limit + 1} SETTINGS ${READ_LATE}`,
  );
  const found = raws.map((raw) => withRow(raw, raw.K)).sort(byPlaceAndIds(order));
  const [last, next] = found.slice(limit - 1);
  if (last !== undefined && next !== undefined && last.K === next.K && last.Ns === next.Ns) return undefined;
  return found.slice(0, limit);
}

/** Columns that only the rows of the page need are read of these alone. */
const READ_LATE =
  'query_plan_optimize_lazy_materialization = 1, query_plan_max_limit_for_lazy_materialization = 1000';

const compared = <T extends string | bigint>(a: T, b: T): number => (a < b ? -1 : Number(a > b));

/** The order of {@link inOrder}. */
const byPlaceAndIds =
  ({ descending }: Order) =>
  (a: SpanKey, b: SpanKey): number =>
    (descending ? -1 : 1) *
    (compared(BigInt(a.K), BigInt(b.K)) ||
      compared(BigInt(a.Ns), BigInt(b.Ns)) ||
      compared(a.TraceId, b.TraceId) ||
      compared(a.SpanId, b.SpanId));

async function rowsByFigure(
  runner: Runner,
  scope: Scope,
  order: Order,
  limit: number,
  settings = '',
): Promise<SpanKey[]> {
  const raws = await runner.run<RawSpan & { readonly K: string }>(
    scope,
    `SELECT toString(${order.sql}) AS K, ${SPAN_COLUMNS} ${scope.from}
     ORDER BY ${inOrder(order)} LIMIT ${limit} ${settings}`,
  );
  return raws.map((raw) => withRow(raw, raw.K));
}

const keyOf = ({ StartNs, TraceId, SpanId }: Pick<RawSpan, 'StartNs' | 'TraceId' | 'SpanId'>, K: string) => ({
  K,
  Ns: StartNs,
  TraceId,
  SpanId,
});

const withRow = (raw: RawSpan, figure: string): SpanKey => ({ ...keyOf(raw, figure), row: toSpanRow(raw) });

function upTo(scope: Scope, { sql, type, descending }: Order, end: Pick<SpanKey, 'K' | 'Ns'>): string {
  const { params } = scope;
  return `(${sql}, Timestamp) ${descending ? '>=' : '<='} (${params.bind(end.K, type)}, ${params.time(BigInt(end.Ns))})`;
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
  const last = nanos(cursor.after[0], damaged);
  return descending
    ? { from: window.from, to: last + 1n < window.to ? last + 1n : window.to }
    : { from: last > window.from ? last : window.from, to: window.to };
}

const damaged = (): Error => fail('bad_query', { detail: 'The cursor is damaged.' });

/** Later in the list than the cursor's row. */
function after(scope: Scope, order: Order, cursor: Cursor): string {
  const [, , traceId = '', spanId = ''] = cursor.after;
  const { params } = scope;
  const ids = `${params.bind(traceId, 'String')}, ${params.bind(spanId, 'String')}`;
  const place = placeOf(params, order, cursor);
  return `(${order.sql}, Timestamp, TraceId, SpanId) ${order.descending ? '<' : '>'} (${place}, ${ids})`;
}

/** The same without rows of the cursor's own figure and time, so that no ids have to be read. */
function strictlyAfter(scope: Scope, order: Order, cursor: Cursor): string {
  const place = placeOf(scope.params, order, cursor);
  return `(${order.sql}, Timestamp) ${order.descending ? '<' : '>'} (${place})`;
}

function placeOf(params: Params, { type }: Order, { after: [key = '', ns] }: Cursor): string {
  if (!(type === 'UInt64' ? /^\d{1,20}$/ : /^-?\d{1,19}$/).test(key)) throw damaged();
  return `${params.bind(key, type)}, ${params.time(nanos(ns, damaged))}`;
}

/** All copies of these spans, and few others. */
function spansAt(context: RequestContext, keys: readonly SpanKey[]): Scope {
  const scope = Scope.of(context, SPANS).at(keys.map((key) => BigInt(key.Ns)));
  const traceIds = scope.params.bind([...new Set(keys.map((key) => key.TraceId))], 'Array(String)');
  const spanIds = scope.params.bind([...new Set(keys.map((key) => key.SpanId))], 'Array(String)');
  return scope.and(`TraceId IN ${traceIds} AND SpanId IN ${spanIds}`);
}

async function rows(
  runner: Runner,
  context: RequestContext,
  keys: readonly SpanKey[],
  { fields, filter }: { fields: readonly FieldReading[]; filter: Filter | undefined },
): Promise<SpanRow[]> {
  if (keys.length === 0) return [];
  const limited = spansAt(context, keys);
  const { params } = limited;
  const values = fields.map(
    ({ exists, value }) =>
      `if(${exists(params)}, substringUTF8(${value(params)}, 1, ${VALUE_CHARACTERS}), NULL)`,
  );
  const more = values.length === 0 ? '' : `, [${values.join(', ')}] AS Fields`;
  const found = await runner.run<RawSpan & { readonly Fields?: readonly (string | null)[] }>(
    limited,
    `SELECT ${SPAN_COLUMNS}${more} ${limited.from}`,
  );
  const byPlace = new Map<string, (typeof found)[number]>();
  /** Those of which a copy was sent while they ran, and another one with their end. */
  const both = new Set<string>();
  for (const raw of found) {
    const place = placeKey({ ...raw, Ns: raw.StartNs });
    const known = byPlace.get(place);
    if (known !== undefined && known.Unfinished !== raw.Unfinished) both.add(place);
    // The copy with the end is the one that knows how the span went.
    if (known?.Unfinished !== 0) byPlace.set(place, raw);
  }
  const doubtful = filter === undefined ? [] : keys.filter((key) => both.has(placeKey(key)));
  const ended = await endedOf(runner, context, doubtful, filter);
  for (const key of doubtful) if (!ended.has(placeKey(key))) byPlace.delete(placeKey(key));
  return keys.flatMap((key) => {
    const raw = byPlace.get(placeKey(key));
    if (raw === undefined) return [];
    return [raw.Fields === undefined ? toSpanRow(raw) : { ...toSpanRow(raw), fields: [...raw.Fields] }];
  });
}
