import type { Body } from './body.ts';
import { type Exchange, keepHeader, newExchange } from './exchange.ts';
import { Http1Reader, ProtocolError } from './http1.ts';
import { beginsFrame, type Field, Http2Reader } from './http2.ts';

/** Requests under way on one connection. */
const MAX_OPEN = 1_000;
const REQUEST = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S/;
const BEGIN_BYTES = 16;
const SETTINGS = 4;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

type Side = 'written' | 'read';
interface Protocol {
  push(side: Side, piece: Buffer, at: bigint): void;
  /** `lost`: not because it ended, but because records of it are missing. */
  close(at: bigint, lost: boolean): void;
}

/**
 * What a process says over one TLS stream, as the client; a server's side is left alone. Of HTTP/2 that was open before
 * the tap came the headers stay unknown, and what calls are about is told from their bodies.
 */
export class Connection {
  readonly #done: (exchange: Exchange) => void;
  #protocol: Protocol | undefined;
  #ignored = false;
  #begin: Buffer = Buffer.alloc(0);
  /** The name that the client asked for by SNI. */
  server: string | undefined;

  constructor(done: (exchange: Exchange) => void) {
    this.#done = (exchange) => {
      exchange.server = this.server;
      done(exchange);
    };
  }

  push(side: Side, input: Buffer, at: bigint): void {
    if (this.#ignored) return;
    let piece = input;
    try {
      if (this.#protocol === undefined) {
        // An answer whose request was written before the tap was there, or a server's request.
        if (side === 'read') return;
        piece = Buffer.concat([this.#begin, input]);
        // Too little to tell one protocol from the other.
        this.#begin = piece.length < BEGIN_BYTES ? piece : Buffer.alloc(0);
        if (piece.length < BEGIN_BYTES) return;
        const begin = piece.toString('latin1', 0, 64);
        if (begin.startsWith(PREFACE.slice(0, Math.min(24, begin.length))))
          this.#protocol = http2(this.#done);
        else if (REQUEST.test(begin)) this.#protocol = http1(this.#done);
        else if (!beginsFrame(piece)) return;
        // A client begins with the preface: who begins with its settings is a server.
        else if (piece[3] === SETTINGS && piece[4] === 0) this.#ignored = true;
        else this.#protocol = http2(this.#done, true);
      }
      this.#protocol?.push(side, piece, at);
    } catch (thrown) {
      if (!(thrown instanceof ProtocolError)) throw thrown;
      this.#ignored = true;
      this.#protocol = undefined;
    }
  }

  /** Bytes that the kernel left out of a long write. */
  skip(side: Side, bytes: number, at: bigint): void {
    const filler = Buffer.alloc(65_536, 0x20);
    for (let left = bytes; left > 0; left -= filler.length)
      this.push(side, filler.subarray(0, Math.min(left, filler.length)), at);
  }

  /** Records are missing: what is under way is told as broken, and it goes on where a request or a frame begins. */
  lose(at: bigint): void {
    this.#end(at, true);
  }

  close(at: bigint): void {
    this.#end(at, false);
  }

  #end(at: bigint, lost: boolean): void {
    try {
      this.#protocol?.close(at, lost);
    } catch {
      // It ends here in any case.
    }
    this.#protocol = undefined;
    this.#begin = Buffer.alloc(0);
  }
}

function http1(done: (exchange: Exchange) => void): Protocol {
  const open: Exchange[] = [];
  let answered: Exchange | undefined;
  const written = new Http1Reader({
    head: ({ first: [method, target], headers }, at) => {
      if (open.length >= MAX_OPEN) throw new ProtocolError('too many requests without an answer');
      const exchange = newExchange(method, target, headers, at);
      open.push(exchange);
      return { body: exchange.request.body, bodyless: false };
    },
    end: () => undefined,
  });
  const read = new Http1Reader({
    head: ({ first: [, status], headers }, at) => {
      const exchange = open[0];
      if (exchange === undefined) throw new ProtocolError('an answer to nothing');
      const code = Number(status);
      const interim = code >= 100 && code < 200;
      answered = interim ? undefined : exchange;
      if (!interim) {
        exchange.status = code;
        exchange.responseHeaders = headers;
        exchange.endedAt = at;
      }
      return {
        body: exchange.response,
        bodyless: interim || code === 204 || code === 304 || exchange.method === 'HEAD',
      };
    },
    end: (at) => {
      if (answered === undefined) return;
      open.shift();
      answered.endedAt = at;
      done(answered);
      answered = undefined;
    },
  });
  return {
    push: (side, piece, at) => (side === 'written' ? written : read).push(piece, at),
    close: (at, lost) => {
      const last = answered;
      // It is told within: the end of a connection is the end of a body that has no other.
      if (last !== undefined) last.broken = lost || read.isCut;
      read.close(at);
      for (const exchange of open.splice(0)) {
        exchange.broken = true;
        exchange.endedAt = at;
        if (exchange !== last) done(exchange);
      }
    },
  };
}

function http2(done: (exchange: Exchange) => void, late = false): Protocol {
  const open = new Map<number, Exchange>();
  const finish = (stream: number, at: bigint, broken: boolean): void => {
    const exchange = open.get(stream);
    if (exchange === undefined) return;
    open.delete(stream);
    exchange.endedAt = at;
    exchange.broken = broken;
    done(exchange);
  };
  const bodyOf = (stream: number, side: Side): Body | undefined => {
    const exchange = open.get(stream);
    return side === 'written' ? exchange?.request.body : exchange?.response;
  };
  const pick = (fields: readonly Field[]) => {
    const headers = new Map<string, string>();
    for (const [name, value] of fields) keepHeader(headers, name, value);
    const one = (wanted: string) => fields.find(([name]) => name === wanted)?.[1] ?? '';
    return { headers, one };
  };
  const reader = (side: Side) =>
    new Http2Reader(
      {
        headers: (stream, fields, end, at) => {
          const { headers, one } = pick(fields);
          if (side === 'written') {
            // Trailers have no method; of what is late it is not known.
            const method = late && !open.has(stream) ? 'POST' : one(':method');
            if (method === '') return;
            if (open.size >= MAX_OPEN) throw new ProtocolError('too many requests without an answer');
            open.set(stream, newExchange(method, one(':path'), headers, at));
            return;
          }
          const exchange = open.get(stream);
          const status = Number(one(':status'));
          if (exchange !== undefined && status >= 200) {
            exchange.status = status;
            exchange.responseHeaders = headers;
          }
          if (end) finish(stream, at, false);
        },
        data: (stream, piece, end, at) => {
          bodyOf(stream, side)?.push(piece, at);
          if (end && side === 'read') finish(stream, at, false);
        },
        reset: (stream, at) => finish(stream, at, true),
      },
      side === 'written' && !late ? 'client' : late ? 'late' : 'server',
    );
  const readers = { written: reader('written'), read: reader('read') };
  return {
    push: (side, piece, at) => readers[side].push(piece, at),
    close: (at) => {
      for (const stream of open.keys()) finish(stream, at, true);
    },
  };
}
