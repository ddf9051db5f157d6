import type { AttributeValue } from '@candela/semconv';
import { integerOf, readAnyValue } from '../readers/any-value.ts';
import { decodeUtf8 } from '../wire/utf8.ts';
import { FIXED32, FIXED64, LENGTH_DELIMITED, malformed, tagOf, VARINT, type Wire } from '../wire/wire.ts';
import type { Field, Message, Scalar } from './schema.ts';

type Value = Record<string, unknown>;

/** Reads a message into a value; fields that are not on the wire are not in it. For tests, clients and tools. */
export function decodeMessage(wire: Wire, message: Message, end: number): Value {
  const value: Value = {};
  while (wire.pos < end) {
    const tag = wire.uint32();
    const field = message.fields.find((candidate) => candidate.number === tag >>> 3);
    if (field === undefined || !readField(wire, field, tag, end, value)) wire.skip(tag, end);
  }
  wire.finish(end);
  return value;
}

/** False when the wire type is not the field's: such a field is skipped like an unknown one. */
function readField(wire: Wire, field: Field, tag: number, end: number, into: Value): boolean {
  const wireType = tag & 7;
  const { type, name } = field;
  if (type === 'attributes') {
    if (wireType !== LENGTH_DELIMITED) return false;
    into[name] ??= new Map<string, AttributeValue>();
    readPair(wire, wire.until(end), into[name] as Map<string, AttributeValue>);
    return true;
  }
  if (typeof type === 'object') {
    if (wireType !== LENGTH_DELIMITED) return false;
    const item = decodeMessage(wire, type, wire.until(end));
    if (field.repeated) ((into[name] ??= []) as unknown[]).push(item);
    else into[name] = item;
    return true;
  }
  const expected = wireTypeOf(type);
  if (field.repeated && wireType === LENGTH_DELIMITED && expected !== LENGTH_DELIMITED) {
    const until = wire.until(end);
    const items = (into[name] ??= []) as unknown[];
    while (wire.pos < until) items.push(readScalar(wire, type, until));
    wire.finish(until);
    return true;
  }
  if (wireType !== expected) return false;
  const item = readScalar(wire, type, end);
  if (field.repeated) ((into[name] ??= []) as unknown[]).push(item);
  else into[name] = item;
  return true;
}

function readPair(wire: Wire, end: number, into: Map<string, AttributeValue>): void {
  let key = '';
  let value: AttributeValue = null;
  while (wire.pos < end) {
    const tag = wire.uint32();
    if (tag === tagOf(1, LENGTH_DELIMITED)) key = readScalar(wire, 'string', end) as string;
    else if (tag === tagOf(2, LENGTH_DELIMITED)) value = readScalar(wire, 'any', end) as AttributeValue;
    else wire.skip(tag, end);
  }
  wire.finish(end);
  into.set(key, value);
}

function wireTypeOf(type: Scalar): number {
  switch (type) {
    case 'string':
    case 'id':
    case 'bytes':
    case 'any':
    case 'attributes':
      return LENGTH_DELIMITED;
    case 'fixed64':
    case 'sfixed64':
    case 'double':
      return FIXED64;
    case 'fixed32':
      return FIXED32;
    default:
      return VARINT;
  }
}

function readScalar(wire: Wire, type: Scalar, end: number): unknown {
  switch (type) {
    case 'string':
    case 'id':
    case 'bytes': {
      const until = wire.until(end);
      const start = wire.pos;
      wire.pos = until;
      if (type === 'string') return decodeUtf8(wire.bytes, start, until);
      const bytes = wire.bytes.slice(start, until);
      return type === 'bytes' ? bytes : Buffer.from(bytes).toString('hex');
    }
    case 'any': {
      const until = wire.until(end);
      return readAnyValue(wire, wire.pos, until);
    }
    case 'bool':
      return wire.varint32() !== 0;
    case 'uint32':
      return wire.varint32();
    case 'enum':
    case 'int32':
      return wire.varint32() | 0;
    case 'sint32':
      return wire.sint32();
    case 'fixed32':
      return wire.fixed32();
    case 'fixed64':
      wire.fixed64();
      return (BigInt(wire.high) << 32n) | BigInt(wire.low);
    case 'sfixed64':
      wire.fixed64();
      return BigInt(integerOf(wire.low, wire.high));
    case 'uint64':
      wire.varint64();
      return (BigInt(wire.high) << 32n) | BigInt(wire.low);
    case 'int64':
      wire.varint64();
      return BigInt(integerOf(wire.low, wire.high));
    case 'double':
      return wire.double();
    case 'attributes':
      throw malformed('attributes are no scalar');
  }
}
