import type { Migration } from './migration.ts';

/** Versions of prompts that are chats, and labels that not everybody moves. */
export const chatPrompts: Migration = {
  version: 20,
  name: 'chat-prompts',
  statements: ({ schema }) => [
    schema.alterTable('prompt_versions').addColumn('chat', 'text'),
    schema
      .createTable('prompt_protected_labels')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('database_config_id', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('prompt_protected_labels_pk', ['project_id', 'database_config_id', 'label']),
  ],
};
