import type { Filter } from '@candela/contract';
import { type Cursor, damagedCursor, nanos } from './cursor.ts';
import type { Window } from './scope.ts';

/** Which page of a list is asked for. */
export interface SearchInput<Sort extends string> {
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor: string | undefined;
  /**
   * Of a list whose filter reads texts or attributes. In the order of time: after so many milliseconds the page is answered with
   * the rows it has, as soon as it has one; its cursor leads on. In the order of a figure: the page is made of a part of the rows
   * first, where all of them take long. Default: it is full, and of all rows.
   */
  readonly patienceMs?: number | undefined;
}

/** Whether a part of a list is worth more than all of it later: of its first page only. */
export const isHurried = ({ patienceMs, cursor }: SearchInput<string>): boolean =>
  patienceMs !== undefined && cursor === undefined;

export interface Page<T> {
  readonly data: T[];
  readonly nextCursor: string | null;
}

/** A page that may be made of a part of the rows: see {@link Basis}. */
export interface LookedPage<T> extends Page<T> {
  /** About what part of the rows was looked at; null: all. Such a page has no cursor. */
  readonly sample: number | null;
}

/**
 * Of a statement that reads few rows of many places: what costs is unpacking the columns of each place, and by the number of rows
 * alone the engine would have that done by one thread.
 */
export const SPREAD = 'SETTINGS merge_tree_min_rows_for_concurrent_read = 16384';

/** The part of a window that can still hold rows after the cursor of a list sorted by time. */
export function shrink(window: Window, cursor: Cursor | undefined, descending: boolean): Window {
  if (cursor === undefined) return window;
  const last = nanos(cursor.after[0], damagedCursor);
  return descending
    ? { from: window.from, to: last + 1n < window.to ? last + 1n : window.to }
    : { from: last > window.from ? last : window.from, to: window.to };
}
