import type { Migration } from './migration.ts';

/** Documents of evaluations and their items. */
export const judging: Migration = {
  version: 16,
  name: 'judging',
  statements: ({ schema }) => [
    schema
      .createTable('judge_documents')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('judge_documents_name')
      .on('judge_documents')
      .columns(['project_id', 'environment', 'kind', 'name_key'])
      .unique(),
    schema
      .createTable('judge_items')
      .addColumn('document_id', 'text', (column) => column.notNull())
      .addColumn('item_key', 'text', (column) => column.notNull())
      .addColumn('since', 'integer', (column) => column.notNull())
      .addColumn('until', 'integer')
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('judge_items_pk', ['document_id', 'item_key', 'since']),
    schema
      .createIndex('judge_items_order')
      .on('judge_items')
      .columns(['document_id', 'position', 'item_key']),
  ],
};
