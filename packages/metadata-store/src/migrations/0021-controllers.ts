import type { Migration } from './migration.ts';

/** Controllers of hosts, what is wanted of the services they find, and what they are asked to do. */
export const controllers: Migration = {
  version: 21,
  name: 'controllers',
  statements: ({ schema }) => [
    schema
      .createTable('controller_instances')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('cluster', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('revoked', 'integer', (column) => column.notNull())
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('services', 'text', (column) => column.notNull())
      .addColumn('config_hash', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_seen_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('controller_instances_name')
      .unique()
      .on('controller_instances')
      .columns(['project_id', 'name']),
    schema
      .createTable('controller_tokens')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organisation_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('cluster', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('uses', 'integer', (column) => column.notNull())
      .addColumn('uses_left', 'integer', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('revoked_at', 'bigint'),
    schema
      .createTable('controller_desired')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('cluster', 'text', (column) => column.notNull())
      .addColumn('workload', 'text', (column) => column.notNull())
      .addColumn('feature', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('content', 'integer', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('changed_by', 'text', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('controller_desired_key', [
        'project_id',
        'environment',
        'cluster',
        'workload',
        'feature',
      ]),
    schema
      .createTable('controller_actions')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('instance_id', 'text', (column) => column.notNull())
      .addColumn('workload', 'text', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('dry_run', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('attempt', 'integer', (column) => column.notNull())
      .addColumn('lease_until', 'bigint')
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .addColumn('error', 'text')
      .addColumn('snapshot', 'text'),
    schema
      .createIndex('controller_actions_open')
      .on('controller_actions')
      .columns(['instance_id', 'state', 'created_at']),
    schema
      .createIndex('controller_actions_newest')
      .on('controller_actions')
      .columns(['project_id', 'created_at', 'id']),
    schema
      .createTable('controller_config')
      .addColumn('project_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('config', 'text', (column) => column.notNull()),
  ],
};
