import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PlatformProcess, startPlatform, startPostgres } from '@candela/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KEY = 'mcp-replicas-key-0123456789';
const VAULT_KEY = Buffer.alloc(32, 7).toString('base64');
const ACCEPT = 'application/json, text/event-stream';
const server = await startPostgres();
afterAll(async () => {
  await server?.stop();
});

/** Processes of their own, as they run side by side; what was told one is known to the other. */
describe.skipIf(server === undefined)('two replicas on one PostgreSQL', () => {
  const dirs: string[] = [];
  const replicas: PlatformProcess[] = [];
  beforeAll(async () => {
    const databaseUrl = (await server?.createDatabase()) ?? '';
    for (let n = 0; n < 2; n += 1) {
      const dataDir = await mkdtemp(join(tmpdir(), 'candela-mcp-replica-'));
      dirs.push(dataDir);
      const env = {
        PLATFORM_DATABASE_URL: databaseUrl,
        PLATFORM_BOOTSTRAP_API_KEY: KEY,
        PLATFORM_VAULT_KEY: VAULT_KEY,
      };
      replicas.push(await startPlatform({ dataDir, newStore: true, env }));
    }
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.stop();
    for (const dir of dirs) await rm(dir, { recursive: true, force: true });
  });

  const call = async (n: number, name: string, given: object, more: Record<string, string> = {}) => {
    const answer = await fetch(`${replicas[n % 2]?.http}/mcp?write=1`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        accept: ACCEPT,
        ...more,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: n,
        method: 'tools/call',
        params: { name, arguments: given },
      }),
    });
    return { status: answer.status, text: await answer.text() };
  };

  it('answer a hundred calls at once, and make once what both were asked for', async () => {
    const asks = [
      ['describe', { what: 'fields' }],
      ['run_sql', { query: 'SELECT count() AS n FROM otel_traces' }],
      ['search', { signal: 'traces' }],
      ['list', { kind: 'boards' }],
    ] as const;
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => {
        const [name, given] = asks[(Math.floor(n / 2) % asks.length) as 0 | 1 | 2 | 3];
        return call(n, name, given);
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.filter(({ text }) => text.includes('"isError":true'))).toEqual([]);

    const board = { title: 'Of both', widgets: [{ title: 'n', type: 'stat', query: 'SELECT 1 AS n' }] };
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        call(n, 'create_board', board, { 'idempotency-key': 'one-board' }),
      ),
    );
    // While the first is under way the others may be told so; a client asks again.
    expect(made.some(({ text }) => text.includes('/boards/'))).toBe(true);
    const again = await call(1, 'create_board', board, { 'idempotency-key': 'one-board' });
    expect(again.text).toContain('/boards/');
    const seen = await Promise.all([0, 1].map((n) => call(n, 'list', { kind: 'boards' })));
    // Each list says it twice: as text and as structured content.
    expect(seen.map(({ text }) => text.split('Of both').length - 1)).toEqual([2, 2]);
  });
});
