import type { ActivitySort, Filter, SessionRow, UserRow, UserSort } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { ACTIVITY } from '../../rollups/activity.ts';
import { alignedAround } from '../core/aligned.ts';
import { decodeCursor, encodeCursor, listName } from '../core/cursor.ts';
import { FAILED, type Known, knownOf, LISTED } from '../core/known.ts';
import { rolledRows, rolledSource, settledWindow } from '../core/rolled.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { FIGURES, type RawSession, type RawUser, TIMES, toSessionRow, toUserRow } from './figures.ts';
import { guessedKeys, type Key } from './guess.ts';

export interface ActivityInput<Sort extends string> {
  readonly window: Window;
  readonly filter: Filter | undefined;
  /** Only sessions of this user. */
  readonly user?: string | undefined;
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface ActivityPage<Row> {
  readonly data: Row[];
  readonly nextCursor: string | null;
}

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

/** Among so many of the newest rows those of the first page by time are looked for, before all are grouped. */
const NEWEST_ROWS = [1_000, 16_000];

/** The two kinds of what is listed. */
const KINDS = {
  sessions: {
    id: 'SessionId',
    hash: 'SessionHash',
    own: "groupUniqArrayIf(20)(UserId, UserId != '') AS Users",
  },
  users: {
    id: 'UserId',
    hash: 'UserHash',
    own: "uniqExactIf(SessionHash, SessionId != '') AS SessionCount",
  },
} as const;

/** One page of sessions. @throws bad_query */
export async function listSessions(
  runner: Runner,
  context: RequestContext,
  input: ActivityInput<ActivitySort>,
): Promise<ActivityPage<SessionRow>> {
  const page = await list<RawSession>(runner, context, 'sessions', input);
  return {
    data: page.data.map((raw) => toSessionRow({ ...raw, Users: raw.Users.toSorted() })),
    nextCursor: page.nextCursor,
  };
}

/** One page of users. @throws bad_query */
export async function listUsers(
  runner: Runner,
  context: RequestContext,
  input: ActivityInput<UserSort>,
): Promise<ActivityPage<UserRow>> {
  const page = await list<RawUser>(runner, context, 'users', input);
  return { data: page.data.map(toUserRow), nextCursor: page.nextCursor };
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
  const bounded = { ...input, window };
  const ordered = (filter: Filter | undefined, limit: number) =>
    keysInOrder(runner, context, kind, { ...bounded, filter, limit }, cursor?.after);
  const { filter } = input;
  const limit = input.limit + 1;
  const first = async (): Promise<readonly Key[]> => {
    const guessed =
      filter === undefined || rolled(input) !== undefined
        ? undefined
        : await guessedKeys(runner, context, {
            hash: KINDS[kind].hash,
            window,
            filter,
            limit,
            candidates: (count) => ordered(undefined, count),
          });
    return guessed ?? ordered(filter, limit);
  };
  const [keys, settled] = await Promise.all([first(), settledWindow(runner, context, window)]);
  const page = keys.slice(0, input.limit);
  const last = page.at(-1);
  const raws = await figuresOf<Raw>(runner, context, kind, settled, page);
  return {
    data: page.flatMap((key) => raws.get(key.Hash) ?? []),
    nextCursor:
      keys.length > input.limit && last !== undefined
        ? encodeCursor({ list: name, from: window.from, to: window.to, after: [last.K, last.Hash] })
        : null,
  };
}

/** The first of them in their order, as far as the rollup and the set of those with a matching span tell it. */
async function keysInOrder(
  runner: Runner,
  context: RequestContext,
  kind: keyof typeof KINDS,
  input: ActivityInput<UserSort>,
  after: readonly string[] | undefined,
): Promise<readonly Key[]> {
  if (input.sort === '-last') {
    const latest = await latestKeys(runner, context, kind, input, after);
    if (latest !== undefined) return latest;
  }
  return allKeys(runner, context, kind, input, after);
}

/** Out of the figures of all of them. */
function allKeys(
  runner: Runner,
  context: RequestContext,
  kind: keyof typeof KINDS,
  input: ActivityInput<UserSort>,
  after: readonly string[] | undefined,
): Promise<Key[]> {
  const { hash } = KINDS[kind];
  const descending = input.sort.startsWith('-');
  const direction = descending ? 'DESC' : 'ASC';
  const figure = SORT_SQL[input.sort.replace('-', '') as keyof typeof SORT_SQL];
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  const figures = `${hash} AS H, ${figure} AS Figure, min(FirstNs) AS Begin, max(EndNs) AS End`;
  const condition = having(scope, input);
  const rows = rolledRows(scope, ACTIVITY, input.window, {
    reads: `${hash} SessionHash ${figures} ${condition}`,
  });
  return runner.run<Key>(
    scope,
    `SELECT toString(H) AS Hash, toString(Figure) AS K, toString(Begin) AS StartNs, toString(End) AS LastNs FROM (
       SELECT ${figures} FROM ${rows} WHERE ${wanted(scope, kind, input)} GROUP BY ${hash} ${condition}
     ) ${beyond(scope, descending, after)} ORDER BY Figure ${direction}, H ${direction} LIMIT ${input.limit}`,
  );
}

/**
 * The first of a list by their end, the latest first, without grouping all of them: whoever ended after some instant has
 * a row that does, and the newest rows tell which instant that is. Undefined where it leads to fewer than asked for.
 */
async function latestKeys(
  runner: Runner,
  context: RequestContext,
  kind: keyof typeof KINDS,
  input: ActivityInput<UserSort>,
  after: readonly string[] | undefined,
): Promise<readonly Key[] | undefined> {
  const { filter, window, limit } = input;
  if (input.user !== undefined || (filter !== undefined && rolled(input) === undefined)) return undefined;
  const { hash } = KINDS[kind];
  const named = `${hash} != cityHash64('')`;
  for (const newest of NEWEST_ROWS) {
    const scope = Scope.of(context, rolledSource(ACTIVITY));
    const reached =
      after === undefined ? '' : ` AND EndNs <= ${scope.params.bind(placeOf(after)[0], 'Int64')}`;
    const ends = rolledRows(scope, ACTIVITY, window, { only: named + reached, reads: 'EndNs' });
    const [found] = await runner.run<{ Since: string; C: number }>(
      scope,
      `SELECT toString(min(EndNs)) AS Since, count() AS C FROM (SELECT EndNs FROM ${ends} ORDER BY EndNs DESC LIMIT ${newest})`,
    );
    if (found === undefined || found.C < newest) return undefined;
    const keys = await keysSince(runner, context, kind, input, { since: found.Since, after });
    if (keys.length === limit) return keys;
  }
  return undefined;
}

/** Those that ended at this instant or later, the latest first. */
function keysSince(
  runner: Runner,
  context: RequestContext,
  kind: keyof typeof KINDS,
  input: ActivityInput<UserSort>,
  { since, after }: { readonly since: string; readonly after: readonly string[] | undefined },
): Promise<Key[]> {
  const { hash } = KINDS[kind];
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  const late = `EndNs >= ${scope.params.bind(since, 'Int64')} AND ${hash} != cityHash64('')`;
  const ended = rolledRows(scope, ACTIVITY, input.window, { only: late, reads: hash });
  const condition = having(scope, input);
  const figures = `${hash} AS H, max(EndNs) AS Figure, min(FirstNs) AS Begin`;
  const rows = rolledRows(scope, ACTIVITY, input.window, {
    only: `${hash} GLOBAL IN (SELECT ${hash} FROM ${ended})`,
    reads: `${figures} ${condition}`,
  });
  return runner.run<Key>(
    scope,
    `SELECT toString(H) AS Hash, toString(Figure) AS K, toString(Begin) AS StartNs, toString(Figure) AS LastNs FROM (
       SELECT ${figures} FROM ${rows} GROUP BY ${hash} ${condition}
     ) ${beyond(scope, true, after)} ORDER BY Figure DESC, H DESC LIMIT ${input.limit}`,
  );
}

/**
 * Which rows of the rollup count: those with an id, of a session or user that matches. The hashes tell: the ids
 * themselves are texts, read for the rows of a page only.
 */
function wanted(scope: Scope, kind: keyof typeof KINDS, input: ActivityInput<UserSort>): string {
  const { hash } = KINDS[kind];
  const conditions = [`${hash} != cityHash64('')`];
  if (input.filter !== undefined && rolled(input) === undefined) {
    // Those without an id are in there too, under a hash that is left out above: to leave them out costs a quarter more.
    const matching = scope.over(SPANS).during(input.window).matching(input.filter);
    conditions.push(`${hash} GLOBAL IN (SELECT ${hash} ${matching.from})`);
  }
  if (input.user !== undefined) {
    const user = scope.params.bind(input.user, 'String');
    conditions.push(
      `SessionHash GLOBAL IN (SELECT SessionHash FROM ${rolledRows(scope, ACTIVITY, input.window, { only: `UserHash = cityHash64(${user}) AND UserId = ${user}`, reads: 'SessionHash' })})`,
    );
  }
  return conditions.join(' AND ');
}

/** The filter as the rollup answers it alone: for all of its rows, those made from the spans too. */
function rolled({ filter }: ActivityInput<UserSort>): Known | undefined {
  if (filter === undefined) return undefined;
  const known = knownOf(filter, (condition) => FAILED(condition) ?? LISTED(condition));
  return known?.enough === true ? known : undefined;
}

function having({ params }: Scope, input: ActivityInput<UserSort>): string {
  const known = rolled(input);
  return known === undefined ? '' : `HAVING ${known.sql(params)}`;
}

/** Figures of these sessions or users in the window, by hash. */
async function figuresOf<Raw extends object>(
  runner: Runner,
  context: RequestContext,
  kind: keyof typeof KINDS,
  window: Window,
  page: readonly { readonly Hash: string; readonly StartNs: string; readonly LastNs: string }[],
): Promise<Map<string, Raw>> {
  if (page.length === 0) return new Map();
  const { id, hash, own } = KINDS[kind];
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  // One by one: beyond 2^53 they are no numbers of JSON, and a list of texts would be turned into numbers row by row.
  const among = page.map((key) => scope.params.bind(key.Hash, 'UInt64')).join(', ');
  const figures = `toString(${hash}) AS Hash, any(${id}) AS Id, ${own}, ${FIGURES}`;
  const only = `${hash} IN (${among})`;
  const rows = await runner.run<Raw & { Hash: string }>(
    scope,
    `SELECT ${figures}
     FROM ${rolledRows(scope, ACTIVITY, near(window, page), { only, reads: figures })} GROUP BY ${hash}`,
  );
  const found = new Map(rows.map((row) => [row.Hash, row]));
  // The order knew the times already.
  return new Map(
    page.flatMap(({ Hash, StartNs, LastNs }) => {
      const row = found.get(Hash);
      return row === undefined ? [] : [[Hash, { ...row, StartNs, LastNs }]];
    }),
  );
}

/**
 * The part of the window in which the spans of a page began: lists by time need only the end of it. In whole buckets,
 * for what lies between two of them has to be made from the spans.
 */
function near(
  window: Window,
  page: readonly { readonly StartNs: string; readonly LastNs: string }[],
): Window {
  const from = page.map((key) => BigInt(key.StartNs)).reduce((a, b) => (a < b ? a : b));
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
    `SELECT ${figures} FROM ${rolledRows(scope, ACTIVITY, input.window, { only, reads: figures })} GROUP BY ${id}`,
  );
  return row;
}

/** The sort value and the hash of a cursor. @throws bad_query */
function placeOf(after: readonly string[]): readonly [key: string, hash: string] {
  const [key = '', hash = ''] = after;
  if (!/^-?\d{1,19}$/.test(key) || !/^\d{1,20}$/.test(hash))
    throw fail('bad_query', { detail: 'The cursor is damaged.' });
  return [key, hash];
}

function beyond(scope: Scope, descending: boolean, after: readonly string[] | undefined): string {
  if (after === undefined) return '';
  const [key, hash] = placeOf(after);
  const bound = `${scope.params.bind(key, 'Int64')}, ${scope.params.bind(hash, 'UInt64')}`;
  return `WHERE (Figure, H) ${descending ? '<' : '>'} (${bound})`;
}
