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

/** A column that a key is to have. */
export interface NewColumn extends Pick<AttributeKey, 'map' | 'key'> {
  readonly column: string;
  readonly type: ColumnType;
}

/**
 * How plain columns are stored: twice the bytes of the usual, unpacked in half the time, which is most of what it takes to
 * group by addresses or ids. A dictionary has hardly anything to unpack.
 */
const PLAIN_CODEC = ' CODEC(LZ4)';

/** Adds columns, all at once and everywhere; from then on they are right for every row, stored or worked out. */
export function addColumns(
  target: MigrationTarget,
  table: string,
  columns: readonly NewColumn[],
): Statement[] {
  const held = heldIn(target, table);
  const params: Record<string, string> = {};
  /** A key in a statement. */
  const bound = (key: string): string => {
    const name = `key${Object.keys(params).length}`;
    params[name] = key;
    return `{${name}:String}`;
  };
  const made = columns.map(({ map, key, column, type }) => ({
    column,
    type,
    sql: `${map}[${bound(key)}]`,
    codec: type === 'String' ? PLAIN_CODEC : '',
  }));
  return tablesOf(target, table).map((name) => {
    const steps = made.map(
      ({ column, type, sql, codec }) =>
        `ADD COLUMN IF NOT EXISTS ${column} ${type} MATERIALIZED ${sql}${name === held ? codec : ''}`,
    );
    return { sql: alter(target, name, steps.join(', ')), params };
  });
}

/** Takes columns away, first where they are read. */
export function dropColumns(target: MigrationTarget, table: string, columns: readonly string[]): Statement[] {
  const steps = columns.map((column) => `DROP COLUMN IF EXISTS ${column}`).join(', ');
  return tablesOf(target, table)
    .toReversed()
    .map((name) => ({
      sql: alter(target, name, `${steps} SETTINGS alter_sync = 0, mutations_sync = 0`),
      params: {},
    }));
}

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

/** The part of the rows for which something is true. */
const shareOf = (table: string, condition: string, rows: string): string =>
  `SELECT avg(Has) AS Share FROM (SELECT ${condition} AS Has FROM ${table} ${rows})
   SETTINGS max_rows_to_read = ${SAMPLE_READ}, read_overflow_mode = 'break', max_threads = 1`;

/** The part of the rows that have a key. */
export const shareOfKey = ({ table, map, key }: AttributeKey, recent: boolean): Statement => ({
  sql: shareOf(table, `has(${map}.keys, {key:String})`, recent ? `WHERE ${RECENT}` : ''),
  params: { key },
});

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

export const shareOfColumn = (table: string, column: string): Statement => ({
  sql: shareOf(table, `${column} != ''`, `WHERE ${RECENT}`),
  params: {},
});

/** Columns of tables that could be of keys. `Expression` tells what they are made of. */
export const COLUMNS_SQL = `SELECT table AS TableName, name AS Name, type AS Type,
    default_expression AS Expression FROM system.columns
  WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND default_kind = 'MATERIALIZED'`;

/** Bytes a row of the plain columns of keys that a table has, in its large parts: of small ones they are not told. */
export const PLAIN_BYTES_SQL = `SELECT sum(Bytes) / greatest(1, max(Rows)) AS Bytes FROM (
  SELECT sum(rows) AS Rows, sumIf(column_data_uncompressed_bytes, type = 'String') AS Bytes FROM system.parts_columns
  WHERE active AND part_type = 'Wide' AND database = currentDatabase() AND table = {table:String}
    AND match(column, '^(?:Attribute|Resource)_')
  GROUP BY column)`;

/** Work on tables that goes on in the background. */
export const UNFINISHED_SQL = `SELECT table AS TableName, command AS Command FROM system.mutations
  WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND NOT is_done`;

/** Partitions of a table, the newest first. */
export const PARTITIONS_SQL = `SELECT partition_id AS Id, sum(bytes_on_disk) AS Bytes FROM system.parts
  WHERE active AND database = currentDatabase() AND table = {table:String}
  GROUP BY Id, partition ORDER BY extract(partition, '[0-9]{4}-[0-9]{2}-[0-9]{2}') DESC, Id`;
