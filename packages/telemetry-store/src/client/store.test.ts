import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@candela/kernel';
import { expect, it, onTestFinished } from 'vitest';
import { ClickHouseStore } from './store.ts';

interface Seen {
  readonly url: URL;
  readonly body: string;
}

/** The store of a server that answers without rows, and what the server was asked. */
async function storeOfServer(): Promise<{ readonly store: ClickHouseStore; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer({ maxHeaderSize: 1 << 20 }, async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part as Buffer);
    seen.push({ url: new URL(req.url ?? '/', 'http://server'), body: Buffer.concat(parts).toString() });
    res.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const store = new ClickHouseStore({
    connection: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, database: 'candela' },
    engine: undefined,
    target: { database: 'candela', cluster: undefined, storage: 'server' },
    logger: silentLogger,
    attributeColumns: 0,
    textIndex: false,
  });
  onTestFinished(async () => {
    await store.close();
    server.close();
  });
  return { store, seen };
}

const SQL = 'SELECT {texts:Array(String)} AS Texts';
const texts = ['one', ...Array.from({ length: 10 }, () => 'ü'.repeat(2_000))];

it('a server is sent long values in a form, whether rows are read at once or one by one', async () => {
  const { store, seen } = await storeOfServer();
  await store.select(SQL, { texts });
  await Array.fromAsync(store.stream(SQL, { texts }));
  expect(seen.length).toBe(2);
  for (const { url, body } of seen) {
    expect(url.search.length).toBeLessThan(4_096);
    expect(url.searchParams.get('database')).toBe('candela');
    expect(body).toContain('name="query"');
    expect(body).toContain('name="param_texts"');
    expect(body).toContain(texts[1]);
  }
});

it('short values, and those of a statement that is no field of a form, are sent in the URL', async () => {
  const { store, seen } = await storeOfServer();
  await store.select(SQL, { texts: ['one'] });
  await store.select(`${SQL} /* ${'-'.repeat(131_072)} */`, { texts });
  expect(seen.map(({ url }) => url.searchParams.get('param_texts')?.slice(0, 6))).toEqual([
    "['one'",
    "['one'",
  ]);
  expect(seen.every(({ body }) => body.startsWith(SQL))).toBe(true);
});
