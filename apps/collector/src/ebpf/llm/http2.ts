import hpack from 'hpack.js';
import { ProtocolError } from './http1.ts';

const MAX_FRAME = 1_048_576;
/** A block of headers may be this long packed and hold this many: a bomb of references ends here. */
const MAX_BLOCK = 65_536;
const MAX_HEADERS = 512;
const TABLE_BYTES = 65_536;
const PREFACE = 24;
const [DATA, HEADERS, RST, PUSH, CONTINUATION] = [0, 1, 3, 5, 9] as const;
const [END_STREAM, END_HEADERS, PADDED, PRIORITY] = [1, 4, 8, 32] as const;

export type Field = readonly [string, string];

export interface Http2Events {
  headers(stream: number, fields: readonly Field[], end: boolean, at: bigint): void;
  data(stream: number, piece: Buffer, end: boolean, at: bigint): void;
  reset(stream: number, at: bigint): void;
}

/** One direction of HTTP/2, fed in pieces of any size. */
export class Http2Reader {
  readonly #events: Http2Events;
  readonly #decoder = hpack.decompressor.create({ table: { maxSize: TABLE_BYTES } });
  #held: Buffer = Buffer.alloc(0);
  #preface: number;
  #block: { readonly stream: number; readonly end: boolean; parts: Buffer[]; size: number } | undefined;
  #failed = false;

  /** @param client the direction that begins with the preface */
  constructor(events: Http2Events, client: boolean) {
    this.#events = events;
    this.#preface = client ? PREFACE : 0;
    this.#decoder.on('error', () => (this.#failed = true));
  }

  /** @throws ProtocolError */
  push(input: Buffer, at: bigint): void {
    let all = this.#held.length === 0 ? input : Buffer.concat([this.#held, input]);
    const skipped = Math.min(this.#preface, all.length);
    this.#preface -= skipped;
    all = all.subarray(skipped);
    while (all.length >= 9) {
      const length = all.readUIntBE(0, 3);
      if (length > MAX_FRAME) throw new ProtocolError('a frame is longer than any that is sent');
      if (all.length < 9 + length) break;
      this.#frame(
        all[3] ?? 0,
        all[4] ?? 0,
        all.readUInt32BE(5) & 0x7fffffff,
        all.subarray(9, 9 + length),
        at,
      );
      all = all.subarray(9 + length);
    }
    this.#held = Buffer.from(all);
  }

  #frame(type: number, flags: number, stream: number, payload: Buffer, at: bigint): void {
    if (this.#block !== undefined && type !== CONTINUATION) throw new ProtocolError('headers are cut off');
    const end = (flags & END_STREAM) !== 0;
    switch (type) {
      case DATA:
        return this.#events.data(stream, unpadded(payload, flags), end, at);
      case HEADERS: {
        const rest = unpadded(payload, flags);
        this.#block = { stream, end, parts: [], size: 0 };
        return this.#fragment(rest.subarray((flags & PRIORITY) === 0 ? 0 : 5), flags, at);
      }
      case PUSH:
        throw new ProtocolError('pushed answers are not followed');
      case CONTINUATION:
        return this.#fragment(payload, flags, at);
      case RST:
        return this.#events.reset(stream, at);
      default:
    }
  }

  #fragment(part: Buffer, flags: number, at: bigint): void {
    const block = this.#block;
    if (block === undefined) throw new ProtocolError('a continuation of nothing');
    block.size += part.length;
    if (block.size > MAX_BLOCK) throw new ProtocolError('a block of headers is too long');
    block.parts.push(Buffer.from(part));
    if ((flags & END_HEADERS) === 0) return;
    this.#block = undefined;
    this.#events.headers(block.stream, this.#decode(Buffer.concat(block.parts)), block.end, at);
  }

  #decode(block: Buffer): Field[] {
    const fields: Field[] = [];
    try {
      this.#decoder.write(block);
      this.#decoder.execute();
    } catch {
      this.#failed = true;
    }
    if (this.#failed) throw new ProtocolError('headers that cannot be read');
    for (let field = this.#decoder.read(); field !== null; field = this.#decoder.read()) {
      if (fields.length >= MAX_HEADERS) throw new ProtocolError('too many headers');
      fields.push([field.name, field.value]);
    }
    return fields;
  }
}

function unpadded(payload: Buffer, flags: number): Buffer {
  if ((flags & PADDED) === 0) return payload;
  const padding = payload[0] ?? 0;
  if (1 + padding > payload.length) throw new ProtocolError('padding is longer than its frame');
  return payload.subarray(1, payload.length - padding);
}
