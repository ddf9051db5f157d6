import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, silentLogger } from '@candela/kernel';
import { type IngestLog, openIngestLog } from '@candela/telemetry-store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { healthHandlers } from './routes.ts';

let dir: string;
let log: IngestLog | undefined;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-health-'));
});
afterEach(async () => {
  await log?.close();
  await rm(dir, { recursive: true, force: true });
});

/** A real log before a store that refuses everything. */
async function openLog(minFreeDiskPercent: number): Promise<IngestLog> {
  log = await openIngestLog({
    dir,
    store: {
      insertNative: () => Promise.reject(fail('store_unavailable', { seconds: 1 })),
      health: () => ({ state: 'ready', restarts: 0 }),
    },
    logger: silentLogger,
    capBytes: 1 << 26,
    minFreeDiskPercent,
    lingerMs: 1,
    closeWaitMs: 10,
  });
  return log;
}

function health(opened: IngestLog | undefined, damagedParts = 0) {
  const { getPlatformHealth } = healthHandlers({
    version: '1',
    phase: () => 'ready',
    store: () => ({ state: 'ready', restarts: 0, version: '1', damagedParts }),
    log: () => opened,
  });
  // It looks at nothing of the request.
  return getPlatformHealth(undefined as never);
}

it('is ready while all is well', async () => {
  expect(await health(await openLog(0))).toMatchObject({ state: 'ready', reasons: [] });
});

it('tells that rows are missing', async () => {
  expect(await health(await openLog(0), 2)).toMatchObject({
    state: 'degraded',
    reasons: ['2 damaged part(s) of the telemetry store were set aside; their rows are missing.'],
  });
});

it('tells that the disk is nearly full', async () => {
  const opened = await openLog(101);
  expect(await health(opened)).toMatchObject({ state: 'degraded', reasons: ['The disk is nearly full.'] });
});

it('tells at once that the store takes nothing', async () => {
  const opened = await openLog(0);
  await opened.append({
    tenant: 'default',
    requestHash: new Uint8Array(16).fill(1),
    blocks: [{ table: 'otel_traces', rows: 1, bytes: Buffer.from('x') }],
  });
  while (opened.health().state === 'ok') await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await health(opened)).toMatchObject({
    state: 'degraded',
    reasons: ['The telemetry store takes no data at the moment.'],
  });
});
