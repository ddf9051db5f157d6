import type { Migration } from './migration.ts';

/** Boards, their folders, and what people pinned. */
export const boards: Migration = {
  version: 12,
  name: 'boards',
  statements: ({ schema }) => [
    schema
      .createTable('boards')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('folder_id', 'text')
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('title_key', 'text', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('definition', 'text', (column) => column.notNull())
      .addColumn('widget_count', 'integer', (column) => column.notNull())
      .addColumn('owner_id', 'text')
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_by', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('boards_project').on('boards').columns(['project_id', 'title_key']),
    schema
      .createTable('board_folders')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('parent_id', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull()),
    schema.createIndex('board_folders_project').on('board_folders').columns(['project_id', 'name_key']),
    schema
      .createTable('board_pins')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('board_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('board_pins_pk', ['project_id', 'user_id', 'board_id']),
  ],
};
