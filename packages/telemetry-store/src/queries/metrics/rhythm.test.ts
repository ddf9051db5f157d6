import { describe, expect, it } from 'vitest';
import { waitedFor } from './rhythm.ts';

const HOUR = 3_600;
const many = (count: number, interval: number) => Array.from({ length: count }, () => interval);

describe('the interval that a step waits for', () => {
  it('is the longest, when many buckets are left', () => {
    expect(waitedFor([...many(999, 10), 60], 24 * HOUR)).toBe(60);
    expect(waitedFor([...many(999, 10), 720], 24 * HOUR)).toBe(720);
  });
  it('is that of nearly all series, when few are', () => {
    expect(waitedFor([...many(3, 10), 60], HOUR / 4)).toBe(60);
    expect(waitedFor([...many(19, 10), 60], HOUR / 4)).toBe(10);
    expect(waitedFor([...many(999, 10), HOUR], 24 * HOUR)).toBe(10);
    expect(waitedFor([...many(9, 10), HOUR], 24 * HOUR)).toBe(HOUR);
  });
  it('is none that would leave hardly a bucket, unless most series are as slow', () => {
    expect(waitedFor([...many(3, 10), 60, HOUR / 2], HOUR)).toBe(60);
    expect(waitedFor([10, ...many(3, HOUR / 2)], HOUR)).toBe(HOUR / 2);
    expect(waitedFor([], HOUR)).toBeUndefined();
  });
});
