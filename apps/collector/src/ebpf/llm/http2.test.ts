import { once } from 'node:events';
import { connect, createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect as connectSocket, createServer as createProxy } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callOf, type LlmCall } from './calls.ts';
import { Connection } from './connection.ts';

const T = 1n;
const CALLS = 3;
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
type Piece = readonly ['written' | 'read', Buffer];

const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
const SETTINGS = frame(4, 0, 0, Buffer.alloc(0));

/** What Node's client and server said to each other. */
async function recorded(): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.resume();
    stream.on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'text/event-stream' });
      stream.write('event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":');
      stream.write('{"input_tokens":11,"output_tokens":1}}}\n\n');
      stream.end('data: {"type":"message_delta","usage":{"output_tokens":42}}\n\n');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy = createProxy((from) => {
    const to = connectSocket((server.address() as AddressInfo).port, '127.0.0.1');
    from.on('data', (piece) => pieces.push(['written', Buffer.from(piece)]));
    to.on('data', (piece) => pieces.push(['read', Buffer.from(piece)]));
    from.pipe(to).pipe(from);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const session = connect(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  for (let at = 0; at < CALLS; at += 1) {
    const headers = { ':method': 'POST', ':path': '/v1/messages?key=sk-1', authorization: 'Bearer sk-1' };
    const call = session.request({ ...headers, 'x-many': 'x'.repeat(3_000) });
    call.resume();
    call.end(JSON.stringify({ model: 'claude-x', stream: true, messages: [{ role: 'user', content: 'q' }] }));
    await once(call, 'close');
  }
  session.close();
  proxy.close();
  server.close();
  return pieces;
}

function told(pieces: readonly Piece[], step = Number.MAX_SAFE_INTEGER): LlmCall[] {
  const calls: LlmCall[] = [];
  const connection = new Connection((exchange) => {
    const call = callOf(exchange, false);
    if (call !== undefined) calls.push(call);
  });
  for (const [side, piece] of pieces)
    for (let at = 0; at < piece.length; at += step) connection.push(side, piece.subarray(at, at + step), T);
  connection.close(T);
  return calls;
}
const sums = (calls: readonly LlmCall[]) => [
  calls.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0),
  calls.reduce((sum, { outputTokens = 0 }) => sum + outputTokens, 0),
];

describe('HTTP/2 on the wire', () => {
  let pieces: readonly Piece[] = [];
  beforeAll(async () => {
    pieces = await recorded();
  });
  afterAll(() => {
    pieces = [];
  });

  it.each([1, 2, 3, 7, 8, 9, 10, 13, 100, 16_384])('is read in pieces of %i bytes', (step) => {
    const calls = told(pieces, step);
    expect(sums(calls)).toEqual([11 * CALLS, 42 * CALLS]);
    expect(calls).toMatchObject(Array(CALLS).fill({ provider: 'anthropic', requestModel: 'claude-x' }));
    expect(calls.some(({ partial }) => partial)).toBe(false);
  });

  it('that ends within a frame is broken and no more', () => {
    const all = pieces.reduce((sum, [, piece]) => sum + piece.length, 0);
    for (let end = 1; end < all; end += 97) {
      let left = end;
      const cut = pieces.flatMap(([side, piece]): Piece[] => {
        const part = piece.subarray(0, Math.max(0, left));
        left -= piece.length;
        return part.length === 0 ? [] : [[side, part]];
      });
      const calls = told(cut);
      expect(calls.length).toBeLessThanOrEqual(CALLS);
      for (const { partial, inputTokens, outputTokens } of calls)
        if (!partial) expect([inputTokens, outputTokens]).toEqual([11, 42]);
    }
  });

  it('that was open before the tap came is told from its bodies', () => {
    const second = pieces.findIndex(
      ([side, piece], at) => at > 4 && side === 'written' && piece[3] === 1 && piece.readUInt32BE(5) > 1,
    );
    expect(second).toBeGreaterThan(0);
    // Streams of a client are the odd numbers.
    const left = CALLS - ((pieces[second]?.[1].readUInt32BE(5) ?? 0) - 1) / 2;
    const calls = told(pieces.slice(second));
    expect(sums(calls)).toEqual([11 * left, 42 * left]);
    expect(calls).toMatchObject(Array(left).fill({ provider: 'anthropic', operation: 'chat' }));
    // From within a frame: nothing until one begins, and nothing made up.
    for (const [, outputTokens = 0] of [1, 5, 20].map((cut) => {
      const [first, ...rest] = pieces.slice(second);
      return sums(told(first === undefined ? [] : [[first[0], first[1].subarray(cut)], ...rest]));
    }))
      expect(outputTokens % 42).toBe(0);
  });

  it('of a server is left alone, whatever it answers', () => {
    const asServer = pieces.map(([side, piece]): Piece => [side === 'read' ? 'written' : 'read', piece]);
    expect(told(asServer)).toEqual([]);
  });

  it('is bounded: HPACK bombs, endless blocks, sizes beyond all, padding longer than its frame', () => {
    // A header of 4,000 bytes goes into the table; a block of references to it would be 250 MB.
    const name = Buffer.concat([
      Buffer.from([0x40, 0x01, 0x61, 0x7f, 0xa1, 0x1e]),
      Buffer.alloc(4_000, 0x62),
    ]);
    const references = Buffer.alloc(16_000, 0xbe);
    const bomb = [PREFACE, SETTINGS, frame(1, 4, 1, name), frame(1, 4, 3, references)];
    const before = process.memoryUsage().rss;
    for (let at = 0; at < 50; at += 1) expect(told([['written', Buffer.concat(bomb)]])).toEqual([]);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_048_576);

    const hostile = [
      // A table of 4 GB is asked for; a number that does not end; a reference to nothing; a string longer than its block.
      frame(1, 4, 1, Buffer.from([0x3f, 0xff, 0xff, 0xff, 0xff, 0x0f])),
      frame(1, 4, 1, Buffer.alloc(200, 0xff)),
      frame(1, 4, 1, Buffer.from([0xfe])),
      frame(1, 4, 1, Buffer.from([0x40, 0x7f, 0xff, 0x7f, 0x61])),
      // A Huffman string that ends within a code.
      frame(1, 4, 1, Buffer.from([0x40, 0x81, 0xff, 0x81, 0xff])),
      Buffer.concat([
        frame(1, 0, 1, Buffer.alloc(16_000)),
        ...Array.from({ length: 20 }, () => frame(9, 0, 1, Buffer.alloc(16_000))),
      ]),
      frame(1, 4 | 8, 1, Buffer.from([200, 1, 2])),
      frame(0, 8, 1, Buffer.from([200])),
      frame(0, 8, 1, Buffer.alloc(0)),
      Buffer.concat([Buffer.from('ffffff000000000001', 'hex'), Buffer.alloc(100)]),
      frame(5, 4, 1, Buffer.alloc(8)),
      frame(9, 4, 1, Buffer.alloc(8)),
    ];
    for (const bytes of hostile)
      for (const step of [1, 100, 1_000_000])
        expect(told([['written', Buffer.concat([PREFACE, SETTINGS, bytes])]], step)).toEqual([]);
  });
});
