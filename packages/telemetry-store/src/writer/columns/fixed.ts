import { KEEP_ROWS, PlainColumn } from './column.ts';
import type { Output } from './output.ts';

/** Backing arrays of the fixed-width types; `Native` is little-endian, as every machine this runs on. */
type Store = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/**
 * A fixed-width column of `lanes` elements a row. Rows are zero unless set, so a record only touches what it has.
 * `data[row]` is open to the filler: a method call per value is what a hot loop cannot afford.
 */
abstract class FixedColumn<T extends Store> extends PlainColumn {
  data: T;
  readonly #lanes: number;
  readonly #make: (length: number) => T;

  constructor(make: (length: number) => T, lanes = 1) {
    super();
    this.#make = make;
    this.#lanes = lanes;
    this.data = make(64 * lanes);
  }

  reset(rows: number): void {
    if (this.data.length > KEEP_ROWS * this.#lanes) this.data = this.#make(64 * this.#lanes);
    else this.data.fill(0, 0, rows * this.#lanes);
  }

  reserve(rows: number): void {
    if (rows * this.#lanes <= this.data.length) return;
    const larger = this.#make(Math.max(rows * this.#lanes, this.data.length * 2));
    larger.set(this.data);
    this.data = larger;
  }

  bodySize(rows: number): number {
    return rows * this.#lanes * this.data.BYTES_PER_ELEMENT;
  }

  writeBody(out: Output, rows: number): void {
    out.copy(new Uint8Array(this.data.buffer, 0, this.bodySize(rows)));
  }
}

export class UInt8Column extends FixedColumn<Uint8Array> {
  constructor() {
    super((length) => new Uint8Array(length));
  }
}

export class UInt16Column extends FixedColumn<Uint16Array> {
  constructor() {
    super((length) => new Uint16Array(length));
  }
}

export class UInt32Column extends FixedColumn<Uint32Array> {
  constructor() {
    super((length) => new Uint32Array(length));
  }
}

export class Int32Column extends FixedColumn<Int32Array> {
  constructor() {
    super((length) => new Int32Array(length));
  }
}

export class Float64Column extends FixedColumn<Float64Array> {
  constructor() {
    super((length) => new Float64Array(length));
  }

  set(row: number, value: number): void {
    this.data[row] = value;
  }
}

/** UInt64, Int64 and DateTime64: two 32-bit halves a row, so that no BigInt is made. */
export class UInt64Column extends FixedColumn<Uint32Array> {
  constructor() {
    super((length) => new Uint32Array(length), 2);
  }

  set(row: number, low: number, high: number): void {
    this.data[row * 2] = low;
    this.data[row * 2 + 1] = high;
  }

  /** A non-negative number below 2^53. */
  setNumber(row: number, value: number): void {
    this.set(row, value >>> 0, Math.floor(value / 0x1_0000_0000));
  }
}

/** Null unless set. */
export class NullableFloat64Column extends PlainColumn {
  #present = new Uint8Array(64);
  #values = new Float64Array(64);

  set(row: number, value: number): void {
    this.#present[row] = 1;
    this.#values[row] = value;
  }

  reset(rows: number): void {
    if (this.#present.length > KEEP_ROWS) {
      this.#present = new Uint8Array(64);
      this.#values = new Float64Array(64);
      return;
    }
    this.#present.fill(0, 0, rows);
    this.#values.fill(0, 0, rows);
  }

  reserve(rows: number): void {
    if (rows <= this.#present.length) return;
    const capacity = Math.max(rows, this.#present.length * 2);
    const present = new Uint8Array(capacity);
    const values = new Float64Array(capacity);
    present.set(this.#present);
    values.set(this.#values);
    this.#present = present;
    this.#values = values;
  }

  bodySize(rows: number): number {
    return rows * 9;
  }

  writeBody(out: Output, rows: number): void {
    for (let row = 0; row < rows; row++) out.bytes[out.at++] = this.#present[row] === 1 ? 0 : 1;
    out.copy(new Uint8Array(this.#values.buffer, 0, rows * 8));
  }
}
