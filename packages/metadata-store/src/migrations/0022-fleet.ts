import type { Migration } from './migration.ts';

/** OpenTelemetry Collectors that report by OpAMP, and the configurations that were pushed to them. */
export const fleet: Migration = {
  version: 22,
  name: 'fleet',
  statements: ({ schema }) => [
    schema
      .createTable('fleet_collectors')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('instance_uid', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('effective', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_seen_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('fleet_collectors_uid')
      .unique()
      .on('fleet_collectors')
      .columns(['project_id', 'instance_uid']),
    schema
      .createTable('fleet_configs')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('collector_id', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('rollback_of', 'integer')
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .addColumn('error', 'text'),
    schema
      .createIndex('fleet_configs_version')
      .unique()
      .on('fleet_configs')
      .columns(['collector_id', 'version']),
  ],
};
