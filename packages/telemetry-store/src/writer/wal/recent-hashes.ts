import { HASH_BYTES } from './frame.ts';

const INITIAL_SLOTS = 1 << 12;
const MAX_LOAD = 0.6;

/** One open-addressing table of 128-bit hashes with the second each was seen; 20 bytes a slot, no objects. */
class Generation {
  #keys = new Uint32Array(INITIAL_SLOTS * 4);
  /** Seconds since the epoch; 0 marks a free slot. */
  #seconds = new Uint32Array(INITIAL_SLOTS);
  #slots = INITIAL_SLOTS;
  size = 0;

  find(words: Uint32Array): number {
    const slot = this.#locate(words);
    return this.#seconds[slot] ?? 0;
  }

  add(words: Uint32Array, second: number): void {
    if (this.size + 1 > this.#slots * MAX_LOAD) this.#grow();
    const slot = this.#locate(words);
    if (this.#seconds[slot] === 0) this.size += 1;
    this.#keys.set(words, slot * 4);
    this.#seconds[slot] = second;
  }

  #locate(words: Uint32Array): number {
    const mask = this.#slots - 1;
    let slot = (words[0] ?? 0) & mask;
    while (this.#seconds[slot] !== 0) {
      const at = slot * 4;
      if (
        this.#keys[at] === words[0] &&
        this.#keys[at + 1] === words[1] &&
        this.#keys[at + 2] === words[2] &&
        this.#keys[at + 3] === words[3]
      ) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const seconds = this.#seconds;
    this.#slots *= 2;
    this.#keys = new Uint32Array(this.#slots * 4);
    this.#seconds = new Uint32Array(this.#slots);
    for (let slot = 0; slot < seconds.length; slot += 1) {
      const second = seconds[slot] ?? 0;
      if (second === 0) continue;
      const words = keys.subarray(slot * 4, slot * 4 + 4);
      const target = this.#locate(words);
      this.#keys.set(words, target * 4);
      this.#seconds[target] = second;
    }
  }
}

/**
 * The hashes of requests stored within the last window (10 minutes), so that a resend is stored once. Two
 * generations turn over; each holds at most `capacity` hashes (20 bytes a slot), so a flood of tiny requests shortens
 * the window instead of growing memory.
 */
export class RecentHashes {
  readonly #windowSeconds: number;
  readonly #capacity: number;
  #young = new Generation();
  #old = new Generation();
  #turnedAt = 0;

  constructor(windowMs: number, capacity: number) {
    this.#windowSeconds = Math.ceil(windowMs / 1_000);
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** True when the hash was added within the window before `nowMs`. */
  has(hash: Uint8Array, nowMs: number): boolean {
    const words = wordsOf(hash);
    const second = this.#young.find(words) || this.#old.find(words);
    // A clock set back must not make an old hash eternal, nor a fresh one forgotten.
    return second !== 0 && Math.abs(toSecond(nowMs) - second) <= this.#windowSeconds;
  }

  add(hash: Uint8Array, timeMs: number): void {
    const second = toSecond(timeMs);
    if (this.#turnedAt === 0) this.#turnedAt = second;
    if (Math.abs(second - this.#turnedAt) > this.#windowSeconds || this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Generation();
      this.#turnedAt = second;
    }
    this.#young.add(wordsOf(hash), second);
  }
}

function toSecond(timeMs: number): number {
  return Math.max(1, Math.floor(timeMs / 1_000));
}

function wordsOf(hash: Uint8Array): Uint32Array {
  const words = new Uint32Array(4);
  new Uint8Array(words.buffer).set(hash.subarray(0, HASH_BYTES));
  return words;
}
