import type { Migration } from './migration.ts';

/** Prices of models that people set. */
export const customPrices: Migration = {
  version: 15,
  name: 'custom-prices',
  statements: ({ schema }) => [
    schema
      .createTable('custom_prices')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organisation_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text')
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('names', 'text', (column) => column.notNull())
      .addColumn('rates', 'text', (column) => column.notNull())
      .addColumn('valid_from', 'text')
      .addColumn('valid_to', 'text')
      .addColumn('note', 'text')
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_by', 'text')
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('custom_prices_of').on('custom_prices').columns(['organisation_id', 'project_id']),
  ],
};
