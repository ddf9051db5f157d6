import type { Source } from './source.ts';

/**
 * How the rows of a signal are told one by one: what live views and exports need to know. `Raw` is a row as the engine
 * gives it, `Row` as the searches of that signal show it.
 */
export interface RowShape<Raw, Row> {
  readonly source: Source;
  /** Columns of a row; none may be called `RowNs`, `RowAt` or `RowIds`. */
  readonly columns: string;
  /** Text columns or expressions that, with the time of the source, tell one row from another. */
  readonly ids: readonly string[];
  /** Columns that put rows of one time and arrival in the order in which they were sent. Without: the order of the ids. */
  readonly sent?: readonly string[];
  /** `place` among rows that are the same in every respect; 0 for the first. */
  toRow(raw: Raw, place: number): Row;
}

/** The shape with its raw row hidden: what a registry of shapes holds. */
export interface RowReader<Row> {
  readonly source: Source;
  readonly columns: string;
  readonly ids: readonly string[];
  readonly sent?: readonly string[];
  toRow(raw: Readonly<Record<string, unknown>>, place: number): Row;
}

/** The one place where a row of the engine is taken for what the shape's columns say. */
export function rowReader<Raw, Row>(shape: RowShape<Raw, Row>): RowReader<Row> {
  return { ...shape, toRow: (raw, place) => shape.toRow(raw as Raw, place) };
}

/** One text of all ids, for comparing and for cursors. */
export const idSql = (ids: readonly string[]): string => `[${ids.join(', ')}]`;
