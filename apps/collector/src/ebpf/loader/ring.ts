import type { BpfMap } from './maps.ts';
import type { Kernel, Mapping } from './native.ts';

const PAGE = 4_096;
const HEADER = 8;
const BUSY = 0x80000000;
const DISCARDED = 0x40000000;
const RELEASE = 256;

/**
 * Reads a ring that programs of the kernel write. Its data is mapped twice in a row, so that a record that wraps is read
 * in one piece. The kernel lets the side that it writes be mapped for reading only, where `Atomics.load` must not be used:
 * JavaScriptCore compiles it to an addition of 0 once the loop is hot, and that is a write, which ends the process.
 */
export class RingReader {
  readonly #consumer: Mapping;
  readonly #producer: Mapping;
  readonly #consumed: BigUint64Array;
  readonly #produced: BigUint64Array;
  readonly #headers: Int32Array;
  readonly #data: Buffer;
  readonly #mask: number;
  readonly #fence = new Int32Array(new SharedArrayBuffer(4));

  /** @throws SystemCallError */
  constructor(kernel: Kernel, map: BpfMap) {
    const size = map.entries;
    this.#mask = size - 1;
    this.#consumer = kernel.map(map.descriptor, PAGE, 0, true);
    this.#producer = kernel.map(map.descriptor, PAGE + 2 * size, PAGE, false);
    this.#consumed = new BigUint64Array(this.#consumer.bytes, 0, 1);
    this.#produced = new BigUint64Array(this.#producer.bytes, 0, 1);
    this.#headers = new Int32Array(this.#producer.bytes, PAGE, (2 * size) / 4);
    this.#data = Buffer.from(this.#producer.bytes, PAGE, 2 * size);
  }

  /** Hands over what is there, at most `most` records; the bytes are good for the call alone. Returns how many. */
  read(take: (bytes: Buffer, at: number, length: number) => void, most = 200_000): number {
    let count = 0;
    let at = Atomics.load(this.#consumed, 0);
    const end = this.#produced[0] ?? 0n;
    this.#ordered();
    while (at < end && count < most) {
      const place = Number(at & BigInt(this.#mask));
      const header = (this.#headers[place >> 2] ?? 0) >>> 0;
      this.#ordered();
      if (header >= BUSY) break;
      const length = header & ~DISCARDED;
      if ((header & DISCARDED) === 0) {
        take(this.#data, place + HEADER, length);
        count += 1;
      }
      at += BigInt((length + HEADER + 7) & ~7);
      // Whoever writes has its room back while the rest is read.
      if (count % RELEASE === 0) Atomics.store(this.#consumed, 0, at);
    }
    Atomics.store(this.#consumed, 0, at);
    return count;
  }

  /** What is read after this was read after what is read before: what a record holds, after its end was announced. */
  #ordered(): void {
    Atomics.add(this.#fence, 0, 0);
  }

  close(): void {
    this.#consumer.close();
    this.#producer.close();
  }
}
