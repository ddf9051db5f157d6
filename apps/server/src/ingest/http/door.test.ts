import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { fail } from '@candela/kernel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readStatus } from '../testing/status.ts';
import { refuseAtDoor } from './door.ts';

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const error = fail('store_unavailable', { seconds: 3 });
    if (!refuseAtDoor(request, response, error)) response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
});
afterAll(() => server.close());

const send = (type: string, path = '/v1/traces') =>
  fetch(base + path, { method: 'POST', headers: { 'content-type': type }, body: 'x' });

it('a sender that comes before the doors are open is told to come back, in its own encoding', async () => {
  const binary = await send('application/x-protobuf');
  expect([binary.status, binary.headers.get('retry-after')]).toEqual([503, '3']);
  expect(binary.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
  const status = readStatus(Buffer.from(await binary.arrayBuffer()));
  expect(status).toMatchObject({ code: 14, retrySeconds: 3 });
  const json = await send('application/json');
  expect([json.status, json.headers.get('content-type')]).toEqual([503, 'application/json']);
  expect(await json.json()).toMatchObject({ code: 14 });
});

it('what is not for a door is left to others', async () => {
  expect((await send('application/json', '/api/v1/health')).status).toBe(404);
});
