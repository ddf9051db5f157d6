import type { Migration } from './migration.ts';

/** Connectors, what is bound to them, days that records are kept, and the master keys secrets are sealed with. */
export const connectors: Migration = {
  version: 5,
  name: 'connectors',
  statements: ({ schema }) => [
    schema
      .createTable('connectors')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organisation_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('url', 'text')
      .addColumn('username', 'text')
      .addColumn('database_name', 'text', (column) => column.notNull())
      .addColumn('allow_insecure', 'integer', (column) => column.notNull())
      .addColumn('secrets', 'text')
      .addColumn('has_password', 'integer', (column) => column.notNull())
      .addColumn('has_ca', 'integer', (column) => column.notNull())
      .addColumn('has_client_certificate', 'integer', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('connectors_name').unique().on('connectors').columns(['organisation_id', 'name_key']),
    schema
      .createTable('signal_bindings')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('signal', 'text', (column) => column.notNull())
      .addColumn('connector_id', 'text')
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('signal_bindings_pk', ['project_id', 'environment', 'signal']),
    schema.createIndex('signal_bindings_connector').on('signal_bindings').column('connector_id'),
    schema
      .createTable('project_retention')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('signal', 'text', (column) => column.notNull())
      .addColumn('days', 'integer', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('project_retention_pk', ['project_id', 'signal']),
    schema
      .createTable('vault_keys')
      .addColumn('key_id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
  ],
};
