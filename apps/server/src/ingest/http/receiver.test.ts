import { once } from 'node:events';
import { Agent, createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fail } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../testing/client.ts';
import { readStatus } from '../testing/status.ts';
import { refuseAtReceiver } from './receiver.ts';

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const error = fail('store_unavailable', { seconds: 3 });
    if (!refuseAtReceiver(request, response, error)) response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterAll(() => server.close());

const send = (type: string, path = '/v1/traces') =>
  fetch(base + path, { method: 'POST', headers: { 'content-type': type }, body: 'x' });

it('a sender that comes before the receivers are open is told to come back, in its own encoding', async () => {
  const binary = await send('application/x-protobuf');
  expect([binary.status, binary.headers.get('retry-after')]).toEqual([503, '3']);
  expect(binary.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
  const status = readStatus(Buffer.from(await binary.arrayBuffer()));
  expect(status).toMatchObject({ code: 14, retrySeconds: 3 });
  const json = await send('application/json');
  expect([json.status, json.headers.get('content-type')]).toEqual([503, 'application/json']);
  expect(await json.json()).toMatchObject({ code: 14 });
});

it('what is not for a receiver is left to others', async () => {
  expect((await send('application/json', '/api/v1/health')).status).toBe(404);
});

describe('a refusal while the body is still coming', () => {
  /** Request after request over one connection as long as both sides keep it. */
  async function inARow(bytes: number): Promise<unknown[]> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = new URL(base);
    const body = Buffer.alloc(bytes, 'x');
    const seen: unknown[] = [];
    for (let n = 0; n < 4; n += 1) {
      const reply = post(Number(port), body, { agent, type: 'application/json' });
      seen.push(await reply.then(({ status, headers }) => [status, headers.connection]));
    }
    agent.destroy();
    return seen;
  }

  it('small ones leave the connection to the next request', async () => {
    expect(await inARow(200_000)).toEqual(Array.from({ length: 4 }, () => [503, 'keep-alive']));
  });

  it('large ones take the connection along, and say so: the next request is not sent into its end', async () => {
    expect(await inARow(3_000_000)).toEqual(Array.from({ length: 4 }, () => [503, 'close']));
  });

  it.each(['content-length: 900000', 'transfer-encoding: chunked'])(
    'a sender that stops in the middle is told and let go (%s)',
    async (framing) => {
      const socket = connect(Number(new URL(base).port), '127.0.0.1');
      socket.write(
        `POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${framing}\r\n\r\n5\r\n`,
      );
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 503 /);
    },
  );
});
