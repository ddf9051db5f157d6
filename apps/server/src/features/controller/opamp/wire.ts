/** What cannot be read as protobuf, or is more than is taken. */
export class OpampError extends Error {
  override readonly name = 'OpampError';
}

/** A field of a message: a number, or bytes. Bounds are those of the whole message, which is checked before. */
interface Field {
  readonly number: number;
  readonly value: bigint | Buffer;
}

const MAX_FIELDS = 20_000;

/** Protobuf's wire format, as far as OpAMP needs it: varints, 64 bits and lengths; groups are none. @throws OpampError */
export function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new OpampError('the message ends within a number');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new OpampError('a number is longer than 64 bits');
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new OpampError('the message ends within a field');
    at += length;
    return bytes.subarray(at - length, at);
  };
  for (let count = 0; at < bytes.length; count += 1) {
    if (count >= MAX_FIELDS) throw new OpampError('the message has too many fields');
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: take(8).readBigUInt64LE(0) };
        break;
      case 2: {
        const length = varint();
        if (length > BigInt(bytes.length)) throw new OpampError('a length is beyond the message');
        yield { number, value: take(Number(length)) };
        break;
      }
      case 5:
        yield { number, value: BigInt(take(4).readUInt32LE(0)) };
        break;
      default:
        throw new OpampError('an unknown kind of field');
    }
  }
}

export const bytesOf = (value: bigint | Buffer): Buffer =>
  typeof value === 'bigint' ? Buffer.alloc(0) : value;
export const numberOf = (value: bigint | Buffer): bigint => (typeof value === 'bigint' ? value : 0n);
export const textOf = (value: bigint | Buffer): string => bytesOf(value).toString('utf8');

function varintOf(value: bigint): Buffer {
  const out: number[] = [];
  let left = value;
  do {
    out.push(Number(left & 0x7fn) | (left > 0x7fn ? 0x80 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(out);
}

/** A field of a message to be sent; nothing for what is the default of its kind. */
export function field(number: number, value: bigint | string | Buffer): Buffer {
  if (typeof value === 'bigint')
    return value === 0n ? Buffer.alloc(0) : Buffer.concat([varintOf(BigInt(number << 3)), varintOf(value)]);
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varintOf(BigInt((number << 3) | 2)), varintOf(BigInt(bytes.length)), bytes]);
}
