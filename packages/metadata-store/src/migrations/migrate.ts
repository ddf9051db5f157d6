import { createHash } from 'node:crypto';
import type { Logger } from '@candela/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { MetadataDialect } from '../dialects/dialect.ts';
import type { Migration } from './migration.ts';

/** The schema cannot be brought to what this program needs. The message says why and what to do. */
export class MetadataMigrationError extends Error {
  override readonly name = 'MetadataMigrationError';
}

interface History {
  readonly schema_migrations: {
    version: number;
    name: string;
    checksum: string;
    applied_at: number;
  };
}

/**
 * Brings the schema up to date, forward only. A migration and the note that it was made are one transaction: a kill
 * at any moment leaves whole steps, and the next start goes on. Replicas that start together wait for each other.
 * @throws MetadataMigrationError when the database is newer than the program, or was made by other migrations
 */
export async function migrateMetadata(
  database: Kysely<never>,
  options: {
    readonly dialect: MetadataDialect;
    readonly migrations: readonly Migration[];
    readonly logger: Logger;
  },
): Promise<void> {
  await options.dialect.whileMigrating(database, (connection) => migrate(connection, options));
}

async function migrate(
  database: Kysely<never>,
  options: Parameters<typeof migrateMetadata>[1],
): Promise<void> {
  const history = database as unknown as Kysely<History>;
  await makeHistory(database);
  const applied = await history.selectFrom('schema_migrations').selectAll().orderBy('version').execute();
  const steps = stepsOf(database, options);
  for (const row of applied) {
    const known = steps.find(({ migration }) => migration.version === row.version);
    if (known === undefined) {
      throw new MetadataMigrationError(
        `The metadata store was made by a newer version of this program: it has migration ${row.version} (${row.name}), this program knows ${steps.length}. Start the newer version, or restore a backup from before the upgrade.`,
      );
    }
    if (known.checksum !== row.checksum) {
      throw new MetadataMigrationError(
        `Migration ${row.version} (${row.name}) of the metadata store differs from the one in this program. It was made by a changed copy of it; use that copy, or restore a backup.`,
      );
    }
  }
  for (const step of steps.slice(applied.length)) {
    const { version, name } = step.migration;
    const made = await history.transaction().execute(async (transaction) => {
      const meanwhile = await transaction
        .selectFrom('schema_migrations')
        .select('version')
        .where('version', '=', version)
        .executeTakeFirst();
      if (meanwhile !== undefined) return false;
      await apply(step, transaction);
      return true;
    });
    // A first start has nothing to report: only a store that existed is upgraded.
    const level = applied.length === 0 ? 'debug' : 'info';
    if (made) options.logger[level]({ migration: version, name }, 'metadata store migrated');
  }
}

/**
 * The whole schema of the newest version in a transaction of the caller, with its history: for a copy of an installation
 * into an empty database, which is there completely or not at all.
 */
export async function makeSchema(
  transaction: Transaction<never>,
  options: Pick<Parameters<typeof migrateMetadata>[1], 'dialect' | 'migrations'>,
): Promise<void> {
  await makeHistory(transaction);
  for (const step of stepsOf(transaction, options)) {
    await apply(step, transaction as unknown as Transaction<History>);
  }
}

interface Step {
  readonly migration: Migration;
  readonly statements: readonly string[];
  readonly checksum: string;
}

function stepsOf(
  database: Pick<Kysely<never>, 'schema'>,
  { dialect, migrations }: Pick<Parameters<typeof migrateMetadata>[1], 'dialect' | 'migrations'>,
): Step[] {
  return migrations.map((migration) => {
    const statements = migration
      .statements(database, dialect.name)
      .map((statement) => statement.compile().sql);
    const checksum = createHash('sha256').update(statements.join(';\n')).digest('hex');
    return { migration, statements, checksum };
  });
}

async function makeHistory({ schema }: Pick<Kysely<never>, 'schema'>): Promise<void> {
  await schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('checksum', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
}

async function apply(
  { migration: { version, name }, statements, checksum }: Step,
  transaction: Transaction<History>,
): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(transaction);
  const note = { version, name, checksum, applied_at: Date.now() };
  await transaction.insertInto('schema_migrations').values(note).execute();
}
