import type { Logger } from '@candela/kernel';
import type { EngineCaps } from '../engine-host/protocol.ts';
import type { SupervisorTiming } from '../engine-host/supervisor.ts';

export type StoreState = 'ready' | 'starting' | 'down';

export interface SelectOptions {
  /** Time the engine may spend, milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  readonly maxRowsToRead?: number;
  readonly maxMemoryBytes?: number;
  readonly maxResultRows?: number;
  readonly signal?: AbortSignal;
}

export type CommandOptions = Pick<SelectOptions, 'timeoutMs' | 'signal'>;

export interface StoreHealth {
  readonly state: StoreState;
  /** How often the engine was started again since the store was opened. */
  readonly restarts: number;
  readonly version: string;
  /** Process of the embedded engine, while it runs. */
  readonly pid?: number;
}

/**
 * The `Native` blocks of an insert, in order. May be gone through more than once; a part is good until the next one is
 * asked for.
 */
export type NativeParts = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface TelemetryStore {
  /** Rows of a reading statement. `{name:Type}` placeholders are bound by the engine from `params`. */
  select<T>(sql: string, params?: Record<string, unknown>, options?: SelectOptions): Promise<T[]>;
  /** The same, row by row as they are made, for results that need not fit in memory. */
  stream<T>(sql: string, params?: Record<string, unknown>, options?: SelectOptions): AsyncIterable<T>;
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

export interface EmbeddedOptions {
  readonly kind: 'embedded';
  readonly dataDir: string;
  readonly logger: Logger;
  readonly caps?: Partial<EngineCaps>;
  readonly timing?: Partial<SupervisorTiming>;
}

export interface UrlOptions {
  readonly kind: 'url';
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  /** Name of the cluster: tables become replicated and distributed. */
  readonly cluster?: string;
  readonly logger: Logger;
}

export type TelemetryStoreOptions = EmbeddedOptions | UrlOptions;
