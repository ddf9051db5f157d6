import type { Migration } from './migration.ts';

export const savedViews: Migration = {
  version: 1,
  name: 'saved_views',
  statements: ({ schema }) => [
    schema
      .createTable('saved_views')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('page', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('search', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('saved_views_name')
      .unique()
      .on('saved_views')
      .columns(['project_id', 'page', 'name_key']),
    schema
      .createTable('idempotency')
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('request_hash', 'text', (column) => column.notNull())
      .addColumn('answer', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('idempotency_pk', ['scope', 'key']),
    schema.createIndex('idempotency_age').on('idempotency').column('created_at'),
  ],
};
