import type { RequestContext } from '@candela/kernel';
import { ACTIVITY } from '../../rollups/activity.ts';
import { alignedAround } from '../core/aligned.ts';
import { SPREAD } from '../core/page.ts';
import { rolledFrom, rolledSource } from '../core/rolled.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';

/** A session or user in the order of a list. */
export interface Key {
  /** Hash of its id. */
  readonly Hash: string;
  /** Sort value. */
  readonly K: string;
  /** When its first span in the window began; undefined where the order did not tell it. */
  readonly StartNs?: string | undefined;
  /** When the last of its spans in the window to end did. */
  readonly LastNs: string;
}

/** What a page comes after in its list: the sort value and the hash of the last one before it. */
export interface Place {
  readonly figure: string;
  readonly hash: string;
}

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
  { hash, window, limit, after }: Asked,
): Promise<readonly Key[] | undefined> {
  const scope = Scope.of(context, rolledSource(ACTIVITY));
  const since = sinceSql(scope, { hash, window, after });
  const only = `EndNs >= Since AND ${hash} != cityHash64('')`;
  const rows = await runner.run<{ Hash: string; K: string }>(
    scope,
    `WITH (${since}) AS Since SELECT toString(H) AS Hash, toString(Figure) AS K FROM (
       SELECT ${hash} AS H, max(EndNs) AS Figure ${rolledFrom(scope, ACTIVITY, window, { only, reads: hash })} GROUP BY ${hash}
     ) ${beyond(scope, true, after)} ORDER BY Figure DESC, H DESC LIMIT ${limit} ${SPREAD}`,
  );
  return rows.length === limit ? rows.map(({ Hash, K }) => ({ Hash, K, LastNs: K })) : undefined;
}

/**
 * The end of the last of so many rows of the rollup; NULL when there are fewer, so that nobody ended since. Any instant
 * will do, so the rows of whole buckets tell it.
 */
function sinceSql(scope: Scope, { hash, window, after }: Omit<Asked, 'limit'>): string {
  const to = after === undefined || BigInt(after.figure) > window.to ? window.to : BigInt(after.figure);
  const from = to - (window.to - window.from) / PART;
  const reached = after === undefined ? '' : ` AND EndNs <= ${scope.params.bind(after.figure, 'Int64')}`;
  const newest = rolledFrom(scope, ACTIVITY, alignedAround({ from, to }, window), {
    only: `${hash} != cityHash64('')${reached}`,
    reads: 'EndNs',
  });
  return `SELECT if(count() = ${NEWEST_ROWS}, min(EndNs), NULL) FROM (SELECT EndNs ${newest} ORDER BY EndNs DESC LIMIT ${NEWEST_ROWS})`;
}

/** A condition on rows of the rollup: those of these keys. */
export function among(
  { params }: Scope,
  hash: Asked['hash'],
  keys: readonly { readonly Hash: string }[],
): string {
  return `${hash} IN ${params.hashes(keys.map((key) => key.Hash))}`;
}

/** The keys after a place, in a list of `Figure` and `H`. */
export function beyond({ params }: Scope, descending: boolean, after: Place | undefined): string {
  if (after === undefined) return '';
  const bound = `${params.bind(after.figure, 'Int64')}, ${params.bind(after.hash, 'UInt64')}`;
  return `WHERE (Figure, H) ${descending ? '<' : '>'} (${bound})`;
}
