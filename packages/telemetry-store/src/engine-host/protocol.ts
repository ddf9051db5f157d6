import { basename } from 'node:path';

/**
 * What the supervisor and the engine host say to each other: options as one JSON argument at start, messages over
 * the IPC channel. The channel's end is the host's order to die.
 */
export interface HostOptions {
  /** The engine's own working directory: config, inbox for inserts, `store/` with the data. */
  readonly engineDir: string;
  /** Unix socket the ClickHouse HTTP interface is served on. */
  readonly socketPath: string;
  readonly caps: EngineCaps;
  /** Seconds beyond its own bound after which a running statement counts as stuck and the host ends itself. */
  readonly stuckGraceSeconds: number;
}

/** Bounds of the engine. Every query may ask for less, none gets more without asking. */
export interface EngineCaps {
  /** All memory the engine may hold, bytes. */
  readonly memoryBytes: number;
  /** One query's memory, bytes. */
  readonly queryMemoryBytes: number;
  /** Seconds a query may run when it does not name its own bound. */
  readonly executionSeconds: number;
  /** Rows a result may have. */
  readonly resultRows: number;
  /** Bytes a result may have. */
  readonly resultBytes: number;
  /** Statements other than inserts that run at once; many more may wait a while. Shared out by who asks. */
  readonly concurrentQueries: number;
}

export type HostMessage =
  | { readonly kind: 'ready'; readonly version: string; readonly openMs: number }
  | { readonly kind: 'failed'; readonly message: string };

/** Files of the engine below its working directory. */
export const STORE_DIR = 'store';
export const INBOX_DIR = 'inbox';
/** Where the parent leaves the data of inserts for the host to read; the parent's to write and to clean. */
export const OUTBOX_DIR = 'outbox';
export const OWNER_FILE = 'owner.json';

const OUTSIDE = /^candela-engine-\d+-[0-9a-z]+\.sock$/;

/** A socket's name where the directory has a path too long for one. */
export const socketOutside = (): string => `candela-engine-${process.pid}-${Date.now().toString(36)}.sock`;

/** Whether the path is of {@link socketOutside}: an owner's file may say anything. */
export const isOutside = (path: string): boolean => OUTSIDE.test(basename(path));

/** Who has the directory open; written by the host once it holds the engine's lock. */
export interface Owner {
  readonly hostPid: number;
  readonly parentPid: number;
  readonly startedAt: string;
  /** Where it listens. Not in the directory when that has a path too long for a socket. */
  readonly socketPath?: string;
}

/** Request header `1`: the result is sent as it is made instead of after it is complete. A ClickHouse ignores it. */
export const STREAM_HEADER = 'x-engine-stream';

/**
 * Request header: on whose behalf the statement is, any text. Who asks much does not hold up who asks little; statements
 * without it are of one.
 */
export const ASKER_HEADER = 'x-engine-asker';

/** Request header: milliseconds that a reading statement may wait for its turn. Default: six seconds. */
export const WAIT_HEADER = 'x-engine-wait';

/** Request header: the insert's data is this file of {@link OUTBOX_DIR} instead of the body. Saves two copies. */
export const OUTBOX_HEADER = 'x-engine-outbox';

/**
 * Request header `1`, together with {@link OUTBOX_HEADER}: the body is a {@link Script} in JSON. The answer is empty; the
 * first statement that fails is the error of the whole.
 */
export const SCRIPT_HEADER = 'x-engine-script';

/** Statements for one session, one after another; `input('...')` in any of them is the outbox file. */
export interface Script {
  readonly steps: readonly ScriptStep[];
}

export interface ScriptStep {
  readonly sql: string;
  /** The statement answers one row of conditions, 0 or 1, that later steps name. */
  readonly asks?: boolean;
  /** Position of the condition without which this step is passed over. */
  readonly when?: number;
}

/** Inserts with data that run at once, beside the other statements. */
export const CONCURRENT_INSERTS = 4;
