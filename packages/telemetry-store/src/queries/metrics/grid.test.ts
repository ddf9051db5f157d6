import { describe, expect, it } from 'vitest';
import { beginMs, cut, gridOf } from './grid.ts';

const at = (seconds: number): bigint => BigInt(seconds) * 1_000_000_000n;
const DAY = 86_400;

describe('grid of a metric query', () => {
  it('is aligned to UTC and takes a readable step of at most 300 buckets', () => {
    expect(gridOf({ from: at(7), to: at(DAY + 7) }, undefined, null, 1)).toMatchObject({
      step: 300,
      first: 0,
      last: 288,
    });
    expect(gridOf({ from: at(0), to: at(3_600) }, undefined, 10, 1).step).toBe(20);
    expect(gridOf({ from: at(0), to: at(3_600) }, undefined, 60, 1).step).toBe(120);
    expect(gridOf({ from: at(0), to: at(10 * 365 * DAY) }, undefined, 60, 1).step).toBe(20 * DAY);
  });

  it('gets wider when there are very many series, and refuses what would hold too much', () => {
    expect(gridOf({ from: at(0), to: at(DAY) }, undefined, 60, 100_000).step).toBe(3_600);
    expect(() => gridOf({ from: at(0), to: at(DAY) }, 60, 60, 100_000)).toThrow(
      'stepSeconds of at least 3600',
    );
  });

  it('begins its buckets where it is told to', () => {
    const grid = gridOf({ from: at(45), to: at(400) }, 60, null, 1, 7_500);
    expect(grid).toMatchObject({ first: 0, last: 6 });
    expect(beginMs(grid, 6)).toBe(367_500);
    expect(cut(grid, 3).map(({ from }) => Number(from) / 1e9)).toEqual([45, 187.5, 367.5]);
    // More than a step is none the less.
    expect(gridOf({ from: at(45), to: at(400) }, 60, null, 1, 127_500)).toEqual(grid);
  });

  it('is cut at the borders of buckets, without a gap', () => {
    const grid = gridOf({ from: at(45), to: at(400) }, 60, null, 1);
    expect(cut(grid, 1)).toEqual([grid.window]);
    expect(cut(grid, 3)).toEqual([
      { from: at(45), to: at(180) },
      { from: at(180), to: at(360) },
      { from: at(360), to: at(400) },
    ]);
    expect(cut(grid, 100)).toHaveLength(7);
  });
});
