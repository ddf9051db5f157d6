import { fail, silentLogger, systemClock } from '@candela/kernel';
import type { TelemetryStore } from '@candela/telemetry-store';
import { expect, it } from 'vitest';
import { RetentionKeeper } from './enforce.ts';

it('deletes in every database of a project, also where one before it is away', async () => {
  const looked = new Map<string, number>();
  const warned: object[] = [];
  const keeper = new RetentionKeeper({
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
    clock: systemClock,
    logger: { ...silentLogger, warn: (fields) => void warned.push(fields) },
  });
  await expect.poll(() => looked.size).toBe(1);
  await keeper.stop();
  expect(warned).toMatchObject([{ projectId: 'p', signal: 'logs', connector: 'away' }]);
  expect(looked.get('there')).toBeGreaterThan(0);
});

it('stops at once while the engine deletes', async () => {
  const asked: string[] = [];
  const warned: object[] = [];
  const keeper = new RetentionKeeper({
    choices: { all: () => [{ projectId: 'p', signal: 'logs', days: 7 }] },
    configsOf: async () => ['there'],
    use: async (_id, _projectId, work) => {
      const select = async (sql: string) => {
        asked.push(sql);
        return [{ Open: 1, Reason: '' }];
      };
      return work({ select } as unknown as TelemetryStore);
    },
    clock: systemClock,
    logger: { ...silentLogger, warn: (fields) => void warned.push(fields) },
  });
  await expect.poll(() => asked.length).toBeGreaterThan(1);
  await keeper.stop();
  expect(asked.every((sql) => sql.includes('system.mutations'))).toBe(true);
  expect(warned).toEqual([]);
});
