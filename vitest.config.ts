import { defineConfig } from 'vitest/config';

/**
 * Three rings, three projects. `unit` needs nothing but Node; `platform` starts whole processes (engine host,
 * server) and runs its files one after another, because two engines at once starve a two-core machine; `e2e`
 * needs Chromium.
 */
export default defineConfig({
  test: {
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
          // A property test takes a second, and many times that on a machine that is busy.
          testTimeout: 60_000,
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
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/src/**/*.e2e.test.ts'],
          exclude: ['**/node_modules/**'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
