import type { Signal } from '@candela/kernel';
import { setTimeout as pause } from 'node:timers/promises';
import type { TelemetryStore } from '../client/types.ts';
import { ROLLUPS } from '../rollups/index.ts';
import { TABLES } from '../schema/tables.ts';

export interface PruneInput {
  readonly projectId: string;
  readonly signal: Signal;
  /** Days that records of the project are kept from now on. */
  readonly days: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Nobody waits any more: what the engine was asked for it does all the same. */
  readonly abort?: AbortSignal;
}

const DAY_MS = 86_400_000;
/** Partitions of one table rewritten in one go; the next run goes on. */
const MAX_PARTITIONS = 100;
/** Of looking for what is to go: it reads narrow columns of everything kept. */
const LOOK_TIMEOUT_MS = 120_000;
/** Of one partition to be rewritten, behind whatever the engine rewrites before it. */
const REWRITE_TIMEOUT_MS = 1_800_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 2_000;

const isOf = (signal: Signal, table: string): boolean =>
  signal === 'metrics' ? table.startsWith('otel_metrics_') : table === `otel_${signal}`;

/** Tables with records of a signal, or made of them also: what is derived from several goes with the first of them. */
function tablesOf(signal: Signal): { readonly name: string; readonly day: string }[] {
  const records = TABLES.filter(({ name }) => isOf(signal, name)).map(({ name }) => ({
    name,
    day: 'toDate(ReceivedAt)',
  }));
  const derived = ROLLUPS.filter(({ sources }) => Object.keys(sources).some((table) => isOf(signal, table)));
  return [...records, ...derived.map(({ name }) => ({ name, day: 'ReceivedDay' }))];
}

/**
 * Deletes what a project's records of a signal keep longer than its days: they were stored with more. Rows of other
 * projects in the same partitions stay; a partition is a day, so a record may stay a day longer. For one server: the
 * tables of a cluster are deleted from by their own retention only. Returns the partitions that were rewritten.
 */
export async function pruneProject(
  store: Pick<TelemetryStore, 'select' | 'command'>,
  { projectId, signal, days, now, abort }: PruneInput,
): Promise<number> {
  const before = new Date(now - days * DAY_MS).toISOString().slice(0, 10);
  let rewritten = 0;
  for (const { name, day } of tablesOf(signal)) {
    // Those of a run that was cut off may still go on: what they delete is not to be asked for again.
    await deletionsOf(store, name, abort);
    const partitions = await store.select<{ R: number; D: string }>(
      `SELECT DISTINCT RetentionDays AS R, toString(${day}) AS D FROM ${name}
       WHERE ProjectId = {project:String} AND (RetentionDays > {days:UInt16} OR RetentionDays = 0)
         AND ${day} < {before:Date}
       ORDER BY D LIMIT ${MAX_PARTITIONS}`,
      { project: projectId, days, before },
      { timeoutMs: LOOK_TIMEOUT_MS },
    );
    for (const { R, D } of partitions) {
      await store.command(
        `ALTER TABLE ${name} DELETE IN PARTITION (${Number(R)}, '${D.replaceAll(/[^0-9-]/g, '')}')
         WHERE ProjectId = {project:String} SETTINGS mutations_sync = 0`,
        { project: projectId },
      );
      await deletionsOf(store, name, abort);
      rewritten += 1;
    }
  }
  return rewritten;
}

/**
 * Waits until the engine has done all deletions of a table, by asking: a large partition takes longer than any request
 * may, and the engine goes on without one. @throws Error when one of them fails, or takes longer than it may
 */
async function deletionsOf(
  store: Pick<TelemetryStore, 'select'>,
  table: string,
  abort: AbortSignal | undefined,
): Promise<void> {
  const until = Date.now() + REWRITE_TIMEOUT_MS;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    abort?.throwIfAborted();
    const [found] = await store.select<{ Open: number; Reason: string }>(
      `SELECT count() AS Open, max(latest_fail_reason) AS Reason FROM system.mutations
       WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done
         AND position(command, 'DELETE IN PARTITION') > 0`,
      { table },
    );
    if (found === undefined || found.Open === 0) return;
    if (found.Reason !== '') throw new Error(`A deletion of ${table} fails: ${found.Reason}`);
    if (Date.now() > until) throw new Error(`A deletion of ${table} takes longer than it may`);
    await pause(wait, undefined, { signal: abort });
  }
}
