import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { readJsonObject } from './body.ts';
import { header } from './header.ts';

const open: { close(): void }[] = [];
afterEach(() => open.splice(0).forEach((each) => each.close()));

/** A server that answers what a function makes of each request; gives connections to it. */
async function serving(answer: (request: IncomingMessage) => unknown): Promise<() => Socket> {
  const server = createServer((request, response) => {
    void (async () => {
      const said = await Promise.resolve(answer(request)).catch((thrown: unknown) => {
        response.statusCode = 400;
        return { failed: thrown instanceof Error ? thrown.message : '' };
      });
      if (!request.complete) response.setHeader('connection', 'close');
      response.end(JSON.stringify(said));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  return () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    open.push({ close: () => socket.destroy() });
    return socket;
  };
}

const connected = async (answer: (request: IncomingMessage) => unknown): Promise<Socket> =>
  (await serving(answer))();

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const chunk = (part: string): string => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`;

describe('a body', () => {
  it('is read whole, however it is cut', async () => {
    const socket = await connected((request) => readJsonObject(request, true));
    socket.write(CHUNKED);
    const bytes = Buffer.from('{"name":"Zoë"}');
    for (const byte of bytes) {
      socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]));
    }
    socket.end('0\r\n\r\n');
    expect(await text(socket)).toContain('{"name":"Zoë"}');
  });

  it('that turns out too large is answered at once, although its sender goes on', async () => {
    const socket = await connected((request) => readJsonObject(request, true));
    socket.write(CHUNKED);
    for (let part = 0; part < 20; part++)
      socket.write(chunk(`${part === 0 ? '{"a":"' : ''}${'x'.repeat(65_536)}`));
    expect(await text(socket)).toContain('larger than 1048576 bytes, the limit of this route. Send less');
  });

  it.each([
    ['inside of it', (_request: IncomingMessage) => Promise.resolve()],
    ['before it is read', (request: IncomingMessage) => once(request, 'close').catch(() => undefined)],
  ])('whose sender leaves %s comes to an end', async (_when, wait) => {
    let failed: unknown;
    const ended = new Promise<void>((resolve) => {
      void connected(async (request) => {
        await wait(request);
        failed = await readJsonObject(request, true).catch((thrown: unknown) => thrown);
        resolve();
      }).then((socket) => {
        socket.write(CHUNKED + chunk('{"a":'));
        setTimeout(() => socket.destroy(), 20);
      });
    });
    await ended;
    expect(failed).toMatchObject({ code: 'bad_request' });
  });
});

describe('bodies that somebody holds', () => {
  const MIB = 1_048_576;

  it('take what they are long, however small the parts they come in', async () => {
    const requests: IncomingMessage[] = [];
    const another = await serving((request) => {
      requests.push(request);
      return readJsonObject(request, true);
    });
    const before = process.memoryUsage().rss;
    const parts = Buffer.from(chunk('a').repeat(10_000));
    for (let n = 0; n < 2; n += 1) {
      const socket = another();
      socket.write(CHUNKED);
      for (let part = 0; part < 100; part += 1) socket.write(parts);
    }
    const received = () => requests.reduce((sum, { socket }) => sum + socket.bytesRead, 0);
    await expect.poll(received, { timeout: 30_000 }).toBe(2 * (CHUNKED.length + 100 * parts.length));
    // Kept as they come they take 170 MB each.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
  });

  it('of strangers are small', async () => {
    const another = await serving((request) => readJsonObject(request, false));
    const announced = another();
    announced.write(`${HEAD}Content-Length: 40000\r\n\r\n`);
    expect(await text(announced)).toContain('larger than 32768 bytes');
    const unannounced = another();
    unannounced.write(CHUNKED + chunk('x'.repeat(40_000)));
    expect(await text(unannounced)).toContain('larger than 32768 bytes');
  });

  it('have one bound together, which strangers have no part in, and which is given back', async () => {
    const requests: IncomingMessage[] = [];
    const another = await serving((request) => {
      requests.push(request);
      return readJsonObject(request, request.url === '/known');
    });
    const ask = (path: string) => {
      const body = '{"name":"x"}'.padEnd(1_000);
      const socket = another();
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return text(socket);
    };
    const holders = Array.from({ length: 64 }, () => {
      const socket = another();
      socket.write(`POST /known HTTP/1.1\r\nHost: x\r\nContent-Length: ${MIB}\r\n\r\n`);
      socket.write(Buffer.alloc(MIB - 1, ' '));
      return socket;
    });
    const received = () => requests.reduce((sum, { socket }) => sum + socket.bytesRead, 0);
    await expect.poll(received, { timeout: 30_000 }).toBeGreaterThan(64 * MIB);
    expect(await ask('/known')).toContain('Too many requests at once');
    expect(await ask('/stranger')).toContain('{"name":"x"}');
    for (const socket of holders) socket.destroy();
    await expect.poll(() => ask('/known'), { timeout: 10_000 }).toContain('{"name":"x"}');
  });
});

describe('a header', () => {
  it('is found whatever its letters, and repeated ones are noticed', async () => {
    const socket = await connected((request) =>
      ['authorization', 'x-one', 'host', 'x-none', 'empty'].map((name) => header(request, name) ?? null),
    );
    socket.end(
      'GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAUTHORIZATION: Bearer b\r\nx-One: 1\r\nEmpty:\r\nX-Ones: 2\r\nConnection: close\r\n\r\n',
    );
    expect(await text(socket)).toContain('["Bearer a, Bearer b","1","x",null,""]');
  });
});
