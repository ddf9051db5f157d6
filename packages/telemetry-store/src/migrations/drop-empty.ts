import type { ClickHouseClient } from '@clickhouse/client';
import { LONG_STATEMENT } from '../client/connect.ts';
import { DROP_EMPTY, type MigrationTarget, renderMigration } from './template.ts';

/** The table that a statement of a migration drops where it has no rows; undefined for other statements. */
export const droppedEmpty = (statement: string): string | undefined =>
  statement.startsWith(`${DROP_EMPTY} `) ? statement.slice(DROP_EMPTY.length + 1) : undefined;

/**
 * Drops a table that has no rows, on a cluster on all of its nodes where none of them has any. What is not there any more has
 * none either, so that it may be repeated; it must not run while rows are inserted. Parts that were set aside, being damaged, may
 * still be mended: a table with such is kept.
 */
export async function dropEmpty(
  client: ClickHouseClient,
  target: MigrationTarget,
  name: string,
): Promise<void> {
  const { database, cluster } = target;
  const everywhere = (table: string) =>
    cluster === undefined ? table : `clusterAllReplicas({cluster:String}, ${table})`;
  const parts = (table: string, which: string) =>
    `SELECT 1 AS part FROM ${everywhere(table)} WHERE database = {database:String} AND table = {table:String}${which}`;
  const result = await client.query({
    query: `SELECT part FROM (${parts('system.parts', ' AND active AND rows > 0')} UNION ALL ${parts('system.detached_parts', '')}) LIMIT 1`,
    query_params: { cluster, database, table: cluster === undefined ? name : `${name}_local` },
    format: 'JSONEachRow',
    clickhouse_settings: LONG_STATEMENT,
  });
  if ((await result.json()).length > 0) return;
  const [drop = ''] = renderMigration(`DROP TABLE IF EXISTS \${table:${name}}\${on_cluster} SYNC;`, target);
  await client.command({ query: drop, clickhouse_settings: LONG_STATEMENT });
}
