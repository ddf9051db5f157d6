import { cutName, MAX_NAME_LENGTH } from './bounds.ts';
import { ByteSink } from './byte-sink.ts';
import { type ColumnWriter, KEEP_ROWS, PlainColumn } from './column.ts';
import type { Output } from './output.ts';

/** A String column: exactly one append a row, in row order. */
export class StringColumn extends PlainColumn {
  readonly sink = new ByteSink();

  reset(): void {
    this.sink.reset();
  }

  reserve(): void {}

  bodySize(): number {
    return this.sink.length;
  }

  writeBody(out: Output): void {
    out.copy(this.sink.bytes.subarray(0, this.sink.length));
  }
}

/** `SharedDictionariesWithAdditionalKeys`, the only version there is. */
const DICTIONARY_VERSION = 1;
/** The dictionary travels with the block (`HasAdditionalKeys`); the low byte of the flags is the width of an index. */
const HAS_ADDITIONAL_KEYS = 1 << 9;

/** 0, 1, 2: indexes of one, two, four bytes. */
function indexWidth(dictionarySize: number): 0 | 1 | 2 {
  return dictionarySize <= 0x100 ? 0 : dictionarySize <= 0x1_0000 ? 1 : 2;
}

/** Bytes that `writeDictionary` writes. */
export function dictionarySize(keys: ByteSink, keyCount: number, rows: number): number {
  return rows === 0 ? 0 : 24 + keys.length + (rows << indexWidth(keyCount));
}

/** The body of a LowCardinality(String): flags, keys, one index a row. With no rows it has no body at all. */
export function writeDictionary(
  out: Output,
  keys: ByteSink,
  keyCount: number,
  ids: Uint32Array,
  rows: number,
): void {
  if (rows === 0) return;
  const width = indexWidth(keyCount);
  out.uint64(HAS_ADDITIONAL_KEYS | width);
  out.uint64(keyCount);
  out.copy(keys.bytes.subarray(0, keys.length));
  out.uint64(rows);
  const { bytes, view } = out;
  let { at } = out;
  if (width === 0) for (let row = 0; row < rows; row++) bytes[at++] = ids[row] as number;
  else if (width === 1)
    for (let row = 0; row < rows; row++, at += 2) view.setUint16(at, ids[row] as number, true);
  else for (let row = 0; row < rows; row++, at += 4) view.setUint32(at, ids[row] as number, true);
  out.at = at;
}

export function writeDictionaryPrefix(out: Output): void {
  out.uint64(DICTIONARY_VERSION);
}

export const DICTIONARY_PREFIX_SIZE = 8;

/** A LowCardinality(String) column: '' unless set. */
export class LowCardinalityColumn implements ColumnWriter {
  #ids = new Uint32Array(64);
  readonly #index = new Map<string, number>();
  readonly #keys = new ByteSink();
  #keyCount = 0;
  #lastText = '';
  #lastId = 0;
  /** How many texts were longer than a name may be. */
  cuts = 0;

  constructor() {
    this.reset(0);
  }

  set(row: number, text: string): void {
    if (text === this.#lastText) {
      this.#ids[row] = this.#lastId;
      return;
    }
    if (text.length > MAX_NAME_LENGTH) {
      this.cuts++;
      this.set(row, cutName(text));
      return;
    }
    let id = this.#index.get(text);
    if (id === undefined) {
      id = this.#keyCount++;
      this.#index.set(text, id);
      this.#keys.string(text);
    }
    this.#ids[row] = id;
    this.#lastText = text;
    this.#lastId = id;
  }

  reset(rows: number): void {
    if (this.#ids.length > KEEP_ROWS) this.#ids = new Uint32Array(64);
    else this.#ids.fill(0, 0, rows);
    this.#index.clear();
    this.cuts = 0;
    this.#keys.reset();
    // Index 0 is the empty string, so that untouched rows are empty.
    this.#index.set('', 0);
    this.#keys.byte(0);
    this.#keyCount = 1;
    this.#lastText = '';
    this.#lastId = 0;
  }

  reserve(rows: number): void {
    if (rows <= this.#ids.length) return;
    const larger = new Uint32Array(Math.max(rows, this.#ids.length * 2));
    larger.set(this.#ids);
    this.#ids = larger;
  }

  prefixSize(): number {
    return DICTIONARY_PREFIX_SIZE;
  }

  writePrefix(out: Output): void {
    writeDictionaryPrefix(out);
  }

  bodySize(rows: number): number {
    return dictionarySize(this.#keys, this.#keyCount, rows);
  }

  writeBody(out: Output, rows: number): void {
    writeDictionary(out, this.#keys, this.#keyCount, this.#ids, rows);
  }
}
