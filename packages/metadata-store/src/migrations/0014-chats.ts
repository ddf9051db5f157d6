import type { Migration } from './migration.ts';

/** Conversations with the assistant, its settings, cards and analyses. */
export const chats: Migration = {
  version: 14,
  name: 'chats',
  statements: ({ schema }) => [
    schema
      .createTable('chat_settings')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('database_config_id', 'text', (column) => column.notNull())
      .addColumn('model_id', 'text', (column) => column.notNull())
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('updated_by', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('chat_settings_pk', ['project_id', 'database_config_id']),
    schema
      .createTable('chats')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('message_count', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('chats_owner').on('chats').columns(['project_id', 'owner', 'updated_at', 'id']),
    schema
      .createTable('chat_messages')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('chat_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('parts', 'text', (column) => column.notNull())
      .addColumn('facts', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('touched_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('chat_messages_seq').unique().on('chat_messages').columns(['chat_id', 'seq']),
    schema
      .createTable('chat_approvals')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('chat_id', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text', (column) => column.notNull())
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('input', 'text', (column) => column.notNull())
      .addColumn('input_hash', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('decided_at', 'bigint'),
    schema.createIndex('chat_approvals_chat').on('chat_approvals').columns(['chat_id', 'message_id']),
    schema
      .createTable('chat_analyses')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('root_span_id', 'text', (column) => column.notNull())
      .addColumn('selected_span_id', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('run_number', 'integer', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('chat_analyses_run')
      .unique()
      .on('chat_analyses')
      .columns(['project_id', 'root_span_id', 'scope', 'selected_span_id', 'run_number']),
  ],
};
