import type { Migration } from './migration.ts';

/** Secrets with their versions. */
export const vault: Migration = {
  version: 9,
  name: 'vault',
  statements: ({ schema }) => [
    schema
      .createTable('vault_secrets')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('database_config_id', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('tags_key', 'text', (column) => column.notNull())
      .addColumn('grants', 'text')
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('last_version', 'integer', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_by', 'text')
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('vault_secrets_key')
      .unique()
      .on('vault_secrets')
      .columns(['project_id', 'database_config_id', 'key']),
    schema
      .createTable('vault_versions')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('secret_id', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('vault_versions_secret')
      .unique()
      .on('vault_versions')
      .columns(['secret_id', 'version']),
  ],
};
