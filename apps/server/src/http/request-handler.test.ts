import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { silentLogger } from '@candela/kernel';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createMetrics } from '../metrics.ts';
import type { ApiAnswer, StreamingAnswer } from './api.ts';
import { createRequestHandler } from './request-handler.ts';
import { createStaticSite } from './static-site.ts';

const metrics = createMetrics();
let server: Server;
const requests: IncomingMessage[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  requests.length = 0;
  server.close();
});
afterAll(() => metrics.close());

/** A front before that answer of the API; gives connections to it. */
async function serving(answer: ApiAnswer | StreamingAnswer): Promise<() => Socket> {
  const front = createRequestHandler({
    api: async () => answer,
    site: createStaticSite('/nowhere'),
    pages: [],
    endpoints: [],
    logger: silentLogger,
    metrics,
  });
  server = createServer((request, response) => {
    requests.push(request);
    front(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    return socket;
  };
}

it('a stream does not keep what its client sends with the request and nobody reads', async () => {
  const stopped = Promise.withResolvers<undefined>();
  const another = await serving({ status: 200, headers: {}, send: () => stopped.promise });
  const before = process.memoryUsage().rss;
  const parts = Buffer.from('1\r\na\r\n'.repeat(10_000));
  const head = 'GET /api/tail HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (let n = 0; n < 10; n += 1) {
    const socket = another();
    socket.write(head);
    for (let part = 0; part < 6; part += 1) socket.write(parts);
    socket.write('0\r\n\r\n');
  }
  const received = () => requests.reduce((sum, { socket }) => sum + socket.bytesRead, 0);
  await expect.poll(received, { timeout: 30_000 }).toBe(10 * (head.length + 6 * parts.length + 5));
  // Of each 64 KiB are taken in before nobody reads on, and these in parts of a byte are 30 MB.
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_048_576);
  stopped.resolve(undefined);
});

it.each([204, 304])('%d has no body and says no length of one', async (status) => {
  const another = await serving({ status, headers: {}, body: '' });
  const socket = another();
  socket.write('OPTIONS /api/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const said = await text(socket);
  expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\n\r\n$`));
  expect(said).not.toMatch(/content-length/i);
});
