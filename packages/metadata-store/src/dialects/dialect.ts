import type { Dialect, Kysely } from 'kysely';
import type { StorageScope } from '../repositories/storage-scope.ts';

export type DialectName = 'sqlite' | 'postgres';

/** What was written: names of tables, and the places that all of it belongs to. */
export interface WrittenTo {
  readonly tables: readonly string[];
  readonly places: readonly StorageScope[] | 'everywhere';
}

/** Everything when nobody knows. */
export type Written = WrittenTo | 'everything';

/** Notices what other processes write, until it is stopped. */
export interface Watcher {
  stop(): Promise<void>;
}

/**
 * A database the metadata store can live in. Repositories and migrations are written once, in SQL that all of them
 * speak (see `tables/index.ts` for the column types); what differs is here.
 */
export interface MetadataDialect {
  readonly name: DialectName;
  readonly kysely: Dialect;
  /** True when a statement failed because a value that must be unique is there already. */
  isUniqueViolation(thrown: unknown): boolean;
  /** True when the database failed and not what it was asked: a full disk, a lost connection, a lock not given in time. */
  isUnavailable(thrown: unknown): boolean;
  /** True when there is no room on the disk of the database. */
  isFull(thrown: unknown): boolean;
  /** True when a text was refused that this database cannot keep (a NUL character). */
  isBadText(thrown: unknown): boolean;
  /** True when a number was refused that no column can hold: too large, or not whole. */
  isBadNumber(thrown: unknown): boolean;
  /** What a failure at opening means to a person; undefined when nothing better than its message is known. */
  explain(thrown: unknown): string | undefined;
  /**
   * Runs the work while no other process migrates the same database, with what the dialect itself keeps there in place.
   * The work must use the connection it is given.
   */
  whileMigrating<T>(database: Kysely<never>, work: (connection: Kysely<never>) => Promise<T>): Promise<T>;
  /** Runs the work while no other process, and nobody else in this one, does work of that name. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** First in every change: waits until it is the only one that is under way. Ends with the transaction. */
  takeTurn(transaction: Kysely<never>): Promise<void>;
  /** Tells other processes; within a transaction they hear of it when it is committed. */
  announce(database: Kysely<never>, written: WrittenTo): Promise<void>;
  /** Calls back, at most a second late, when another process has written. */
  watch(database: Kysely<never>, onWritten: (written: Written) => void): Watcher;
}
