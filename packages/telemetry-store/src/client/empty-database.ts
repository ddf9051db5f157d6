import type { ClickHouseClient } from '@clickhouse/client';
import type { MigrationTarget } from '../migrations/template.ts';

/** No connector can have a database of this name, for theirs have no hyphen. */
const EMPTY_DATABASE = 'candela-ask';

/**
 * Makes the database that holds nothing: a statement for which it is the current one finds no table by a bare name.
 * @throws where the account may not make it, or somebody put a table there
 */
export async function makeEmptyDatabase(admin: ClickHouseClient, target: MigrationTarget): Promise<string> {
  const cluster = target.cluster === undefined ? '' : ` ON CLUSTER '${target.cluster}'`;
  await admin.command({ query: `CREATE DATABASE IF NOT EXISTS \`${EMPTY_DATABASE}\`${cluster}` });
  const found = await admin.query({
    query: 'SELECT count() AS tables FROM system.tables WHERE database = {name:String}',
    query_params: { name: EMPTY_DATABASE },
    format: 'JSONEachRow',
  });
  const [row] = await found.json<{ tables: number | string }>();
  if (Number(row?.tables) !== 0) throw new Error(`The database ${EMPTY_DATABASE} must hold no tables`);
  return EMPTY_DATABASE;
}
