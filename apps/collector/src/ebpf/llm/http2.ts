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
  readonly #late: boolean;
  #synced = false;

  /** @param part the client's side begins with the preface; of a late one headers are not read */
  constructor(events: Http2Events, part: 'client' | 'server' | 'late') {
    this.#events = events;
    this.#late = part === 'late';
    this.#preface = part === 'client' ? PREFACE : 0;
    this.#decoder.on('error', () => (this.#failed = true));
  }

  /** @throws ProtocolError */
  push(input: Buffer, at: bigint): void {
    if (this.#late && !this.#synced) {
      if (!beginsFrame(input)) return;
      this.#synced = true;
    }
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
    // The table that they refer to was filled before anybody looked.
    const fields = this.#late ? [] : this.#decode(Buffer.concat(block.parts));
    this.#events.headers(block.stream, fields, block.end, at);
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

/** Flags that each kind of frame may have. */
const FLAGS = [0x09, 0x2d, 0, 0, 0x01, 0x0c, 0x01, 0, 0, 0x04] as const;
const OF_CONNECTION = new Set([4, 6, 7]);
const MAX_PLAIN_FRAME = 16_384;

/** Whether bytes begin with a frame, by all that a frame has to be, and the next one where it is there. */
export function beginsFrame(bytes: Buffer): boolean {
  for (let at = 0, seen = 0; seen < 3; seen += 1) {
    if (at === bytes.length && seen > 0) return true;
    if (bytes.length - at < 9) return false;
    const [length, type, flags] = [bytes.readUIntBE(at, 3), bytes[at + 3] ?? 255, bytes[at + 4] ?? 255];
    const stream = bytes.readUInt32BE(at + 5);
    const known = FLAGS[type];
    if (known === undefined || (flags & ~known) !== 0 || length > MAX_PLAIN_FRAME) return false;
    if (type !== 8 && (stream === 0) !== OF_CONNECTION.has(type)) return false;
    if (stream !== 0 && (stream > 0x7fffffff || stream % 2 === 0)) return false;
    at += 9 + length;
    // The rest comes later: one header of nine bytes that is right in all is believed.
    if (at > bytes.length) return true;
  }
  return true;
}

function unpadded(payload: Buffer, flags: number): Buffer {
  if ((flags & PADDED) === 0) return payload;
  const padding = payload[0] ?? 0;
  if (1 + padding > payload.length) throw new ProtocolError('padding is longer than its frame');
  return payload.subarray(1, payload.length - padding);
}
