import type { Body } from './body.ts';
import { keepHeader } from './exchange.ts';

const MAX_HEAD = 65_536;
const MAX_LINE = 256;

export interface Head {
  /** The first line in its three parts. */
  readonly first: readonly [string, string, string];
  readonly headers: ReadonlyMap<string, string>;
}

export interface Http1Events {
  /** The head of a message is read. Where its body goes; `bodyless` of answers that have none. */
  head(head: Head, at: bigint): { readonly body: Body; readonly bodyless: boolean };
  end(at: bigint): void;
}

/** What cannot be HTTP/1.1; the direction is given up. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

type Mode = 'head' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer' | 'until-close';

/** One direction of HTTP/1.1, fed in pieces of any size. */
export class Http1Reader {
  readonly #events: Http1Events;
  #mode: Mode = 'head';
  #held: Buffer = Buffer.alloc(0);
  #left = 0;
  #body: Body | undefined;

  constructor(events: Http1Events) {
    this.#events = events;
  }

  /** @throws ProtocolError */
  push(input: Buffer, at: bigint): void {
    let piece = input;
    while (piece.length > 0) {
      switch (this.#mode) {
        case 'head':
          piece = this.#readHead(piece, at);
          break;
        case 'length':
        case 'chunk': {
          const part = piece.subarray(0, this.#left);
          this.#body?.push(part, at);
          this.#left -= part.length;
          piece = piece.subarray(part.length);
          if (this.#left > 0) break;
          if (this.#mode === 'length') this.#finish(at);
          else this.#mode = 'chunk-end';
          break;
        }
        case 'until-close':
          this.#body?.push(piece, at);
          return;
        default:
          piece = this.#readLine(piece, at);
      }
    }
  }

  /** A message has begun whose end would be told. */
  get isCut(): boolean {
    return this.#mode !== 'head' && this.#mode !== 'until-close';
  }

  /** The connection is closed: the end of a body that has no other. */
  close(at: bigint): void {
    if (this.#mode !== 'head') this.#finish(at);
  }

  #finish(at: bigint): void {
    this.#mode = 'head';
    this.#body = undefined;
    this.#events.end(at);
  }

  #readHead(piece: Buffer, at: bigint): Buffer {
    const before = this.#held.length;
    const all = before === 0 ? piece : Buffer.concat([this.#held, piece]);
    const end = all.indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end === -1) {
      if (all.length > MAX_HEAD) throw new ProtocolError('a head is longer than 64 kB');
      this.#held = Buffer.from(all);
      return Buffer.alloc(0);
    }
    this.#held = Buffer.alloc(0);
    const [first = '', ...lines] = all.toString('latin1', 0, end).split('\r\n');
    const parts = first.split(' ');
    const [one = '', two = ''] = parts;
    if (!/^(?:HTTP\/1\.[01]|[A-Z]{3,10})$/.test(one) || two === '') throw new ProtocolError('no HTTP/1.1');
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      if (colon > 0) keepHeader(headers, line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    }
    const head: Head = { first: [one, two, parts.slice(2).join(' ')], headers };
    const { body, bodyless } = this.#events.head(head, at);
    this.#body = body;
    const length = headers.get('content-length');
    if (bodyless) this.#finish(at);
    else if (/\bchunked\b/i.test(headers.get('transfer-encoding') ?? '')) this.#mode = 'chunk-size';
    else if (length !== undefined) {
      this.#left = /^\d{1,15}$/.test(length) ? Number(length) : -1;
      if (this.#left < 0) throw new ProtocolError('a length that is no number');
      if (this.#left === 0) this.#finish(at);
      else this.#mode = 'length';
    } else if (one.startsWith('HTTP/')) this.#mode = 'until-close';
    else this.#finish(at);
    return all.subarray(end + 4);
  }

  #readLine(piece: Buffer, at: bigint): Buffer {
    const all = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    const end = all.indexOf('\n');
    if (end === -1) {
      if (all.length > MAX_LINE) throw new ProtocolError('a line of a chunk is too long');
      this.#held = Buffer.from(all);
      return Buffer.alloc(0);
    }
    this.#held = Buffer.alloc(0);
    const line = all.toString('latin1', 0, end).replace(/\r$/, '');
    if (this.#mode === 'chunk-size') {
      const size = /^([0-9a-fA-F]{1,8})\s*(?:;.*)?$/.exec(line)?.[1];
      if (size === undefined) throw new ProtocolError('a size of a chunk that is none');
      this.#left = Number.parseInt(size, 16);
      this.#mode = this.#left === 0 ? 'trailer' : 'chunk';
    } else if (this.#mode === 'chunk-end') {
      if (line !== '') throw new ProtocolError('a chunk is longer than it says');
      this.#mode = 'chunk-size';
    } else if (line === '') this.#finish(at);
    return all.subarray(end + 1);
  }
}
