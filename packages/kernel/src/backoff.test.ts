import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

it('doubles up to the longest wait', () => {
  const waits = [0, 1, 2, 3, 60, 2_000].map((failures) => backoffMs(failures, { firstMs: 100, maxMs: 500 }));
  expect(waits).toEqual([100, 200, 400, 500, 500, 500]);
});

it('jitter adds up to half, never takes away', () => {
  const waits = [0, 0.5, 1].map((random) => backoffMs(1, { firstMs: 100, maxMs: 500, jitter: true }, random));
  expect(waits).toEqual([200, 250, 300]);
});
