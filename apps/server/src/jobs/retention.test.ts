import { fail, silentLogger, systemClock } from '@candela/kernel';
import type { TelemetryStore } from '@candela/telemetry-store';
import { expect, it } from 'vitest';
import type { JobRun } from './job.ts';
import { retention } from './retention.ts';
import { contextOf } from './runner.ts';

const runOf = (signal: AbortSignal, warned: object[]): JobRun => ({
  signal,
  now: () => systemClock.now(),
  logger: { ...silentLogger, warn: (fields) => void warned.push(fields) },
  contextOf,
});

it('deletes in every database of a project, also where one before it is away', async () => {
  const looked = new Map<string, number>();
  const warned: object[] = [];
  const job = retention({
    choices: { all: () => [{ projectId: 'p', signal: 'logs', days: 7 }] },
    configsOf: async () => ['away', 'there'],
    use: async (id, _projectId, work) => {
      if (id === 'away') throw fail('store_unavailable', { seconds: 1 });
      const select = async () => {
        looked.set(id, (looked.get(id) ?? 0) + 1);
        return [];
      };
      return work({ select } as unknown as TelemetryStore);
    },
  });
  const counts = await job.run(runOf(new AbortController().signal, warned));
  expect(counts).toEqual({ partitions: 0, failures: 1 });
  expect(warned).toMatchObject([{ projectId: 'p', signal: 'logs', connector: 'away' }]);
  expect(looked.get('there')).toBeGreaterThan(0);
});

it('stops at once while the engine deletes', async () => {
  const asked: string[] = [];
  const warned: object[] = [];
  const job = retention({
    choices: { all: () => [{ projectId: 'p', signal: 'logs', days: 7 }] },
    configsOf: async () => ['there'],
    use: async (_id, _projectId, work) => {
      const select = async (sql: string) => {
        asked.push(sql);
        return [{ Open: 1, Reason: '' }];
      };
      return work({ select } as unknown as TelemetryStore);
    },
  });
  const stopped = new AbortController();
  const running = job.run(runOf(stopped.signal, warned));
  await expect.poll(() => asked.length).toBeGreaterThan(1);
  stopped.abort();
  await running;
  expect(asked.every((sql) => sql.includes('system.mutations'))).toBe(true);
  expect(warned).toEqual([]);
});
