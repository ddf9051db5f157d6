import type { Migration } from './migration.ts';

/** Scanner connectors, their jobs and findings. */
export const scanners: Migration = {
  version: 13,
  name: 'scanners',
  statements: ({ schema }) => [
    schema
      .createTable('scanners')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .addColumn('ref', 'text')
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('schedule_hours', 'integer')
      .addColumn('token', 'text')
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('next_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('scanners_name')
      .unique()
      .on('scanners')
      .columns(['project_id', 'environment', 'name_key']),
    schema
      .createTable('scanner_jobs')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('scanner_id', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('cancelled', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('finished_at', 'bigint')
      .addColumn('finding_count', 'integer', (column) => column.notNull())
      .addColumn('medium_plus_count', 'integer', (column) => column.notNull())
      .addColumn('result', 'text')
      .addColumn('components', 'text')
      .addColumn('error', 'text'),
    schema.createIndex('scanner_jobs_newest').on('scanner_jobs').columns(['scanner_id', 'created_at']),
    schema
      .createTable('scanner_findings')
      .addColumn('scanner_id', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .addColumn('detector', 'text', (column) => column.notNull())
      .addColumn('rule_id', 'text', (column) => column.notNull())
      .addColumn('severity', 'text', (column) => column.notNull())
      .addColumn('severity_rank', 'integer', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('line', 'integer')
      .addColumn('texts', 'text', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('ignored_until', 'bigint')
      .addColumn('first_seen', 'bigint', (column) => column.notNull())
      .addColumn('last_seen', 'bigint', (column) => column.notNull())
      .addColumn('fixed_at', 'bigint')
      .addPrimaryKeyConstraint('scanner_findings_key', ['scanner_id', 'fingerprint']),
    schema
      .createIndex('scanner_findings_worst')
      .on('scanner_findings')
      .columns(['project_id', 'environment', 'severity_rank', 'fingerprint']),
  ],
};
