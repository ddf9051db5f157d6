import type { MapSource, RecordKind } from '@candela/contract';
import type { Params } from './params.ts';

/** How a filter field is read from the rows of one signal. */
export type Field =
  /** The first of the columns that is not empty; `show` is that as one expression, what is matched, shown and grouped by. */
  | { readonly kind: 'text'; readonly sql: readonly string[]; readonly show: string }
  | { readonly kind: 'enum'; readonly sql: string; readonly stored: ReadonlyMap<string, string> }
  /** `sql` is the position in `levels`, which go up. */
  | { readonly kind: 'level'; readonly sql: string; readonly levels: readonly string[] }
  /** `sql` is null or a number; `scale` turns the filter's unit into the column's. */
  | {
      readonly kind: 'number';
      readonly sql: string;
      readonly scale: number;
      readonly exists: string;
      /** `sql` is never null: 0 where there is none, which `exists` tells from a 0 that was reported. */
      readonly zeroIfNone?: boolean;
    }
  /** Lower-case text whatever was asked for. */
  | { readonly kind: 'id'; readonly sql: string }
  | { readonly kind: 'boolean'; readonly sql: string }
  /** Text searched by words. */
  | {
      readonly kind: 'words';
      /** Whether words of several conditions are found as those of one: not where they have to stand in one of several texts. */
      readonly together: boolean;
      readonly exists: string;
      /** A condition that is cheaper and holds at least where `exists` does: the list of fields counts by it. */
      readonly mayExist?: string;
      /** All words occur, whole, in any order. */
      words(text: string, params: Params): string;
      /** The text occurs as it is. */
      contains(text: string, params: Params): string;
      /** A regular expression matches. */
      matches(pattern: string, params: Params): string;
    };

/** The rows of a signal: where they lie and how filter fields are read from them. One constant a signal. */
export interface Source {
  readonly signal: RecordKind;
  readonly table: string;
  /**
   * Granules of its table are this part of those of others, 8,192 rows or 10 MiB: what lies apart is read sooner. A store that was made
   * before may have larger ones.
   */
  readonly finer?: number;
  /** Column of the event time, `DateTime64(9)`. */
  readonly time: string;
  /** It is a `DateTime` instead, of a rollup's buckets: compared with whole seconds, which costs a fraction of a row. */
  readonly inSeconds?: true;
  readonly fields: Readonly<Record<string, Field>>;
  /** The map column that holds an attribute key. */
  mapOf(source: MapSource, key: string): string;
  /** Attributes that have a column beside the map: the text of the column is empty where the key is absent. */
  readonly columns?: ReadonlyMap<string, string>;
  /** The expression of the index of attributes with their values, of the maps of records and of resources. */
  readonly items?: { readonly sql: string; readonly records: string; readonly resources: string };
  /** Map columns with a skip index over their `key=value` texts, and the expression of that index. */
  readonly pairs: ReadonlyMap<string, string>;
}

/** A field that is one text column. */
export const column = (name: string): Field => ({ kind: 'text', sql: [name], show: name });

/** The name of a level as an expression; what it is grouped by and shown as. */
export function levelName(field: Extract<Field, { kind: 'level' }>): string {
  return `[${field.levels.map((level) => `'${level}'`).join(', ')}][${field.sql} + 1]`;
}
