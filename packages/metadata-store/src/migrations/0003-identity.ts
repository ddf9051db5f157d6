import { type Migration, statement } from './migration.ts';

/** Who may do what; what was there before belongs to the first organisation and its first project. */
export const identity: Migration = {
  version: 3,
  name: 'identity',
  statements: ({ schema }) => [
    schema
      .createTable('organisations')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    schema
      .createTable('users')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('password_hash', 'text')
      .addColumn('totp_secret', 'text')
      .addColumn('totp_pending', 'text')
      .addColumn('totp_last_step', 'bigint', (column) => column.notNull())
      .addColumn('recovery_codes', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('users_email').unique().on('users').column('email'),
    schema
      .createTable('memberships')
      .addColumn('organisation_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('joined_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('memberships_pk', ['organisation_id', 'user_id']),
    schema.createIndex('memberships_user').on('memberships').column('user_id'),
    schema
      .createTable('user_identities')
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('user_identities_pk', ['provider', 'subject']),
    schema.createIndex('user_identities_user').on('user_identities').column('user_id'),
    schema
      .createTable('sessions')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('user_agent', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('sessions_token').unique().on('sessions').column('token_hash'),
    schema.createIndex('sessions_user').on('sessions').column('user_id'),
    schema.createIndex('sessions_end').on('sessions').column('expires_at'),
    schema
      .createTable('invitations')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organisation_id', 'text', (column) => column.notNull())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('projects', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull())
      .addColumn('invited_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('invitations_token').unique().on('invitations').column('token_hash'),
    schema.createIndex('invitations_email').unique().on('invitations').columns(['organisation_id', 'email']),
    schema
      .createTable('setup_links')
      .addColumn('token_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    schema
      .createTable('sign_in_attempts')
      .addColumn('token_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('sign_in_attempts_end').on('sign_in_attempts').column('expires_at'),
    schema
      .createTable('projects')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organisation_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('projects_name').unique().on('projects').columns(['organisation_id', 'name_key']),
    schema
      .createTable('project_members')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('added_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('project_members_pk', ['project_id', 'user_id']),
    schema.createIndex('project_members_user').on('project_members').column('user_id'),
    schema
      .createTable('environments')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('environments_pk', ['project_id', 'name']),
    schema
      .createTable('api_keys')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('prefix', 'text', (column) => column.notNull())
      .addColumn('key_hash', 'text', (column) => column.notNull())
      .addColumn('scopes', 'text', (column) => column.notNull())
      .addColumn('environments', 'text')
      .addColumn('created_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('last_used_at', 'bigint')
      .addColumn('replaced_by', 'text'),
    schema.createIndex('api_keys_hash').unique().on('api_keys').column('key_hash'),
    schema.createIndex('api_keys_project').on('api_keys').columns(['project_id', 'created_at', 'id']),
    schema.createIndex('api_keys_maker').on('api_keys').column('created_by'),
    // As old as the installation: the moment of its first migration.
    statement(
      `insert into organisations (id, name, created_at) select 'default', 'Default', min(applied_at) from schema_migrations`,
    ),
    statement(
      `insert into projects (id, organisation_id, name, name_key, created_at) select 'default', 'default', 'Default', 'default', min(applied_at) from schema_migrations`,
    ),
    statement(
      `insert into environments (project_id, name, origin, created_at) select 'default', 'production', 'settings', min(applied_at) from schema_migrations`,
    ),
  ],
};
