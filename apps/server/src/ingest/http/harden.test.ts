import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { HTTP_SERVER_OPTIONS, hardenHttpServer } from './harden.ts';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const STALL_MS = 100;
/** More than the buffers of both kernels take. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

let server: Server;
const clients: Socket[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  server.close();
});

/** A server that answers with a function, and a connection to it that nobody reads from yet. */
async function connected(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  stallMs = STALL_MS,
): Promise<Socket> {
  server = createServer(HTTP_SERVER_OPTIONS, answer);
  hardenHttpServer(server, stallMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return another();
}

function another(): Socket {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  clients.push(client);
  return client;
}

describe('an answer that nobody takes', () => {
  it('is given up, and its connection with it', async () => {
    const closed = Promise.withResolvers<boolean>();
    const socket = await connected((_, response) => {
      response.on('close', () => closed.resolve(response.writableFinished));
      response.end(LARGE);
    });
    socket.pause().write(GET);
    expect(await closed.promise).toBe(false);
  });

  it('is given up behind many that were asked for at once', async () => {
    const gone = Promise.withResolvers<void>();
    const part = LARGE.subarray(0, 64 * 1024);
    const socket = await connected((_, response) => response.end(part));
    server.once('connection', (held) => held.on('close', () => gone.resolve()));
    socket.pause().write(GET.repeat(1_000));
    await gone.promise;
  });

  it('does not keep what its client sends with the request and nobody reads', async () => {
    const requests: IncomingMessage[] = [];
    await connected((request, response) => {
      requests.push(request);
      response.end(LARGE);
    }, 3_600_000);
    const before = process.memoryUsage().rss;
    const parts = Buffer.from('1\r\na\r\n'.repeat(10_000));
    const head = 'GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (let n = 0; n < 10; n += 1) {
      const socket = another().pause();
      socket.write(head);
      for (let part = 0; part < 6; part += 1) socket.write(parts);
      socket.write('0\r\n\r\n');
    }
    const received = () => requests.reduce((sum, { socket }) => sum + socket.bytesRead, 0);
    await expect.poll(received, { timeout: 30_000 }).toBe(10 * (head.length + 6 * parts.length + 5));
    // Of each 64 KiB are taken in before nobody reads on, and these in parts of a byte are 30 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_048_576);
  });

  it('is not what takes long to make, and not a connection that waits for the next request', async () => {
    const socket = await connected(
      (_, response) => void sleep(5 * STALL_MS).then(() => response.end('made')),
    );
    for (let n = 0; n < 2; n += 1) {
      socket.write(GET);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [^]*made/);
      await sleep(3 * STALL_MS);
    }
    expect(socket.readyState).toBe('open');
  });
});

describe('broken HTTP', () => {
  it('is told, also while the answer to the request before it is made', async () => {
    const socket = await connected(() => {});
    socket.write(`${GET}rubbish\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('in the middle of a stream ends it: what is told would be read as a part of it', async () => {
    const socket = await connected((_, response) => {
      response.write('data: 1\n\n');
      socket.once('data', () => socket.write('rubbish\r\n\r\n'));
    });
    socket.write(GET);
    const answer = await text(socket).catch((thrown: unknown) => thrown);
    expect(String(answer)).not.toContain('400');
  });

  it('after a whole answer is told after it', async () => {
    const socket = await connected((_, response) => response.end('whole'));
    socket.write(`${GET}rubbish\r\n\r\n`);
    expect(await text(socket)).toMatch(/whole[^]*HTTP\/1\.1 400 /);
  });
});
