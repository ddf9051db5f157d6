import type { Output } from './output.ts';

/** Memory of more rows than this is given back after a block: one huge request must not be paid for ever. */
export const KEEP_ROWS = 16_384;

/**
 * A column being filled. In `Native`, a column's data is a prefix (state of its dictionaries) and a body; inside
 * arrays and maps all prefixes come before all bodies, which is why the two are separate here.
 */
export interface ColumnWriter {
  /** Forgets the `rows` rows that were filled; keeps the memory unless it is above {@link KEEP_ROWS} rows. */
  reset(rows: number): void;
  /** Makes room for `rows` rows. Columns that are appended to grow by themselves. */
  reserve(rows: number): void;
  prefixSize(): number;
  writePrefix(out: Output): void;
  bodySize(rows: number): number;
  writeBody(out: Output, rows: number): void;
}

/** The usual column: no prefix. */
export abstract class PlainColumn implements ColumnWriter {
  abstract reset(rows: number): void;
  abstract reserve(rows: number): void;
  abstract bodySize(rows: number): number;
  abstract writeBody(out: Output, rows: number): void;

  prefixSize(): number {
    return 0;
  }

  writePrefix(_out: Output): void {}
}
