import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_BINARY, startPlatform } from '@candela/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-main-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const FREE_PORTS = { PLATFORM_PORT: '0', PLATFORM_OTLP_HTTP_PORT: '0', PLATFORM_OTLP_GRPC_PORT: '0' };

const started: ChildProcess[] = [];
// A test that fails leaves nothing behind.
afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));

/** The program, with an environment of its own. */
function start(env: Record<string, string>, ...args: string[]) {
  const child = spawn(NODE_BINARY, [MAIN, ...args], {
    env: { PATH: '/usr/bin:/bin', PLATFORM_DATA_DIR: dir, ...env },
  });
  started.push(child);
  return child;
}

/** Runs the program to its end. */
async function run(
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(env, ...args);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

describe('the program', () => {
  it('ends at once on a wrong setting, saying which and what it takes', async () => {
    const { code, stderr, stdout } = await run({
      PLATFORM_PORT: 'abc',
      PLATFORM_BOOTSTRAP_API_KEY: 'short-secret!',
    });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('PLATFORM_PORT is "abc", but takes a port number');
    expect(stderr).toContain('PLATFORM_BOOTSTRAP_API_KEY');
    expect(stderr).not.toContain('short-secret');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('starts nothing with an option that it does not know', async () => {
    const { code, stderr, stdout } = await run(FREE_PORTS, '--port', '4000');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^There is no option "--port": .*PLATFORM_PORT=.*\n$/);
  });

  it('says in a sentence that the directory or a port is taken, and stops cleanly on SIGTERM', async () => {
    const platform = await startPlatform({ dataDir: dir });
    const second = await run(FREE_PORTS);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/could not start: .*(in use|another)/i);
    const taken = await run({
      ...FREE_PORTS,
      PLATFORM_OTLP_HTTP_PORT: new URL(platform.otlpHttp).port,
    });
    expect(taken.code).toBe(1);
    expect(taken.stderr).toContain('PLATFORM_OTLP_HTTP_PORT');
    expect(taken.stderr).not.toMatch(/\n\s+at /);

    expect((await fetch(`${platform.http}/api/ready`)).status).toBe(200);
    expect(await platform.stop()).toEqual({ code: 0, signal: null });
  });

  it('keeps what Node compiled while it runs, so also where it is killed later', async () => {
    const cache = join(dir, 'compiled');
    const platform = await startPlatform({
      dataDir: join(dir, 'cached'),
      env: { NODE_COMPILE_CACHE: cache },
    });
    const count = async () => (await readdir(cache, { recursive: true })).length;
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(300);
    await platform.stop();
  });

  it('says in a sentence that the data directory or the ClickHouse server is not there', async () => {
    const file = await run({ ...FREE_PORTS, PLATFORM_DATA_DIR: MAIN });
    expect(file.code).toBe(1);
    expect(file.stderr).toContain('PLATFORM_DATA_DIR');
    const nowhere = await run({ ...FREE_PORTS, PLATFORM_CLICKHOUSE_URL: 'http://u:geheim@127.0.0.1:1/db' });
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toContain('PLATFORM_CLICKHOUSE_URL does not answer');
    expect(nowhere.stderr).not.toContain('geheim');
    expect(file.stderr + nowhere.stderr).not.toMatch(/\n\s+at /);
  });

  it('goes on serving when nobody reads what it logs any more', async () => {
    const child = start({ ...FREE_PORTS, PLATFORM_LOG_LEVEL: 'debug' }, '--json');
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const [ready] = (await once(child.stdout, 'data')) as [Buffer];
    const { http } = JSON.parse(ready.toString()) as { http: string };
    child.stdout.destroy();
    child.stderr.destroy();
    for (let turn = 0; turn < 3; turn++) expect((await fetch(`${http}/api/ready`)).status).toBe(200);
    const figures = await (await fetch(`${http}/metrics`)).text();
    expect(figures).not.toMatch(/^candela_unexpected_errors_total\{/m);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('prints what a person needs to send the first span, and nothing else at a first start', async () => {
    const dataDir = join(dir, 'first');
    const child = start({
      ...FREE_PORTS,
      PLATFORM_DATA_DIR: dataDir,
      PLATFORM_LOCAL_COLLECTOR: 'false',
      PLATFORM_PROT: '1',
    });
    const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
    let stdout = '';
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
        if (stdout.includes('Ctrl-C')) resolve();
      });
      child.once('close', () => resolve());
    });
    expect(stderr.trim().split('\n'), stderr).toHaveLength(1);
    const endpoints = JSON.parse(await readFile(join(dataDir, 'endpoints.json'), 'utf8')) as object;
    expect(endpoints).toMatchObject({
      pid: child.pid,
      http: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    child.kill('SIGINT');
    expect(await exit, stderr).toBe(0);
    await expect(readFile(join(dataDir, 'endpoints.json'))).rejects.toThrow('ENOENT');
    expect(stdout).toMatch(/Candela is ready: {2}http:\/\/127\.0\.0\.1:\d+/);
    expect(stdout).toMatch(/OTEL_EXPORTER_OTLP_ENDPOINT=http:\/\/127\.0\.0\.1:\d+\n/);
    expect(stderr).toContain('PLATFORM_PROT');
  });
});
