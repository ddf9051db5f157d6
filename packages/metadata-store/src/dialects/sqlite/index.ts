import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { MetadataDialect, Watcher, Written } from '../dialect.ts';
import { inTurns } from './turns.ts';
import { SqliteDriver } from './driver.ts';

/** How long a statement waits for another process that writes, milliseconds. */
const BUSY_MS = 5_000;
/** How often the file is asked whether another program wrote it, milliseconds. */
const WATCH_MS = 1_000;
/** SQLite's extended result codes. */
const UNIQUE = 2_067;
const PRIMARY_KEY = 1_555;
const NO_DATABASE = 26;
const CORRUPT = 11;
const CANNOT_OPEN = 14;
const READ_ONLY = 8;
const ERROR = 1;
const CONSTRAINT = 19;
const TRIGGER = 1_811;
const FULL = 13;

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
    // Every failure of the database carries a code; those of a rule of its own schema say what was asked wrongly.
    isUnavailable: (thrown) => ![undefined, ERROR, CONSTRAINT, TRIGGER].includes(codeOf(thrown)),
    isFull: (thrown) => ((codeOf(thrown) ?? 0) & 0xff) === FULL,
    isBadText: () => false,
    isBadNumber: () => false,
    // The right to write is taken with `begin immediate`, by migrations and changes alike.
    whileMigrating: (database, work) => work(database),
    takeTurn: async () => undefined,
    // One platform has the directory of the file.
    alone: inTurns(),
    // In this process nobody else is to be told, and other programs look at the file.
    announce: async () => undefined,
    watch,
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
    `pragma busy_timeout = ${BUSY_MS}; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off; pragma recursive_triggers = on`,
  );
  return database;
}

/** The file's version changes with every commit of another connection. */
function watch(database: Kysely<never>, onWritten: (written: Written) => void): Watcher {
  let seen: number | undefined;
  const look = async () => {
    const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(database);
    const version = rows[0]?.data_version;
    // At the first look too: nobody knows what happened before it.
    if (version !== seen) onWritten('everything');
    seen = version;
  };
  // What cannot be looked at is not to be trusted.
  const again = () => void look().catch(() => onWritten('everything'));
  again();
  const timer = setInterval(again, WATCH_MS);
  timer.unref();
  return { stop: async () => clearInterval(timer) };
}

function codeOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined;
  return typeof thrown.errcode === 'number' ? thrown.errcode : undefined;
}
