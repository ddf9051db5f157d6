import type { Logger } from '@candela/kernel';
import type { EngineCaps } from '../engine-host/protocol.ts';
import type { SupervisorTiming } from '../engine-host/supervisor.ts';
import type { AttributeKey } from '../attribute-columns/names.ts';

export type StoreState = 'ready' | 'starting' | 'down';

export interface SelectOptions {
  /** Time the engine may spend, milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  readonly maxRowsToRead?: number;
  readonly maxBytesToRead?: number;
  readonly maxMemoryBytes?: number;
  readonly maxResultRows?: number;
  readonly signal?: AbortSignal;
  /** 1 first: a statement stands still while one that comes before it runs, for at most a second at a time. Default: none does. */
  readonly priority?: number;
  /** On whose behalf: the embedded engine shares its places out among those who ask. */
  readonly asker?: string;
  /** How long it may wait for a place in the embedded engine, milliseconds. */
  readonly maxWaitMs?: number;
  /**
   * Keys of maps whose values the statement reads, from the map or from a column: those that somebody had to wait for are
   * counted. Left out by what keeps the store.
   */
  readonly attributes?: readonly AttributeKey[];
  /** An index of words tells some of its rows. */
  readonly usesTextIndex?: boolean;
  /** Conditions by table: the engine leaves out all other rows, wherever the statement reads the table. */
  readonly filters?: Readonly<Record<string, string>>;
}

/**
 * What a store has besides its tables at a moment: statements are written for it. It may change at any time. A column that is
 * no more makes a statement fail, and it is then written anew; an index that is no more makes it slow.
 */
export interface StoreSnapshot {
  /** The column that holds the values of a key of a map. */
  columnOf(attribute: AttributeKey): string | undefined;
  /** Whether an index of words covers the rows of a table. */
  indexesWords(table: string): boolean;
  /** Whether an index of attributes with their values covers the rows of a table. */
  indexesItems(table: string): boolean;
}

export type CommandOptions = Pick<SelectOptions, 'timeoutMs' | 'signal'>;

export interface TableOptions extends SelectOptions {
  /** Another current database than the store's own: names without one are looked up there. */
  readonly database?: string;
  /** Engine settings, in this order, after those of the options. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** An answer that names its columns. Two may have the same name, so rows are lists. */
export interface TableAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** What the engine read for it. */
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly elapsedMs: number;
}

/** Reads whose columns nobody knows before. */
export interface TableReads {
  /** Where the tables of the store lie. */
  database(): Promise<string>;
  /** Rows with their columns and cost; 64-bit integers as texts. */
  read(sql: string, params?: Record<string, unknown>, options?: TableOptions): Promise<TableAnswer>;
  /** Name of a database without tables, made when absent. @throws StoreError where the account may not make one */
  emptyDatabase(): Promise<string>;
}

export interface StoreHealth {
  readonly state: StoreState;
  /** How often the engine was started again since the store was opened. */
  readonly restarts: number;
  readonly version: string;
  /** Process of the embedded engine, while it runs. */
  readonly pid?: number;
  /** Parts that the embedded engine found damaged at a start and set aside: their rows are missing. */
  readonly damagedParts?: number;
}

/**
 * The `Native` blocks of an insert, in order. May be gone through more than once; a part is good until the next one is
 * asked for.
 */
export type NativeParts = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface TelemetryStore {
  /** Rows of a reading statement. `{name:Type}` placeholders are bound by the engine from `params`. */
  select<T>(sql: string, params?: Record<string, unknown>, options?: SelectOptions): Promise<T[]>;
  /** For statements that people write. */
  readonly tables?: TableReads | undefined;
  /** The same, row by row as they are made, for results that need not fit in memory. */
  stream<T>(sql: string, params?: Record<string, unknown>, options?: SelectOptions): AsyncIterable<T>;
  /**
   * Told where nobody else inserts into its tables, merges their parts or makes them anew: as long as this number stays the
   * same, a part of a name holds one and the same rows. An engine that was started again may give a name anew.
   */
  readonly ownParts?: number | undefined;
  /** Without it statements read maps and texts. */
  snapshot?(): Promise<StoreSnapshot>;
  /** Runs a statement without a result. Bound by two minutes unless `timeoutMs` says otherwise. */
  command(sql: string, params?: Record<string, unknown>, options?: CommandOptions): Promise<void>;
  /**
   * Inserts `Native` blocks, in order, as one. Safe to repeat with the same token and the same parts: within the
   * table's deduplication window they are stored once, in the table and in each of its rollups.
   * @throws RollupError when the rows are stored and a rollup is not
   */
  insertNative(table: string, parts: NativeParts, dedupToken: string): Promise<void>;
  health(): StoreHealth;
  on(event: 'state', listener: (state: StoreState) => void): void;
  close(): Promise<void>;
}

export interface ColumnOptions {
  /** Columns that keys of attributes may have which people wait for. Default 24; none: no more are added. */
  readonly attributeColumns?: number;
}

export interface TextIndexOptions {
  /** An index of all words of spans and log records. Default: none; one that is there is dropped. */
  readonly textIndex?: boolean;
}

/** Runs the work while no other process of the installation, and nobody else in this one, does work of that name. */
export type Alone = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export interface SharedOptions {
  /**
   * Brings a schema up to date while no other replica does the same: what one fills anew, another would empty meanwhile.
   * Without it nobody else may open the store at the same time.
   */
  readonly alone?: Alone;
}

export interface EmbeddedOptions extends ColumnOptions, TextIndexOptions, SharedOptions {
  readonly kind: 'embedded';
  readonly dataDir: string;
  readonly logger: Logger;
  readonly caps?: Partial<EngineCaps>;
  readonly timing?: Partial<SupervisorTiming>;
}

export interface UrlOptions extends ColumnOptions, TextIndexOptions, SharedOptions {
  readonly kind: 'url';
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  /** Name of the cluster: tables become replicated and distributed. */
  readonly cluster?: string;
  readonly tls?: TlsOptions;
  /** Refuses addresses that hand out credentials of the machine, also behind names. */
  readonly guarded?: boolean;
  readonly logger: Logger;
}

/** PEM texts. */
export interface TlsOptions {
  /** Trusted instead of the public authorities. */
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** The server's certificate is not verified. */
  readonly insecure?: boolean;
}

/** The embedded engine with as many databases as wanted. */
export interface EmbeddedEngine {
  /** Unix socket on which it answers ClickHouse's HTTP interface. */
  readonly socketPath: string;
  /**
   * Opens a database, made when absent, its schema brought up to date. Closing the store leaves the engine running.
   * @throws MigrationError, store_unavailable
   */
  open(database: string): Promise<TelemetryStore>;
  /** Whether the database answers and has the schema; changes nothing. */
  inspect(database: string): Promise<Inspection>;
  /** Ends the engine, for all databases. */
  close(): Promise<void>;
}

/** What a look at a database found, step by step; steps after one that failed are left out. */
export interface Inspection {
  readonly version: string | undefined;
  readonly steps: readonly {
    readonly what: 'reach' | 'sign_in' | 'version' | 'functions' | 'privileges' | 'schema';
    readonly ok: boolean;
    readonly detail: string;
  }[];
  /** Migrations there and in this program. */
  readonly schema: { readonly applied: number; readonly needed: number } | undefined;
}

export type TelemetryStoreOptions = EmbeddedOptions | UrlOptions;
