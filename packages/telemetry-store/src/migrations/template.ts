/** Where a migration is rendered for. */
export interface MigrationTarget {
  readonly database: string;
  /** Name of the ClickHouse cluster; undefined for one server. */
  readonly cluster: string | undefined;
  /**
   * The embedded engine's own configuration compresses new parts with LZ4 and merged ones with ZSTD. A server's
   * default is not ours to know, so its tables say ZSTD.
   */
  readonly storage: 'embedded' | 'server';
}

/**
 * On every telemetry table: drop whole parts when all their rows are past retention, write few files an insert, and
 * have them on the disk before it is acknowledged. Merged parts are not synced: their sources stay for eight minutes, in the
 * embedded engine for one.
 */
const TABLE_SETTINGS = [
  'index_granularity = 8192',
  'ttl_only_drop_parts = 1',
  'min_bytes_for_wide_part = 134217728',
  'fsync_after_insert = 1',
  'fsync_part_directory = 1',
];
const DEDUPLICATION_WINDOW = 20_000;
/**
 * A cluster forgets tokens by their age too, after an hour unless it is told. An insert whose answer was lost is repeated
 * once store or platform are back, whenever that is.
 */
const DEDUPLICATION_SECONDS = 30 * 86_400;

/** The statement by which a migration fills a new rollup; `migrate` carries it out. */
export const BACKFILL = 'BACKFILL';

/**
 * Fills a migration's placeholders and splits it into statements. On one server `${table:x}` is the table itself; on
 * a cluster it is the replicated local table `x_local`, and `${distributed:x:key}` becomes the distributed table `x`
 * over it. `${add_column:x:definition}` adds a column to all of them. `${settings:name:value}` are those of every
 * table with another value of one. Statements end with `;` at the end of a line.
 */
export function renderMigration(template: string, target: MigrationTarget): string[] {
  const text = template.replaceAll(
    /\$\{(\w+)(?::(\w+))?(?::([^}]*))?\}/g,
    (whole, kind: string, name?: string, rest?: string) =>
      placeholder(whole, kind, name ?? '', rest ?? '', target),
  );
  return text
    .split(/;[ \t]*(?:\n|$)/)
    .map((statement) => statement.replaceAll(/^--[^\n]*\n?/gm, '').trim())
    .filter((statement) => statement !== '');
}

function placeholder(
  whole: string,
  kind: string,
  name: string,
  rest: string,
  { database, cluster, storage }: MigrationTarget,
): string {
  const clustered = cluster !== undefined;
  const onCluster = clustered ? ` ON CLUSTER ${identifier(cluster)}` : '';
  switch (kind) {
    case 'database':
      return identifier(database);
    case 'on_cluster':
      return onCluster;
    case 'table':
      return `${identifier(database)}.${identifier(clustered ? `${name}_local` : name)}`;
    case 'merge_tree':
      return clustered
        ? `ReplicatedMergeTree('/clickhouse/tables/{shard}/${pathPart(database)}/${name}', '{replica}')`
        : 'MergeTree';
    case 'aggregating_merge_tree':
      return clustered
        ? `ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/${pathPart(database)}/${name}', '{replica}')`
        : 'AggregatingMergeTree';
    case 'backfill':
      return `${BACKFILL} ${pathPart(name)};`;
    case 'merge_tree_everywhere':
      return clustered
        ? `ReplicatedMergeTree('/clickhouse/tables/all/${pathPart(database)}/${name}', '{shard}-{replica}')`
        : 'MergeTree';
    case 'add_column':
      // The distributed table must know the column too, and that nobody inserts it.
      return (clustered ? [`${name}_local`, name] : [name])
        .map(
          (one) =>
            `ALTER TABLE ${identifier(database)}.${identifier(one)}${onCluster} ADD COLUMN IF NOT EXISTS ${rest};\n`,
        )
        .join('');
    case 'settings':
      return [
        ...TABLE_SETTINGS.map((one) => (one.startsWith(`${name} = `) ? `${name} = ${rest}` : one)),
        ...(storage === 'server' ? ["default_compression_codec = 'ZSTD(1)'"] : []),
        ...(clustered
          ? [
              `replicated_deduplication_window = ${DEDUPLICATION_WINDOW}`,
              `replicated_deduplication_window_seconds = ${DEDUPLICATION_SECONDS}`,
            ]
          : [`non_replicated_deduplication_window = ${DEDUPLICATION_WINDOW}`]),
      ].join(', ');
    case 'distributed':
      return clustered
        ? `CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(name)} ON CLUSTER ${identifier(cluster)}\n` +
            `AS ${identifier(database)}.${identifier(`${name}_local`)}\n` +
            `ENGINE = Distributed(${identifier(cluster)}, ${identifier(database)}, ${identifier(`${name}_local`)}, ${rest});`
        : '';
    default:
      throw new Error(`Unknown placeholder ${whole} in a migration`);
  }
}

/** Database and cluster names come from configuration. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;

function identifier(name: string): string {
  return `\`${pathPart(name)}\``;
}

function pathPart(name: string): string {
  if (!NAME.test(name))
    throw new Error(`${JSON.stringify(name)} is not a name for a database, cluster or table`);
  return name;
}
