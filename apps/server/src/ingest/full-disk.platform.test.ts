import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PlatformProcess, startPlatform } from '@candela/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { PROTOBUF } from './testing/client.ts';
import { traceBody } from './testing/spans.ts';

const dir = mkdtempSync(join(tmpdir(), 'candela-full-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'candela', dir]).status === 0;
if (!mounted) {
  process.stderr.write('no file system can be mounted here: the start on a full disk is not tested\n');
}

let platform: PlatformProcess | undefined;
afterAll(async () => {
  await platform?.kill();
  if (mounted) spawnSync('umount', ['-l', dir]);
  rmSync(dir, { recursive: true, force: true });
});

const start = (newStore: boolean) =>
  startPlatform({ dataDir: dir, newStore, env: { PLATFORM_MIN_FREE_DISK_PERCENT: '0' } });

async function send(name: string): Promise<number> {
  const response = await fetch(`${platform?.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': PROTOBUF },
    body: Buffer.from(traceBody(name, 50)),
  });
  await response.arrayBuffer();
  return response.status;
}

async function ask(path: string, body?: object): Promise<{ status: number; data: unknown }> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${platform?.http}${path}`, init);
  return { status: response.status, data: await response.json() };
}

const count = async (): Promise<unknown> => {
  const { status, data } = await ask('/api/telemetry/aggregate', {
    from: '-1h',
    to: 'now',
    measures: ['count'],
  });
  return status === 200 ? (data as { data: { rows: { values: number[] }[] } }).data.rows[0]?.values[0] : data;
};

/** Takes all the room that is left. */
function fill(name: string): string {
  const file = join(dir, name);
  const handle = openSync(file, 'w');
  for (const size of [1 << 20, 4_096]) {
    const block = Buffer.alloc(size);
    try {
      for (;;) if (writeSync(handle, block) < size) break;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
    }
  }
  closeSync(handle);
  return file;
}

describe.skipIf(!mounted)('a disk that is full when the platform is killed', () => {
  it('lets it start and read, and it takes data again once there is room, with all that was acknowledged', {
    timeout: 240_000,
  }, async () => {
    platform = await start(true);
    let acknowledged = 0;
    for (let n = 0; n < 20; n += 1) if ((await send(`before ${n}`)) === 200) acknowledged += 50;
    const fillers = [fill('fill')];
    for (let n = 0; n < 20; n += 1) if ((await send(`full ${n}`)) === 200) acknowledged += 50;
    expect(acknowledged).toBeGreaterThanOrEqual(1_000);
    expect(statfsSync(dir).bavail).toBeLessThan(64);
    await platform.kill();

    platform = await start(false);
    // A start tidies up, which makes some room.
    fillers.push(fill('more'));
    let refused = 0;
    for (let n = 0; n < 100 && refused === 0; n += 1) {
      if ((await send(`started ${n}`)) === 200) acknowledged += 50;
      else refused += 1;
    }
    expect(refused).toBe(1);
    await expect
      .poll(async () => (await ask('/api/health')).data, { timeout: 60_000 })
      .toMatchObject({ status: 'ok', state: 'degraded' });
    expect(await count()).toEqual(expect.any(Number));

    for (const filler of fillers) rmSync(filler);
    await expect.poll(() => send('after'), { timeout: 60_000 }).toBe(200);
    await expect.poll(count, { timeout: 60_000 }).toBe(acknowledged + 50);
    await expect
      .poll(async () => (await ask('/api/health')).data, { timeout: 60_000 })
      .toMatchObject({ state: 'ready' });
  });
});
