import type { AttributeValue } from '@candela/semconv';
import type { Row } from './format.ts';

/** The first of these keys that holds something; keys in the spelling of APIs and of tables. */
export function pick(row: Row, ...keys: readonly string[]): unknown {
  for (const key of keys) {
    if (!Object.hasOwn(row, key)) continue;
    const value = row[key];
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

export function textAt(row: Row, ...keys: readonly string[]): string {
  const value = pick(row, ...keys);
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : '';
}

export function numberAt(row: Row, ...keys: readonly string[]): number | undefined {
  const value = pick(row, ...keys);
  const number = typeof value === 'boolean' ? Number.NaN : Number(value ?? Number.NaN);
  return Number.isFinite(number) ? number : undefined;
}

export const isObject = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** An object, also one that a table holds as JSON text. */
export function objectOf(value: unknown): Row {
  const parsed = typeof value === 'string' ? parsedOf(value) : value;
  return isObject(parsed) ? parsed : {};
}

export function listOf(value: unknown): readonly unknown[] {
  const parsed = typeof value === 'string' ? parsedOf(value) : value;
  return Array.isArray(parsed) ? parsed : [];
}

function parsedOf(text: string): unknown {
  const first = text.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a convention reads as JSON: text stays as it is. `undefined` for nothing. */
export function jsonOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value, plain);
}

/** Parquet gives whole numbers as bigint. */
const plain = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)) : value;

/** A value of a foreign file as an attribute: objects as maps, times as ISO text. */
export function attributeOf(value: unknown): AttributeValue {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(attributeOf);
  if (typeof value === 'object') {
    return new Map(Object.entries(value).map(([key, each]) => [key, attributeOf(each)]));
  }
  if (typeof value === 'bigint' || typeof value === 'boolean' || typeof value === 'number') return value;
  return typeof value === 'string' ? value : '';
}

/** Attributes without those that hold nothing. */
export function attributesOf(
  entries: readonly (readonly [string, AttributeValue | undefined])[],
): ReadonlyMap<string, AttributeValue> {
  return new Map(
    entries.flatMap(([key, value]) =>
      value === undefined || value === null || value === '' ? [] : [[key, value]],
    ),
  );
}

/**
 * A time as nanoseconds since the epoch: ISO text and `YYYY-MM-DD HH:MM:SS.ffffff` (UTC where no zone is named) to the last
 * digit, numbers by their size as seconds, milliseconds, microseconds or nanoseconds.
 */
export function nanosOf(value: unknown): bigint | undefined {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : BigInt(value.getTime()) * 1_000_000n;
  if (typeof value === 'bigint') return scaled(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value <= 0) return undefined;
    // Seconds and milliseconds may have a part behind the point.
    if (value < 1e11) return BigInt(Math.round(value * 1e6)) * 1_000n;
    if (value < 1e14) return BigInt(Math.round(value * 1e3)) * 1_000n;
    return scaled(BigInt(Math.round(value)));
  }
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^\d{9,19}(?:\.\d+)?$/.test(text))
    return nanosOf(text.includes('.') || text.length < 15 ? Number(text) : BigInt(text));
  const match =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?\s*(Z|[+-]\d\d(?::?\d\d)?)?(?: ?UTC)?$/i.exec(
      text,
    );
  if (match === null) return undefined;
  const [, day, time, part = '', zone = 'Z'] = match;
  const offset = /^[+-]\d\d$/.test(zone)
    ? `${zone}:00`
    : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2').toUpperCase();
  const whole = Date.parse(`${day}T${time}${offset}`);
  return Number.isNaN(whole) ? undefined : BigInt(whole) * 1_000_000n + BigInt(part.padEnd(9, '0'));
}

function scaled(number: bigint): bigint | undefined {
  if (number <= 0n) return undefined;
  for (const [below, times] of [
    [100_000_000_000n, 1_000_000_000n],
    [100_000_000_000_000n, 1_000_000n],
    [100_000_000_000_000_000n, 1_000n],
  ] as const) {
    if (number < below) return number * times;
  }
  return number < 9_223_372_036_854_775_807n ? number : undefined;
}
