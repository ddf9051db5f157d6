import type { AttributeValue } from '@candela/semconv';
import { MAX_VALUE_DEPTH } from '../limits.ts';
import { decodeUtf8 } from '../wire/utf8.ts';
import { FIXED64, LENGTH_DELIMITED, malformed, tagOf, VARINT, type Wire } from '../wire/wire.ts';

/** What an AnyValue holds. */
export const KIND = {
  null: 0,
  text: 1,
  boolean: 2,
  integer: 3,
  double: 4,
  array: 5,
  map: 6,
  bytes: 7,
} as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

export const ANY_STRING = tagOf(1, LENGTH_DELIMITED);
export const ANY_BOOL = tagOf(2, VARINT);
export const ANY_INT = tagOf(3, VARINT);
export const ANY_DOUBLE = tagOf(4, FIXED64);
export const ANY_ARRAY = tagOf(5, LENGTH_DELIMITED);
export const ANY_MAP = tagOf(6, LENGTH_DELIMITED);
export const ANY_BYTES = tagOf(7, LENGTH_DELIMITED);

/** A number when it loses nothing, else a bigint. */
export function integerOf(low: number, high: number): number | bigint {
  const signed = high | 0;
  if (signed >= -0x200000 && signed < 0x200000) {
    const value = signed * 0x1_0000_0000 + low;
    if (Number.isSafeInteger(value)) return value;
  }
  return (BigInt(signed) << 32n) | BigInt(low);
}

/** The AnyValue in bytes `start..end`. Nested deeper than {@link MAX_VALUE_DEPTH} is refused. */
export function readAnyValue(wire: Wire, start: number, end: number, depth = 0): AttributeValue {
  if (depth > MAX_VALUE_DEPTH) throw malformed(`a value nests deeper than ${MAX_VALUE_DEPTH} levels`);
  wire.pos = start;
  let value: AttributeValue = null;
  while (wire.pos < end) {
    const tag = wire.uint32();
    switch (tag) {
      case ANY_STRING: {
        const until = wire.until(end);
        value = decodeUtf8(wire.bytes, wire.pos, until);
        wire.pos = until;
        break;
      }
      case ANY_BOOL:
        wire.varint64();
        value = wire.low !== 0 || wire.high !== 0;
        break;
      case ANY_INT:
        wire.varint64();
        value = integerOf(wire.low, wire.high);
        break;
      case ANY_DOUBLE:
        value = wire.double();
        break;
      case ANY_ARRAY: {
        const until = wire.until(end);
        value = readArray(wire, until, depth);
        break;
      }
      case ANY_MAP: {
        const until = wire.until(end);
        value = readMap(wire, until, depth);
        break;
      }
      case ANY_BYTES: {
        const until = wire.until(end);
        value = wire.bytes.slice(wire.pos, until);
        wire.pos = until;
        break;
      }
      default:
        wire.skip(tag, end);
    }
  }
  wire.finish(end);
  return value;
}

function readArray(wire: Wire, end: number, depth: number): AttributeValue[] {
  const values: AttributeValue[] = [];
  while (wire.pos < end) {
    const tag = wire.uint32();
    if (tag === REPEATED) {
      const until = wire.until(end);
      values.push(readAnyValue(wire, wire.pos, until, depth + 1));
    } else wire.skip(tag, end);
  }
  wire.finish(end);
  return values;
}

function readMap(wire: Wire, end: number, depth: number): Map<string, AttributeValue> {
  const values = new Map<string, AttributeValue>();
  while (wire.pos < end) {
    const tag = wire.uint32();
    if (tag === REPEATED) {
      const until = wire.until(end);
      readPair(wire, until, depth, values);
    } else wire.skip(tag, end);
  }
  wire.finish(end);
  return values;
}

function readPair(wire: Wire, end: number, depth: number, into: Map<string, AttributeValue>): void {
  let key = '';
  let value: AttributeValue = null;
  while (wire.pos < end) {
    const tag = wire.uint32();
    if (tag === KEY) {
      const until = wire.until(end);
      key = decodeUtf8(wire.bytes, wire.pos, until);
      wire.pos = until;
    } else if (tag === VALUE) {
      const until = wire.until(end);
      value = readAnyValue(wire, wire.pos, until, depth + 1);
    } else wire.skip(tag, end);
  }
  wire.finish(end);
  into.set(key, value);
}

/** Field 1 of ArrayValue and of KeyValueList. */
const REPEATED = tagOf(1, LENGTH_DELIMITED);
const KEY = tagOf(1, LENGTH_DELIMITED);
const VALUE = tagOf(2, LENGTH_DELIMITED);

/**
 * JSON text of an attribute value. Integers keep all their digits, NaN and the infinities are strings (JSON has no
 * such numbers), bytes are base64.
 */
export function toJson(value: AttributeValue): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : `"${value}"`;
    case 'bigint':
      return value.toString();
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      if (value === null) return 'null';
      if (value instanceof Uint8Array) {
        return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
      }
      if (value instanceof Map) {
        const parts: string[] = [];
        for (const [key, item] of value as ReadonlyMap<string, AttributeValue>) {
          parts.push(`${JSON.stringify(key)}:${toJson(item)}`);
        }
        return `{${parts.join(',')}}`;
      }
      return `[${(value as readonly AttributeValue[]).map(toJson).join(',')}]`;
  }
}
