/** Above this a buffer is given back after the block instead of kept for the next one. */
const KEEP_BYTES = 4 << 20;
const INITIAL_BYTES = 4096;
/** Up to here a loop beats the call into the engine's memcpy. */
export const SHORT = 40;

const HEX_PAIRS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const text = byte.toString(16).padStart(2, '0');
  return text.charCodeAt(0) | (text.charCodeAt(1) << 8);
});

/** Bytes that only grow, kept between blocks. Unsigned varints and strings as ClickHouse's `Native` has them. */
export class ByteSink {
  bytes = new Uint8Array(INITIAL_BYTES);
  view = new DataView(this.bytes.buffer);
  length = 0;

  reset(): void {
    if (this.bytes.length > KEEP_BYTES) {
      this.bytes = new Uint8Array(INITIAL_BYTES);
      this.view = new DataView(this.bytes.buffer);
    }
    this.length = 0;
  }

  /** Makes room for `more` bytes. */
  ensure(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  byte(value: number): void {
    this.ensure(1);
    this.bytes[this.length++] = value;
  }

  varint(value: number): void {
    this.ensure(5);
    this.length = writeVarint(this.bytes, this.length, value);
  }

  /** A string column's item: the length of `source`, then `source`. */
  stringBytes(source: Uint8Array): void {
    const size = source.length;
    this.ensure(size + 5);
    const at = writeVarint(this.bytes, this.length, size);
    this.bytes.set(source, at);
    this.length = at + size;
  }

  /**
   * A string column's item of at most {@link SHORT} bytes, copied and checked in one go. Returns false, and appends
   * nothing, when it is not ASCII.
   */
  ascii(source: Uint8Array, start: number, end: number): boolean {
    const size = end - start;
    this.ensure(size + 1);
    const { bytes } = this;
    let at = this.length;
    bytes[at++] = size;
    let bits = 0;
    for (let index = start; index < end; index++) {
      const byte = source[index] as number;
      bits |= byte;
      bytes[at++] = byte;
    }
    if (bits >= 0x80) return false;
    this.length = at;
    return true;
  }

  /** A string column's item from text. Lone surrogates become U+FFFD. */
  string(text: string): void {
    const { length } = text;
    if (length === 0) {
      this.byte(0);
      return;
    }
    if (length <= SHORT && this.#ascii(text)) return;
    const size = Buffer.byteLength(text, 'utf8');
    this.ensure(size + 5);
    this.length = writeVarint(this.bytes, this.length, size);
    encoder.encodeInto(text, this.bytes.subarray(this.length, this.length + size));
    this.length += size;
  }

  #ascii(text: string): boolean {
    const { length } = text;
    this.ensure(length + 1);
    const { bytes } = this;
    let at = this.length;
    bytes[at++] = length;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      bytes[at++] = code;
    }
    this.length = at;
    return true;
  }

  /** A string column's item: bytes `start..end` in lower-case hex. */
  hex(source: Uint8Array, start: number, end: number): void {
    const size = (end - start) * 2;
    this.ensure(size + 5);
    let at = writeVarint(this.bytes, this.length, size);
    const { view } = this;
    for (let index = start; index < end; index++) {
      view.setUint16(at, HEX_PAIRS[source[index] as number] as number, true);
      at += 2;
    }
    this.length = at;
  }

  /** Appends bytes `start..end` of this sink itself. */
  repeat(start: number, end: number): void {
    const size = end - start;
    this.ensure(size);
    this.bytes.copyWithin(this.length, start, end);
    this.length += size;
  }
}

const encoder = new TextEncoder();

export function writeVarint(bytes: Uint8Array, position: number, value: number): number {
  let at = position;
  let rest = value;
  while (rest >= 0x80) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}
