import type { AttributeValue } from '@candela/semconv';
import { MAX_VALUE_DEPTH } from '../limits.ts';
import { FIXED32, FIXED64, LENGTH_DELIMITED, VARINT } from '../wire/wire.ts';
import { MAX_INT64, MAX_UINT64, MIN_INT64, readBytes, readDouble, readId, readInteger } from './scalars.ts';
import type { Field, Message, Scalar } from './schema.ts';
import { SpellingError } from './spelling-error.ts';
import type { ProtoWriter } from './writer.ts';

/**
 * How values are spelt. `values`: attributes are Maps or records of plain values, bytes are Uint8Arrays. `json`: as
 * OTLP/JSON parses, attributes are lists of `{key, value: {stringValue}}`, bytes are base64.
 */
export type Spelling = 'values' | 'json';

/** Writes `value` as `message`. Unknown fields are ignored, null is absent. Throws {@link SpellingError}. */
export function encodeMessage(
  writer: ProtoWriter,
  message: Message,
  value: unknown,
  spelling: Spelling,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SpellingError(`${message.name} must be an object`);
  }
  for (const field of message.fields) {
    if (!Object.hasOwn(value, field.name)) continue;
    const item = (value as Record<string, unknown>)[field.name];
    if (item === undefined || item === null) continue;
    encodeField(writer, message, field, item, spelling);
  }
}

function encodeField(
  writer: ProtoWriter,
  message: Message,
  field: Field,
  value: unknown,
  spelling: Spelling,
): void {
  if (field.type === 'attributes') {
    encodeAttributes(writer, field.number, value, spelling);
    return;
  }
  if (!field.repeated) {
    encodeOne(writer, field, field.type, value, spelling);
    return;
  }
  if (!Array.isArray(value)) throw new SpellingError(`${message.name}.${field.name} must be a list`);
  if (typeof field.type === 'object') {
    for (const item of value) encodeOne(writer, field, field.type, item, spelling);
  } else if (value.length > 0 && field.type !== 'bytes') {
    writer.tag(field.number, LENGTH_DELIMITED);
    const start = writer.begin();
    for (const item of value) encodeScalar(writer, field, field.type, item, spelling);
    writer.end(start);
  }
}

function encodeOne(
  writer: ProtoWriter,
  field: Field,
  type: Scalar | Message,
  value: unknown,
  spelling: Spelling,
): void {
  if (typeof type === 'object') {
    writer.tag(field.number, LENGTH_DELIMITED);
    const start = writer.begin();
    encodeMessage(writer, type, value, spelling);
    writer.end(start);
    return;
  }
  writer.tag(field.number, WIRE_TYPES[type]);
  encodeScalar(writer, field, type, value, spelling);
}

const WIRE_TYPES: Record<Scalar, number> = {
  string: LENGTH_DELIMITED,
  bool: VARINT,
  uint32: VARINT,
  enum: VARINT,
  int32: VARINT,
  sint32: VARINT,
  fixed32: FIXED32,
  fixed64: FIXED64,
  sfixed64: FIXED64,
  uint64: VARINT,
  int64: VARINT,
  double: FIXED64,
  id: LENGTH_DELIMITED,
  bytes: LENGTH_DELIMITED,
  any: LENGTH_DELIMITED,
  attributes: LENGTH_DELIMITED,
};

const MAX_UINT32 = 0xffff_ffffn;
const MIN_INT32 = -0x8000_0000n;
const MAX_INT32 = 0x7fff_ffffn;

function encodeScalar(
  writer: ProtoWriter,
  field: Field,
  type: Scalar,
  value: unknown,
  spelling: Spelling,
): void {
  const { name } = field;
  switch (type) {
    case 'string':
      if (typeof value !== 'string') throw new SpellingError(`${name} must be a string`);
      writer.text(value);
      return;
    case 'bool':
      if (typeof value !== 'boolean') throw new SpellingError(`${name} must be true or false`);
      writer.varint(value ? 1 : 0);
      return;
    case 'enum':
      // OTLP/JSON has enums as integers only; a name, or a number in quotes, is an error.
      if (typeof value !== 'number') throw new SpellingError(`${name} must be an integer, not a name`);
      writer.varint64(readInteger(name, value, MIN_INT32, MAX_INT32));
      return;
    case 'uint32':
      writer.varint64(readInteger(name, value, 0n, MAX_UINT32));
      return;
    case 'int32':
      writer.varint64(readInteger(name, value, MIN_INT32, MAX_INT32));
      return;
    case 'sint32': {
      const number = Number(readInteger(name, value, MIN_INT32, MAX_INT32));
      writer.varint(((number << 1) ^ (number >> 31)) >>> 0);
      return;
    }
    case 'fixed32':
      writer.fixed32(Number(readInteger(name, value, 0n, MAX_UINT32)));
      return;
    case 'fixed64':
      writer.fixed64(readInteger(name, value, 0n, MAX_UINT64));
      return;
    case 'sfixed64':
      writer.fixed64(readInteger(name, value, MIN_INT64, MAX_INT64));
      return;
    case 'uint64':
      writer.varint64(readInteger(name, value, 0n, MAX_UINT64));
      return;
    case 'int64':
      writer.varint64(readInteger(name, value, MIN_INT64, MAX_INT64));
      return;
    case 'double':
      writer.double(readDouble(name, value));
      return;
    case 'id':
      writer.bytes(readId(name, value));
      return;
    case 'bytes':
      writer.bytes(readBytes(name, value));
      return;
    case 'any': {
      const start = writer.begin();
      encodeAny(writer, value, spelling, 0);
      writer.end(start);
      return;
    }
    case 'attributes':
      encodeAttributes(writer, field.number, value, spelling);
  }
}

function encodeAttributes(
  writer: ProtoWriter,
  field: number,
  value: unknown,
  spelling: Spelling,
  depth = -1,
): void {
  const pair = (key: unknown, item: unknown): void => {
    if (typeof key !== 'string') throw new SpellingError('the key of an attribute must be a string');
    writer.tag(field, LENGTH_DELIMITED);
    const start = writer.begin();
    writer.tag(1, LENGTH_DELIMITED);
    writer.text(key);
    if (item !== undefined && item !== null) {
      writer.tag(2, LENGTH_DELIMITED);
      const valueStart = writer.begin();
      encodeAny(writer, item, spelling, depth + 1);
      writer.end(valueStart);
    }
    writer.end(start);
  };
  if (spelling === 'json') {
    if (!Array.isArray(value)) throw new SpellingError('attributes must be a list of {"key", "value"}');
    for (const item of value as unknown[]) {
      if (typeof item !== 'object' || item === null)
        throw new SpellingError('an attribute must be an object');
      pair(own(item, 'key') ?? '', own(item, 'value'));
    }
  } else if (value instanceof Map) {
    for (const [key, item] of value as ReadonlyMap<string, AttributeValue>) pair(key, item);
  } else for (const [key, item] of Object.entries(value as Record<string, AttributeValue>)) pair(key, item);
}

function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
}

function encodeAny(writer: ProtoWriter, value: unknown, spelling: Spelling, depth: number): void {
  if (depth > MAX_VALUE_DEPTH) throw new SpellingError(`a value nests deeper than ${MAX_VALUE_DEPTH} levels`);
  if (spelling === 'json') encodeJsonAny(writer, value, depth);
  else encodeValueAny(writer, value as AttributeValue, depth);
}

function encodeJsonAny(writer: ProtoWriter, value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SpellingError('a value must be an object such as {"stringValue": "..."}');
  }
  const text = own(value, 'stringValue');
  if (typeof text === 'string') {
    writer.tag(1, LENGTH_DELIMITED);
    writer.text(text);
    return;
  }
  for (const field of ANY_FIELDS) {
    const item = own(value, field.name);
    if (item !== undefined && item !== null) encodeOne(writer, field, field.type, item, 'json');
  }
  for (const [name, field] of [
    ['arrayValue', 5],
    ['kvlistValue', 6],
  ] as const) {
    const item = own(value, name);
    if (item === undefined || item === null) continue;
    if (typeof item !== 'object') throw new SpellingError(`${name} must be an object`);
    const values = own(item, 'values') ?? [];
    writer.tag(field, LENGTH_DELIMITED);
    const start = writer.begin();
    if (field === 6) encodeAttributes(writer, 1, values, 'json', depth);
    else encodeArray(writer, values, 'json', depth);
    writer.end(start);
  }
}

const ANY_FIELDS: readonly (Field & { type: Scalar })[] = [
  { number: 1, name: 'stringValue', type: 'string', repeated: false },
  { number: 2, name: 'boolValue', type: 'bool', repeated: false },
  { number: 3, name: 'intValue', type: 'int64', repeated: false },
  { number: 4, name: 'doubleValue', type: 'double', repeated: false },
  { number: 7, name: 'bytesValue', type: 'bytes', repeated: false },
];

function encodeArray(writer: ProtoWriter, values: unknown, spelling: Spelling, depth: number): void {
  if (!Array.isArray(values)) throw new SpellingError('the values of an array must be a list');
  for (const item of values as unknown[]) {
    writer.tag(1, LENGTH_DELIMITED);
    const start = writer.begin();
    if (item !== null) encodeAny(writer, item, spelling, depth + 1);
    writer.end(start);
  }
}

function encodeValueAny(writer: ProtoWriter, value: AttributeValue, depth: number): void {
  switch (typeof value) {
    case 'string':
      writer.tag(1, LENGTH_DELIMITED);
      writer.text(value);
      return;
    case 'boolean':
      writer.tag(2, VARINT);
      writer.varint(value ? 1 : 0);
      return;
    case 'bigint':
      writer.tag(3, VARINT);
      writer.varint64(value);
      return;
    case 'number':
      if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
        writer.tag(3, VARINT);
        writer.varint64(BigInt(value));
      } else {
        writer.tag(4, FIXED64);
        writer.double(value);
      }
      return;
    default:
  }
  if (value === null) return;
  if (value instanceof Uint8Array) {
    writer.tag(7, LENGTH_DELIMITED);
    writer.bytes(value);
    return;
  }
  const isList = Array.isArray(value);
  writer.tag(isList ? 5 : 6, LENGTH_DELIMITED);
  const start = writer.begin();
  if (isList) encodeArray(writer, value, 'values', depth);
  else encodeAttributes(writer, 1, value, 'values', depth);
  writer.end(start);
}
