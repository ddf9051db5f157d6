/**
 * OTLP gives log records no id. Ours is the time, a hash of everything the sender said and a place among equals, which
 * only keeps the rows of a list apart: records that share the first two are the same in every respect.
 */
export interface LogId {
  readonly ns: bigint;
  readonly hash: bigint;
  readonly place: number;
}

/** Hash of a record's content. Every read of an id repeats it, so it never changes. */
export const LOG_HASH = `cityHash64(ObservedTimestamp, ReceivedAt, Environment, TraceId, SpanId, TraceFlags, SeverityNumber,
  SeverityText, ServiceName, EventName, ScopeName, Body, mapKeys(LogAttributes), mapValues(LogAttributes),
  mapKeys(ResourceAttributes), mapValues(ResourceAttributes))`;

const HEAD = 16;
const MAX_INT64 = 2n ** 63n - 1n;

/** Opaque text, 22 characters for nearly all records. */
export function encodeLogId({ ns, hash, place }: LogId): string {
  const bytes = Buffer.alloc(place === 0 ? HEAD : HEAD + 4);
  bytes.writeBigInt64BE(ns, 0);
  bytes.writeBigUInt64BE(hash, 8);
  if (place !== 0) bytes.writeUInt32BE(place, HEAD);
  return bytes.toString('base64url');
}

/** Undefined for a text that is no id: there is no such record. */
export function decodeLogId(text: string): LogId | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== HEAD && bytes.length !== HEAD + 4) return undefined;
  const ns = bytes.readBigInt64BE(0);
  if (ns < 0n || ns >= MAX_INT64) return undefined;
  return { ns, hash: bytes.readBigUInt64BE(8), place: bytes.length === HEAD ? 0 : bytes.readUInt32BE(HEAD) };
}
