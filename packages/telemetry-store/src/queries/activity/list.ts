import type { ActivitySort, Filter, SessionRow, UserRow, UserSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { ACTIVITY } from '../../rollups/activity.ts';
import { alignedAround } from '../core/aligned.ts';
import { type Cursor, damagedCursor, decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import { type Basis, basisOf } from '../core/basis.ts';
import { type Known, knownOf } from '../core/known.ts';
import { SPREAD } from '../core/page.ts';
import { isRepriced } from '../core/prices.ts';
import { rolledFrom, rolledRows, rolledSource, settledWindow } from '../core/rolled.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import {
  FIGURES,
  firstOf,
  type RawSession,
  type RawUser,
  START,
  TIMES,
  toSessionRow,
  toUserRow,
} from './figures.ts';
import { among, beyond, type Key, latestKeys, type Place } from './latest.ts';

export interface ActivityInput<Sort extends string> {
  readonly window: Window;
  readonly filter: Filter | undefined;
  /** Only sessions of this user. */
  readonly user?: string | undefined;
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor: string | undefined;
  /**
   * With a filter that reads texts or attributes of very many spans: the first page is made of a part of them. Default: it is made
   * of all.
   */
  readonly early?: boolean;
}

export interface ActivityPage<Row> {
  readonly data: Row[];
  readonly nextCursor: string | null;
  /** About what part of the spans told who matches; null: all. Such a page has no cursor. */
  readonly sample: number | null;
}

/** The hash of what has no id, in SQL. */
const NOBODY = "cityHash64('')";

/** Whole numbers, so that a cursor compares exactly. */
const SORT_SQL = {
  last: 'max(EndNs)',
  first: 'min(FirstNs)',
  duration: 'max(EndNs) - min(FirstNs)',
  cost: 'if(sum(Priced) = 0, toInt64(-1), sum(Cost))',
  tokens: 'toInt64(sum(Input + CacheRead + CacheWrite + Output + Reasoning))',
  errors: 'toInt64(sum(Errors))',
  // Gathered first and made distinct then: half of what one table of hashes a group costs.
  traces: 'toInt64(length(arrayDistinct(groupArrayArray(Traces))))',
  sessions: "toInt64(uniqExactIf(SessionHash, SessionHash != cityHash64('')))",
} as const;

const USERS = "groupUniqArrayIf(UserId, UserId != '')";

/** The two kinds of what is listed. */
const KINDS = {
  sessions: {
    id: 'SessionId',
    hash: 'SessionHash',
    own: `length(${USERS}) AS UserCount, ${firstOf(USERS, 20)} AS Users`,
  },
  users: {
    id: 'UserId',
    hash: 'UserHash',
    // By the hash: the texts of all rows of a user would be unpacked for it.
    own: `${SORT_SQL.sessions} AS SessionCount`,
  },
} as const;

/** One page of sessions. @throws bad_query */
export async function listSessions(
  runner: Runner,
  context: RequestContext,
  input: ActivityInput<ActivitySort>,
): Promise<ActivityPage<SessionRow>> {
  const page = await list<RawSession>(runner, context, 'sessions', input);
  return { ...page, data: page.data.map(toSessionRow) };
}

/** One page of users. @throws bad_query */
export async function listUsers(
  runner: Runner,
  context: RequestContext,
  input: ActivityInput<UserSort>,
): Promise<ActivityPage<UserRow>> {
  const page = await list<RawUser>(runner, context, 'users', input);
  return { ...page, data: page.data.map(toUserRow) };
}

/** The order first, over two narrow figures; then the rows of the page. */
async function list<Raw extends object>(
  runner: Runner,
  context: RequestContext,
  kind: keyof typeof KINDS,
  input: ActivityInput<UserSort>,
): Promise<ActivityPage<Raw>> {
  const name = listName(kind, context, input.sort, input.filter, input.user);
  const cursor = input.cursor === undefined ? undefined : decodeCursor(input.cursor, name, 2);
  const window = cursor ?? input.window;
  const { hash } = KINDS[kind];
  const after = placeOf(cursor);
  const { filter } = input;
  const known = filter === undefined ? undefined : enoughOf(context, filter);
  const asksSpans = filter !== undefined && known === undefined;
  const hurried = input.early === true && cursor === undefined && asksSpans;
  const [settled, basis] = await Promise.all([
    settledWindow(runner, context, window),
    basisOf(runner, context, SPANS, { window, filter, hurried, limit: input.limit }),
  ]);
  const limit = basis.limit + 1;
  const latest =
    input.sort === '-last' && input.user === undefined && filter === undefined
      ? await latestKeys(runner, context, { hash, window: settled, limit, after })
      : undefined;
  const keys =
    latest ??
    (await keysInOrder(runner, context, kind, { ...input, window: settled, known, limit, basis }, after));
  const page = keys.slice(0, basis.limit);
  const last = page.at(-1);
  return {
    data: await figuresOf<Raw>(runner, context, kind, settled, page),
    sample: basis.share,
    nextCursor:
      keys.length > basis.limit && last !== undefined && basis.share === null
        ? encodeCursor({ list: name, from: window.from, to: window.to, after: [last.K, last.Hash] })
        : null,
  };
}

interface Ordered extends ActivityInput<UserSort> {
  /** The filter as the rollup answers it alone. */
  readonly known: Known | undefined;
  /** The spans that tell who matches. */
  readonly basis: Basis;
}

/** The first of them in their order, as far as the rollup and the set of those with a matching span tell it. */
function keysInOrder(
  runner: Runner,
  context: RequestContext,
  kind: keyof typeof KINDS,
  input: Ordered,
  after: Place | undefined,
): Promise<Key[]> {
  const { hash } = KINDS[kind];
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  const figures = `${hash} AS H, ${figureOf(input.sort)} AS Figure, min(FirstNs) AS Begin, max(EndNs) AS End`;
  const condition = having(scope, input);
  const rows = rolledRows(scope, ACTIVITY, input.window, {
    reads: `${hash} ${input.user === undefined ? '' : 'SessionHash'} ${figures} ${condition}`,
  });
  return runner.run<Key>(
    scope,
    `SELECT toString(H) AS Hash, toString(Figure) AS K, toString(Begin) AS StartNs, toString(End) AS LastNs FROM (
       SELECT ${figures} FROM ${rows} WHERE ${wanted(scope, kind, input)} GROUP BY ${hash} ${condition}
     ) ${next(scope, input, after)} ${input.basis.settings}`,
  );
}

const figureOf = (sort: UserSort): string => SORT_SQL[sort.replace('-', '') as keyof typeof SORT_SQL];

/** The next of them after a place. */
function next(scope: Scope, { sort, limit }: Ordered, after: Place | undefined): string {
  const descending = sort.startsWith('-');
  const direction = descending ? 'DESC' : 'ASC';
  return `${beyond(scope, descending, after)} ORDER BY Figure ${direction}, H ${direction} LIMIT ${limit}`;
}

/**
 * Which rows of the rollup count: those with an id, of a session or user that matches. The hashes tell: the ids
 * themselves are texts, read for the rows of a page only.
 */
function wanted(scope: Scope, kind: keyof typeof KINDS, input: Ordered): string {
  const { hash } = KINDS[kind];
  const conditions = [`${hash} != ${NOBODY}`];
  if (input.filter !== undefined && input.known === undefined) {
    // Those without an id are in there too, under a hash that is left out above: to leave them out costs a quarter more.
    const matching = scope.over(SPANS).during(input.basis.window).matching(input.filter);
    conditions.push(`${hash} GLOBAL IN (SELECT ${hash} ${matching.from})`);
  }
  if (input.user !== undefined) {
    const user = scope.params.bind(input.user, 'String');
    conditions.push(
      `SessionHash GLOBAL IN (SELECT SessionHash ${rolledFrom(scope, ACTIVITY, input.window, { only: `UserHash = cityHash64(${user}) AND UserId = ${user}`, reads: 'SessionHash' })})`,
    );
  }
  return conditions.join(' AND ');
}

/** The filter as the rollup answers it alone: for all of its rows, those made from the spans too. */
function enoughOf(context: RequestContext, filter: Filter): Known | undefined {
  const known = knownOf(filter, isRepriced(context.projectId));
  return known?.enough === true ? known : undefined;
}

function having({ params }: Scope, { filter, known }: Ordered): string {
  return filter === undefined || known === undefined ? '' : `HAVING ${known.sql(params)}`;
}

/** Figures of these sessions or users in the window, in the same order. */
async function figuresOf<Raw extends object>(
  runner: Runner,
  context: RequestContext,
  kind: keyof typeof KINDS,
  window: Window,
  page: readonly Key[],
): Promise<Raw[]> {
  if (page.length === 0) return [];
  const { id, hash, own } = KINDS[kind];
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  // The order knew the end, and mostly the start.
  const start = page.some(({ StartNs }) => StartNs === undefined) ? `${START}, ` : '';
  const figures = `toString(${hash}) AS Hash, any(${id}) AS Id, ${own}, ${start}${FIGURES}`;
  const only = among(scope, hash, page);
  const rows = await runner.run<Raw & { Hash: string }>(
    scope,
    `SELECT ${figures}
     ${rolledFrom(scope, ACTIVITY, near(window, page), { only, reads: figures })} GROUP BY ${hash} ${SPREAD}`,
  );
  const found = new Map(rows.map((row) => [row.Hash, row]));
  return page.flatMap(({ Hash, StartNs, LastNs }) => {
    const row = found.get(Hash);
    return row === undefined ? [] : [{ StartNs, ...row, LastNs }];
  });
}

/**
 * The part of the window in which the spans of a page began, as far as the order told it. In whole buckets, for what lies
 * between two of them has to be made from the spans.
 */
function near(window: Window, page: readonly Key[]): Window {
  const begins = page.map(({ StartNs }) => (StartNs === undefined ? window.from : BigInt(StartNs)));
  const from = begins.reduce((a, b) => (a < b ? a : b));
  const to = page.map((key) => BigInt(key.LastNs) + 1n).reduce((a, b) => (a > b ? a : b));
  return alignedAround({ from, to }, window);
}

/** Figures of one session or user; undefined when it has no span in the window. */
export async function figuresOfOne<Kind extends keyof typeof KINDS>(
  runner: Runner,
  context: RequestContext,
  kind: Kind,
  input: { window: Window; id: string },
): Promise<(Kind extends 'sessions' ? RawSession : RawUser) | undefined> {
  const { id, hash, own } = KINDS[kind];
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  const value = scope.params.bind(input.id, 'String');
  const figures = `any(${id}) AS Id, ${own}, ${TIMES}, ${FIGURES}`;
  const only = `${hash} = cityHash64(${value}) AND ${id} = ${value}`;
  const [row] = await runner.run<Kind extends 'sessions' ? RawSession : RawUser>(
    scope,
    `SELECT ${figures} ${rolledFrom(scope, ACTIVITY, input.window, { only, reads: figures })} GROUP BY ${id}`,
  );
  return row;
}

/** What a page comes after in its list. @throws bad_query */
function placeOf(cursor: Cursor | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const [figure = '', hash = ''] = cursor.after;
  if (!/^-?\d{1,19}$/.test(figure) || !/^\d{1,20}$/.test(hash)) throw damagedCursor();
  return { figure, hash };
}
