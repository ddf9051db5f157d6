import type { Migration } from './migration.ts';

/** Alerts with their states and history, silences, destinations, and the outbox of messages. */
export const alerts: Migration = {
  version: 17,
  name: 'alerts',
  statements: ({ schema }) => [
    schema
      .createTable('alerts')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organisation_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text')
      .addColumn('database_config_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('definition', 'text', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('updated_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('next_at', 'bigint', (column) => column.notNull())
      .addColumn('lease_owner', 'text')
      .addColumn('lease_until', 'bigint')
      .addColumn('last_at', 'bigint')
      .addColumn('error', 'text')
      .addColumn('error_count', 'integer', (column) => column.notNull()),
    schema.createIndex('alerts_name').unique().on('alerts').columns(['project_id', 'name_key']),
    schema.createIndex('alerts_due').on('alerts').columns(['enabled', 'next_at']),
    schema
      .createTable('alert_states')
      .addColumn('alert_id', 'text', (column) => column.notNull())
      .addColumn('group_key', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('alert_states_key', ['alert_id', 'group_key']),
    schema.createIndex('alert_states_status').on('alert_states').columns(['project_id', 'status']),
    schema
      .createTable('alert_events')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('alert_id', 'text', (column) => column.notNull())
      .addColumn('group_key', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('recorded_at', 'bigint', (column) => column.notNull())
      .addColumn('details', 'text', (column) => column.notNull()),
    schema
      .createIndex('alert_events_once')
      .unique()
      .on('alert_events')
      .columns(['alert_id', 'group_key', 'at', 'status']),
    schema.createIndex('alert_events_newest').on('alert_events').columns(['project_id', 'recorded_at', 'id']),
    schema
      .createTable('alert_silences')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('matchers', 'text', (column) => column.notNull())
      .addColumn('comment', 'text', (column) => column.notNull())
      .addColumn('author', 'text', (column) => column.notNull())
      .addColumn('starts_at', 'bigint', (column) => column.notNull())
      .addColumn('ends_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('alert_silences_end').on('alert_silences').columns(['project_id', 'ends_at']),
    schema
      .createTable('alert_destinations')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('channel', 'text', (column) => column.notNull())
      .addColumn('secret', 'text')
      .addColumn('secret_before', 'text')
      .addColumn('before_until', 'bigint')
      .addColumn('problem', 'text')
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('alert_destinations_name')
      .unique()
      .on('alert_destinations')
      .columns(['project_id', 'name_key']),
    schema
      .createTable('alert_deliveries')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('alert_id', 'text', (column) => column.notNull())
      .addColumn('destination_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint'),
    schema
      .createIndex('alert_deliveries_open')
      .on('alert_deliveries')
      .columns(['alert_id', 'destination_id', 'due_at']),
    schema
      .createIndex('alert_deliveries_newest')
      .on('alert_deliveries')
      .columns(['project_id', 'created_at', 'id']),
  ],
};
