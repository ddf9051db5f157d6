import type { StoredMap } from '../core/attributes.ts';
import type { RowReader } from '../core/row-shape.ts';
import type { Json } from './otlp-values.ts';

/** Columns that hold everything the sender said around a row: the same names for every signal. */
export interface RawMaps {
  readonly AttributeKeys: string[];
  readonly AttributeValues: string[];
  readonly AttributeTypes: string;
  readonly ResourceKeys: string[];
  readonly ResourceValues: string[];
  readonly ScopeName: string;
  readonly ScopeVersion: string;
  readonly ScopeKeys: string[];
  readonly ScopeValues: string[];
  /** Of the names of scores asked for, in their order; empty: no score. */
  readonly Scores?: string[];
}

/** A row of an export: as the search shows it, whole, with all of its attributes. */
export interface ExportRow {
  readonly row: Readonly<Record<string, unknown>>;
  readonly attributes: StoredMap & { readonly types: string };
  readonly resource: StoredMap;
  readonly scope: StoredMap;
  /** What the newest score of each name says that was asked for: its verdict, else its label, else its number. */
  readonly scores?: ReadonlyMap<string, string>;
}

/** A record as OTLP/JSON, and the resource and scope it belongs under. */
export interface OtlpRecord {
  /** Equal for records of one resource and one scope. */
  readonly resourceKey: string;
  readonly scopeKey: string;
  readonly resource: Json;
  readonly scope: Json;
  readonly resourceSchemaUrl: string;
  readonly scopeSchemaUrl: string;
  readonly record: Json;
}

/** A part of a row's place among those of one time, as a page can go on from it. */
export interface Place {
  readonly sql: string;
  readonly type: 'String' | 'Int64';
}

/** How one signal is exported. `Raw` is a row with `columns` and the reader's own. */
export interface ExportSource<Raw> {
  readonly reader: RowReader<object>;
  /** What rows of one time are in the order of, the newest first: texts, or whole numbers. */
  readonly place: readonly Place[];
  /** What orders rows of one place, the last one first. Without it such rows are the same in every respect. */
  readonly stored?: readonly string[];
  /** Beside the reader's: {@link RawMaps}, and what `whole` and `toOtlp` need. */
  readonly columns: string;
  /** What the row of a list leaves out. */
  whole(row: object, raw: Raw): Readonly<Record<string, unknown>>;
  /** Names of the lists in an export request: `resourceSpans`, `scopeSpans`, `spans`. */
  readonly lists: { readonly resources: string; readonly scopes: string; readonly records: string };
  toOtlp(raw: Raw): OtlpRecord;
}
