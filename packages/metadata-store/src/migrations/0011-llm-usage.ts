import type { Migration } from './migration.ts';

/** What calls of language models used and cost. */
export const llmUsage: Migration = {
  version: 11,
  name: 'llm-usage',
  statements: ({ schema }) => [
    schema
      .createTable('llm_usage')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('feature', 'text', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('model_id', 'text')
      .addColumn('project_id', 'text', (column) => column.notNull())
      .addColumn('environment', 'text')
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('ref_id', 'text')
      .addColumn('input_tokens', 'bigint')
      .addColumn('cache_read_tokens', 'bigint')
      .addColumn('cache_write_tokens', 'bigint')
      .addColumn('output_tokens', 'bigint')
      .addColumn('reasoning_tokens', 'bigint')
      .addColumn('cost_nano_usd', 'bigint')
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('error_code', 'text')
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('duration_ms', 'bigint', (column) => column.notNull()),
    schema
      .createIndex('llm_usage_feature')
      .on('llm_usage')
      .columns(['project_id', 'feature', 'started_at', 'cost_nano_usd']),
    schema.createIndex('llm_usage_time').on('llm_usage').columns(['started_at']),
  ],
};
