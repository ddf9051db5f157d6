import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { AnswerBounds } from './bounded-answers.ts';
import { connect } from './connect.ts';
import { inspect } from './inspect.ts';

const BOUNDS: AnswerBounds = { bytes: 1 << 20, ms: 250 };
const MUCH = Buffer.alloc(1 << 16, 'x');

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Something that is no ClickHouse; counts what it could write. */
async function rogue(answer: (response: ServerResponse, sent: { bytes: number }) => void) {
  const sent = { bytes: 0 };
  const server = createServer((request: IncomingMessage, response) => {
    request.resume();
    response.on('error', () => undefined);
    answer(response, sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

/** Writes the same piece for ever, as fast as it is taken. */
function endless(response: ServerResponse, sent: { bytes: number }, piece: Buffer): void {
  const more = (): void => {
    while (!response.destroyed && sent.bytes < 1 << 28) {
      sent.bytes += piece.length;
      if (!response.write(piece)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

const MODES = {
  endless: (response: ServerResponse, sent: { bytes: number }) => endless(response, sent, MUCH),
  'endless error': (response: ServerResponse, sent: { bytes: number }) => {
    response.statusCode = 500;
    endless(response, sent, MUCH);
  },
  drip: (response: ServerResponse) => drip(response.writeHead(200)),
  'error that drips': (response: ServerResponse) => drip(response.writeHead(500)),
  'no head at all': () => undefined,
  'gzip bomb': (response: ServerResponse) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync(Buffer.alloc(8 << 20)));
  },
  'gzip bomb as an error': (response: ServerResponse) => {
    response.writeHead(500, { 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(8 << 20)));
  },
} as const;

/** What a statement failed with, and how long that took. */
async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'it passed';
  } catch (thrown) {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  }
}

describe('answers of what calls itself a ClickHouse are bounded', () => {
  it.each(Object.entries(MODES))('%s', async (_name, mode) => {
    const { url, sent } = await rogue(mode);
    const client = connect({ url, database: 'd' }, 'd', BOUNDS);
    const statements = {
      query: async () => (await client.query({ query: 'SELECT 1', format: 'JSONEachRow' })).json(),
      command: () => client.command({ query: 'SELECT 1' }),
      exec: async () => {
        const { stream } = await client.exec({ query: 'SELECT 1' });
        for await (const _ of stream) continue;
      },
      rows: async () => {
        const result = await client.query({ query: 'SELECT 1', format: 'JSONEachRow' });
        for await (const _ of result.stream()) continue;
      },
    };
    for (const [kind, run] of Object.entries(statements)) {
      const said = await failure(run());
      // A command throws its answer away unread, as soon as its head is there.
      if (kind !== 'command') expect(said, kind).toMatch(/UnboundedAnswerError|aborted|hang up/);
      else expect(said, kind).not.toMatch(/TypeError/);
    }
    // Four answers of a mebibyte and what the sockets hold.
    expect(sent.bytes).toBeLessThan(64 << 20);
    await client.close();
  });

  it('rows are read one by one without a bound of all of them, and with one of each', async () => {
    const { url } = await rogue((response) => {
      for (let row = 0; row < 3_000; row++) response.write(`{"a":"${'x'.repeat(1_000)}"}\n`);
      response.end(`{"a":"${'x'.repeat(20_000)}"}\n`);
    });
    const read = async (lineBytes: number) => {
      const bounds = { bytes: Number.MAX_SAFE_INTEGER, lineBytes, ms: 10_000 };
      const client = connect({ url, database: 'd' }, 'd', bounds);
      let count = 0;
      const result = await client.query({ query: 'SELECT 1', format: 'JSONEachRow' });
      const said = await failure(
        (async () => {
          for await (const rows of result.stream()) count += rows.length;
        })(),
      );
      await client.close();
      return { count, said };
    };
    expect(await read(256 << 10)).toEqual({ count: 3_001, said: 'it passed' });
    expect((await read(100)).said).toMatch(/UnboundedAnswerError|aborted/);
  });

  it('the check of a connector says in words that it did not answer, or that it is no ClickHouse', async () => {
    const huge = await rogue(MODES.endless);
    expect(await inspect({ url: huge.url, database: 'd' }, 'server')).toMatchObject({
      steps: [{ ok: false, detail: expect.stringMatching(/no ClickHouse/) as string }],
    });
    expect(huge.sent.bytes).toBeLessThan(16 << 20);
    const slow = await rogue(MODES.drip);
    expect(await inspect({ url: slow.url, database: 'd' }, 'server', 300)).toMatchObject({
      steps: [{ ok: false, detail: 'It did not answer in time.' }],
    });
  });
});
