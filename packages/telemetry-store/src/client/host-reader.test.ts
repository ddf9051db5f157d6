import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickHouseError } from '@clickhouse/client';
import { onTestFinished, expect, it } from 'vitest';
import { type HostRead, HostReader } from './host-reader.ts';

/** A reader of a socket that answers so. */
async function readerOf(answer: RequestListener): Promise<HostReader> {
  const folder = await mkdtemp(join(tmpdir(), 'host-reader-'));
  const server = createServer(answer).listen(join(folder, 'engine.sock'));
  await once(server, 'listening');
  const reader = new HostReader(join(folder, 'engine.sock'), 'candela', { keepAlive: true, maxSockets: 4 });
  onTestFinished(async () => {
    reader.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  return reader;
}

const asking = (more: Partial<HostRead> = {}): HostRead => ({
  sql: 'SELECT 1',
  params: {},
  settings: {},
  headers: {},
  signal: AbortSignal.timeout(10_000),
  ...more,
});

it('sends the statement with its values and settings, and gives the rows', async () => {
  const seen: string[] = [];
  const reader = await readerOf(async (req, res) => {
    seen.push(`${req.method} ${decodeURIComponent(req.url ?? '')} ${req.headers['x-asker']}`);
    for await (const part of req) seen.push(String(part));
    res.end('{"a":1}\n{"a":"two\\nlines"}\n');
  });
  const params = { p0: "it's\ta tab", p1: ['a', 'b'], p2: [1n, 2n] };
  const settings = { max_execution_time: 3, priority: '1' };
  const rows = await reader.read(asking({ params, settings, headers: { 'x-asker': 'me' } }));
  expect(rows).toEqual([{ a: 1 }, { a: 'two\nlines' }]);
  expect(seen).toEqual([
    "POST /?database=candela&default_format=JSONEachRow&param_p0=it\\'s\\ta+tab&param_p1=['a','b']&param_p2=[1,2]&max_execution_time=3&priority=1 me",
    'SELECT 1',
  ]);
});

it('gives what the engine refused as the client does', async () => {
  const reader = await readerOf((_, res) => {
    res.writeHead(400).end('Code: 62. DB::Exception: Syntax error: no. (SYNTAX_ERROR) (version 26.7)\n');
  });
  const failed = reader.read(asking());
  await expect(failed).rejects.toBeInstanceOf(ClickHouseError);
  await expect(failed).rejects.toMatchObject({ code: '62', type: 'SYNTAX_ERROR' });
});

it('asks again over a fresh connection where the one of before was closed, and only there', async () => {
  let asked = 0;
  const reader = await readerOf((req, res) => {
    asked += 1;
    // The second and third of them are cut off without an answer.
    if (asked === 2 || asked >= 4) req.socket.destroy();
    else res.end(`{"n":${asked}}\n`);
  });
  expect(await reader.read(asking())).toEqual([{ n: 1 }]);
  expect(await reader.read(asking())).toEqual([{ n: 3 }]);
  await expect(reader.read(asking())).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(asked).toBe(4);
});

it('leaves when nobody waits any more', async () => {
  let left = 0;
  const reader = await readerOf((_, res) => {
    res.once('close', () => (left += 1));
  });
  const gone = new AbortController();
  const failed = reader.read(asking({ signal: gone.signal }));
  setTimeout(() => gone.abort(), 20);
  await expect(failed).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => left).toBe(1);
});
