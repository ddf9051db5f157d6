import { readSync } from 'node:fs';

/** A part of an ELF file, as its table of sections tells it. */
export interface Section {
  readonly name: string;
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  readonly info: number;
  readonly entrySize: number;
}

/** Where a part of the file stands in memory. */
interface Segment {
  readonly offset: number;
  readonly address: bigint;
  readonly fileSize: number;
}

export interface Symbol {
  readonly name: number;
  readonly type: number;
  readonly section: number;
  readonly value: bigint;
  readonly size: bigint;
}

export const SECTION_SYMBOLS = 2;
export const SECTION_RELOCATIONS = 9;
const SECTION_DYNAMIC_SYMBOLS = 11;
const TYPE_FUNCTION = 2;
/** A resolver that answers with the function (`memcpy` of the C library): not the function itself. */
const TYPE_INDIRECT = 10;
const SEGMENT_LOAD = 1;

const HEADER_BYTES = 64;
const MAX_SECTIONS = 65_536;
const MAX_SEGMENTS = 4_096;
/** Tables of the largest libraries of machine learning have some millions of symbols. */
const MAX_TABLE_BYTES = 128 * 1_024 * 1_024;
const SYMBOL_BYTES = 24;
const MAX_NAME_BYTES = 4_096;

export class ElfError extends Error {
  override readonly name = 'ElfError';
}

/** Reads exactly so many bytes of a source, or throws. */
export type ReadAt = (offset: number, length: number) => Buffer;

/** A file that is open. */
export function readerOf(descriptor: number): ReadAt {
  return (offset, length) => {
    const bytes = Buffer.allocUnsafe(length);
    let read = 0;
    while (read < length) {
      const count = readSync(descriptor, bytes, read, length - read, offset + read);
      if (count === 0) throw new ElfError('the file ends within a table');
      read += count;
    }
    return bytes;
  };
}

const bounded = (value: bigint): number => {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ElfError('a table lies beyond any file');
  return Number(value);
};

/** A 64-bit little-endian ELF file: programs, libraries, and objects that hold BPF. */
export class ElfFile {
  readonly sections: readonly Section[];
  readonly #segments: readonly Segment[];
  readonly #read: ReadAt;
  #functions: readonly FunctionIndex[] | undefined;
  /** 62 x86-64, 183 64-bit ARM, 247 BPF. */
  readonly machine: number;

  /** @throws ElfError for anything that is not such a file */
  constructor(read: ReadAt) {
    this.#read = read;
    const header = read(0, HEADER_BYTES);
    if (header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2 || header[5] !== 1) {
      throw new ElfError('not a 64-bit little-endian ELF file');
    }
    this.machine = header.readUInt16LE(18);
    this.#segments = this.#readSegments(header);
    this.sections = this.#readSections(header);
  }

  #readSegments(header: Buffer): Segment[] {
    const [at, size, count] = [
      bounded(header.readBigUInt64LE(32)),
      header.readUInt16LE(54),
      header.readUInt16LE(56),
    ];
    if (count === 0) return [];
    if (size < 56 || count > MAX_SEGMENTS) throw new ElfError('its table of segments makes no sense');
    const table = this.#read(at, size * count);
    const segments: Segment[] = [];
    for (let row = 0; row < count; row += 1) {
      const entry = table.subarray(row * size);
      if (entry.readUInt32LE(0) !== SEGMENT_LOAD) continue;
      segments.push({
        offset: bounded(entry.readBigUInt64LE(8)),
        address: entry.readBigUInt64LE(16),
        fileSize: bounded(entry.readBigUInt64LE(32)),
      });
    }
    return segments;
  }

  #readSections(header: Buffer): Section[] {
    const at = bounded(header.readBigUInt64LE(40));
    const [size, count, names] = [header.readUInt16LE(58), header.readUInt16LE(60), header.readUInt16LE(62)];
    if (at === 0 || count === 0) return [];
    if (size < 64 || count > MAX_SECTIONS) throw new ElfError('its table of sections makes no sense');
    const table = this.#read(at, size * count);
    const rows = Array.from({ length: count }, (_, row) => {
      const entry = table.subarray(row * size);
      return {
        nameAt: entry.readUInt32LE(0),
        type: entry.readUInt32LE(4),
        offset: bounded(entry.readBigUInt64LE(24)),
        size: bounded(entry.readBigUInt64LE(32)),
        link: entry.readUInt32LE(40),
        info: entry.readUInt32LE(44),
        entrySize: bounded(entry.readBigUInt64LE(56)),
      };
    });
    const texts = rows[names];
    const text = texts === undefined ? Buffer.alloc(0) : this.#bytes(texts);
    return rows.map(({ nameAt, ...row }) => ({ name: textAt(text, nameAt), ...row }));
  }

  #bytes({ offset, size }: { readonly offset: number; readonly size: number }): Buffer {
    if (size > MAX_TABLE_BYTES) throw new ElfError('a table is larger than any that is read');
    return this.#read(offset, size);
  }

  /** The content of a section. @throws ElfError when it is not there or too large */
  content(section: Section): Buffer {
    return this.#bytes(section);
  }

  /** The symbols of a table, as they stand. */
  *symbols(section: Section): Generator<Symbol> {
    const table = this.#bytes(section);
    for (let at = 0; at + SYMBOL_BYTES <= table.length; at += SYMBOL_BYTES) {
      yield {
        name: table.readUInt32LE(at),
        type: (table[at + 4] ?? 0) & 15,
        section: table.readUInt16LE(at + 6),
        value: table.readBigUInt64LE(at + 8),
        size: table.readBigUInt64LE(at + 16),
      };
    }
  }

  /** Text of a symbol of this table. */
  nameOf(table: Section, symbol: Symbol): string {
    const texts = this.sections[table.link];
    if (texts === undefined || symbol.name >= texts.size) return '';
    const length = Math.min(MAX_NAME_BYTES, texts.size - symbol.name);
    return textAt(this.#read(texts.offset + symbol.name, length), 0);
  }

  /**
   * Offsets in the file of the functions of these names that the file defines: where a probe is put. The dynamic table
   * first, then the whole one, which a stripped file has not.
   */
  functionOffsets(names: ReadonlySet<string>): Map<string, number> {
    const found = new Map<string, number>();
    for (const kind of [SECTION_DYNAMIC_SYMBOLS, SECTION_SYMBOLS]) {
      const table = this.sections.find(({ type }) => type === kind);
      const texts = table === undefined ? undefined : this.sections[table.link];
      if (table === undefined || texts === undefined) continue;
      const text = this.#bytes(texts);
      for (const symbol of this.symbols(table)) {
        if (symbol.type !== TYPE_FUNCTION || symbol.section === 0) continue;
        const name = textAt(text, symbol.name);
        if (!names.has(name) || found.has(name)) continue;
        const offset = this.fileOffset(symbol.value);
        if (offset !== undefined) found.set(name, offset);
      }
      if (found.size > 0) break;
    }
    return found;
  }

  /** The name of the function that an offset in the file falls into; undefined when the tables do not tell. */
  functionAt(fileOffset: number): string | undefined {
    const address = this.address(fileOffset);
    if (address === undefined) return undefined;
    this.#functions ??= [SECTION_SYMBOLS, SECTION_DYNAMIC_SYMBOLS].flatMap((kind) => {
      const table = this.sections.find(({ type }) => type === kind);
      return table === undefined ? [] : [this.#index(table)];
    });
    for (const { table, starts, symbols } of this.#functions) {
      const at = lastAtMost(starts, Number(address));
      const symbol = symbols[at];
      if (symbol === undefined) continue;
      if (address === symbol.value || address < symbol.value + symbol.size) return this.nameOf(table, symbol);
    }
    return undefined;
  }

  #index(table: Section): FunctionIndex {
    const symbols = Array.from(this.symbols(table)).filter(({ type, section }) => {
      return (type === TYPE_FUNCTION || type === TYPE_INDIRECT) && section !== 0;
    });
    symbols.sort((a, b) => Number(a.value - b.value));
    return { table, symbols, starts: Float64Array.from(symbols, ({ value }) => Number(value)) };
  }

  /** Of an address as the symbols have it, the offset in the file. */
  fileOffset(address: bigint): number | undefined {
    for (const { offset, address: start, fileSize } of this.#segments) {
      if (address >= start && address < start + BigInt(fileSize)) return offset + Number(address - start);
    }
    return undefined;
  }

  /** Of an offset in the file, the address as the symbols have it. */
  address(fileOffset: number): bigint | undefined {
    for (const { offset, address, fileSize } of this.#segments) {
      if (fileOffset >= offset && fileOffset < offset + fileSize)
        return address + BigInt(fileOffset - offset);
    }
    return undefined;
  }
}

/** The functions of a table in the order of their addresses. */
interface FunctionIndex {
  readonly table: Section;
  readonly symbols: readonly Symbol[];
  readonly starts: Float64Array;
}

/** Index of the last number that is at most `value`; -1 when all are larger. */
function lastAtMost(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function textAt(bytes: Buffer, at: number): string {
  if (at >= bytes.length) return '';
  const end = bytes.indexOf(0, at);
  return bytes.toString('latin1', at, end === -1 ? bytes.length : end);
}
