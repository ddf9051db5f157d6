import { afterEach, describe, expect, it } from 'vitest';
import { collectWhenIdle, youngBytes } from './idle-memory.ts';

const MIB = 1_048_576;

/** Makes objects that outlive a few collections, until the young generation has grown; some machines need more. */
function growYoung(): void {
  for (let round = 0; round < 400 && youngBytes() < 16 * MIB; round += 1) {
    const kept: object[] = [];
    for (let n = 0; n < 40_000; n += 1) kept.push({ n, text: `${round}-${n}` });
    if (kept.length === 0) throw new Error('unreachable');
  }
}

describe('memory at rest', () => {
  let end = () => {};
  afterEach(() => end());

  it('is given back by the young generation once the thread rests, again after each burst', {
    timeout: 120_000,
  }, async () => {
    end = collectWhenIdle(50);
    for (const _ of [1, 2]) {
      growYoung();
      expect(youngBytes()).toBeGreaterThanOrEqual(16 * MIB);
      await expect.poll(youngBytes, { timeout: 50_000, interval: 200 }).toBeLessThan(16 * MIB);
    }
    expect(Object.hasOwn(globalThis, 'gc')).toBe(false);
  });
});
