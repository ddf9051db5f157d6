import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { fail, type Logger } from '@candela/kernel';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import type { EngineSupervisor } from '../engine-host/supervisor.ts';
import {
  ASKER_HEADER,
  WAIT_HEADER,
  OUTBOX_HEADER,
  SCRIPT_HEADER,
  type Script,
  STREAM_HEADER,
} from '../engine-host/protocol.ts';
import { quote } from '../engine-host/sql-text.ts';
import { STATEMENT_SIZE } from '../engine-host/statement-size.ts';
import { fillScript, rollupToken } from '../rollups/fill-script.ts';
import { rollupsOf } from '../rollups/index.ts';
import { fillStatement, insertedRows } from '../rollups/rollup.ts';
import { AttributeColumns } from '../attribute-columns/keeper.ts';
import { COLUMN_TUNING } from '../attribute-columns/tuning.ts';
import { type MigrationTarget, renderMigration } from '../migrations/template.ts';
import { TEXT_INDEXES, TextIndex } from '../text-index/text-index.ts';
import { AtRest } from './at-rest.ts';
import {
  type Connection,
  connect,
  HOST_POOL,
  INSERT_TIMEOUT_MS,
  LONG_STATEMENT,
  sendsForms,
  TRANSPORT_GRACE_MS,
} from './connect.ts';
import { RollupError, translateError, UnsureInsertError } from './errors.ts';
import type { FailedWrites } from './failed-writes.ts';
import { HostReader } from './host-reader.ts';
import type { Outbox } from './outbox.ts';
import { StoreTables } from './table.ts';
import type {
  CommandOptions,
  NativeParts,
  SelectOptions,
  StoreHealth,
  StoreSnapshot,
  StoreState,
  TelemetryStore,
} from './types.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const TABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `Native` data of an insert: a file of the outbox, or the blocks themselves. */
type InsertData = { readonly file: string } | { readonly parts: readonly Uint8Array[] };

/** What a store of the embedded engine shares with the others there. */
export interface EngineParts {
  readonly supervisor: EngineSupervisor;
  /** Data of inserts is read from files instead of the socket; their names are unique in it. */
  readonly outbox: Outbox;
  readonly failedWrites: FailedWrites;
}

export interface StoreParts {
  readonly connection: Connection;
  readonly engine: EngineParts | undefined;
  readonly target: MigrationTarget;
  readonly logger: Logger;
  /** Columns that keys of attributes may have. */
  readonly attributeColumns: number;
  /** Whether all words are to be indexed. */
  readonly textIndex: boolean;
}

/** One database; the engine, if there is one, is somebody else's to close. */
export class ClickHouseStore implements TelemetryStore {
  readonly #connection: Connection;
  readonly #client: ClickHouseClient;
  readonly #streams: ClickHouseClient;
  /** Of the embedded engine: most reads go this way. */
  readonly #host: HostReader | undefined;
  /** Connections of their own: reads that take all of theirs, and wait there for more, hold up no insert. */
  readonly #inserts: ClickHouseClient;
  /** Without a database, so that it can be created; patient, for that is done by migrations. */
  readonly #admin: ClickHouseClient;
  readonly #supervisor: EngineSupervisor | undefined;
  readonly #outbox: Outbox | undefined;
  readonly #failedWrites: FailedWrites | undefined;
  readonly #columns: AttributeColumns;
  readonly #textIndex: TextIndex;
  /** Of the embedded engine: a server merges as its owner set it up. */
  readonly #atRest: AtRest | undefined;
  readonly #onState = (state: StoreState): void => {
    this.#events.emit('state', state);
    // One that cannot be asked now is asked when it is started again. Parts that are being made again are no loss.
    if (state === 'ready')
      (this.#failedWrites?.mending ?? Promise.resolve())
        .then(() => this.lookForDamage())
        .catch(() => undefined);
  };
  readonly #events = new EventEmitter<{ state: [StoreState] }>();
  readonly #logger: Logger;
  readonly tables: StoreTables;
  #state: StoreState = 'ready';
  #version = '';
  #damagedParts = 0;

  constructor({ connection, engine, target, logger, attributeColumns, textIndex }: StoreParts) {
    this.#connection = connection;
    this.#client = connect(connection, connection.database, 'rows');
    this.#streams = connect(connection, connection.database, 'stream');
    const { socketPath, database } = connection;
    this.#host = socketPath === undefined ? undefined : new HostReader(socketPath, database, HOST_POOL);
    this.#inserts = connect(connection, connection.database, 'done');
    this.#admin = connect(connection, 'default', 'patient');
    this.tables = new StoreTables({
      connection,
      host: this.#host,
      admin: this.#admin,
      target,
      call: (options, read) =>
        this.#call('read', options, (signal) =>
          read(signal, this.#headers(options), selectSettings(options, connection.database)),
        ),
    });
    this.#logger = logger;
    this.#supervisor = engine?.supervisor;
    this.#outbox = engine?.outbox;
    this.#failedWrites = engine?.failedWrites;
    this.#supervisor?.on('state', this.#onState);
    // What columns and index themselves need to know is no read of somebody's.
    const store: Pick<TelemetryStore, 'select' | 'command'> = {
      select: (sql, params, options) => this.#read(sql, params, options),
      command: (...asks) => this.command(...asks),
    };
    this.#textIndex = new TextIndex({ store, target, wanted: textIndex, logger });
    this.#columns = new AttributeColumns({
      store,
      target,
      tuning: { ...COLUMN_TUNING, pool: attributeColumns },
      logger,
    });
    this.#atRest =
      engine === undefined
        ? undefined
        : new AtRest({
            select: (sql, signal) => this.#read(sql, {}, { signal }),
            merge: async ({ TableName, PartitionId, Whole }, signal) => {
              const [query = ''] = renderMigration(
                `OPTIMIZE TABLE \${database}.\`${TableName}\` PARTITION ID '${PartitionId}'${Whole ? ' FINAL' : ''};`,
                target,
              );
              await this.#admin.command({ query, abort_signal: signal, clickhouse_settings: LONG_STATEMENT });
            },
            deferred: DEFERRED_INDEXES,
            build: async (table, partition, indexes, signal) => {
              const builds = indexes.map(
                (name) => `MATERIALIZE INDEX ${name} IN PARTITION ID '${partition}'`,
              );
              const [query = ''] = renderMigration(
                `ALTER TABLE \${database}.\`${table}\` ${builds.join(', ')} SETTINGS mutations_sync = 1;`,
                target,
              );
              await this.#admin.command({ query, abort_signal: signal, clickhouse_settings: LONG_STATEMENT });
            },
            logger,
          });
  }

  /** The schema is up to date: what the last process wrote before it ended may be tidied up. */
  opened(): void {
    this.#textIndex.keep();
    this.#atRest?.inserted();
  }

  get ownParts(): number | undefined {
    return this.#supervisor?.restarts;
  }

  async snapshot(): Promise<StoreSnapshot> {
    const columnOf = await this.#columns.columns();
    return {
      columnOf,
      indexesWords: (table) => this.#textIndex.tells(table),
      indexesItems: (table) => this.#textIndex.tells(table, 'items'),
    };
  }

  select<T>(sql: string, params: Record<string, unknown> = {}, options: SelectOptions = {}): Promise<T[]> {
    const { attributes = [], usesTextIndex = false } = options;
    return this.#columns.counting(attributes, () =>
      this.#read<T>(sql, params, options, usesTextIndex ? INDEXED_WORDS : {}),
    );
  }

  #read<T>(
    sql: string,
    params: Record<string, unknown> = {},
    options: SelectOptions = {},
    others: ClickHouseSettings = {},
  ): Promise<T[]> {
    return this.#call('read', options, async (signal) => {
      const [headers, settings] = [
        this.#headers(options),
        { ...selectSettings(options, this.#connection.database), ...others },
      ];
      if (this.#host !== undefined) return this.#host.read<T>({ sql, params, settings, headers, signal });
      const result = await this.#client.query({
        query: sql,
        query_params: params,
        use_multipart_params_auto: sendsForms(this.#connection, sql),
        format: 'JSONEachRow',
        abort_signal: signal,
        http_headers: headers,
        clickhouse_settings: settings,
      });
      return untilAborted(signal, result, () => result.json<T>());
    });
  }

  /** What only the engine host understands is told to nobody else. */
  #headers({ asker, maxWaitMs }: SelectOptions): Record<string, string> {
    if (this.#supervisor === undefined) return {};
    return {
      ...(asker === undefined ? {} : { [ASKER_HEADER]: asker }),
      ...(maxWaitMs === undefined ? {} : { [WAIT_HEADER]: String(Math.ceil(maxWaitMs)) }),
    };
  }

  async *stream<T>(
    sql: string,
    params: Record<string, unknown> = {},
    options: SelectOptions = {},
  ): AsyncGenerator<T> {
    const signal = deadline(options);
    try {
      const result = await this.#streams.query({
        query: sql,
        query_params: params,
        use_multipart_params_auto: sendsForms(this.#connection, sql),
        format: 'JSONEachRow',
        abort_signal: signal,
        http_headers: { ...this.#headers(options), [STREAM_HEADER]: '1' },
        clickhouse_settings: {
          ...selectSettings(options, this.#connection.database),
          max_result_rows: '0',
          max_result_bytes: '0',
        },
      });
      const end = (): void => result.close();
      options.signal?.addEventListener('abort', end);
      try {
        for await (const rows of result.stream<T>()) {
          for (const row of rows) yield row.json();
        }
      } finally {
        options.signal?.removeEventListener('abort', end);
      }
    } catch (error) {
      throw translateError(error, 'read', options.signal);
    }
  }

  async command(
    sql: string,
    params: Record<string, unknown> = {},
    options: CommandOptions = {},
  ): Promise<void> {
    const timeoutMs = options.timeoutMs ?? INSERT_TIMEOUT_MS;
    await this.#call('write', { ...options, timeoutMs }, (signal) =>
      this.#client.command({
        query: sql,
        query_params: params,
        abort_signal: signal,
        clickhouse_settings: { max_execution_time: timeoutMs / 1_000 },
      }),
    );
  }

  async insertNative(table: string, parts: NativeParts, dedupToken: string): Promise<void> {
    if (!TABLE_NAME.test(table)) throw new RangeError(`${JSON.stringify(table)} is not a table name`);
    if (Array.isArray(parts) && parts.length === 0) return;
    if (this.#outbox === undefined) {
      const held = Array.isArray(parts) ? parts : await copied(parts);
      await this.#insert(`INSERT INTO ${table} FORMAT Native`, dedupToken, { parts: held });
      await this.#fill(table, dedupToken, held);
      return;
    }
    const before = this.#failedWrites?.seen;
    await this.#outbox.hold(parts, async (file) => {
      await this.#insert(`INSERT INTO ${table} FORMAT Native`, dedupToken, { file });
      await this.#fillFromFile(table, dedupToken, file);
    });
    if (before !== undefined) await this.#sure(table, before);
    this.#atRest?.inserted();
  }

  /** @throws UnsureInsertError when a file could not be written meanwhile */
  async #sure(table: string, before: FailedWrites['seen']): Promise<void> {
    const failed = await this.#failedWrites?.failedSince(before).catch((thrown: unknown) => {
      throw new UnsureInsertError(table, thrown);
    });
    if (failed === true) throw new UnsureInsertError(table, new Error('files could not be written'));
  }

  /**
   * The rollups of rows that are stored by now. Each has a token of its own, so that a repeated insert goes on with
   * those that are missing. @throws RollupError
   */
  async #fill(table: string, dedupToken: string, parts: readonly Uint8Array[]): Promise<void> {
    const failures = await Promise.all(
      rollupsOf(table).map(async (rollup) => {
        const statement = `${fillStatement(rollup, table, insertedRows(table))} FORMAT Native`;
        try {
          const token = rollupToken(dedupToken, table, rollup.name);
          await this.#insert(statement, token, { parts }, ROLLUP_SETTINGS);
          return undefined;
        } catch (thrown) {
          return new RollupError(table, thrown);
        }
      }),
    );
    const failure = failures.find((failed) => failed !== undefined);
    if (failure !== undefined) throw failure;
  }

  /** The same by the embedded engine: see {@link fillScript}. @throws RollupError */
  async #fillFromFile(table: string, dedupToken: string, file: string): Promise<void> {
    const steps = fillScript(table, dedupToken);
    if (steps.length === 0) return;
    const script: Script = { steps };
    try {
      await this.#call('write', { timeoutMs: INSERT_TIMEOUT_MS }, (signal) =>
        this.#inserts.command({
          query: JSON.stringify(script),
          abort_signal: signal,
          http_headers: { [OUTBOX_HEADER]: file, [SCRIPT_HEADER]: '1' },
          clickhouse_settings: ROLLUP_SETTINGS,
        }),
      );
    } catch (thrown) {
      throw new RollupError(table, thrown);
    }
  }

  #insert(
    query: string,
    dedupToken: string,
    data: InsertData,
    settings: ClickHouseSettings = INSERT_SETTINGS,
  ): Promise<void> {
    return this.#call('write', { timeoutMs: INSERT_TIMEOUT_MS }, async (signal) => {
      const statement = {
        query,
        abort_signal: signal,
        clickhouse_settings: { ...settings, insert_deduplication_token: dedupToken },
      };
      if ('file' in data) {
        await this.#inserts.command({ ...statement, http_headers: { [OUTBOX_HEADER]: data.file } });
        return;
      }
      const { stream } = await this.#inserts.exec({
        ...statement,
        values: Readable.from(data.parts, { objectMode: false, highWaterMark: 1 << 20 }),
      });
      stream.resume();
    });
  }

  health(): StoreHealth {
    const supervisor = this.#supervisor;
    if (supervisor === undefined) return { state: this.#state, restarts: 0, version: this.#version };
    const { state, restarts, version, pid } = supervisor;
    const damagedParts = this.#damagedParts;
    return { state, restarts, version, ...(pid === undefined ? {} : { pid }), damagedParts };
  }

  on(_event: 'state', listener: (state: StoreState) => void): void {
    this.#events.on('state', listener);
  }

  async close(): Promise<void> {
    this.#supervisor?.off('state', this.#onState);
    await this.#textIndex.close();
    await this.#atRest?.close();
    await this.#columns.close();
    await this.#client.close();
    await this.#streams.close();
    await this.tables.close();
    this.#host?.close();
    await this.#inserts.close();
    await this.#admin.close();
    this.#state = 'down';
  }

  /** The client that migrations use: it does not need the database to exist. */
  admin(): ClickHouseClient {
    return this.#admin;
  }

  async learnVersion(): Promise<void> {
    const [row] = await this.select<{ version: string }>('SELECT version() AS version');
    this.#version = row?.version ?? '';
  }

  /**
   * Tells of parts that the embedded engine left out when it started, because they are damaged. It goes on without their
   * rows and says so nowhere else; a server tells who runs it.
   */
  async lookForDamage(): Promise<void> {
    if (this.#supervisor === undefined) return;
    const damaged = await this.#read<{ Name: string; Parts: number; Bytes: number; Folder: string }>(
      DAMAGED_SQL,
    );
    const parts = damaged.reduce((sum, one) => sum + one.Parts, 0);
    if (parts > this.#damagedParts) {
      for (const { Name, Parts, Bytes, Folder } of damaged) {
        this.#logger.error(
          { table: Name, parts: Parts, bytes: Bytes, folder: Folder },
          'the engine set damaged parts aside; their rows are missing',
        );
      }
    }
    this.#damagedParts = parts;
  }

  async #call<T>(
    kind: 'read' | 'write',
    options: SelectOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const limit = deadline(options);
    try {
      const result = await work(limit);
      this.#reachable(true);
      return result;
    } catch (error) {
      if (limit.aborted && options.signal?.aborted !== true && this.#supervisor?.state === 'ready') {
        // The engine lives: this statement and those before it in the queue took too long.
        throw fail(
          'overloaded',
          { detail: 'The store is busy. Try again shortly.' },
          { retryAfterSeconds: 5, cause: error },
        );
      }
      const translated = translateError(error, kind, options.signal);
      if (isUnavailable(translated)) this.#reachable(false);
      throw translated;
    }
  }

  /** A server's state is known only from calls; the supervisor knows its own engine's. */
  #reachable(yes: boolean): void {
    const state: StoreState = yes ? 'ready' : 'down';
    if (this.#supervisor !== undefined || this.#state === state) return;
    this.#state = state;
    this.#events.emit('state', state);
  }
}

/** The client stops to listen to a signal once the head of the answer is there: its body may come a byte a second. */
async function untilAborted<T>(
  signal: AbortSignal,
  result: { close(): void },
  read: () => Promise<T>,
): Promise<T> {
  const end = (): void => result.close();
  signal.addEventListener('abort', end);
  try {
    if (signal.aborted) end();
    return await read();
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** A connection holds on to what it sends longer than a part is good for. */
async function copied(parts: NativeParts): Promise<Uint8Array[]> {
  const copies: Uint8Array[] = [];
  for await (const part of parts) copies.push(Uint8Array.from(part));
  return copies;
}

/** By table; what others of the reasons stand for is no loss: a part that was merged, or attached by somebody. */
const DAMAGED_SQL = `SELECT table AS Name, count() AS Parts, sum(bytes_on_disk) AS Bytes, min(path) AS Folder
  FROM system.detached_parts WHERE database = currentDatabase() AND reason IN ('broken', 'broken-on-start')
  GROUP BY table ORDER BY table`;

const DEFERRED_INDEXES: readonly string[] = [
  'idx_session_id',
  'idx_attributes',
  'idx_content',
  'idx_body',
  ...TEXT_INDEXES,
  'idx_duration',
  'idx_total_tokens',
  'idx_cost_step',
];

/** One stored block for one call, so that its token covers all of it, and nothing left to do in the background. */
const INSERT_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  insert_deduplicate: 1,
  max_insert_threads: '1',
  max_threads: 1,
  max_insert_block_size: '10000000',
  min_insert_block_size_rows: '10000000',
  min_insert_block_size_bytes: '4000000000',
  max_execution_time: INSERT_TIMEOUT_MS / 1_000,
  distributed_foreground_insert: 1,
  // A partition is a day of arrival and a project's days: more than the engine's hundred when the store was away for long
  // or many projects chose their own. Refused, the insert would be repeated for ever and hold up all behind it.
  max_partitions_per_insert_block: '0',
  // The cheap index is built at once; these cost more than the insert itself and wait for the first merge.
  exclude_materialize_skip_indexes_on_insert: DEFERRED_INDEXES.join(', '),
};

const ROLLUP_SETTINGS: ClickHouseSettings = {
  ...INSERT_SETTINGS,
  // A rollup that sorts its rows does so to have them in one block.
  query_plan_remove_redundant_sorting: 0,
  // The rows come grouped. Joining them once more costs as much as grouping them did; merges join what there is.
  optimize_on_insert: 0,
};

/**
 * Of words that the text index tells. The first rows in an order are found by ever better bounds of what they are ordered by, which
 * the engine puts before all other conditions; it then works the indexed text out of the texts of all rows instead of asking the index.
 */
const INDEXED_WORDS: ClickHouseSettings = { use_top_k_dynamic_filtering: 0 };

/** Tables of a cluster read local ones: the condition is put on both. */
function filterSetting(filters: Readonly<Record<string, string>>, database: string): string {
  const entries = Object.entries(filters).flatMap(([table, condition]) =>
    [table, `${table}_local`].map((name) => `${quote(`${database}.${name}`)}: ${quote(condition)}`),
  );
  return `{${entries.join(', ')}}`;
}

function selectSettings(options: SelectOptions, database: string): ClickHouseSettings {
  const { filters = {} } = options;
  return {
    ...STATEMENT_SIZE,
    ...(Object.keys(filters).length === 0
      ? {}
      : { additional_table_filters: filterSetting(filters, database) as never }),
    max_execution_time: (options.timeoutMs ?? DEFAULT_TIMEOUT_MS) / 1_000,
    output_format_json_quote_64bit_integers: 0,
    cancel_http_readonly_queries_on_client_close: 1,
    // A page in the order of a table ends where it is full. Buffered, the engine meanwhile reads ahead in every part of the
    // window: up to fifteen times the work where matching rows are rare, six times without any filter.
    read_in_order_use_buffering: 0,
    // When a statement is asked again and again the engine compiles its expressions, which takes up to half a second, and saves nothing
    // that can be measured afterwards.
    compile_expressions: 0,
    compile_aggregate_expressions: 0,
    compile_sort_description: 0,
    // Ids that a subselect finds are sorted to pass by what holds none of them; of more, next to nothing is passed by.
    use_index_for_in_with_subqueries_max_values: '100000',
    ...(options.maxRowsToRead === undefined ? {} : { max_rows_to_read: String(options.maxRowsToRead) }),
    ...(options.maxBytesToRead === undefined ? {} : { max_bytes_to_read: String(options.maxBytesToRead) }),
    ...memorySettings(options.maxMemoryBytes),
    ...(options.priority === undefined ? {} : { priority: String(options.priority) }),
    ...(options.maxResultRows === undefined ? {} : { max_result_rows: String(options.maxResultRows) }),
  };
}

/** Groups that take a third of what there may be go to disk: many groups then take longer, and are not refused. */
function memorySettings(bytes: number | undefined): ClickHouseSettings {
  if (bytes === undefined) return {};
  return {
    max_memory_usage: String(bytes),
    max_bytes_before_external_group_by: String(Math.floor(bytes / 3)),
    max_temporary_data_on_disk_size_for_query: String(bytes * 4),
  };
}

function deadline(options: SelectOptions): AbortSignal {
  const limit = AbortSignal.timeout((options.timeoutMs ?? DEFAULT_TIMEOUT_MS) + TRANSPORT_GRACE_MS);
  return options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'store_unavailable';
}
