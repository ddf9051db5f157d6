import { releaseBytes } from '@candela/kernel';

/** What is set aside for a body before any of it came, at most: a length is only a claim. */
const FIRST_BYTES = 1 << 20;
const UNKNOWN_BYTES = 64 << 10;

/**
 * Gathers the chunks of a body in one buffer of its own. Each chunk's memory is given back as soon as it is copied:
 * at a hundred megabytes a second, leaving that to the garbage collector costs more than decoding does.
 */
export class Gatherer {
  readonly #expected: number;
  #buffer: ArrayBuffer;
  #length = 0;

  /** `expected`: the announced length, 0 when there is none. */
  constructor(expected: number) {
    this.#expected = expected;
    this.#buffer = new ArrayBuffer(Math.min(expected > 0 ? expected : UNKNOWN_BYTES, FIRST_BYTES));
  }

  get length(): number {
    return this.#length;
  }

  /** Takes the bytes over; the chunk must not be used by anybody afterwards. */
  add(chunk: Uint8Array): void {
    const needed = this.#length + chunk.byteLength;
    if (needed > this.#buffer.byteLength) {
      const doubled = Math.max(needed, this.#buffer.byteLength * 2);
      this.#buffer = this.#buffer.transfer(
        needed <= this.#expected ? Math.min(doubled, this.#expected) : doubled,
      );
    }
    new Uint8Array(this.#buffer).set(chunk, this.#length);
    this.#length = needed;
    releaseBytes(chunk);
  }

  /** The body, alone on its buffer. */
  finish(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(
      this.#length === this.#buffer.byteLength ? this.#buffer : this.#buffer.transfer(this.#length),
    );
  }
}
