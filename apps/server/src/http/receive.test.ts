import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { readJsonObject } from './body.ts';
import { header } from './header.ts';

const open: { close(): void }[] = [];
afterEach(() => open.splice(0).forEach((each) => each.close()));

/** A server that answers what a function makes of each request, and a connection to it. */
async function connected(answer: (request: IncomingMessage) => unknown): Promise<Socket> {
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
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  open.push({ close: () => socket.destroy() }, server);
  return socket;
}

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const chunk = (part: string): string => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`;

describe('a body', () => {
  it('is read whole, however it is cut', async () => {
    const socket = await connected(readJsonObject);
    socket.write(CHUNKED);
    const bytes = Buffer.from('{"name":"Zoë"}');
    for (const byte of bytes) {
      socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]));
    }
    socket.end('0\r\n\r\n');
    expect(await text(socket)).toContain('{"name":"Zoë"}');
  });

  it('that turns out too large is answered at once, although its sender goes on', async () => {
    const socket = await connected(readJsonObject);
    socket.write(CHUNKED);
    for (let part = 0; part < 20; part++)
      socket.write(chunk(`${part === 0 ? '{"a":"' : ''}${'x'.repeat(65_536)}`));
    expect(await text(socket)).toContain('larger than 1048576 bytes');
  });

  it.each([
    ['inside of it', (_request: IncomingMessage) => Promise.resolve()],
    ['before it is read', (request: IncomingMessage) => once(request, 'close').catch(() => undefined)],
  ])('whose sender leaves %s comes to an end', async (_when, wait) => {
    let failed: unknown;
    const ended = new Promise<void>((resolve) => {
      void connected(async (request) => {
        await wait(request);
        failed = await readJsonObject(request).catch((thrown: unknown) => thrown);
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
