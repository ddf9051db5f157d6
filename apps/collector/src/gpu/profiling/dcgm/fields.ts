import { VALUE_BYTES } from './layout.ts';

/** Ids of the fields that become metrics (dcgm_fields.h; ids are stable, names are not). */
export const FIELD = {
  name: 50,
  uuid: 54,
  /** MHz. */
  smClock: 100,
  /** Watts. */
  power: 155,
  /** Percent. */
  gpuUtilization: 203,
  /** Percent. */
  memoryCopyUtilization: 204,
  /** From here on shares from 0 to 1. */
  graphicsActive: 1001,
  smActive: 1002,
  smOccupancy: 1003,
  tensorActive: 1004,
  dramActive: 1005,
  fp64Active: 1006,
  fp32Active: 1007,
  fp16Active: 1008,
  /** Bytes a second, from the GPU to the host. */
  pcieTransmit: 1009,
  pcieReceive: 1010,
  nvlinkTransmit: 1011,
  nvlinkReceive: 1012,
} as const;

/** Fields from here on are measured by the profiling module, which may be missing or taken while the others work. */
export const FIRST_PROFILING_FIELD = 1_000;
const MAX_FIELD = 65_535;
const MAX_FIELDS = 127;

/** The fields to watch: those that are asked for and can be, with name and UUID. What is no field number is passed over. */
export function wantedFields(asked: readonly string[]): number[] {
  const ids = asked.filter((text) => /^\d{1,5}$/.test(text)).map(Number);
  const known = ids.filter((id) => id > 0 && id <= MAX_FIELD).slice(0, MAX_FIELDS - 2);
  return [...new Set([FIELD.name, FIELD.uuid, ...known])].sort((a, b) => a - b);
}

/** What one field said. */
export type FieldReading =
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: 'text'; readonly text: string }
  /** This GPU or this library does not have it: it is no error, and stays so. */
  | { readonly kind: 'unsupported' }
  /** It should have said something. */
  | { readonly kind: 'blank' };

const UNSUPPORTED: FieldReading = { kind: 'unsupported' };
const BLANK: FieldReading = { kind: 'blank' };

const INT64_BLANK = 0x7ffffffffffffff0n;
const INT32_BLANK = 0x7ffffff0n;
const DOUBLE_BLANK = 140_737_488_355_328;
/** Added to a blank: the field is not supported. */
const NOT_SUPPORTED = 2;
/** Codes by which a field says that there is no such thing here: not supported, module not loaded, no profiling. */
const UNSUPPORTED_CODES: ReadonlySet<number> = new Set([-6, -32, -33, -36]);

const [INTEGER, DOUBLE, STRING, TIME] = ['i', 'd', 's', 't'].map((letter) => letter.charCodeAt(0));

/** Reads `dcgmFieldValue_v1` at `offset`: its time in microseconds since the epoch. */
export function readField(bytes: Buffer, offset: number): FieldReading {
  const status = bytes.readInt32LE(offset + 8);
  if (status !== 0) return UNSUPPORTED_CODES.has(status) ? UNSUPPORTED : BLANK;
  const type = bytes.readUInt16LE(offset + 6);
  const at = Number(bytes.readBigInt64LE(offset + 16));
  if (type === DOUBLE) {
    const value = bytes.readDoubleLE(offset + 24);
    if (value >= DOUBLE_BLANK) return blank(value - DOUBLE_BLANK);
    return Number.isFinite(value) ? { kind: 'number', value, at } : BLANK;
  }
  if (type === INTEGER || type === TIME) {
    // Compared as bigint: the last digits are what tells the blanks apart.
    const value = bytes.readBigInt64LE(offset + 24);
    if (value >= INT64_BLANK) return blank(Number(value - INT64_BLANK));
    if (value >= INT32_BLANK && value < INT32_BLANK + 16n) return blank(Number(value - INT32_BLANK));
    return { kind: 'number', value: Number(value), at };
  }
  if (type === STRING) {
    const end = bytes.indexOf(0, offset + 24);
    const text = bytes.toString(
      'utf8',
      offset + 24,
      Math.min(end < 0 ? bytes.length : end, offset + 24 + 256),
    );
    return /^<<<.*>>>$/.test(text) || text === '' ? BLANK : { kind: 'text', text };
  }
  return BLANK;
}

const blank = (which: number): FieldReading => (which === NOT_SUPPORTED ? UNSUPPORTED : BLANK);

/** The fields of one GPU by their ids. */
export function readFields(bytes: Buffer, fields: readonly number[]): ReadonlyMap<number, FieldReading> {
  return new Map(fields.map((field, at) => [field, readField(bytes, at * VALUE_BYTES)]));
}
