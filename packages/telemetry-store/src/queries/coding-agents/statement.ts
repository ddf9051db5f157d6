import { fail, type RequestContext } from '@candela/kernel';
import { damagedCursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import { wholeHours, withFloor } from '../core/floor.ts';
import type { Page } from '../core/page.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { CODING_SPANS, SESSION_COLUMNS, SPAN_COLUMNS } from './columns.ts';

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
/** The statement of sessions of the window, masked by the floor first and chosen then. `session`: one alone, of anybody. */
export function sessionsStatement(
  context: RequestContext,
  input: Omit<CodingSelection, 'window'> & { readonly session?: string },
  window: Window,
): readonly [Scope, string] {
  const all = Scope.masking(context, SPANS).during(window).and(CODING_SPANS);
  const { session } = input;
  const scope = session === undefined ? all : all.and(`SessionId = ${all.params.bind(session, 'String')}`);
  const sessions = `SELECT ${SESSION_COLUMNS} FROM (SELECT ${SPAN_COLUMNS} ${scope.from} LIMIT 1 BY TraceId, SpanId) GROUP BY SpanAgent, SessionId`;
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
  // Of one session alone it cannot be told how many its user has.
  const rows = session === undefined ? withFloor(sessions, context.principal) : sessions;
  return [scope, `SELECT * FROM (${rows})${where}`];
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
  { list, window, offset }: Place,
  limit: number,
  item: (row: Row) => Item,
): Page<Item> {
  const more = rows.length > limit;
  return {
    data: rows.slice(0, limit).map((row) => item(row)),
    nextCursor: more ? encodeCursor({ list, ...window, after: [String(offset + limit)] }) : null,
  };
}
