import type { Migration } from './migration.ts';

/** Images, sounds and files that messages refer to. */
export const media: Migration = {
  version: 23,
  name: 'media',
  statements: ({ schema }, dialect) => [
    schema
      .createTable('media')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('content_type', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('sha256', 'text', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .addColumn('stored_at', 'bigint')
      .addColumn('failure', 'text')
      .addPrimaryKeyConstraint('media_key', ['project_id', 'id']),
    schema.createIndex('media_used').on('media').columns(['project_id', 'used_at']),
    schema
      .createTable('media_chunks')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('media_id', 'text', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('body', dialect === 'postgres' ? 'bytea' : 'blob', (column) => column.notNull())
      .addPrimaryKeyConstraint('media_chunks_key', ['project_id', 'media_id', 'position']),
  ],
};
