import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { guardedFetch } from './guarded-fetch.ts';

/** What the name server says, one answer after another. */
const answers: string[] = [];
let asked = 0;
vi.mock(import('node:dns'), async (original) => {
  const dns = await original();
  const lookup = (_host: string, options: { all?: boolean }, done: (...told: unknown[]) => void) => {
    asked += 1;
    const address = answers.shift() ?? '169.254.169.254';
    if (options.all === true) done(null, [{ address, family: 4 }]);
    else done(null, address, 4);
  };
  return { ...dns, lookup: lookup as unknown as typeof dns.lookup };
});

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_, response) => response.end('whole'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://rebinding.example:${(server.address() as AddressInfo).port}/v1/models`;
});
afterAll(() => server.close());

it('a name that leads elsewhere a moment later is looked at again: what was checked is what is connected to', async () => {
  const ask = guardedFetch({ maxBytes: 1_000 });
  answers.push('127.0.0.1');
  expect(await (await ask(url)).text()).toBe('whole');
  // Once a connection: there is no second answer between the check and the connection that could be another one.
  expect(asked).toBe(1);
  answers.push('169.254.169.254');
  await expect(ask(url)).rejects.toThrow(/refused/);
  answers.push('::ffff:169.254.169.254');
  await expect(ask(url)).rejects.toThrow(/refused/);
  expect(asked).toBe(3);
});
