import { fail, type RequestContext } from '@candela/kernel';
import { damagedCursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import { wholeHours, withFloor } from '../core/floor.ts';
import type { Page } from '../core/page.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { CODING_SPANS, sessionColumns, SPAN_COLUMNS } from './columns.ts';
import { type CountedSession, countersAmongSpans } from './native-counters.ts';

/** Which sessions are asked for. */
export interface CodingSelection {
  readonly window: Window;
  readonly agent: string | undefined;
  readonly user: string | undefined;
  readonly repository: string | undefined;
}

export interface CodingInput<Sort> extends CodingSelection {
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Pages further back are refused: a list of which nobody reads so much is narrowed. */
const MOST_OFFSET = 100_000;
/** What a statement of sessions reads besides the selection. */
export interface SessionsOf {
  readonly window: Window;
  /** What the agents' own counters tell. */
  readonly counted: readonly CountedSession[];
  /** These alone, of anybody: of a part it cannot be told how many sessions a user has. With when their spans lie, where that is worth more than the window. */
  readonly only?: { readonly sessions: readonly string[]; readonly windows: readonly Window[] };
}

/** The statement of sessions of the window, masked by the floor first and chosen then. */
export function sessionsStatement(
  context: RequestContext,
  input: Omit<CodingSelection, 'window'>,
  { window, counted, only }: SessionsOf,
): readonly [Scope, string] {
  const all = Scope.masking(context, SPANS).during(window).and(CODING_SPANS);
  let scope = all;
  if (only !== undefined) {
    scope = all.and(`SessionId IN ${all.params.bind(only.sessions, 'Array(String)')}`);
    if (only.windows.length > 0) scope = scope.indexed(only.windows);
  }
  const counters = countersAmongSpans(
    only === undefined ? counted : counted.filter(({ session }) => only.sessions.includes(session)),
    scope.params,
  );
  const spans = `SELECT ${SPAN_COLUMNS} ${scope.from} LIMIT 1 BY TraceId, SpanId`;
  const rows = counters === undefined ? spans : `SELECT * FROM (${spans}) UNION ALL ${counters}`;
  const sessions = `SELECT ${sessionColumns(counters !== undefined)} FROM (${rows}) GROUP BY SpanAgent, SessionId`;
  const chosen = (
    [
      ['Agent', input.agent],
      ['UserId', input.user],
      ['Repository', input.repository],
    ] as const
  ).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = ${scope.params.bind(value, 'String')}`],
  );
  const where = chosen.length === 0 ? '' : ` WHERE ${chosen.join(' AND ')}`;
  const floored = only === undefined ? withFloor(sessions, context.principal) : sessions;
  return [scope, `SELECT * FROM (${floored})${where}`];
}

/** Where a page of a list begins. */
export interface Place {
  readonly list: string;
  readonly window: Window;
  readonly offset: number;
}

/** The place that a cursor names; without one, the beginning. @throws bad_query */
export function placeOf(
  name: string,
  context: RequestContext,
  input: CodingSelection & { readonly cursor: string | undefined },
  ...more: readonly (string | null)[]
): Place {
  const { agent, user, repository } = input;
  const list = listName(name, context, agent ?? null, user ?? null, repository ?? null, ...more);
  if (input.cursor === undefined) return { list, window: wholeHours(input.window), offset: 0 };
  const { from, to, after } = decodeCursor(input.cursor, list, 1);
  const offset = Number(after[0]);
  if (!Number.isSafeInteger(offset) || offset < 0) throw damagedCursor();
  if (offset > MOST_OFFSET)
    throw fail('bad_query', { detail: 'The list is too long to be read so far. Narrow the window.' });
  return { list, window: { from, to }, offset };
}

/** A page of rows, of which one more than the limit was read. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  place: Place,
  limit: number,
  item: (row: Row) => Item,
): Page<Item> {
  return {
    data: rows.slice(0, limit).map((row) => item(row)),
    nextCursor: rows.length > limit ? cursorAt(place, place.offset + limit) : null,
  };
}

/** The cursor of what follows so many. */
export const cursorAt = ({ list, window }: Place, offset: number): string =>
  encodeCursor({ list, ...window, after: [String(offset)] });
