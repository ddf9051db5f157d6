import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { type Connection, connect, sendsForms } from './connect.ts';
import type { MigrationTarget } from '../migrations/template.ts';
import { makeEmptyDatabase } from './empty-database.ts';
import { translateError } from './errors.ts';
import type { HostRead, HostReader } from './host-reader.ts';
import type { TableAnswer, TableOptions, TableReads } from './types.ts';

/** Names and types of the columns, rows as lists, and what was read for them. */
const TABLE_FORMAT = 'JSONCompact';

/** Beyond 2^53 a JSON number would lose digits: who reads such a column gets a text. */
const QUOTED_NUMBERS: ClickHouseSettings = { output_format_json_quote_64bit_integers: 1 };

/** An answer in {@link TABLE_FORMAT}. */
function tableOf(text: string): TableAnswer {
  const { meta, data, statistics } = JSON.parse(text) as {
    readonly meta: TableAnswer['columns'];
    readonly data: TableAnswer['rows'];
    readonly statistics: {
      readonly elapsed: number;
      readonly rows_read: number;
      readonly bytes_read: number;
    };
  };
  return {
    columns: meta,
    rows: data,
    rowsRead: statistics.rows_read,
    bytesRead: statistics.bytes_read,
    elapsedMs: statistics.elapsed * 1_000,
  };
}

interface TablesParts {
  readonly connection: Connection;
  /** Of the embedded engine. */
  readonly host: HostReader | undefined;
  readonly admin: ClickHouseClient;
  readonly target: MigrationTarget;
  /** Runs a read of the store, its errors translated. */
  readonly call: (
    options: TableOptions,
    read: (
      signal: AbortSignal,
      headers: Record<string, string>,
      settings: ClickHouseSettings,
    ) => Promise<TableAnswer>,
  ) => Promise<TableAnswer>;
}

/** The table reads of one store. */
export class StoreTables implements TableReads {
  readonly #parts: TablesParts;
  /** Of a server, by current database: one connection has one. */
  readonly #clients = new Map<string, ClickHouseClient>();
  #empty: Promise<string> | undefined;

  constructor(parts: TablesParts) {
    this.#parts = parts;
  }

  database(): Promise<string> {
    return Promise.resolve(this.#parts.connection.database);
  }

  read(sql: string, params: Record<string, unknown> = {}, options: TableOptions = {}): Promise<TableAnswer> {
    const { connection, host, call } = this.#parts;
    const { database = connection.database, settings: own } = options;
    return call(options, async (signal, headers, common) => {
      const settings = { ...common, ...QUOTED_NUMBERS, ...own };
      const statement = { sql, params, settings, headers, signal };
      if (host !== undefined) return tableOf(await host.text(statement, TABLE_FORMAT, database));
      return tableOf(await this.#ofServer(statement, database));
    });
  }

  emptyDatabase(): Promise<string> {
    const { admin, target } = this.#parts;
    this.#empty ??= makeEmptyDatabase(admin, target).catch((thrown: unknown) => {
      this.#empty = undefined;
      throw translateError(thrown, 'read');
    });
    return this.#empty;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }

  /** The format goes beside the statement: at its end it would become a part of an EXPLAIN. */
  async #ofServer({ sql, params, settings, headers, signal }: HostRead, database: string): Promise<string> {
    const { connection } = this.#parts;
    let client = this.#clients.get(database);
    if (client === undefined) {
      client = connect(connection, database, 'rows');
      this.#clients.set(database, client);
    }
    const { stream } = await client.exec({
      query: sql,
      query_params: params,
      use_multipart_params_auto: sendsForms(connection, sql),
      abort_signal: signal,
      http_headers: headers,
      clickhouse_settings: { ...settings, default_format: TABLE_FORMAT } as ClickHouseSettings,
    });
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part as Buffer);
    return Buffer.concat(parts).toString('utf8');
  }
}
