import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tools/testing/longest-first.ts';
import { PROCESSES_AT_ONCE, PROPERTY_TIMES } from './tools/testing/times.ts';

/**
 * Files of the rings that start whole processes run three at a time: much of their time is waiting, and an engine has threads
 * of its own for the rest. So many of those that hold times against a limit, or that stop or overrun processes as fast as they can.
 */
const TIMED_AT_ONCE = Math.min(2, PROCESSES_AT_ONCE);
const TIMED = [
  'apps/collector/src/identity/*.platform.test.ts',
  'apps/server/src/ingest/*.platform.test.ts',
  'packages/telemetry-store/src/conformance/{engine-host,full-disk,slow-engine}.platform.test.ts',
];
const globalSetup = ['tools/testing/migrated-store.ts'];
const setupFiles = ['tools/testing/worker.ts', 'tools/testing/property-times.ts'];

/**
 * Four projects in three rings, one after another: `unit` needs nothing but Node; `platform` starts whole processes (engine
 * host, server) and `e2e` needs Chromium: each waits for other things than the other; `timed` are those of `platform` that
 * want fewer others beside them.
 */
export default defineConfig({
  test: {
    globalSetup: ['tools/testing/scratch.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'tools/**/*.test.ts',
            'bench/src/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/*.platform.test.ts'],
          setupFiles,
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
          // A property test takes a second, and many times that on a machine that is busy.
          testTimeout: 60_000 * PROPERTY_TIMES,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'platform',
          include: [
            'packages/*/src/**/*.platform.test.ts',
            'apps/*/src/**/*.platform.test.ts',
            'e2e/clients/src/**/*.platform.test.ts',
          ],
          exclude: ['**/node_modules/**', ...TIMED],
          globalSetup,
          setupFiles,
          maxWorkers: PROCESSES_AT_ONCE,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000 * PROPERTY_TIMES,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/src/**/*.e2e.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup,
          setupFiles,
          maxWorkers: PROCESSES_AT_ONCE,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'timed',
          include: TIMED,
          exclude: ['**/node_modules/**'],
          globalSetup,
          setupFiles,
          maxWorkers: TIMED_AT_ONCE,
          sequence: { groupOrder: 2 },
          testTimeout: 120_000 * PROPERTY_TIMES,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
