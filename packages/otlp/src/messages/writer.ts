/** Grows; writes protobuf primitives. Used by the encoders, which are simple rather than fast. */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(16_384);
  #at = 0;

  /** What was written; the writer starts anew. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return taken;
  }

  tag(field: number, wireType: number): void {
    this.varint((field << 3) | wireType);
  }

  /** An unsigned number below 2^32. */
  varint(value: number): void {
    this.#ensure(5);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#at++] = rest;
  }

  /** Two's complement of 64 bits, as int64 and uint64 fields have it. */
  varint64(value: bigint): void {
    this.#ensure(10);
    let rest = BigInt.asUintN(64, value);
    while (rest >= 0x80n) {
      this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#at++] = Number(rest);
  }

  fixed32(value: number): void {
    this.#ensure(4);
    this.#at = this.#bytes.writeUInt32LE(value >>> 0, this.#at);
  }

  fixed64(value: bigint): void {
    this.#ensure(8);
    this.#at = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#at);
  }

  double(value: number): void {
    this.#ensure(8);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  /** Length and bytes. */
  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.#ensure(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  /** Length and UTF-8; lone surrogates become U+FFFD. */
  text(value: string): void {
    const size = Buffer.byteLength(value, 'utf8');
    this.varint(size);
    this.#ensure(size);
    this.#at += this.#bytes.write(value, this.#at, 'utf8');
  }

  /** Starts a length-delimited message; give the result to `end`. */
  begin(): number {
    this.#ensure(1);
    this.#at++;
    return this.#at;
  }

  /** Writes the length of what followed `begin`, moving it when the length needs more than the one byte left for it. */
  end(start: number): void {
    const length = this.#at - start;
    let extra = 0;
    for (let rest = length; rest >= 0x80; rest >>>= 7) extra++;
    if (extra > 0) {
      this.#ensure(extra);
      this.#bytes.copyWithin(start + extra, start, this.#at);
    }
    this.#at = start - 1;
    this.varint(length);
    this.#at += length;
  }

  #ensure(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + more));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
