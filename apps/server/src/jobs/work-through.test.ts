import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, silentLogger } from '@candela/kernel';
import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { JobRunner } from './runner.ts';
import { PermanentError, workThrough } from './work-through.ts';

const dir = mkdtempSync(join(tmpdir(), 'candela-work-'));
let now = Date.UTC(2026, 0, 2);
const clock = { now: () => now };
let metadata: MetadataStore;
beforeAll(async () => {
  metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger, clock });
});
afterAll(async () => {
  await metadata.close();
  rmSync(dir, { recursive: true, force: true });
});

it('does what is due, tries again what failed, and gives up on what cannot work', async () => {
  const keys = ['good', 'flaky', 'broken', 'hopeless'];
  await metadata.work.enqueue(
    'q',
    keys.map((key) => ({ key, payload: null })),
  );
  const tries = new Map<string, number>();
  const round = () =>
    workThrough({
      metadata,
      queue: 'q',
      owner: 'me',
      concurrency: 2,
      maxAttempts: 3,
      signal: new AbortController().signal,
      now: clock.now,
      async handle({ key, attempts }) {
        tries.set(key, attempts);
        if (key === 'broken') throw new PermanentError('cannot work');
        if (key === 'hopeless' || (key === 'flaky' && attempts === 1)) throw new Error('not now');
        return { key };
      },
    });
  expect(await round()).toEqual({ done: 1, retried: 2, failed: 1 });
  expect(await round()).toEqual({ done: 0, retried: 0, failed: 0 });
  now += 3_600_000;
  expect(await round()).toEqual({ done: 1, retried: 1, failed: 0 });
  now += 3_600_000;
  expect(await round()).toEqual({ done: 0, retried: 0, failed: 1 });
  expect(Object.fromEntries(tries)).toEqual({ good: 1, flaky: 2, broken: 1, hopeless: 3 });
  expect(await metadata.work.counts('q')).toEqual({ queued: 0, leased: 0, done: 2, failed: 2 });
});

it('waits for what is due again soon where somebody waits for the whole, and no longer', async () => {
  await metadata.work.enqueue('patient', [{ key: 'flaky', payload: null }]);
  const start = now;
  const counts = await workThrough({
    metadata,
    queue: 'patient',
    owner: 'me',
    concurrency: 1,
    patienceMs: 30_000,
    signal: new AbortController().signal,
    // The clock goes on while it is looked at.
    now: () => (now += 10_000),
    handle: async ({ attempts }) => {
      if (attempts < 3) throw new Error('not now');
    },
  });
  expect(counts).toEqual({ done: 1, retried: 2, failed: 0 });
  now = start;
});

it('tries again no sooner than a vendor asks', async () => {
  await metadata.work.enqueue('limited', [{ key: 'busy', payload: null }]);
  const tries: number[] = [];
  const round = () =>
    workThrough({
      metadata,
      queue: 'limited',
      owner: 'me',
      concurrency: 1,
      signal: new AbortController().signal,
      now: clock.now,
      handle: ({ attempts }) => {
        tries.push(attempts);
        return Promise.reject(fail('provider_failed', { detail: 'busy' }, { retryAfterSeconds: 60 }));
      },
    });
  await round();
  now += 59_000;
  await round();
  expect(tries).toEqual([1]);
  now += 1_000;
  await round();
  expect(tries).toEqual([1, 2]);
});

it('a runner keeps what a run did, and why it failed', async () => {
  const runner = new JobRunner({
    metadata,
    clock,
    logger: silentLogger,
    timing: { pollMs: 10, leaseMs: 60_000, heartbeatMs: 20_000 },
  });
  let runs = 0;
  const every = { everyMs: 1_000, atStart: true } as const;
  await runner.start([
    { id: 'counts', title: 'Counts', schedule: every, run: async () => ({ runs: ++runs }) },
    { id: 'fails', title: 'Fails', run: () => Promise.reject(new Error('disk gone')) },
  ]);
  await expect.poll(() => runs, { timeout: 20_000 }).toBe(1);
  await runner.trigger('fails', 'manual');
  const ended = async (id: string) => (await runner.runs(id, 5)).filter(({ outcome }) => outcome !== null);
  await expect.poll(async () => (await ended('fails')).length, { timeout: 20_000 }).toBe(1);
  expect(await ended('fails')).toMatchObject([{ outcome: 'failed', error: 'disk gone', trigger: 'manual' }]);
  now += 1_000;
  await expect.poll(async () => (await ended('counts')).length, { timeout: 20_000 }).toBe(2);
  expect((await ended('counts'))[0]).toMatchObject({ outcome: 'ok', stats: { runs: 2 } });
  await expect(runner.trigger('none')).rejects.toThrow(/was not found/);
  await runner.stop();
});
