import { type MigrationTarget, renderMigration } from '../migrations/template.ts';
import type { AttributeKey } from './names.ts';

/** A statement with the values that the engine binds. */
export interface Statement {
  readonly sql: string;
  readonly params: Record<string, unknown>;
}

/** The table with the rows and, on a cluster, the one over it, in the order in which a column is added. */
function tablesOf(target: MigrationTarget, table: string): string[] {
  return target.cluster === undefined ? [table] : [`${table}_local`, table];
}

/** The tables as the engine's own lists call them: those that hold rows. */
export const heldIn = (target: MigrationTarget, table: string): string => tablesOf(target, table)[0] ?? table;

const alter = (target: MigrationTarget, table: string, what: string): string =>
  renderMigration(`ALTER TABLE \${database}.\`${table}\`\${on_cluster} ${what};`, target).join('');

/** A dictionary where values are few; more of them take less room and time as they are. */
export type ColumnType = 'LowCardinality(String)' | 'String';

/** Adds the column, everywhere; from then on it is right for every row, stored or worked out. */
export const addColumn = (
  target: MigrationTarget,
  { table, map, key }: AttributeKey,
  column: string,
  type: ColumnType,
): Statement[] =>
  tablesOf(target, table).map((name) => ({
    sql: alter(target, name, `ADD COLUMN IF NOT EXISTS ${column} ${type} MATERIALIZED ${map}[{key:String}]`),
    params: { key },
  }));

/** Takes it away, first where it is read. */
export const dropColumn = (target: MigrationTarget, table: string, column: string): Statement[] =>
  tablesOf(target, table)
    .toReversed()
    .map((name) => ({
      sql: alter(target, name, `DROP COLUMN IF EXISTS ${column} SETTINGS alter_sync = 0, mutations_sync = 0`),
      params: {},
    }));

/** Stores the columns of rows that came before them, in the background. @param partitions undefined: in all of them */
export function fillColumns(
  target: MigrationTarget,
  table: string,
  columns: readonly string[],
  partitions: readonly string[] | undefined,
): Statement {
  const parts = partitions?.map((id) => ` IN PARTITION ID '${id.replaceAll(/[^\w-]/g, '')}'`) ?? [''];
  const steps = parts.flatMap((part) => columns.map((column) => `MATERIALIZE COLUMN ${column}${part}`));
  return {
    sql: alter(target, heldIn(target, table), `${steps.join(', ')} SETTINGS mutations_sync = 0`),
    params: {},
  };
}

/** Rows that a look at a key reads, and of these with the key. */
const SAMPLE_READ = 4_000_000;
const SAMPLE_ROWS = 200_000;

const sampled = (rows: string): string =>
  `SELECT count() AS Rows, uniq(V) AS Many, max(length(V)) AS Longest,
     avg(length(V)) AS Mean FROM (${rows} LIMIT ${SAMPLE_ROWS})
   SETTINGS max_rows_to_read = ${SAMPLE_READ}, read_overflow_mode = 'break', max_threads = 1`;

/** Only rows of the last day: their partitions are known beforehand. */
const RECENT = 'ReceivedAt > now64(3) - INTERVAL 1 DAY';

/** How many values a key has, from a sample of rows that have it. */
export const sampleOfKey = ({ table, map, key }: AttributeKey, recent: boolean): Statement => ({
  sql: sampled(
    `SELECT ${map}.values[indexOf(${map}.keys, {key:String})] AS V FROM ${table}
     WHERE has(${map}.keys, {key:String}) ${recent ? `AND ${RECENT}` : ''}`,
  ),
  params: { key },
});

/** The same of a key that has a column. */
export const sampleOfColumn = (table: string, column: string): Statement => ({
  sql: sampled(`SELECT toString(${column}) AS V FROM ${table} WHERE ${column} != '' AND ${RECENT}`),
  params: {},
});

/** Columns of tables that could be of keys. `Expression` tells what they are made of. */
export const COLUMNS_SQL = `SELECT table AS TableName, name AS Name, type AS Type,
    default_expression AS Expression FROM system.columns
  WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND default_kind = 'MATERIALIZED'`;

/** Work on tables that goes on in the background. */
export const UNFINISHED_SQL = `SELECT table AS TableName, command AS Command FROM system.mutations
  WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND NOT is_done`;

/** Partitions of a table, the newest first. */
export const PARTITIONS_SQL = `SELECT partition_id AS Id, sum(bytes_on_disk) AS Bytes FROM system.parts
  WHERE active AND database = currentDatabase() AND table = {table:String}
  GROUP BY Id, partition ORDER BY extract(partition, '[0-9]{4}-[0-9]{2}-[0-9]{2}') DESC, Id`;

/** Writes down what was asked for or done. */
export const NOTE_SQL = `INSERT INTO attribute_use (Kind, TableName, MapName, Key, Asks)
  SELECT {kind:String}, N.1, N.2, N.3, N.4 FROM (SELECT arrayJoin(arrayZip(
    {tables:Array(String)}, {maps:Array(String)}, {keys:Array(String)}, {asks:Array(UInt32)})) AS N)`;

/** Days whose questions count, questions of an hour that count, keys that are looked at. */
const SCORE_DAYS = 7;
const SCORE_AN_HOUR = 10;
const MAX_KEYS = 1_000;

/** What was asked for: somebody who asks all the time counts as little more than somebody who asks now and then. */
export const SCORES_SQL = `SELECT TableName, MapName, Key, sum(least(A, ${SCORE_AN_HOUR})) AS Score FROM (
    SELECT TableName, MapName, Key, toStartOfHour(At) AS H, sum(Asks) AS A FROM attribute_use
    WHERE Kind = 'asked' AND At > now64(3) - INTERVAL ${SCORE_DAYS} DAY GROUP BY TableName, MapName, Key, H)
  GROUP BY TableName, MapName, Key ORDER BY Score DESC, Key LIMIT ${MAX_KEYS}`;

/** The last change of each key. */
export const CHANGES_SQL = `SELECT TableName, MapName, Key, argMax(Kind, At) AS Last,
    dateDiff('second', max(At), now64(3)) AS Seconds
  FROM attribute_use WHERE Kind != 'asked'
  GROUP BY TableName, MapName, Key ORDER BY Seconds, Key LIMIT ${MAX_KEYS}`;
