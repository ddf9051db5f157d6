/** Reads of untrusted JSON: own properties of the expected type, or undefined. */

export type Json = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
/** A property of its own: `__proto__` and `constructor` of a payload are just keys. */
export function field(value: unknown, key: string): unknown {
  const from = objectOf(value);
  return Object.hasOwn(from, key) ? from[key] : undefined;
}
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = field(value, key);
    if (typeof text === 'string' && text !== '') return text;
  }
  return undefined;
}
/** A finite number that is not negative. */
export function numberAt(value: unknown, ...keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const number = field(value, key);
    if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number;
  }
  return undefined;
}
export function countAt(value: unknown, ...keys: readonly string[]): number {
  return Math.round(numberAt(value, ...keys) ?? 0);
}
/** Milliseconds of an ISO time. */
export function timeAt(value: unknown, key: string): number | undefined {
  const time = Date.parse(textAt(value, key) ?? '');
  return Number.isFinite(time) ? time : undefined;
}
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
/** The object without the properties that are undefined. */
export function defined<T extends object>(from: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as never;
}
