import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { MetadataDialect } from '../dialect.ts';
import { SqliteDriver } from './driver.ts';

/** How long a statement waits for another process that writes, milliseconds. */
const BUSY_MS = 5_000;
/** SQLite's extended result codes. */
const UNIQUE = 2_067;
const PRIMARY_KEY = 1_555;
const NO_DATABASE = 26;
const CORRUPT = 11;
const CANNOT_OPEN = 14;
const READ_ONLY = 8;

/**
 * A SQLite file, readable by its owner only. Write-ahead log with `synchronous=FULL`: what was acknowledged is on the
 * disk, whatever happens to process or machine.
 */
export function sqliteDialect(file: string): MetadataDialect {
  return {
    name: 'sqlite',
    kysely: {
      createDriver: () => new SqliteDriver(() => open(file)),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (database) => new SqliteIntrospector(database),
    },
    isUniqueViolation: (thrown) => [UNIQUE, PRIMARY_KEY].includes(codeOf(thrown) ?? 0),
    explain(thrown) {
      const code = codeOf(thrown);
      const primary = code === undefined ? undefined : code & 0xff;
      if (primary === NO_DATABASE || primary === CORRUPT) {
        return `The file ${file} is damaged or no metadata store of ours. Restore it from a backup, or move it away to start with an empty one.`;
      }
      if (primary === CANNOT_OPEN || primary === READ_ONLY) {
        return `The file ${file} cannot be opened for writing. Check its owner and permissions.`;
      }
      return undefined;
    },
  };
}

function open(file: string): DatabaseSync {
  // Created with its permissions; SQLite gives its log the same ones.
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const database = new DatabaseSync(file);
  database.exec(
    `pragma busy_timeout = ${BUSY_MS}; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off`,
  );
  return database;
}

function codeOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined;
  return typeof thrown.errcode === 'number' ? thrown.errcode : undefined;
}
