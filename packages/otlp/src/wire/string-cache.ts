import { equalBytes, hashBytes } from './bytes-key.ts';
import { decodeUtf8 } from './utf8.ts';

const ENTRIES = 8192;
const MAX_LENGTH = 96;

/**
 * Strings of byte ranges that come again and again (model names, span names, service names). Direct-mapped: a
 * newcomer replaces whoever had the place, so it is bounded by construction. The same string object is given out
 * each time, whose hash V8 has already computed: maps keyed by it are fast.
 */
export class StringCache {
  readonly #arena = new Uint8Array(ENTRIES * MAX_LENGTH);
  readonly #arenaView = new DataView(this.#arena.buffer);
  readonly #lengths = new Int32Array(ENTRIES).fill(-1);
  readonly #strings: string[] = Array.from({ length: ENTRIES }, () => '');

  readonly #make: (bytes: Uint8Array, start: number, end: number) => string;

  /** `make` gives the string of a range that is not known yet; by default its UTF-8 text. */
  constructor(make: (bytes: Uint8Array, start: number, end: number) => string = decodeUtf8) {
    this.#make = make;
  }

  text(bytes: Uint8Array, view: DataView, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return '';
    if (length > MAX_LENGTH) return this.#make(bytes, start, end);
    const entry = hashBytes(view, start, end) & (ENTRIES - 1);
    const place = entry * MAX_LENGTH;
    if (this.#lengths[entry] === length && equalBytes(view, start, this.#arenaView, place, length)) {
      return this.#strings[entry] as string;
    }
    const text = this.#make(bytes, start, end);
    for (let index = 0; index < length; index++) this.#arena[place + index] = bytes[start + index] as number;
    this.#lengths[entry] = length;
    this.#strings[entry] = text;
    return text;
  }
}
