import { fail } from '@candela/kernel';

/** Protobuf wire types that OTLP uses. */
export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
export const FIXED32 = 5;

/** The error of a body that cannot be read as protobuf. */
export function malformed(detail: string): Error {
  return fail('undecodable', { format: 'protobuf', detail });
}

/**
 * A position in protobuf bytes. Every read is checked against the end of the whole body; a message's own end is
 * checked by its reading loop (`finish`), so that a field cannot reach out of its message unnoticed.
 *
 * 64-bit values are left as two 32-bit halves (`low`, `high`): a BigInt for every timestamp would cost more than
 * all the rest of the decoding.
 */
export class Wire {
  bytes: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(this.bytes.buffer);
  pos = 0;
  low = 0;
  high = 0;

  open(bytes: Uint8Array): void {
    // A plain Uint8Array even when given a Buffer: taking parts of it is several times cheaper.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.pos = 0;
  }

  /** Forgets the bytes, so that an idle codec does not keep a large body alive. */
  close(): void {
    this.open(EMPTY);
  }

  /** A varint that must fit 32 bits: tags and lengths. */
  uint32(): number {
    // Nearly all are one byte; this part is small enough for V8 to put it into the callers' loops.
    const { pos } = this;
    if (pos < this.bytes.length) {
      const byte = this.bytes[pos] as number;
      if (byte < 0x80) {
        this.pos = pos + 1;
        return byte;
      }
    }
    return this.#longUint32();
  }

  #longUint32(): number {
    const { bytes } = this;
    let { pos } = this;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (pos >= bytes.length) throw malformed('it ends in the middle of a number');
      const byte = bytes[pos++] as number;
      if (shift === 28 && byte > 0x0f) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.pos = pos;
        return value >>> 0;
      }
    }
    throw malformed('a tag or length is larger than 32 bits');
  }

  /** Any varint, into `low` and `high` (unsigned 32-bit halves). */
  varint64(): void {
    const { bytes } = this;
    let { pos } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (pos >= bytes.length) throw malformed('it ends in the middle of a number');
      const byte = bytes[pos++] as number;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= (bits & 1) << 31;
      if (byte < 0x80) {
        this.pos = pos;
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw malformed('a number is longer than 10 bytes');
  }

  /** A varint of a 32-bit field (enum, uint32, bool): the low half, as protobuf truncates. */
  varint32(): number {
    this.varint64();
    return this.low;
  }

  /** A zigzag-encoded 32-bit field. */
  sint32(): number {
    const value = this.varint32();
    return (value >>> 1) ^ -(value & 1);
  }

  fixed32(): number {
    const { pos } = this;
    if (pos + 4 > this.bytes.length) throw malformed('it ends in the middle of a number');
    this.pos = pos + 4;
    return this.view.getUint32(pos, true);
  }

  /** Into `low` and `high`. */
  fixed64(): void {
    const { pos } = this;
    if (pos + 8 > this.bytes.length) throw malformed('it ends in the middle of a number');
    this.low = this.view.getUint32(pos, true);
    this.high = this.view.getUint32(pos + 4, true);
    this.pos = pos + 8;
  }

  double(): number {
    const { pos } = this;
    if (pos + 8 > this.bytes.length) throw malformed('it ends in the middle of a number');
    this.pos = pos + 8;
    return this.view.getFloat64(pos, true);
  }

  /** Reads a length and returns where that field ends; `pos` is its start. `end` is the enclosing message's end. */
  until(end: number): number {
    const length = this.uint32();
    const until = this.pos + length;
    if (until > end) throw malformed('a field is longer than the message it is in');
    return until;
  }

  /** Skips the field of `tag`, whose tag was read. */
  skip(tag: number, end: number): void {
    if (tag >>> 3 === 0) throw malformed('a field has number 0');
    switch (tag & 7) {
      case VARINT:
        this.varint64();
        return;
      case FIXED64:
        this.pos += 8;
        break;
      case LENGTH_DELIMITED:
        this.pos = this.until(end);
        return;
      case FIXED32:
        this.pos += 4;
        break;
      default:
        throw malformed(`wire type ${tag & 7} is not used by OTLP`);
    }
    if (this.pos > end) throw malformed('a field is longer than the message it is in');
  }

  /** To be called after a message's reading loop. */
  finish(end: number): void {
    if (this.pos !== end) throw malformed('a field is longer than the message it is in');
  }
}

const EMPTY = new Uint8Array(0);

/** The tag of a field: its number and wire type. */
export function tagOf(field: number, wireType: number): number {
  return ((field << 3) | wireType) >>> 0;
}
