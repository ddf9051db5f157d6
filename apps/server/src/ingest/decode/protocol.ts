import type { ErrorCode, Signal } from '@candela/kernel';
import type { EncodedBlock } from '@candela/telemetry-store/encode';
import type { Limits } from '@candela/otlp';
import type { ContentEncoding, Format } from '../types.ts';

/** Given to every worker once. */
export interface WorkerSetup {
  readonly limits: Limits;
  readonly modelCalls: SharedArrayBuffer;
  readonly maxBytes: number;
}

export interface DecodeJob {
  readonly signal: Signal;
  readonly format: Format;
  readonly encoding: ContentEncoding;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly projectId: string;
  readonly environment: string | undefined;
  readonly defaultEnvironment: string;
  readonly receivedAtMs: number;
  readonly retentionDays: number;
  /** Undefined: everything goes to one place. */
  readonly split?: Split | undefined;
}

/** Which records of a request go to which of several places, by their environment. */
export interface Split {
  readonly places: number;
  readonly byEnvironment: ReadonlyMap<string, number>;
  /** The place of every other environment. */
  readonly rest: number;
}

export interface Decoded {
  /** What is to be stored, by place; only those that get anything. */
  readonly parts: { readonly place: number; readonly blocks: EncodedBlock[] }[];
  readonly accepted: number;
  readonly rejected: number;
  readonly reasons: Map<string, number>;
  readonly adjusted: Map<string, number>;
  readonly message: string;
  readonly environments: string[];
  readonly sdks: string[];
  readonly services: string[];
  /** 16 bytes over tenant, signal, format and plain body. */
  readonly requestHash: Uint8Array;
  readonly plainBytes: number;
}

export interface JobMessage extends DecodeJob {
  readonly id: number;
}

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly id: number; readonly decoded: Decoded }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly code: ErrorCode;
      readonly message: string;
      /** Only for `internal`: for the log, never for the sender. */
      readonly stack?: string;
    };
