/** Reading answers of the API server: any field may be missing or of another kind. */

export type JsonMap = ReadonlyMap<string, unknown>;

const EMPTY: JsonMap = new Map();

/** The own keys of an object; an empty Map when it is none. */
export function mapOf(value: unknown): JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : EMPTY;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
