import { SpellingError } from './spelling-error.ts';

export const MIN_INT64 = -(1n << 63n);
export const MAX_INT64 = (1n << 63n) - 1n;
export const MAX_UINT64 = (1n << 64n) - 1n;

const DECIMAL = /^-?\d{1,20}$/;

/** A 64-bit integer from a bigint, an integral number or decimal text; bounds inclusive. */
export function readInteger(name: string, value: unknown, min: bigint, max: bigint): bigint {
  let integer: bigint;
  if (typeof value === 'bigint') integer = value;
  else if (typeof value === 'number' && Number.isInteger(value)) integer = BigInt(value);
  else if (typeof value === 'string' && DECIMAL.test(value)) integer = BigInt(value);
  else throw new SpellingError(`${name} must be an integer`);
  if (integer < min || integer > max) throw new SpellingError(`${name} is out of range`);
  return integer;
}

/** A double; JSON may have it as text, which is how NaN and the infinities are spelt. */
export function readDouble(name: string, value: unknown): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return Number.NaN;
  if (value === 'Infinity') return Number.POSITIVE_INFINITY;
  if (value === '-Infinity') return Number.NEGATIVE_INFINITY;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw new SpellingError(`${name} must be a number`);
  return number;
}

const HEX = /^(?:[0-9a-fA-F]{2})*$/;

/** An id as hex of either case; its length is checked later, record by record. */
export function readId(name: string, value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'string' || !HEX.test(value)) {
    throw new SpellingError(`${name} must be hexadecimal digits`);
  }
  return Buffer.from(value, 'hex');
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Bytes; JSON has them as base64, of either alphabet. */
export function readBytes(name: string, value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'string' || !BASE64.test(value)) throw new SpellingError(`${name} must be base64`);
  return Buffer.from(value, 'base64');
}
