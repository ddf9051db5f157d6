import { equalBytes, hashBytes } from './bytes-key.ts';
import { decodeUtf8, isValidUtf8 } from './utf8.ts';

const MAX_KEYS = 16_384;
const MAX_BYTES = 1 << 20;

/**
 * Attribute keys as small numbers. Telemetry repeats a few hundred keys for ever, so a key is hashed, compared and
 * turned into a string once, and everything after (lookup, dictionaries of columns) works on its number.
 *
 * Bounded: `trim`, called between requests, starts anew when the table has outgrown its bound. Within one request it
 * may grow with the body, which itself is bounded.
 */
export class KeyTable {
  /** Changes whenever numbers lose their meaning. */
  generation = 0;
  size = 0;
  readonly #classify: (key: string) => boolean;
  #slots = new Int32Array(1024).fill(-1);
  #hashes = new Int32Array(512);
  #starts = new Int32Array(512);
  #lengths = new Int32Array(512);
  /** What follows key n most often: emitters write the same keys in the same order. */
  #next = new Int32Array(512).fill(-1);
  #flags = new Uint8Array(512);
  #arena = new Uint8Array(16_384);
  #arenaView = new DataView(this.#arena.buffer);
  #arenaLength = 0;
  #strings: string[] = [];
  readonly #known = new Map<string, number>();

  /** `classify` is asked once a key; its answer is `isMarked`. */
  constructor(classify: (key: string) => boolean = () => false) {
    this.#classify = classify;
  }

  /** Starts anew when the bound is passed. Only between requests: numbers given out before are void after. */
  trim(): void {
    if (this.size <= MAX_KEYS && this.#arenaLength <= MAX_BYTES) return;
    this.generation++;
    this.size = 0;
    this.#slots = new Int32Array(1024).fill(-1);
    this.#allocate(512);
    this.#arena = new Uint8Array(16_384);
    this.#arenaView = new DataView(this.#arena.buffer);
    this.#arenaLength = 0;
    this.#strings = [];
    this.#known.clear();
  }

  /** The number of the key in bytes `start..end`; `after` is the number of the key before it in the record, or -1. */
  intern(bytes: Uint8Array, view: DataView, start: number, end: number, after: number): number {
    const length = end - start;
    if (after >= 0) {
      const guess = this.#next[after] as number;
      if (
        guess >= 0 &&
        this.#lengths[guess] === length &&
        equalBytes(view, start, this.#arenaView, this.#starts[guess] as number, length)
      ) {
        return guess;
      }
    }
    const id = this.#find(bytes, view, start, end);
    if (after >= 0) this.#next[after] = id;
    return id;
  }

  /** The number of a key given as text. */
  idOf(key: string): number {
    let id = this.#known.get(key);
    if (id === undefined) {
      const bytes = Buffer.from(key, 'utf8');
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      id = this.#find(bytes, view, 0, bytes.length);
      this.#known.set(key, id);
    }
    return id;
  }

  text(id: number): string {
    return this.#strings[id] as string;
  }

  isMarked(id: number): boolean {
    return this.#flags[id] === 1;
  }

  #find(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    const length = end - start;
    const hash = hashBytes(view, start, end);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const id = this.#slots[slot] as number;
      if (id < 0) break;
      if (
        this.#hashes[id] === hash &&
        this.#lengths[id] === length &&
        equalBytes(view, start, this.#arenaView, this.#starts[id] as number, length)
      ) {
        return id;
      }
      slot = (slot + 1) & mask;
    }
    return this.#add(bytes, start, end, hash, slot);
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const length = end - start;
    const id = this.size++;
    if (id === this.#hashes.length) this.#allocate(id * 2);
    if (this.#arenaLength + length > this.#arena.length) {
      const larger = new Uint8Array(Math.max(this.#arena.length * 2, this.#arenaLength + length));
      larger.set(this.#arena.subarray(0, this.#arenaLength));
      this.#arena = larger;
      this.#arenaView = new DataView(larger.buffer);
    }
    this.#arena.set(bytes.subarray(start, end), this.#arenaLength);
    this.#hashes[id] = hash;
    this.#starts[id] = this.#arenaLength;
    this.#lengths[id] = length;
    this.#arenaLength += length;
    const text = isValidUtf8(bytes, start, end)
      ? Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('utf8')
      : decodeUtf8(bytes, start, end);
    this.#strings.push(text);
    this.#flags[id] = this.#classify(text) ? 1 : 0;
    this.#slots[slot] = id;
    if (this.size * 2 > this.#slots.length) this.#rehash();
    return id;
  }

  #allocate(capacity: number): void {
    const copy = <T extends Int32Array | Uint8Array>(to: T, from: T): T => {
      to.set(from.subarray(0, Math.min(from.length, this.size, capacity)));
      return to;
    };
    this.#hashes = copy(new Int32Array(capacity), this.#hashes);
    this.#starts = copy(new Int32Array(capacity), this.#starts);
    this.#lengths = copy(new Int32Array(capacity), this.#lengths);
    this.#next = copy(new Int32Array(capacity).fill(-1), this.#next);
    this.#flags = copy(new Uint8Array(capacity), this.#flags);
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let id = 0; id < this.size; id++) {
      let slot = (this.#hashes[id] as number) & mask;
      while ((slots[slot] as number) >= 0) slot = (slot + 1) & mask;
      slots[slot] = id;
    }
    this.#slots = slots;
  }
}
