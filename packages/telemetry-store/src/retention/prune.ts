import type { TelemetryStore } from '../client/types.ts';
import type { StoredSignal } from '../queries/core/stores.ts';
import { ROLLUPS } from '../rollups/index.ts';
import { TABLES } from '../schema/tables.ts';

export interface PruneInput {
  readonly projectId: string;
  readonly signal: StoredSignal;
  /** Days that records of the project are kept from now on. */
  readonly days: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

const DAY_MS = 86_400_000;
/** Partitions of one table rewritten in one go; the next run goes on. */
const MAX_PARTITIONS = 100;
const TIMEOUT_MS = 600_000;

const isOf = (signal: StoredSignal, table: string): boolean =>
  signal === 'metrics' ? table.startsWith('otel_metrics_') : table === `otel_${signal}`;

/** Tables with records of a signal, or made of them also: what is derived from several goes with the first of them. */
function tablesOf(signal: StoredSignal): { readonly name: string; readonly day: string }[] {
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
  { projectId, signal, days, now }: PruneInput,
): Promise<number> {
  const before = new Date(now - days * DAY_MS).toISOString().slice(0, 10);
  let rewritten = 0;
  for (const { name, day } of tablesOf(signal)) {
    const partitions = await store.select<{ R: number; D: string }>(
      `SELECT DISTINCT RetentionDays AS R, toString(${day}) AS D FROM ${name}
       WHERE ProjectId = {project:String} AND (RetentionDays > {days:UInt16} OR RetentionDays = 0)
         AND ${day} < {before:Date}
       ORDER BY D LIMIT ${MAX_PARTITIONS}`,
      { project: projectId, days, before },
      { timeoutMs: TIMEOUT_MS },
    );
    for (const { R, D } of partitions) {
      await store.command(
        `ALTER TABLE ${name} DELETE IN PARTITION (${Number(R)}, '${D.replaceAll(/[^0-9-]/g, '')}')
         WHERE ProjectId = {project:String} SETTINGS mutations_sync = 1`,
        { project: projectId },
        { timeoutMs: TIMEOUT_MS },
      );
      rewritten += 1;
    }
  }
  return rewritten;
}
