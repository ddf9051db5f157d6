import type { CodingSessionSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { ACTIVITY } from '../../rollups/activity.ts';
import { HAS_CODING_SPANS } from '../core/floor.ts';
import { rolledFrom, rolledSource } from '../core/rolled.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { CountedSession } from './native-counters.ts';
import type { CodingSelection } from './statement.ts';

/*
 * Which sessions a page is made of, by the rollup of sessions: of a million of them only those of the page are read from the spans.
 */

/** A session and when its spans lie, nanoseconds; `to` is exclusive. */
export interface Place extends Window {
  readonly session: string;
}

const HOUR = 3_600_000_000_000n;
/** The rollup lies in parts of so long. */
const FIRST_SLICE = 6n * HOUR;
/** Each next slice is so many times as long. */
const WIDER = 6n;

/** Orders that the rollup knows exactly: what calls cost and which tools were called is known by the spans alone. */
const ORDERED: Partial<Record<CodingSessionSort, (a: Place, b: Place) => bigint>> = {
  '-start': (a, b) => b.from - a.from,
  start: (a, b) => a.from - b.from,
  '-duration': (a, b) => b.to - b.from - (a.to - a.from),
};

interface Asked extends Omit<CodingSelection, 'window'> {
  readonly window: Window;
  readonly sort: CodingSessionSort;
  /** So many of the first in the order are wanted. */
  readonly count: number;
  readonly counted: readonly CountedSession[];
}

/**
 * The first sessions in the order that who asks may see, with those that counters alone tell of. Undefined: the rollup cannot tell them.
 * Some may turn out to have no spans of a coding agent.
 */
export async function firstSessions(
  runner: Runner,
  context: RequestContext,
  asked: Asked,
): Promise<readonly Place[] | undefined> {
  const { window, sort, count, counted, agent, user, repository } = asked;
  const order = ORDERED[sort];
  if (order === undefined || agent !== undefined || repository !== undefined) return undefined;
  const bySession = (a: Place, b: Place) => {
    const first = order(a, b);
    return first === 0n ? (a.session < b.session ? -1 : 1) : first < 0n ? -1 : 1;
  };
  const visible = await runner.visible(context);
  const known = await placesOf(
    runner,
    context,
    window,
    counted.map(({ session }) => session),
  );
  const spanless = counted
    .filter(({ session }) => !known.some((place) => place.session === session))
    .filter((one) => user === undefined || one.user === user)
    .filter((one) => visible === undefined || visible.users.includes(one.user))
    .map(({ session, fromNs, toNs }) => ({ session, from: BigInt(fromNs), to: BigInt(toNs) + 1n }));
  for (let length = sort === '-duration' ? window.to - window.from : FIRST_SLICE; ; length *= WIDER) {
    const slice = sliceOf(window, sort, length);
    const found = await inSlice(runner, context, slice, { sort, count, user });
    // What began before the slice is in its right place only where the slice reaches back to it.
    const places = slice.from === window.from ? found : await begunIn(runner, context, window, slice, found);
    const whole = slice.from === window.from && slice.to === window.to;
    if (places.length >= count || whole) return [...places, ...spanless].sort(bySession).slice(0, count);
  }
}

function sliceOf({ from, to }: Window, sort: CodingSessionSort, length: bigint): Window {
  if (length >= to - from) return { from, to };
  return sort === 'start' ? { from, to: from + length } : { from: to - length, to };
}

interface Row {
  readonly Session: string;
  readonly FromNs: string;
  readonly ToNs: string;
}

const placeOf = ({ Session, FromNs, ToNs }: Row): Place => ({
  session: Session,
  from: BigInt(FromNs),
  to: BigInt(ToNs) + 1n,
});
const COLUMNS = 'any(SessionId) AS Session, toString(min(FirstNs)) AS FromNs, toString(max(EndNs)) AS ToNs';
const FIGURE: Partial<Record<CodingSessionSort, string>> = {
  '-start': 'min(FirstNs) DESC',
  start: 'min(FirstNs)',
  '-duration': 'max(EndNs) - min(FirstNs) DESC',
};

async function inSlice(
  runner: Runner,
  context: RequestContext,
  slice: Window,
  { sort, count, user }: Pick<Asked, 'sort' | 'count' | 'user'>,
): Promise<Place[]> {
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  const ofUser = user === undefined ? '' : ` AND UserId = ${scope.params.bind(user, 'String')}`;
  const only = `SessionHash != cityHash64('') AND ${HAS_CODING_SPANS}${ofUser}`;
  const reads = `${COLUMNS} SessionHash NameHashes ServiceHashes UserId`;
  const rows = await runner.run<Row>(
    scope,
    `SELECT ${COLUMNS} ${rolledFrom(scope, ACTIVITY, slice, { only, reads })}
     GROUP BY SessionHash ORDER BY ${FIGURE[sort] ?? ''}, Session LIMIT ${count}`,
  );
  return rows.map(placeOf);
}

/** Those of the sessions that began within the slice, with when their spans lie in the window. */
async function begunIn(
  runner: Runner,
  context: RequestContext,
  window: Window,
  slice: Window,
  found: readonly Place[],
): Promise<Place[]> {
  const places = await placesOf(
    runner,
    context,
    window,
    found.map(({ session }) => session),
  );
  return places.filter(({ from }) => from >= slice.from);
}

/** When the spans of these sessions lie in the window; those that have none are left out. Of anybody. */
export async function placesOf(
  runner: Runner,
  context: RequestContext,
  window: Window,
  sessions: readonly string[],
): Promise<Place[]> {
  if (sessions.length === 0) return [];
  const scope = Scope.masking(context, rolledSource(ACTIVITY));
  const ids = scope.params.bind(sessions, 'Array(String)');
  const only = `SessionHash GLOBAL IN (SELECT cityHash64(arrayJoin(${ids})))`;
  const rows = await runner.run<Row>(
    scope,
    `SELECT ${COLUMNS} ${rolledFrom(scope, ACTIVITY, window, { only, reads: `${COLUMNS} SessionHash` })} GROUP BY SessionHash`,
  );
  return rows.map(placeOf);
}

/** The window that holds all of the places; undefined without any. */
export function hullOf(places: readonly Window[]): Window | undefined {
  const [first, ...rest] = places;
  if (first === undefined) return undefined;
  return rest.reduce(
    (hull, { from, to }) => ({ from: from < hull.from ? from : hull.from, to: to > hull.to ? to : hull.to }),
    { from: first.from, to: first.to },
  );
}
