import type { LogRow, LogSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { type Cursor, damagedCursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import { readsTexts } from '../core/filter.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { Patience, slicesOfPage } from '../core/slices.ts';
import { type Page, type SearchInput, shrink } from '../core/page.ts';
import { LOGS } from './log-fields.ts';
import { LOG_HASH } from './log-id.ts';
import { type LogPlace, orderBy, PLACE_SQL, placeValue } from './log-order.ts';
import { LOG_COLUMNS, type RawLogRow, toLogRow } from './log-row.ts';

/** Records with one and the same place that a list can page through. */
const MAX_EQUALS = 1_000_000;

/** Where a page begins: after so many records of that place. */
interface Start {
  readonly place: LogPlace;
  readonly skip: number;
}

/**
 * One page of matching log records: their places first, then the rows of that page. Where texts were read to find them, the
 * rows are read along: those of rare words lie far apart, and it would be the same texts once more.
 */
export async function searchLogs(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<LogSort>,
): Promise<Page<LogRow>> {
  const list = listName('logs', context, input.sort, input.filter);
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, list, 4);
  const window = cursor ?? input.window;
  const start = cursor && startOf(cursor);
  const { found, edge } = await pagePlaces(runner, context, { ...input, window }, cursor, start);
  const page = found.slice(0, input.limit);
  const places = page.map(placeOf);
  const last = places.at(-1);
  if (last === undefined) return { data: [], nextCursor: null };
  const data = await rows(runner, context, input, page, start);
  const next = (after: readonly string[]) => ({
    data,
    nextCursor: encodeCursor({ list, from: window.from, to: window.to, after }),
  });
  // Between the records before an instant and those from it on, in either order: none was seen or received at the epoch.
  if (edge !== undefined) return next([`${edge}`, '0', '0', '0']);
  if (found.length <= input.limit) return { data, nextCursor: null };
  const equals = places.filter((place) => samePlace(place, last)).length;
  const before = start !== undefined && samePlace(start.place, last) ? start.skip : 0;
  return next([last.ns, last.observedNs, last.receivedMs, String(before + equals)]);
}

type RawPlace = Pick<RawLogRow, 'TimeNs' | 'ObservedNs' | 'ReceivedMs'>;

const PLACE_COLUMNS = `toString(toUnixTimestamp64Nano(Timestamp)) AS TimeNs,
  toString(toUnixTimestamp64Nano(ObservedTimestamp)) AS ObservedNs,
  toString(toUnixTimestamp64Milli(ReceivedAt)) AS ReceivedMs`;

const areRows = (found: readonly (RawPlace | RawLogRow)[]): found is readonly RawLogRow[] =>
  found.every((raw) => 'Hash' in raw);

const placeOf = ({ TimeNs, ObservedNs, ReceivedMs }: RawPlace): LogPlace => ({
  ns: TimeNs,
  observedNs: ObservedNs,
  receivedMs: ReceivedMs,
});

const samePlace = (a: LogPlace, b: LogPlace): boolean =>
  a.ns === b.ns && a.observedNs === b.observedNs && a.receivedMs === b.receivedMs;

function startOf(cursor: Cursor): Start {
  const [ns = '', observedNs = '', receivedMs = '', skip = ''] = cursor.after;
  const whole = [ns, observedNs, receivedMs, skip].every((text) => /^\d{1,19}$/.test(text));
  if (!whole || Number(skip) > MAX_EQUALS) throw damagedCursor();
  return { place: { ns, observedNs, receivedMs }, skip: Number(skip) };
}

async function pagePlaces(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<LogSort>,
  cursor: Cursor | undefined,
  start: Start | undefined,
): Promise<{ readonly found: readonly (RawPlace | RawLogRow)[]; readonly edge?: bigint }> {
  const descending = input.sort === '-time';
  const columns = readsTexts(LOGS, input.filter) ? LOG_COLUMNS : PLACE_COLUMNS;
  const places: (RawPlace | RawLogRow)[] = [];
  let skip = start?.skip ?? 0;
  const window = shrink(input.window, cursor, descending);
  const patience = Patience.of(context, LOGS, input);
  const parts = slicesOfPage(runner, context, LOGS, {
    window,
    newestFirst: descending,
    filter: input.filter,
    wanted: input.limit + 1,
    found: () => places.length,
    patience,
  });
  for await (const part of parts) {
    const scope = from(context, input, part, start, descending);
    places.push(
      ...(await runner.run<RawPlace | RawLogRow>(
        scope,
        `SELECT ${columns} ${scope.from} ${orderBy(descending ? 'DESC' : 'ASC')}
         LIMIT ${input.limit + 1 - places.length} OFFSET ${skip} ${part.settings}`,
      )),
    );
    if (places.length > input.limit) break;
    // What has been seen lies at the near end: in the first slice.
    skip = 0;
    const edge = patience.endsAt(part, window, descending, places.length);
    if (edge !== undefined) return { found: places, edge };
  }
  return { found: places };
}

function from(
  context: RequestContext,
  input: SearchInput<LogSort>,
  window: Window,
  start: Start | undefined,
  descending: boolean,
): Scope {
  const scope = Scope.of(context, LOGS).during(window).matching(input.filter);
  if (start === undefined) return scope;
  return scope.and(`${PLACE_SQL} ${descending ? '<=' : '>='} ${placeValue(start.place, scope.params)}`);
}

/** The rows at those places: the same list once more, but only at the times of the page. */
async function rows(
  runner: Runner,
  context: RequestContext,
  input: SearchInput<LogSort>,
  page: readonly (RawPlace | RawLogRow)[],
  start: Start | undefined,
): Promise<LogRow[]> {
  const descending = input.sort === '-time';
  const places = page.map(placeOf);
  const [first, last] = [places[0] as LogPlace, places.at(-1) as LogPlace];
  const [low, high] = descending ? [last, first] : [first, last];
  const scope = Scope.of(context, LOGS)
    .at(places.map(({ ns }) => BigInt(ns)))
    .matching(input.filter);
  const { params } = scope;
  const within = scope.and(
    `${PLACE_SQL} >= ${placeValue(low, params)} AND ${PLACE_SQL} <= ${placeValue(high, params)}`,
  );
  const begun = start !== undefined && samePlace(start.place, first) ? start.skip : 0;
  const order = orderBy(descending ? 'DESC' : 'ASC');
  const [found, before] = await Promise.all([
    areRows(page)
      ? page
      : runner.run<RawLogRow>(
          within,
          `SELECT ${LOG_COLUMNS} ${within.from} ${order} LIMIT ${places.length} OFFSET ${begun}`,
        ),
    begun === 0 ? [] : equalsBefore(runner, context, input, { place: first, skip: begun }),
  ]);
  return numbered(found, before);
}

interface Equals {
  readonly Hash: string;
  readonly Count: number;
}

/** How often which records of that place are on the pages before. */
function equalsBefore(
  runner: Runner,
  context: RequestContext,
  { filter, sort }: SearchInput<LogSort>,
  { place, skip }: Start,
): Promise<Equals[]> {
  const ns = BigInt(place.ns);
  const open = Scope.of(context, LOGS)
    .during({ from: ns, to: ns + 1n })
    .matching(filter);
  const scope = open.and(`${PLACE_SQL} = ${placeValue(place, open.params)}`);
  return runner.run<Equals>(
    scope,
    `SELECT toString(H) AS Hash, toFloat64(count()) AS Count FROM (
       SELECT ${LOG_HASH} AS H ${scope.from} ${orderBy(sort === '-time' ? 'DESC' : 'ASC')} LIMIT ${skip})
     GROUP BY H`,
  );
}

/**
 * Rows with ids that differ even where the records do not. Which number an id has follows from the equals of the record
 * alone, not from where a page begins: the same record has one id in lists of any size.
 */
function numbered(found: readonly RawLogRow[], before: readonly Equals[]): LogRow[] {
  const seen = new Map(before.map(({ Hash, Count }) => [`${found[0]?.TimeNs} ${Hash}`, Count]));
  return found.map((raw) => {
    const key = `${raw.TimeNs} ${raw.Hash}`;
    const number = seen.get(key) ?? 0;
    seen.set(key, number + 1);
    return toLogRow(raw, number);
  });
}
