import type { RequestContext } from '@candela/kernel';
import { ACTIVITY } from '../../rollups/activity.ts';
import { alignedAround } from '../core/aligned.ts';
import { rolledRows, rolledSource } from '../core/rolled.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import type { Key } from './guess.ts';

/** What a page comes after in its list: the sort value and the hash of the last one before it. */
export interface Place {
  readonly figure: string;
  readonly hash: string;
}

/** A key of which it is not known when it began. */
type LatestKey = Omit<Key, 'StartNs'>;

interface Asked {
  /** The column of the hash of its id. */
  readonly hash: 'SessionHash' | 'UserHash';
  readonly window: Window;
  /** Keys wanted. */
  readonly limit: number;
  readonly after: Place | undefined;
}

/** Among so many of the newest rows of the rollup a page is looked for. */
const NEWEST_ROWS = 1_000;
/** They are looked for in this part of the window, back from where the page begins. */
const PART = 8n;

/**
 * Sessions or users by their end, the latest first, without grouping all of them: whoever ended after some instant has a
 * row that did, and the newest rows tell such an instant. Undefined where few rows lie near the end of the window, or where
 * those belong to fewer than are asked for.
 */
export async function latestKeys(
  runner: Runner,
  context: RequestContext,
  asked: Asked,
): Promise<readonly Key[] | undefined> {
  const since = await sinceOf(runner, context, asked);
  if (since === undefined) return undefined;
  const keys = await endedSince(runner, context, asked, since);
  return keys.length === asked.limit ? startsOf(runner, context, asked, keys) : undefined;
}

/** The end of the last of so many rows of a part of the window, any will do; undefined when there are fewer. */
async function sinceOf(
  runner: Runner,
  context: RequestContext,
  { hash, window, after }: Asked,
): Promise<string | undefined> {
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  const to = after === undefined || BigInt(after.figure) > window.to ? window.to : BigInt(after.figure);
  const from = to - (window.to - window.from) / PART;
  const reached = after === undefined ? '' : ` AND EndNs <= ${scope.params.bind(after.figure, 'Int64')}`;
  const rows = rolledRows(scope, ACTIVITY, alignedAround({ from, to }, window), {
    only: `${hash} != cityHash64('')${reached}`,
    reads: 'EndNs',
  });
  const [found] = await runner.run<{ Since: string; C: number }>(
    scope,
    `SELECT toString(min(EndNs)) AS Since, count() AS C FROM (SELECT EndNs FROM ${rows} ORDER BY EndNs DESC LIMIT ${NEWEST_ROWS})`,
  );
  return found?.C === NEWEST_ROWS ? found.Since : undefined;
}

/** Those that ended at this instant or later, the latest first. */
async function endedSince(
  runner: Runner,
  context: RequestContext,
  { hash, window, limit, after }: Asked,
  since: string,
): Promise<readonly LatestKey[]> {
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  const only = `EndNs >= ${scope.params.bind(since, 'Int64')} AND ${hash} != cityHash64('')`;
  const rows = await runner.run<{ Hash: string; K: string }>(
    scope,
    `SELECT toString(H) AS Hash, toString(Figure) AS K FROM (
       SELECT ${hash} AS H, max(EndNs) AS Figure FROM ${rolledRows(scope, ACTIVITY, window, { only, reads: hash })} GROUP BY ${hash}
     ) ${beyond(scope, true, after)} ORDER BY Figure DESC, H DESC LIMIT ${limit}`,
  );
  return rows.map(({ Hash, K }) => ({ Hash, K, LastNs: K }));
}

/** The same keys, and when they began: most lie near the end of the window, and their figures are read there alone. */
async function startsOf(
  runner: Runner,
  context: RequestContext,
  { hash, window }: Asked,
  keys: readonly LatestKey[],
): Promise<Key[]> {
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  const starts = `toString(${hash}) AS Hash, toString(min(FirstNs)) AS StartNs`;
  const rows = await runner.run<{ Hash: string; StartNs: string }>(
    scope,
    `SELECT ${starts} FROM ${rolledRows(scope, ACTIVITY, window, { only: among(scope, hash, keys), reads: starts })} GROUP BY ${hash}`,
  );
  const byHash = new Map(rows.map(({ Hash, StartNs }) => [Hash, StartNs]));
  return keys.map((key) => ({ ...key, StartNs: byHash.get(key.Hash) ?? key.LastNs }));
}

/** A condition on rows of the rollup: those of these keys. */
export function among(
  { params }: Scope,
  hash: Asked['hash'],
  keys: readonly { readonly Hash: string }[],
): string {
  // One by one: beyond 2^53 they are no numbers of JSON, and a list of texts would be turned into numbers row by row.
  return `${hash} IN (${keys.map((key) => params.bind(key.Hash, 'UInt64')).join(', ')})`;
}

/** The keys after a place, in a list of `Figure` and `H`. */
export function beyond({ params }: Scope, descending: boolean, after: Place | undefined): string {
  if (after === undefined) return '';
  const bound = `${params.bind(after.figure, 'Int64')}, ${params.bind(after.hash, 'UInt64')}`;
  return `WHERE (Figure, H) ${descending ? '<' : '>'} (${bound})`;
}
