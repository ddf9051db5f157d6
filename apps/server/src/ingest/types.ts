import type { RequestContext, Signal } from '@candela/kernel';
import type { Retention } from './retention.ts';

export type Format = 'protobuf' | 'json';
export type ContentEncoding = 'identity' | 'gzip' | 'deflate' | 'zstd';
export type ReceiverName = 'http' | 'grpc';

/** What a receiver knows of a request whatever becomes of it. */
export interface Caller {
  readonly receiver: ReceiverName;
  readonly signal: Signal | 'unknown';
  readonly format: Format;
  readonly userAgent: string | undefined;
  /** Undefined until the credential was checked: then nobody's project is known. */
  context: Pick<RequestContext, 'projectId' | 'principal'> | undefined;
}

/** What a receiver hands on: an authenticated, still encoded request. */
export interface IncomingRequest {
  readonly caller: Caller;
  readonly receiver: ReceiverName;
  readonly signal: Signal;
  readonly format: Format;
  readonly encoding: ContentEncoding;
  /** On its own ArrayBuffer: it is transferred to a worker. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly context: RequestContext;
}

/** What the sender is told once the request is durable. */
export interface Acceptance {
  readonly accepted: number;
  readonly rejected: number;
  /** '' when every record was taken as it came. */
  readonly message: string;
  readonly duplicate: boolean;
}

export interface IngestConfig {
  /** `PLATFORM_OTLP_MAX_BYTES`: size of a request after decompression. */
  readonly maxBytes: number;
  readonly retention: Readonly<Record<Signal, Retention>>;
  /** Decode workers; default half the cores. */
  readonly workers?: number;
  /** How long `drain` lets requests under way finish, milliseconds. Default 10,000. */
  readonly drainMs?: number;
  /** Time a gRPC call may take from its headers to its answer, milliseconds. Default 60,000. */
  readonly callMs?: number;
  /** Bytes of bodies that may be held while they arrive or wait for a worker. Default 256 MiB. */
  readonly maxPendingBytes?: number;
  /** Time one decode may take before its worker is replaced, milliseconds. Default 30,000. */
  readonly decodeDeadlineMs?: number;
}
