/** Appends protobuf fields to a growing buffer and tells where fixed-size values landed, so that they can be patched. */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(512);
  #length = 0;

  get position(): number {
    return this.#length;
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  tag(field: number, wire: number): void {
    this.varint(field * 8 + wire);
  }

  /** Returns the position of the first byte of the text. */
  text(field: number, value: string): number {
    const size = Buffer.byteLength(value);
    this.tag(field, 2);
    this.varint(size);
    this.#reserve(size);
    const at = this.#length;
    this.#length += this.#bytes.write(value, at);
    return at;
  }

  /** Bytes that are filled in later; returns their position. */
  hole(field: number, size: number): number {
    this.tag(field, 2);
    this.varint(size);
    this.#reserve(size);
    const at = this.#length;
    this.#bytes.fill(0, at, at + size);
    this.#length += size;
    return at;
  }

  /** A fixed64 that is filled in later; returns its position. */
  fixed64Hole(field: number): number {
    this.tag(field, 1);
    this.#reserve(8);
    const at = this.#length;
    this.#bytes.fill(0, at, at + 8);
    this.#length += 8;
    return at;
  }

  number(field: number, value: number): void {
    this.tag(field, 0);
    this.varint(value);
  }

  /** A nested message: `body` writes to a writer of its own; returns where that message begins here. */
  message(field: number, body: ProtoWriter): number {
    this.tag(field, 2);
    this.varint(body.#length);
    this.#reserve(body.#length);
    const at = this.#length;
    body.#bytes.copy(this.#bytes, at, 0, body.#length);
    this.#length += body.#length;
    return at;
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const bigger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + size));
    this.#bytes.copy(bigger, 0, 0, this.#length);
    this.#bytes = bigger;
  }
}
