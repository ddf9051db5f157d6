/** Where a `<source>.<key>` field looks. */
export const KEY_SOURCES = ['attributes', 'resource', 'scope'] as const;
export type KeySource = (typeof KEY_SOURCES)[number];

export interface KeyField {
  readonly kind: 'key';
  readonly source: KeySource;
  readonly key: string;
}

/** Fields, besides their own, that the rows of a list may be asked for at once. */
export const MAX_ROW_FIELDS = 10;

/** Keys of attributes whose values may be counted at once. */
export const MAX_COUNTED_KEYS = 10;

/** The key that a `<source>.<key>` field names. No named field is written so: this needs no table of them. */
export function keyField(field: string): KeyField | undefined {
  for (const source of KEY_SOURCES) {
    if (field.startsWith(`${source}.`)) return { kind: 'key', source, key: field.slice(source.length + 1) };
  }
  return undefined;
}
