import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_BINARY, startPlatform, startPostgres } from '@candela/testkit';
import { afterAll, describe, expect, it } from 'vitest';

const server = await startPostgres();
const dirs: string[] = [];
const newDir = () => {
  const dir = mkdtempSync(join(tmpdir(), 'candela-on-pg-'));
  dirs.push(dir);
  return dir;
};
afterAll(async () => {
  await server?.stop();
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

describe.skipIf(server === undefined)('a platform whose metadata is in PostgreSQL', () => {
  it('keeps what people save there, over a restart and for another replica', async () => {
    const url = (await server?.createDatabase()) ?? '';
    const env = { PLATFORM_DATABASE_URL: url };
    const [one, two] = [newDir(), newDir()];
    const first = await startPlatform({ dataDir: one, env });
    const made = await fetch(`${first.http}/api/telemetry/views`, {
      method: 'POST',
      headers: { origin: first.http },
      body: JSON.stringify({ page: 'traces', name: 'Slow', description: null, search: '?q=duration%3E2s' }),
    });
    expect(made.status).toBe(201);
    const { data } = (await made.json()) as { data: { id: string } };
    expect(readdirSync(one).filter((name) => name.startsWith('metadata'))).toEqual([]);
    const second = await startPlatform({ dataDir: two, env });
    const read = await fetch(`${second.http}/api/telemetry/views/${data.id}`);
    expect(((await read.json()) as { data: unknown }).data).toEqual(data);
    for (const platform of [first, second]) {
      expect((await platform.stop()).code).toBe(0);
      expect(platform.output().join('\n')).not.toContain(new URL(url).password);
    }
  });

  it('stops with a sentence when the server is not there', () => {
    const main = join(import.meta.dirname, 'main.ts');
    const { status, stderr, stdout } = spawnSync(NODE_BINARY, [main], {
      encoding: 'utf8',
      timeout: 100_000,
      env: {
        PATH: process.env['PATH'] ?? '',
        PLATFORM_DATA_DIR: newDir(),
        PLATFORM_PORT: '0',
        PLATFORM_OTLP_HTTP_PORT: '0',
        PLATFORM_OTLP_GRPC_PORT: '0',
        PLATFORM_LOCAL_COLLECTOR: 'false',
        PLATFORM_DATABASE_URL: 'postgres://somebody:hidden-password@127.0.0.1:1/candela',
      },
    });
    expect(status).toBe(1);
    expect(stdout + stderr).toMatch(/127\.0\.0\.1:1, database candela cannot be reached/);
    expect(stdout + stderr).not.toMatch(/hidden-password|\n {4}at /);
  });
});
