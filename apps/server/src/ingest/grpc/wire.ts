import { fail, type Signal } from '@candela/kernel';
import type { ContentEncoding } from '../types.ts';
import { tooLarge } from '../too-large.ts';

/** The three Export methods; nothing else is served. */
export const METHODS = new Map<string, Signal>([
  ['/opentelemetry.proto.collector.trace.v1.TraceService/Export', 'traces'],
  ['/opentelemetry.proto.collector.metrics.v1.MetricsService/Export', 'metrics'],
  ['/opentelemetry.proto.collector.logs.v1.LogsService/Export', 'logs'],
]);

/** Values for `grpc-accept-encoding`. */
export const ACCEPTED_ENCODINGS = 'identity,gzip,deflate,zstd';

const ENCODINGS = new Map<string, ContentEncoding>([
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['zstd', 'zstd'],
]);

/** Length of the prefix of a message: one byte "compressed", four bytes length. */
export const PREFIX_BYTES = 5;

/** The compression named by `grpc-encoding`; undefined when it is none we have. */
export function messageEncoding(header: string | undefined): ContentEncoding | undefined {
  return ENCODINGS.get((header ?? 'identity').trim().toLowerCase());
}

const TIMEOUT_UNITS_MS = new Map([
  ['H', 3_600_000],
  ['M', 60_000],
  ['S', 1_000],
  ['m', 1],
  ['u', 1e-3],
  ['n', 1e-6],
]);

/**
 * Milliseconds of `grpc-timeout` (at most eight digits and a unit); undefined without one.
 * @throws bad_request
 */
export function readTimeout(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const [, digits = '', unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(header) ?? [];
  const unitMs = TIMEOUT_UNITS_MS.get(unit);
  if (unitMs === undefined) {
    throw fail('bad_request', {
      detail: 'grpc-timeout is malformed: send at most eight digits and one of H, M, S, m, u, n.',
    });
  }
  return Number(digits) * unitMs;
}

/** One message with its prefix, uncompressed. */
export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.byteLength);
  frame.writeUInt8(0, 0);
  frame.writeUInt32BE(message.byteLength, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/** Reads the prefix of the one message of a unary call. @throws undecodable, too_large */
export function readPrefix(head: Buffer, maxBytes: number): { compressed: boolean; length: number } {
  const flag = head.readUInt8(0);
  if (flag > 1) throw fail('undecodable', { format: 'gRPC', detail: 'the message prefix is invalid' });
  const length = head.readUInt32BE(1);
  if (length > maxBytes) throw tooLarge(maxBytes);
  return { compressed: flag === 1, length };
}

/** `grpc-message`: percent-encoded but for printable ASCII. */
export function encodeGrpcMessage(text: string): string {
  let out = '';
  for (const byte of Buffer.from(text)) {
    out +=
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}
