import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { silentLogger } from '@candela/kernel';
import { expect, it } from 'vitest';
import { createMetrics } from '../metrics.ts';
import { createFront } from './front.ts';
import { createStaticSite } from './static-site.ts';

it('a stream does not keep what its client sends with the request and nobody reads', async () => {
  const metrics = createMetrics();
  const stopped = Promise.withResolvers<undefined>();
  const front = createFront({
    api: async () => ({ status: 200, headers: {}, send: () => stopped.promise }),
    site: createStaticSite('/nowhere'),
    pages: [],
    doors: [],
    logger: silentLogger,
    metrics,
  });
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    front(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const before = process.memoryUsage().rss;
  const parts = Buffer.from('1\r\na\r\n'.repeat(10_000));
  const head = 'GET /api/tail HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  const sockets = Array.from({ length: 10 }, () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(head);
    for (let part = 0; part < 6; part += 1) socket.write(parts);
    socket.write('0\r\n\r\n');
    return socket;
  });
  try {
    const received = () => requests.reduce((sum, { socket }) => sum + socket.bytesRead, 0);
    await expect.poll(received, { timeout: 30_000 }).toBe(10 * (head.length + 6 * parts.length + 5));
    // Of each 64 KiB are taken in before nobody reads on, and these in parts of a byte are 30 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_048_576);
  } finally {
    stopped.resolve(undefined);
    for (const socket of sockets) socket.destroy();
    server.close();
    metrics.close();
  }
});
