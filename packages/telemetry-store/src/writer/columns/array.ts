import { MAX_ITEMS, unfoldsTooFar } from './bounds.ts';
import { type ColumnWriter, KEEP_ROWS } from './column.ts';
import type { Output } from './output.ts';

/**
 * Array(T): where each row ends, counted in elements from the block's start, then the elements as one column.
 * Elements are put into `items` at `next()`; `endRow` closes a row.
 */
export class ArrayColumn<T extends ColumnWriter> implements ColumnWriter {
  readonly items: T;
  #ends = new Uint32Array(64 * 2);
  #length = 0;

  constructor(items: T) {
    this.items = items;
  }

  /** The index of a new element; it must then be set or appended. */
  next(): number {
    if (this.#length >= MAX_ITEMS) throw unfoldsTooFar(MAX_ITEMS, 'parts of records');
    this.items.reserve(this.#length + 1);
    return this.#length++;
  }

  /** Closes row `row`; to be called for every row, also for those without elements. */
  endRow(row: number): void {
    this.#ends[row * 2] = this.#length;
  }

  reset(): void {
    if (this.#ends.length > KEEP_ROWS * 2) this.#ends = new Uint32Array(64 * 2);
    this.items.reset(this.#length);
    this.#length = 0;
  }

  reserve(rows: number): void {
    if (rows * 2 <= this.#ends.length) return;
    const larger = new Uint32Array(Math.max(rows * 2, this.#ends.length * 2));
    larger.set(this.#ends);
    this.#ends = larger;
  }

  prefixSize(): number {
    return this.items.prefixSize();
  }

  writePrefix(out: Output): void {
    this.items.writePrefix(out);
  }

  bodySize(rows: number): number {
    return rows * 8 + this.items.bodySize(this.#length);
  }

  writeBody(out: Output, rows: number): void {
    out.copy(new Uint8Array(this.#ends.buffer, 0, rows * 8));
    this.items.writeBody(out, this.#length);
  }
}
