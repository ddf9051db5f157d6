import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTelemetryStore } from '../client/open.ts';
import type { TelemetryStore } from '../client/types.ts';
import { defaultCaps } from '../engine-host/default-caps.ts';
import { scratchDir, startEngine } from './harness.ts';
import { idTextBlock } from './native-block.ts';

let dir: string;
beforeEach(() => {
  dir = scratchDir();
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const HEAVY = 'SELECT count() AS n FROM numbers(900000000000) WHERE number % 7 = 8';
type Engine = Awaited<ReturnType<typeof startEngine>>;
const one = async ({ client }: Engine): Promise<string> =>
  (await client.query({ query: 'SELECT 1', format: 'TabSeparated' })).text();

/** A machine with too much to do makes the engine slow. That is no reason to end it. */
describe('an engine that is only slow', () => {
  it('is left alone when it stood still for longer than its statements may run', async () => {
    const engine = await startEngine(dir, { stuckGraceSeconds: 0.3 });
    try {
      const { pid } = engine.supervisor;
      const answers = Array.from({ length: 6 }, () =>
        engine.client
          .query({ query: 'SELECT sleep(1) AS s', clickhouse_settings: { max_execution_time: 1.5 } })
          .then((result) => result.text())
          .catch(() => 'refused'),
      );
      await sleep(200);
      if (pid !== undefined) process.kill(pid, 'SIGSTOP');
      await sleep(4_000);
      if (pid !== undefined) process.kill(pid, 'SIGCONT');
      await Promise.all(answers);
      await sleep(1_500);
      expect(await one(engine)).toBe('1\n');
      expect(engine.supervisor.restarts).toBe(0);
    } finally {
      await engine.stop();
    }
  });

  it('is not taken for dead because the process that asks stood still', async () => {
    const engine = await startEngine(dir, { timing: { probeEveryMs: 1, probeLimitMs: 200 } });
    try {
      for (let round = 0; round < 3; round += 1) {
        await sleep(20 + round * 7);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
      }
      await sleep(100);
      expect(await one(engine)).toBe('1\n');
      expect(engine.supervisor.restarts).toBe(0);
    } finally {
      await engine.stop();
    }
  });

  it('answers and keeps living while every place is taken by statements that nobody waits for', async () => {
    const engine = await startEngine(dir, { timing: { probeEveryMs: 50, probeLimitMs: 5_000 } });
    try {
      for (let round = 0; round < 3; round += 1) {
        const leave = new AbortController();
        const left = Array.from({ length: defaultCaps().concurrentQueries * 2 }, () =>
          engine.client.query({ query: HEAVY, abort_signal: leave.signal }).catch(() => 'left'),
        );
        await sleep(500);
        leave.abort();
        await Promise.all(left);
      }
      expect(await one(engine)).toBe('1\n');
      expect(engine.supervisor.restarts).toBe(0);
    } finally {
      await engine.stop();
    }
  });

  /** An engine whose one asker wants far more than there is. */
  async function busy(work: (store: TelemetryStore) => Promise<void>): Promise<void> {
    const store = await openTelemetryStore({ kind: 'embedded', dataDir: dir, logger: silentLogger });
    await store.command('CREATE TABLE t (Id UInt64, Text String) ENGINE = MergeTree ORDER BY Id');
    const leave = new AbortController();
    const options = { signal: leave.signal, asker: 'greedy', timeoutMs: 120_000 };
    const all = Array.from({ length: 300 }, () => store.select(HEAVY, {}, options).catch(() => undefined));
    try {
      await sleep(500);
      await work(store);
      expect(store.health().restarts).toBe(0);
    } finally {
      leave.abort(new Error('left'));
      await Promise.all(all);
      await store.close();
    }
  }

  it('answers others while one asks for far more than there is', async () => {
    await busy(async (store) => {
      for (const asker of ['modest', 'another', undefined]) {
        const options = { timeoutMs: 15_000, ...(asker === undefined ? {} : { asker }) };
        expect(await store.select('SELECT 1 AS n', {}, options)).toEqual([{ n: 1 }]);
      }
      // And says so to whom it refuses.
      await expect(store.select('SELECT 1 AS n', {}, { asker: 'greedy' })).rejects.toMatchObject({
        code: 'overloaded',
      });
    });
  });

  it('takes inserts while one asks for far more than there is', async () => {
    await busy(async (store) => {
      await store.insertNative('t', [idTextBlock([{ id: 7, text: 'seven' }])], 'once');
      expect(await store.select('SELECT Id FROM t')).toEqual([{ Id: 7 }]);
    });
  });

  it('is called busy when all that runs needs too much memory together', async () => {
    const store = await openTelemetryStore({
      kind: 'embedded',
      dataDir: dir,
      logger: silentLogger,
      caps: { memoryBytes: 600 << 20, queryMemoryBytes: 8 * 2 ** 30 },
    });
    try {
      const large = 'SELECT length(groupArray(number)) AS n FROM numbers(200000000)';
      await expect(store.select(large)).rejects.toMatchObject({ code: 'overloaded', engineCode: 241 });
      await expect(store.select(large, {}, { maxMemoryBytes: 50 << 20 })).rejects.toMatchObject({
        code: 'query_too_expensive',
      });
    } finally {
      await store.close();
    }
  });

  it('is called busy, not away, when a statement waited too long for its turn', async () => {
    const store = await openTelemetryStore({
      kind: 'embedded',
      dataDir: dir,
      logger: silentLogger,
      caps: { concurrentQueries: 1 },
    });
    try {
      const leave = new AbortController();
      const heavy = store.select(HEAVY, {}, { signal: leave.signal }).catch((thrown: unknown) => thrown);
      await sleep(300);
      await expect(store.select('SELECT 1', {}, { timeoutMs: 500 })).rejects.toMatchObject({
        code: 'overloaded',
        retryable: true,
      });
      leave.abort(new Error('left'));
      expect(await heavy).toMatchObject({ message: 'left' });
      expect(store.health().restarts).toBe(0);
    } finally {
      await store.close();
    }
  });
});
