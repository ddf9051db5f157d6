import type { ColumnType, Table } from '../../schema/tables.ts';
import { ArrayColumn } from './array.ts';
import { MAX_ROWS, unfoldsTooFar } from './bounds.ts';
import { ByteSink } from './byte-sink.ts';
import { type ColumnWriter, KEEP_ROWS } from './column.ts';
import {
  Float64Column,
  Int32Column,
  NullableFloat64Column,
  UInt8Column,
  UInt16Column,
  UInt32Column,
  UInt64Column,
} from './fixed.ts';
import { MapColumn } from './map.ts';
import { Output, varintSize } from './output.ts';
import { LowCardinalityColumn, StringColumn } from './text.ts';

/** One writer for each column type. */
const WRITERS = {
  'DateTime64(9)': () => new UInt64Column(),
  'DateTime64(3)': () => new UInt64Column(),
  String: () => new StringColumn(),
  'LowCardinality(String)': () => new LowCardinalityColumn(),
  UInt8: () => new UInt8Column(),
  UInt16: () => new UInt16Column(),
  UInt32: () => new UInt32Column(),
  UInt64: () => new UInt64Column(),
  Int32: () => new Int32Column(),
  Float64: () => new Float64Column(),
  'Nullable(Float64)': () => new NullableFloat64Column(),
  Bool: () => new UInt8Column(),
  'Map(LowCardinality(String), String)': () => new MapColumn(),
  'Array(DateTime64(9))': () => new ArrayColumn(new UInt64Column()),
  'Array(String)': () => new ArrayColumn(new StringColumn()),
  'Array(LowCardinality(String))': () => new ArrayColumn(new LowCardinalityColumn()),
  'Array(UInt64)': () => new ArrayColumn(new UInt64Column()),
  'Array(Float64)': () => new ArrayColumn(new Float64Column()),
  'Array(Map(LowCardinality(String), String))': () => new ArrayColumn(new MapColumn()),
} as const satisfies Record<ColumnType, () => ColumnWriter>;

type WriterOf<T extends ColumnType> = ReturnType<(typeof WRITERS)[T]>;

interface Entry {
  readonly header: Uint8Array;
  readonly writer: ColumnWriter;
}

/**
 * Fills one table's columns and writes them as a `Native` block. Usage: `nextRow()`, set every appended column
 * (String, Map, Array) and whichever fixed and LowCardinality columns differ from their zero value, and so on;
 * `finish()` gives the block and forgets the rows.
 */
export class TableWriter {
  readonly table: Table;
  rows = 0;
  readonly #entries: Entry[];
  readonly #byName = new Map<string, ColumnWriter>();
  #capacity = 64;

  constructor(table: Table) {
    this.table = table;
    this.#entries = table.columns.map((column) => {
      const header = new ByteSink();
      header.string(column.name);
      header.string(column.type);
      const writer = WRITERS[column.type]();
      this.#byName.set(column.name, writer);
      return { header: header.bytes.slice(0, header.length), writer };
    });
  }

  /** The writer of a column; throws when the table has no such column of that type. */
  column<T extends ColumnType>(name: string, type: T): WriterOf<T> {
    const known = this.table.columns.find((column) => column.name === name);
    if (known?.type !== type) throw new Error(`${this.table.name} has no column ${name} of type ${type}`);
    return this.#byName.get(name) as WriterOf<T>;
  }

  /** The number of a new row. */
  nextRow(): number {
    if (this.rows === this.#capacity) {
      if (this.rows >= MAX_ROWS) throw unfoldsTooFar(MAX_ROWS, 'records');
      this.#capacity *= 2;
      for (const { writer } of this.#entries) writer.reserve(this.#capacity);
    }
    return this.rows++;
  }

  reset(): void {
    for (const { writer } of this.#entries) writer.reset(this.rows);
    this.rows = 0;
    if (this.#capacity > KEEP_ROWS) this.#capacity = 64;
  }

  /** How many names were cut since the last block. */
  cuts(): number {
    let cuts = 0;
    for (const { writer } of this.#entries) if (writer instanceof LowCardinalityColumn) cuts += writer.cuts;
    return cuts;
  }

  /** The block of all rows since the last call. */
  finish(): Uint8Array {
    const { rows } = this;
    let size = varintSize(this.#entries.length) + varintSize(rows);
    for (const { header, writer } of this.#entries) {
      size += header.length + writer.prefixSize() + writer.bodySize(rows);
    }
    const out = new Output(size);
    out.varint(this.#entries.length);
    out.varint(rows);
    for (const { header, writer } of this.#entries) {
      out.copy(header);
      writer.writePrefix(out);
      writer.writeBody(out, rows);
    }
    if (out.at !== size) throw new Error(`${this.table.name}: wrote ${out.at} bytes of ${size}`);
    this.reset();
    return out.bytes;
  }
}
