import type { RecordKind } from './records.ts';

/** Attributes that a record has, by where they lie. */
export const MAP_SOURCES = ['attributes', 'resource', 'scope'] as const;
export type MapSource = (typeof MAP_SOURCES)[number];
/** Where a `<source>.<key>` field looks. `score.<name>`: the newest score of that name, on spans only. */
export const KEY_SOURCES = [...MAP_SOURCES, 'score'] as const;
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

/** Whether records of a kind have fields of that source. */
export const hasSource = (source: KeySource, records: RecordKind): boolean =>
  records !== 'exceptions' && (source !== 'score' || records === 'spans');

/** The key that a `<source>.<key>` field names. No named field is written so: this needs no table of them. */
export function keyField(field: string): KeyField | undefined {
  for (const source of KEY_SOURCES) {
    if (field.startsWith(`${source}.`)) return { kind: 'key', source, key: field.slice(source.length + 1) };
  }
  return undefined;
}
