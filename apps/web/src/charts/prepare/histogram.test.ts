import { describe, expect, it } from 'vitest';
import { brushed, prepareHistogram } from './histogram.ts';

const window = { fromMs: 0, toMs: 60_000 };

describe('histogram', () => {
  it('fills the window, sums a bucket, leaves out what lies beyond', () => {
    const histogram = prepareHistogram(
      [
        { timeMs: 0, count: 3, errors: 1 },
        { timeMs: 5_000, count: 2, errors: 9 },
        { timeMs: 50_000, count: 7, errors: 0 },
        { timeMs: 70_000, count: 100, errors: 0 },
        { timeMs: -1, count: 100, errors: 0 },
      ],
      window,
      10,
    );
    expect(histogram.bars.map((bar) => bar.count)).toEqual([5, 0, 0, 0, 0, 7]);
    expect(histogram.bars.map((bar) => bar.errors)).toEqual([3, 0, 0, 0, 0, 0]);
    expect([histogram.highest, histogram.total, histogram.errors]).toEqual([7, 12, 3]);
  });
  it('brushes whole buckets in either direction', () => {
    const histogram = prepareHistogram([], window, 10);
    expect(brushed(histogram, 0.2, 0.45)).toEqual({ fromMs: 10_000, toMs: 30_000 });
    expect(brushed(histogram, 0.45, 0.2)).toEqual({ fromMs: 10_000, toMs: 30_000 });
    expect(brushed(histogram, -3, 9)).toEqual({ fromMs: 0, toMs: 60_000 });
  });
  it('keeps ticks few and inside', () => {
    const { ticks } = prepareHistogram([], { fromMs: 123, toMs: 86_400_000 * 9 }, 3_600 * 4);
    expect(ticks.length).toBeLessThanOrEqual(9);
    expect(ticks.length).toBeGreaterThan(2);
  });
});
