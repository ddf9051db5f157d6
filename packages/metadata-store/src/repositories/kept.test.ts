import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { silentLogger } from '@candela/kernel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MetadataStore, openMetadataStore } from '../index.ts';
import type { Tables } from '../tables/index.ts';
import { KEPT } from './kept.ts';

/** Tables whose rows are a part of something that is kept, and go with it. */
const PARTS = [
  'vault_versions',
  'prompt_versions',
  'prompt_tags',
  'prompt_labels',
  'prompt_downloads',
  'rule_links',
  'context_versions',
] as const satisfies readonly (keyof Tables)[];

/** Tables whose rows are found without a database configuration. */
const NOT_KEPT = [
  // What a project or organisation has by itself.
  'saved_views',
  'custom_prices',
  'coding_disputes',
  'media',
  'media_chunks',
  'media_uses',
  'exception_triage',
  'controller_instances',
  'controller_tokens',
  'controller_desired',
  'controller_actions',
  'controller_config',
  'fleet_collectors',
  'fleet_configs',
  'judge_documents',
  'judge_items',
  'organisations',
  'users',
  'memberships',
  'user_identities',
  'sessions',
  'sign_in_attempts',
  'invitations',
  'setup_links',
  'projects',
  'project_members',
  'environments',
  'api_keys',
  'oauth_clients',
  'oauth_entries',
  'project_retention',
  'boards',
  'board_folders',
  'board_pins',
  'scanners',
  'scanner_jobs',
  'scanner_findings',
  'chats',
  'chat_messages',
  'chat_approvals',
  'chat_analyses',
  'alert_states',
  'alert_events',
  'alert_silences',
  'alert_destinations',
  'alert_deliveries',
  'llm_usage',
  // The configurations themselves, and what leads to them: deleting one looks at these by itself.
  'connectors',
  'signal_bindings',
  // What the platform notes for itself.
  'schema_migrations',
  'idempotency',
  'audit_log',
  'server_keys',
  'vault_keys',
  'prompt_download_writers',
  'job_states',
  'job_runs',
  'work_items',
] as const satisfies readonly (keyof Tables | 'schema_migrations')[];

const WHAT_TO_DO = `
A table of the newest migrations is not known here. Where its rows are found by the database configuration that they are
kept in (a column database_config_id, asked with a StorageScope), deleting that configuration would lose them: add the
table to KEPT of repositories/kept.ts. Where they are a part of such a row, add it to PARTS of this test; where they are
found without a configuration, to NOT_KEPT.`;

const dir = mkdtempSync(join(tmpdir(), 'candela-kept-'));
let store: MetadataStore;
let file: DatabaseSync;
beforeAll(async () => {
  store = await openMetadataStore({ dataDir: dir, logger: silentLogger });
  file = new DatabaseSync(join(dir, 'metadata.sqlite'));
});
afterAll(async () => {
  file.close();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

const tables = (): string[] =>
  file
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
const columnsOf = (table: string) => file.prepare(`select name, type from pragma_table_info(?)`).all(table);
const CONFIG = 'of this configuration';

it('knows of every table whether its rows would be lost with a database configuration', () => {
  const known = [...KEPT.map(({ table }) => table), ...PARTS, ...NOT_KEPT];
  expect(known.toSorted(), WHAT_TO_DO).toEqual(tables().toSorted());
});

it('holds back a database configuration for a row of each table that says in which it is kept', async () => {
  const found: string[] = [];
  for (const table of tables()) {
    const columns = columnsOf(table);
    if (!columns.some(({ name }) => name === 'database_config_id')) continue;
    found.push(table);
    const names = columns.map(({ name }) => String(name));
    const values = columns.map(({ name, type }) =>
      name === 'database_config_id'
        ? CONFIG
        : type === 'TEXT' || type === 'text'
          ? `${table} ${String(name)}`
          : 1,
    );
    const holes = names.map(() => '?').join(', ');
    file.prepare(`insert into ${table} (${names.join(', ')}) values (${holes})`).run(...values);
    const one = KEPT.find((kept) => kept.table === table)?.one;
    expect(await store.kept.in(CONFIG), `${table}${WHAT_TO_DO}`).toEqual(
      one === undefined ? [] : [`1 ${one}`],
    );
    file.prepare(`delete from ${table}`).run();
  }
  const parts: readonly string[] = PARTS;
  expect(found.filter((table) => !parts.includes(table)).toSorted()).toEqual(
    KEPT.map(({ table }) => table).toSorted(),
  );
});
