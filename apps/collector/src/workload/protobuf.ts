/** A field of a protobuf message: length-delimited ones have bytes, all others none. */
export interface Field {
  readonly number: number;
  readonly bytes: Uint8Array | undefined;
}

/** The fields of one message, in their order. @throws Error the bytes are no message */
export function* fields(message: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = message[at];
      if (byte === undefined) break;
      at += 1;
      // Beyond 2^53 the value is wrong; tags and lengths are far below, and other varints are not looked at.
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error('the message is cut off');
  };
  const skip = (size: number): Uint8Array => {
    if (size > message.length - at) throw new Error('the message is cut off');
    at += size;
    return message.subarray(at - size, at);
  };
  while (at < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        varint();
        yield { number, bytes: undefined };
        break;
      case 1:
        skip(8);
        yield { number, bytes: undefined };
        break;
      case 2:
        yield { number, bytes: skip(varint()) };
        break;
      case 5:
        skip(4);
        yield { number, bytes: undefined };
        break;
      default:
        throw new Error('the message has a field of an unknown kind');
    }
  }
}

const decoder = new TextDecoder();

export const utf8 = (bytes: Uint8Array): string => decoder.decode(bytes);
