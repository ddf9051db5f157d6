import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { LONG_STATEMENT } from '../client/connect.ts';
import { ROLLUPS } from '../rollups/index.ts';
import { fillStatement } from '../rollups/rollup.ts';
import { BACKFILL, type MigrationTarget, renderMigration } from './template.ts';

/** The rollup that a statement of a migration fills; undefined for plain SQL. */
export const backfilled = (statement: string): string | undefined =>
  statement.startsWith(`${BACKFILL} `) ? statement.slice(BACKFILL.length + 1) : undefined;

const SETTINGS: ClickHouseSettings = {
  ...LONG_STATEMENT,
  insert_deduplicate: 0,
  // A day of traces is grouped at once; what does not fit goes to disk.
  max_bytes_before_external_group_by: '300000000',
  max_bytes_ratio_before_external_group_by: 0,
};

/**
 * Fills a rollup from the rows that were there before it, day by day. It empties the table first, so that after a
 * crash it simply runs again; it must not run while rows are inserted. A rollup that the program no longer has is
 * passed over: a later migration drops it.
 */
export async function backfill(
  client: ClickHouseClient,
  target: MigrationTarget,
  name: string,
): Promise<void> {
  const rollup = ROLLUPS.find((one) => one.name === name);
  if (rollup === undefined) return;
  const run = (query: string, params: Record<string, unknown> = {}) =>
    client.command({ query, query_params: params, clickhouse_settings: SETTINGS });
  await run(renderMigration(`TRUNCATE TABLE IF EXISTS \${table:${name}}\${on_cluster};`, target).join(''));
  for (const source of Object.keys(rollup.sources)) {
    const table = `\`${target.database}\`.${source}`;
    // A store of before migration 36 has no span that stands for others.
    const isWeighed = await run(`SELECT ExtraCount FROM ${table} LIMIT 0`).then(
      () => true,
      () => false,
    );
    const all = source !== 'otel_traces' || isWeighed ? '*' : '*, toUInt32(0) AS ExtraCount';
    const result = await client.query({
      query: `SELECT DISTINCT RetentionDays AS retention, toString(toDate(ReceivedAt)) AS day FROM ${table} ORDER BY day`,
      query_params: {},
      format: 'JSONEachRow',
      clickhouse_settings: SETTINGS,
    });
    for (const { retention, day } of await result.json<{ retention: number; day: string }>()) {
      const rows = `(SELECT ${all} FROM ${table} WHERE RetentionDays = {retention:UInt16} AND toDate(ReceivedAt) = {day:Date})`;
      await run(fillStatement(rollup, source, rows, `\`${target.database}\`.${name}`), { retention, day });
    }
  }
}
