import type { Migration } from './migration.ts';

/** What people decided about groups of exceptions. */
export const exceptionTriage: Migration = {
  version: 19,
  name: 'exception-triage',
  statements: ({ schema }) => [
    schema
      .createTable('exception_triage')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('assignee', 'text')
      .addColumn('status_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_by', 'text')
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('exception_triage_key', ['project_id', 'fingerprint']),
  ],
};
