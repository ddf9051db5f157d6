import type { Migration } from './migration.ts';

export const oauth: Migration = {
  version: 4,
  name: 'oauth',
  statements: ({ schema }) => [
    schema
      .createTable('oauth_clients')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organisation_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('secret_hash', 'text')
      .addColumn('redirect_uris', 'text', (column) => column.notNull())
      .addColumn('grants', 'text', (column) => column.notNull())
      .addColumn('scopes', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_used_at', 'bigint'),
    schema
      .createIndex('oauth_clients_name')
      .unique()
      .on('oauth_clients')
      .columns(['organisation_id', 'name_key']),
    schema
      .createTable('oauth_entries')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('id_hash', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('grant_id', 'text')
      .addColumn('client_id', 'text')
      .addColumn('user_id', 'text')
      .addColumn('uid', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('consumed_at', 'bigint')
      .addPrimaryKeyConstraint('oauth_entries_pk', ['kind', 'id_hash']),
    schema.createIndex('oauth_entries_grant').on('oauth_entries').column('grant_id'),
    schema.createIndex('oauth_entries_client').on('oauth_entries').column('client_id'),
    schema.createIndex('oauth_entries_user').on('oauth_entries').column('user_id'),
    schema.createIndex('oauth_entries_uid').on('oauth_entries').column('uid'),
    schema.createIndex('oauth_entries_age').on('oauth_entries').column('expires_at'),
    schema
      .createTable('server_keys')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
  ],
};
