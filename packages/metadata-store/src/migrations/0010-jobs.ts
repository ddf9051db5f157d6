import type { Migration } from './migration.ts';

/** Jobs with their leases and history, and the work queue. */
export const jobs: Migration = {
  version: 10,
  name: 'jobs',
  statements: ({ schema }) => [
    schema
      .createTable('job_states')
      .addColumn('job_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('due_at', 'bigint')
      .addColumn('trigger', 'text', (column) => column.notNull())
      .addColumn('lease_owner', 'text')
      .addColumn('lease_until', 'bigint')
      .addColumn('run_id', 'text'),
    schema
      .createTable('job_runs')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('job_id', 'text', (column) => column.notNull())
      .addColumn('trigger', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .addColumn('outcome', 'text')
      .addColumn('error', 'text')
      .addColumn('stats', 'text'),
    schema.createIndex('job_runs_newest').on('job_runs').columns(['job_id', 'started_at', 'id']),
    schema
      .createTable('work_items')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('queue', 'text', (column) => column.notNull())
      .addColumn('item_key', 'text', (column) => column.notNull())
      .addColumn('item_group', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('not_before', 'bigint', (column) => column.notNull())
      .addColumn('lease_owner', 'text')
      .addColumn('lease_until', 'bigint')
      .addColumn('result', 'text')
      .addColumn('error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('work_items_key').unique().on('work_items').columns(['queue', 'item_key']),
    schema.createIndex('work_items_next').on('work_items').columns(['queue', 'state', 'not_before']),
    schema.createIndex('work_items_group').on('work_items').columns(['queue', 'item_group', 'state']),
  ],
};
