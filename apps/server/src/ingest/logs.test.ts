import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, silentLogger, systemClock } from '@candela/kernel';
import type { GroupSink } from '@candela/telemetry-store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { IngestLogs } from './logs.ts';

const CAP_BYTES = 64 * 1_048_576;
let dir: string;
let logs: IngestLogs | undefined;
/** What each configuration was given, by its id. */
let given: Map<string, string[]>;
let away: Set<string>;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'candela-logs-'));
  given = new Map();
  away = new Set();
});
afterEach(async () => {
  await logs?.close();
  rmSync(dir, { recursive: true, force: true });
});

const sinkOf = (id: string): GroupSink => ({
  async insertNative(_table, parts) {
    if (away.has(id)) throw fail('connector_unavailable', { detail: 'away' });
    const texts: string[] = [];
    for await (const part of parts) texts.push(Buffer.from(part).toString());
    given.set(id, [...(given.get(id) ?? []), ...texts]);
  },
  health: () => ({ state: away.has(id) ? 'down' : 'ready', restarts: 0 }),
});
const open = async (idleMs?: number): Promise<IngestLogs> => {
  logs = await IngestLogs.open({
    dir: join(dir, 'log'),
    othersDir: join(dir, 'logs'),
    sinkOf,
    clock: systemClock,
    logger: silentLogger,
    capBytes: CAP_BYTES,
    minFreeDiskPercent: 0,
    log: { lingerMs: 1 },
    ...(idleMs === undefined ? {} : { idleMs }),
  });
  return logs;
};
const request = (text: string) => ({
  blocks: [{ table: 'otel_logs', rows: 1, bytes: new Uint8Array(Buffer.from(text)) }],
  requestHash: new Uint8Array(Buffer.from(text.padEnd(16)).subarray(0, 16)),
  tenant: 'p',
});

it('what was acknowledged for a configuration goes there after a restart, and holds up no other', async () => {
  away.add('far');
  const first = await open();
  await first.append('far', request('for far'));
  await first.append('embedded', request('for embedded'));
  expect(await first.flush(200)).toBe(false);
  expect(first.backlogOf('far')).toBe(1);
  expect(first.health().reasons.join()).toContain('database configuration far');
  await first.close();
  expect(given).toEqual(new Map([['embedded', ['for embedded']]]));
  // Nothing names it any more; its records are carried there all the same.
  away.clear();
  const second = await open();
  expect(await second.flush(30_000)).toBe(true);
  expect(given.get('far')).toEqual(['for far']);
  expect(given.get('embedded')).toEqual(['for embedded']);
});

it('one request is known by each log for itself', async () => {
  const all = await open();
  expect(await all.append('a', request('same'))).toEqual({ duplicate: false });
  expect(await all.append('b', request('same'))).toEqual({ duplicate: false });
  expect(await all.append('a', request('same'))).toEqual({ duplicate: true });
});

it('an empty log that nobody uses is closed, and opened again when it is needed', async () => {
  const all = await open(50);
  await all.append('a', request('one'));
  // Only that of the built-in configuration stands open.
  await expect.poll(() => all.stats().capBytes, { timeout: 30_000 }).toBe(CAP_BYTES);
  for (let turn = 0; turn < 20; turn += 1) {
    await all.append('a', request(`again ${turn}`));
    await new Promise((resolve) => setTimeout(resolve, turn * 8));
  }
  expect(await all.flush(30_000)).toBe(true);
  await expect.poll(() => given.get('a')?.length, { timeout: 30_000 }).toBe(21);
});

it('a removed log leaves nothing behind, and an id is never a path', async () => {
  const all = await open();
  await all.append('gone', request('x'));
  expect(await all.flush(30_000)).toBe(true);
  await all.remove('gone');
  expect(existsSync(join(dir, 'logs', 'gone'))).toBe(false);
  await expect(all.append('../outside', request('y'))).rejects.toThrow(RangeError);
});
