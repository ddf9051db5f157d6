import { equalBytes, hashBytes } from './bytes-key.ts';

const ENTRIES = 8192;
const MAX_LENGTH = 96;

/**
 * What byte ranges that come again and again stand for: the strings of model and span names, the values of small
 * lists. Direct-mapped: a newcomer replaces whoever had the place, so it is bounded by construction. The same object
 * is given out each time; of a string, V8 has then already computed the hash, and maps keyed by it are fast.
 */
export class RangeCache<T> {
  readonly #make: (bytes: Uint8Array, start: number, end: number) => T;
  readonly #arena = new Uint8Array(ENTRIES * MAX_LENGTH);
  readonly #arenaView = new DataView(this.#arena.buffer);
  readonly #lengths = new Int32Array(ENTRIES).fill(-1);
  readonly #values: (T | undefined)[] = Array.from({ length: ENTRIES }, () => undefined);

  /** `make` gives what a range stands for when that is not known; it must depend on nothing but the bytes. */
  constructor(make: (bytes: Uint8Array, start: number, end: number) => T) {
    this.#make = make;
  }

  get(bytes: Uint8Array, view: DataView, start: number, end: number): T {
    const length = end - start;
    if (length > MAX_LENGTH) return this.#make(bytes, start, end);
    const entry = hashBytes(view, start, end) & (ENTRIES - 1);
    const place = entry * MAX_LENGTH;
    if (this.#lengths[entry] === length && equalBytes(view, start, this.#arenaView, place, length)) {
      return this.#values[entry] as T;
    }
    const value = this.#make(bytes, start, end);
    for (let index = 0; index < length; index++) this.#arena[place + index] = bytes[start + index] as number;
    this.#lengths[entry] = length;
    this.#values[entry] = value;
    return value;
  }
}
