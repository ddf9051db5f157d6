import { defineConfig } from 'vitest/config';
import { PROPERTY_TIMES } from './tools/testing/times.ts';

/**
 * Files of the rings that start whole processes run two at a time: much of their time is waiting, and an engine has threads
 * of its own for the rest.
 */
const PROCESSES_AT_ONCE = 2;
const globalSetup = ['tools/testing/migrated-store.ts'];
const setupFiles = ['tools/testing/worker.ts', 'tools/testing/property-times.ts'];

/**
 * Three rings, three projects, one after another. `unit` needs nothing but Node; `platform` starts whole processes (engine
 * host, server); `e2e` needs Chromium.
 */
export default defineConfig({
  test: {
    globalSetup: ['tools/testing/scratch.ts'],
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
          exclude: ['**/node_modules/**'],
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
          sequence: { groupOrder: 2 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
