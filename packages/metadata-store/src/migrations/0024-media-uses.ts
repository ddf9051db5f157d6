import type { Migration } from './migration.ts';

/** Which spans an item of media was sent for: it goes with the last of them. */
export const mediaUses: Migration = {
  version: 24,
  name: 'media-uses',
  statements: ({ schema }) => [
    schema
      .createTable('media_uses')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('media_id', 'text', (column) => column.notNull())
      .addColumn('trace_id', 'text', (column) => column.notNull())
      .addColumn('span_id', 'text', (column) => column.notNull())
      .addColumn('used_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('media_uses_key', ['project_id', 'media_id', 'trace_id', 'span_id']),
    schema.createIndex('media_uses_trace').on('media_uses').columns(['project_id', 'trace_id']),
    schema.createIndex('media_uses_used').on('media_uses').columns(['project_id', 'used_at']),
  ],
};
