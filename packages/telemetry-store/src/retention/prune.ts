import type { Signal } from '@candela/kernel';
import type { TelemetryStore } from '../client/types.ts';
import { ROLLUPS } from '../rollups/index.ts';
import { TABLES } from '../schema/tables.ts';
import { deletionsOf, rowsOf } from './deletions.ts';

export interface PruneInput {
  readonly projectId: string;
  readonly signal: Signal;
  /** Days that records of the project are kept from now on. */
  readonly days: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Name of the cluster that the tables are on; undefined: one server. */
  readonly cluster?: string | undefined;
  /** Nobody waits any more: what the engine was asked for it does all the same. */
  readonly abort?: AbortSignal;
}

const DAY_MS = 86_400_000;
/** Partitions of one table rewritten in one go; the next run goes on. */
const MAX_PARTITIONS = 100;
/** Of looking for what is to go: it reads narrow columns of everything kept. */
const LOOK_TIMEOUT_MS = 120_000;

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
 * projects in the same partitions stay; a partition is a day, so a record may stay a day longer. Returns the partitions that were
 * rewritten.
 */
export async function pruneProject(
  store: Pick<TelemetryStore, 'select' | 'command'>,
  { projectId, signal, days, now, cluster, abort }: PruneInput,
): Promise<number> {
  const before = new Date(now - days * DAY_MS).toISOString().slice(0, 10);
  let rewritten = 0;
  for (const { name, day } of tablesOf(signal)) {
    // Those of a run that was cut off may still go on: what they delete is not to be asked for again.
    await deletionsOf(store, name, abort, cluster);
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
        `ALTER TABLE ${rowsOf(name, cluster)} DELETE IN PARTITION (${Number(R)}, '${D.replaceAll(/[^0-9-]/g, '')}')
         WHERE ProjectId = {project:String} SETTINGS mutations_sync = 0`,
        { project: projectId },
      );
      await deletionsOf(store, name, abort, cluster);
      rewritten += 1;
    }
  }
  return rewritten;
}
