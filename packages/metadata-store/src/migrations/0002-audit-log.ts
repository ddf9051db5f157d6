import type { DialectName } from '../dialects/dialect.ts';
import { type Migration, statement } from './migration.ts';

/** Events younger than this cannot be deleted, by nobody and for no reason; retention may be longer, never shorter. */
const MIN_DAYS = 30;
const MIN_MS = MIN_DAYS * 86_400_000;

export const auditLog: Migration = {
  version: 2,
  name: 'audit_log',
  statements: ({ schema }, dialect) => [
    schema
      .createTable('audit_log')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('organisation_id', 'text')
      .addColumn('project_id', 'text')
      .addColumn('actor_kind', 'text', (column) => column.notNull())
      .addColumn('actor_id', 'text')
      .addColumn('actor_name', 'text')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('object_kind', 'text', (column) => column.notNull())
      .addColumn('object_id', 'text')
      .addColumn('details', 'text', (column) => column.notNull())
      .addColumn('address', 'text')
      .addColumn('user_agent', 'text')
      .addColumn('request_id', 'text', (column) => column.notNull()),
    schema.createIndex('audit_log_time').on('audit_log').columns(['organisation_id', 'at', 'id']),
    schema.createIndex('audit_log_age').on('audit_log').column('at'),
    ...APPEND_ONLY[dialect].map(statement),
  ],
};

const REFUSAL = 'the audit log is append only';

const APPEND_ONLY: Readonly<Record<DialectName, readonly string[]>> = {
  sqlite: [
    `create trigger audit_log_no_update before update on audit_log begin select raise(abort, '${REFUSAL}'); end`,
    `create trigger audit_log_no_delete before delete on audit_log when old.at > unixepoch() * 1000 - ${MIN_MS} begin select raise(abort, '${REFUSAL}'); end`,
  ],
  postgres: [
    `create function audit_log_refuse() returns trigger language plpgsql as $$ begin raise exception '${REFUSAL}'; end $$`,
    'create trigger audit_log_no_update before update on audit_log for each row execute function audit_log_refuse()',
    `create trigger audit_log_no_delete before delete on audit_log for each row when (old.at > extract(epoch from clock_timestamp()) * 1000 - ${MIN_MS}) execute function audit_log_refuse()`,
    'create trigger audit_log_no_truncate before truncate on audit_log for each statement execute function audit_log_refuse()',
  ],
};
