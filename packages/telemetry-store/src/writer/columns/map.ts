import { MAX_REPEATED_BYTES, unfoldsTooFar } from './bounds.ts';
import { ByteSink } from './byte-sink.ts';
import { type ColumnWriter, KEEP_ROWS } from './column.ts';
import type { Output } from './output.ts';
import { DICTIONARY_PREFIX_SIZE, dictionarySize, writeDictionary, writeDictionaryPrefix } from './text.ts';

/** Gives the text of a key's number; the decoder's table of keys is one. */
export interface KeyTexts {
  text(id: number): string;
}

/**
 * Map(LowCardinality(String), String): the ends of the rows, the keys as one LowCardinality column, the values as one
 * String column. Keys come as the numbers of a key table and are renumbered for this block's dictionary. A value is
 * appended to `values` right after its key.
 */
export class MapColumn implements ColumnWriter {
  readonly values = new ByteSink();
  #ends = new Uint32Array(64 * 2);
  #ids = new Uint32Array(256);
  #length = 0;
  readonly #keys = new ByteSink();
  #keyCount = 0;
  /** For each number of the key table: its number in this block, plus one; 0 is unknown. */
  #local = new Uint32Array(1024);
  #seen: number[] = [];
  #rowStart = 0;
  #rowValuesStart = 0;

  key(texts: KeyTexts, id: number): void {
    if (id >= this.#local.length) this.#growLocal(id);
    let local = this.#local[id] as number;
    if (local === 0) {
      this.#keys.string(texts.text(id));
      local = ++this.#keyCount;
      this.#local[id] = local;
      this.#seen.push(id);
    }
    if (this.#length === this.#ids.length) {
      const larger = new Uint32Array(this.#length * 2);
      larger.set(this.#ids);
      this.#ids = larger;
    }
    this.#ids[this.#length++] = local - 1;
  }

  /** Closes row `row`; to be called for every row. */
  endRow(row: number): void {
    this.#ends[row * 2] = this.#length;
  }

  /** Remembers that what follows, up to `endRow`, is what `repeatRow` repeats. */
  startRow(): void {
    this.#rowStart = this.#length;
    this.#rowValuesStart = this.values.length;
  }

  /**
   * Row `row` is the same as the last one that was started with `startRow`, which must be the row just before or a
   * repetition of it: a copy of bytes, nothing is encoded again.
   */
  repeatRow(row: number): void {
    const start = this.#rowStart;
    const end = this.#length;
    const valuesEnd = this.values.length;
    const count = end - start;
    if (valuesEnd + end * 4 > MAX_REPEATED_BYTES) {
      throw unfoldsTooFar(MAX_REPEATED_BYTES, 'bytes of repeated resource attributes');
    }
    while (end + count > this.#ids.length) {
      const larger = new Uint32Array(this.#ids.length * 2);
      larger.set(this.#ids);
      this.#ids = larger;
    }
    for (let index = 0; index < count; index++) this.#ids[end + index] = this.#ids[start + index] as number;
    this.#length = end + count;
    this.values.repeat(this.#rowValuesStart, valuesEnd);
    this.#rowStart = end;
    this.#rowValuesStart = valuesEnd;
    this.endRow(row);
  }

  reset(): void {
    for (const id of this.#seen) this.#local[id] = 0;
    this.#seen = [];
    this.#keys.reset();
    this.#keyCount = 0;
    this.values.reset();
    this.#length = 0;
    this.#rowStart = 0;
    this.#rowValuesStart = 0;
    if (this.#ends.length > KEEP_ROWS * 2) this.#ends = new Uint32Array(64 * 2);
    if (this.#ids.length > KEEP_ROWS * 16) this.#ids = new Uint32Array(256);
    if (this.#local.length > KEEP_ROWS * 4) this.#local = new Uint32Array(1024);
  }

  reserve(rows: number): void {
    if (rows * 2 <= this.#ends.length) return;
    const larger = new Uint32Array(Math.max(rows * 2, this.#ends.length * 2));
    larger.set(this.#ends);
    this.#ends = larger;
  }

  prefixSize(): number {
    return DICTIONARY_PREFIX_SIZE;
  }

  writePrefix(out: Output): void {
    writeDictionaryPrefix(out);
  }

  bodySize(rows: number): number {
    return rows * 8 + dictionarySize(this.#keys, this.#keyCount, this.#length) + this.values.length;
  }

  writeBody(out: Output, rows: number): void {
    out.copy(new Uint8Array(this.#ends.buffer, 0, rows * 8));
    writeDictionary(out, this.#keys, this.#keyCount, this.#ids, this.#length);
    out.copy(this.values.bytes.subarray(0, this.values.length));
  }

  #growLocal(id: number): void {
    let capacity = this.#local.length;
    while (capacity <= id) capacity *= 2;
    const larger = new Uint32Array(capacity);
    larger.set(this.#local);
    this.#local = larger;
  }
}
