import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { withBody } from './request.ts';

const CHUNKED = 'POST /oauth/token?a=b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const sockets: Socket[] = [];
let server: Server;
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function serving(seen: (request: IncomingMessage) => void = () => {}): Promise<() => Socket> {
  server = createServer((request, response) => {
    seen(request);
    void withBody(request)
      .then(async (whole) => `${whole.method} ${whole.url} ${whole.headers.host} ${await text(whole)}`)
      .catch(String)
      .then((said) => response.setHeader('connection', 'close').end(said));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  };
}

describe('a request for the library', () => {
  it('has its body as a whole, and what it said of itself', async () => {
    const socket = (await serving())();
    socket.write(`${CHUNKED}1\r\nx\r\n2\r\n=y\r\n0\r\n\r\n`);
    expect(await text(socket)).toContain('POST /oauth/token?a=b x x=y');
  });

  it('without a body has none', async () => {
    const socket = (await serving())();
    socket.write('POST /oauth/token HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await text(socket)).toContain('POST /oauth/token x ');
  });

  it('that is too large is refused as soon as it is', async () => {
    const socket = (await serving())();
    socket.write(`${CHUNKED}9000\r\n${'x'.repeat(0x9000)}\r\n`);
    expect(await text(socket)).toContain('larger than 32768 bytes');
  });

  it('takes what it is long, however small the parts it comes in', async () => {
    const requests: IncomingMessage[] = [];
    const another = await serving((request) => void requests.push(request));
    const before = process.memoryUsage().rss;
    const parts = Buffer.from('1\r\na\r\n'.repeat(1_000));
    for (let n = 0; n < 40; n += 1) {
      const socket = another();
      socket.write(CHUNKED);
      for (let part = 0; part < 32; part += 1) socket.write(parts);
    }
    const received = () => requests.reduce((sum, { socket }) => sum + socket.bytesRead, 0);
    await expect.poll(received, { timeout: 30_000 }).toBe(40 * (CHUNKED.length + 32 * parts.length));
    // Kept as they come they take 5 MB and more each.
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_048_576);
  });
});
