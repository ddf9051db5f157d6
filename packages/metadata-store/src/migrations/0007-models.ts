import type { Migration } from './migration.ts';

/** Language models that are configured. */
export const models: Migration = {
  version: 7,
  name: 'models',
  statements: ({ schema }) => [
    schema
      .createTable('model_configs')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('database_config_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('base_url', 'text')
      .addColumn('allow_insecure', 'integer', (column) => column.notNull())
      .addColumn('secret_id', 'text')
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_by', 'text')
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('model_configs_name')
      .unique()
      .on('model_configs')
      .columns(['project_id', 'database_config_id', 'name_key']),
  ],
};
