import type { Filter, SpanRow, SpanSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { type Cursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import { readsTexts } from '../core/filter.ts';
import { type FieldReading, fieldReading } from '../core/field-reading.ts';
import { type LookedPage, type SearchInput, shrink } from '../core/page.ts';
import type { Runner } from '../core/run.ts';
import { Patience, slicesOfPage } from '../core/slices.ts';
import { inOrder, matching, orderOf } from './span-order.ts';
import {
  type FoundSpans,
  KEY_COLUMNS,
  keyOf,
  placeKey,
  type SpanKey,
  spansAt,
  withRow,
} from './span-place.ts';
import { type RawSpan, SPAN_COLUMNS, toSpanRow } from './span-row.ts';
import { spansByFigure } from './spans-by-figure.ts';
import { SPANS } from './span-fields.ts';
import { UNFINISHED } from './trace-totals.ts';

/** A search of spans whose rows carry the values of some fields besides their own. */
export interface SpanSearchInput extends SearchInput<SpanSort> {
  readonly fields?: readonly string[];
}

/** Longer values of fields are cut: they stand in a cell. */
const VALUE_CHARACTERS = 300;

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
  }: FoundSpans = byStart
    ? await byTime(runner, context, bounded, cursor, fields.length === 0 && readsTexts(SPANS, input.filter))
    : await spansByFigure(runner, context, bounded, cursor);
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

/** Sorted by time, a page comes from the near end of the window. */
async function byTime(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<SpanSort>,
  cursor: Cursor | undefined,
  withRows: boolean,
): Promise<FoundSpans> {
  const order = orderOf(input.sort);
  const keys: SpanKey[] = [];
  const window = shrink(input.window, cursor, order.descending);
  const patience = Patience.of(context, SPANS, input);
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
