import { setTimeout as pause } from 'node:timers/promises';
import type { TelemetryStore } from '../client/types.ts';
import { quote, quoteIdentifier } from '../engine-host/sql-text.ts';

/** Of one partition to be rewritten, behind whatever the engine rewrites before it. */
const REWRITE_TIMEOUT_MS = 1_800_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;

/** The table that holds the rows, for an `ALTER TABLE`: on a cluster the one below the distributed one, everywhere. */
export const rowsOf = (table: string, cluster: string | undefined): string =>
  cluster === undefined ? table : `${table}_local ON CLUSTER ${quoteIdentifier(cluster)}`;

/**
 * Waits until the engine has done all deletions of a table, by asking: a large partition takes longer than any request
 * may, and the engine goes on without one. @throws Error when one of them fails, or takes longer than it may
 */
export async function deletionsOf(
  store: Pick<TelemetryStore, 'select'>,
  table: string,
  abort: AbortSignal | undefined,
  cluster?: string,
): Promise<void> {
  const [from, name] =
    cluster === undefined
      ? ['system.mutations', table]
      : [`clusterAllReplicas(${quote(cluster)}, system.mutations)`, `${table}_local`];
  const until = Date.now() + REWRITE_TIMEOUT_MS;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    abort?.throwIfAborted();
    const [found] = await store.select<{ Open: number; Reason: string }>(
      `SELECT count() AS Open, max(latest_fail_reason) AS Reason FROM ${from}
       WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done
         AND position(command, 'DELETE ') > 0`,
      { table: name },
    );
    if (found === undefined || found.Open === 0) return;
    if (found.Reason !== '') throw new Error(`A deletion of ${table} fails: ${found.Reason}`);
    if (Date.now() > until) throw new Error(`A deletion of ${table} takes longer than it may`);
    await pause(wait, undefined, { signal: abort });
  }
}
