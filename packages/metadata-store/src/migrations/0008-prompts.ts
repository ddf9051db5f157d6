import type { Migration } from './migration.ts';

/** Prompts, their versions, tags and labels, and how often each was fetched. */
export const prompts: Migration = {
  version: 8,
  name: 'prompts',
  statements: ({ schema }) => [
    schema
      .createTable('prompts')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('database_config_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .addColumn('draft_id', 'text')
      .addColumn('latest_id', 'text')
      .addColumn('versions', 'integer', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('prompts_name')
      .unique()
      .on('prompts')
      .columns(['project_id', 'database_config_id', 'name']),
    schema
      .createTable('prompt_versions')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('prompt_id', 'text', (column) => column.notNull())
      .addColumn('draft_of', 'text')
      .addColumn('major', 'integer')
      .addColumn('minor', 'integer')
      .addColumn('patch', 'integer')
      .addColumn('prompt', 'text', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('meta', 'text', (column) => column.notNull())
      .addColumn('created_by', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('published_at', 'bigint'),
    schema
      .createIndex('prompt_versions_number')
      .unique()
      .on('prompt_versions')
      .columns(['prompt_id', 'major', 'minor', 'patch']),
    schema.createIndex('prompt_versions_draft').unique().on('prompt_versions').column('draft_of'),
    schema
      .createTable('prompt_tags')
      .addColumn('prompt_id', 'text', (column) => column.notNull())
      .addColumn('tag', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('prompt_tags_pk', ['prompt_id', 'tag']),
    schema
      .createTable('prompt_labels')
      .addColumn('prompt_id', 'text', (column) => column.notNull())
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('version_id', 'text', (column) => column.notNull())
      .addColumn('updated_by', 'text')
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('prompt_labels_pk', ['prompt_id', 'label']),
    schema
      .createTable('prompt_downloads')
      .addColumn('prompt_id', 'text', (column) => column.notNull())
      .addColumn('version_id', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('prompt_downloads_pk', ['prompt_id', 'day', 'version_id', 'source']),
    schema.createIndex('prompt_downloads_day').on('prompt_downloads').column('day'),
    schema
      .createTable('prompt_download_writers')
      .addColumn('writer', 'text', (column) => column.primaryKey().notNull())
      .addColumn('batch', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
  ],
};
