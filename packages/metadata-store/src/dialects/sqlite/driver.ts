import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely';

/** Prepared statements kept for the next call of the same text. */
const MAX_STATEMENTS = 200;

/**
 * One connection over `node:sqlite`. Calls are synchronous and short; a transaction holds the connection until it
 * ends, so that the statements of two requests never mix.
 */
export class SqliteDriver implements Driver {
  readonly #open: () => DatabaseSync;
  #connection: SqliteConnection | undefined;
  #held: Promise<void> | undefined;
  #release: (() => void) | undefined;

  constructor(open: () => DatabaseSync) {
    this.#open = open;
  }

  async init(): Promise<void> {
    this.#connection = new SqliteConnection(this.#open());
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    while (this.#held !== undefined) await this.#held;
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
    if (this.#connection === undefined) throw new Error('The metadata store is closed.');
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const release = this.#release;
    this.#held = undefined;
    this.#release = undefined;
    release?.();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // Takes the right to write at once: it cannot be refused in the middle.
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A full disk makes SQLite roll back by itself. What it would say to a second time must not hide the reason.
    if (this.#connection?.isInTransaction !== true) return;
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const statement = this.#prepare(query.sql);
    const parameters = query.parameters as SQLInputValue[];
    if (statement.columns().length > 0) {
      const rows = statement.all(...parameters);
      return { rows: rows as R[] };
    }
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const rows = this.#prepare(query.sql).iterate(...(query.parameters as SQLInputValue[]));
    for (const row of rows) yield { rows: [row as R] };
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > MAX_STATEMENTS) {
      const oldest = this.#statements.keys().next();
      if (oldest.done !== true) this.#statements.delete(oldest.value);
    }
    return statement;
  }
}
