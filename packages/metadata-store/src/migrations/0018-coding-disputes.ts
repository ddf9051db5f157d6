import type { Migration } from './migration.ts';

/** Disputes over the classification of sessions of coding agents. */
export const codingDisputes: Migration = {
  version: 18,
  name: 'coding-disputes',
  statements: ({ schema }) => [
    schema
      .createTable('coding_disputes')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('session_id', 'text', (column) => column.notNull())
      .addColumn('agent', 'text', (column) => column.notNull())
      .addColumn('current', 'text', (column) => column.notNull())
      .addColumn('requested', 'text', (column) => column.notNull())
      .addColumn('rationale', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('created_by_name', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('resolved_by_name', 'text')
      .addColumn('resolved_at', 'bigint')
      .addColumn('resolution', 'text'),
    schema
      .createIndex('coding_disputes_newest')
      .on('coding_disputes')
      .columns(['project_id', 'created_at', 'id']),
    schema
      .createIndex('coding_disputes_session')
      .on('coding_disputes')
      .columns(['project_id', 'session_id', 'status']),
  ],
};
