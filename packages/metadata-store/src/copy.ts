import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Logger, silentLogger } from '@candela/kernel';
import { Kysely, sql, type Transaction } from 'kysely';
import type { MetadataDialect } from './dialects/dialect.ts';
import { postgresDialect } from './dialects/postgres/index.ts';
import { sqliteDialect } from './dialects/sqlite/index.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { makeSchema, migrateMetadata, MetadataMigrationError } from './migrations/migrate.ts';
import { MetadataStoreError } from './store.ts';

/** What was copied: rows by table, by name. */
export interface CopyReport {
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
}

/** Rows of tables that are known only by name. */
type AnyTables = Record<string, Record<string, unknown>>;

/** Rows of one insert: far below the parameters that one statement may have. */
const BATCH_ROWS = 200;
/** Made by the target's own migrations and dialect. */
const OWN_OF_EACH = new Set(['schema_migrations', 'change_clock']);

/**
 * Copies the SQLite file of a data directory into an empty PostgreSQL database, in one transaction: schema and rows are
 * there completely or not at all. The file is brought to the newest schema first and is otherwise left as it is; while
 * it is read nobody can write it. @throws MetadataStoreError with a sentence for a person
 */
export async function copyMetadata(options: {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly logger?: Logger;
}): Promise<CopyReport> {
  const logger = options.logger ?? silentLogger;
  const file = join(options.dataDir, 'metadata.sqlite');
  if (!existsSync(file)) {
    throw new MetadataStoreError(
      `There is no ${file}. Name the data directory of the installation that is to be moved.`,
    );
  }
  const source = sqliteDialect(file);
  const target = postgresDialect(options.databaseUrl, logger);
  const from = new Kysely<AnyTables>({ dialect: source.kysely });
  const to = new Kysely<AnyTables>({ dialect: target.kysely });
  try {
    await explained(source, () =>
      migrateMetadata(from as unknown as Kysely<never>, { dialect: source, migrations: MIGRATIONS, logger }),
    );
    return await explained(target, () =>
      target.whileMigrating(to as unknown as Kysely<never>, (held) =>
        (held as unknown as Kysely<AnyTables>).transaction().execute(async (writing) => {
          await refuseUsed(writing);
          await makeSchema(writing as unknown as Transaction<never>, {
            dialect: target,
            migrations: MIGRATIONS,
          });
          return from.transaction().execute((reading) => copyTables(reading, writing, target));
        }),
      ),
    );
  } finally {
    await from.destroy();
    await to.destroy();
  }
}

/**
 * Writes all of a store that is in use, as it is at one moment, into a new file of SQLite: for backups, which are restored without a
 * server. @throws MetadataStoreError with a sentence for a person
 */
export async function exportMetadata(options: {
  readonly dataDir: string;
  /** Of PostgreSQL; undefined: the store is the file in the data directory. */
  readonly databaseUrl: string | undefined;
  readonly file: string;
  readonly logger: Logger;
}): Promise<void> {
  const { dataDir, databaseUrl, file, logger } = options;
  if (databaseUrl === undefined) copyFile(join(dataDir, 'metadata.sqlite'), file);
  else await exportPostgres(databaseUrl, file, logger);
}

function copyFile(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
}

async function exportPostgres(databaseUrl: string, file: string, logger: Logger): Promise<void> {
  const source = postgresDialect(databaseUrl, logger);
  const target = sqliteDialect(file);
  const from = new Kysely<AnyTables>({ dialect: source.kysely });
  const to = new Kysely<AnyTables>({ dialect: target.kysely });
  try {
    await explained(source, () =>
      target.whileMigrating(to as unknown as Kysely<never>, (held) =>
        (held as unknown as Kysely<AnyTables>).transaction().execute(async (writing) => {
          await makeSchema(writing as unknown as Transaction<never>, {
            dialect: target,
            migrations: MIGRATIONS,
          });
          return from
            .transaction()
            .setIsolationLevel('repeatable read')
            .execute((reading) => copyTables(reading, writing, target));
        }),
      ),
    );
  } finally {
    await from.destroy();
    await to.destroy();
  }
}

async function explained<T>(dialect: MetadataDialect, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof MetadataStoreError) throw thrown;
    const sentence = thrown instanceof MetadataMigrationError ? thrown.message : dialect.explain(thrown);
    if (sentence === undefined) throw thrown;
    throw new MetadataStoreError(sentence, { cause: thrown });
  }
}

/** An installation that is there already is never mixed with another. */
async function refuseUsed(target: Transaction<AnyTables>): Promise<void> {
  const tables = await tablesOf(target);
  if (tables.length === 0) return;
  throw new MetadataStoreError(
    `The target database is not empty: it has the tables ${tables.slice(0, 5).join(', ')}${tables.length > 5 ? ' and others' : ''}. Take an empty database: create a new one, or drop this one and create it again.`,
  );
}

async function tablesOf(database: Kysely<AnyTables>): Promise<string[]> {
  const tables = await database.introspection.getTables();
  return tables
    .map(({ name }) => name)
    .filter((name) => !OWN_OF_EACH.has(name) && !name.startsWith('sqlite_'));
}

async function copyTables(
  reading: Transaction<AnyTables>,
  writing: Transaction<AnyTables>,
  target: MetadataDialect,
): Promise<CopyReport> {
  const tables: CopyReport['tables'][number][] = [];
  for (const table of (await tablesOf(reading)).sort()) {
    // What the migrations put in is part of the source too, and may have been changed there.
    await writing.deleteFrom(table).execute();
    let batch: Record<string, unknown>[] = [];
    const flush = async () => {
      if (batch.length > 0) await insert(writing, { table, rows: batch, target });
      batch = [];
    };
    for await (const row of reading.selectFrom(table).selectAll().stream()) {
      batch.push(row);
      if (batch.length === BATCH_ROWS) await flush();
    }
    await flush();
    const [rows, arrived] = [await countOf(reading, table), await countOf(writing, table)];
    if (rows !== arrived) {
      throw new MetadataStoreError(
        `Of the table ${table} ${arrived} rows of ${rows} arrived. Nothing was kept; try again.`,
      );
    }
    tables.push({ table, rows });
  }
  return { tables };
}

async function insert(
  writing: Transaction<AnyTables>,
  { table, rows, target }: { table: string; rows: Record<string, unknown>[]; target: MetadataDialect },
): Promise<void> {
  try {
    await writing.insertInto(table).values(rows).execute();
  } catch (thrown) {
    if (!target.isBadText(thrown)) throw thrown;
    throw new MetadataStoreError(
      `A text in the table ${table} holds a NUL character, which PostgreSQL cannot keep. Nothing was copied; change that text and try again.`,
      { cause: thrown },
    );
  }
}

async function countOf(database: Kysely<AnyTables>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
    database,
  );
  return rows[0]?.count ?? 0;
}
