import { describe, expect, it } from 'vitest';
import {
  atScale,
  type Distribution,
  type ExponentialCounts,
  explicitRanges,
  exponentialRanges,
  mergeExplicit,
  quantile,
} from './distribution.ts';

/** Counts by index, as pairs. */
const side = (...pairs: [index: number, count: number][]): ExponentialCounts => ({
  indexes: pairs.map(([index]) => index),
  counts: pairs.map(([, count]) => count),
});

const explicit = (bounds: number[], counts: number[], more: Partial<Distribution> = {}): Distribution => ({
  ranges: explicitRanges(bounds, counts),
  spread: 'linear',
  count: counts.reduce((a, b) => a + b, 0),
  sum: 0,
  min: null,
  max: null,
  ...more,
});

describe('quantiles', () => {
  it('lie evenly inside of their range', () => {
    const of = explicit([10, 20], [4, 4, 0]);
    expect([0, 0.25, 0.5, 0.75, 1].map((q) => quantile(of, q))).toEqual([0, 5, 10, 15, 20]);
  });

  it('end at a bound where nothing else is known, and at what is known', () => {
    expect(quantile(explicit([10], [0, 5]), 0.99)).toBe(10);
    expect(quantile(explicit([10], [0, 5], { max: 110 }), 0.5)).toBe(60);
    expect(quantile(explicit([-5, 5], [4, 0, 0]), 0.5)).toBe(-5);
    expect(quantile(explicit([], [3]), 0.5)).toBeNull();
    expect(quantile(explicit([], [4], { min: 2, max: 4 }), 0.5)).toBe(3);
    expect(quantile(explicit([1], [0, 0]), 0.5)).toBeNull();
  });

  it('never leave what was measured', () => {
    const of = explicit([10, 20], [0, 4, 0], { min: 12, max: 14 });
    expect([0, 0.5, 1].map((q) => quantile(of, q))).toEqual([12, 13, 14]);
  });

  it('lie evenly by logarithm in exponential ranges, on both sides of zero', () => {
    const ranges = exponentialRanges({
      scale: 0,
      zero: 2,
      positive: side([1, 4]),
      negative: side([1, 4]),
    });
    expect(ranges).toEqual([
      { low: -4, high: -2, count: 4 },
      { low: 0, high: 0, count: 2 },
      { low: 2, high: 4, count: 4 },
    ]);
    const of: Distribution = { ranges, spread: 'logarithmic', count: 10, sum: 0, min: null, max: null };
    expect(quantile(of, 0.2)).toBeCloseTo(-(2 ** 1.5), 12);
    expect(quantile(of, 0.5)).toBe(0);
    expect(quantile(of, 0.8)).toBeCloseTo(2 ** 1.5, 12);
  });

  it('reach as far from zero as the zero bucket is wide, within what is known', () => {
    const part = { scale: 0, zero: 10, zeroWidth: 0.5, positive: side(), negative: side() };
    const of = (changes: object, min: number | null = null, max: number | null = null): Distribution => ({
      ranges: exponentialRanges({ ...part, ...changes, min, max }),
      spread: 'logarithmic',
      count: 10,
      sum: 0,
      min,
      max,
    });
    const ends = (one: Distribution) => [quantile(one, 0), quantile(one, 1)];
    expect(ends(of({}))).toEqual([-0.5, 0.5]);
    expect(ends(of({}, 0.2, 0.4))).toEqual([0.2, 0.4]);
    expect(ends(of({ zeroWidth: 0 }))).toEqual([0, 0]);
    // All that is known lies above zero, or below it; unless a negative value is known.
    expect(of({ positive: side([0, 5]) }).ranges).toEqual([
      { low: 0, high: 0.5, count: 10 },
      { low: 1, high: 2, count: 5 },
    ]);
    expect(of({ negative: side([0, 5]) }).ranges).toEqual([
      { low: -2, high: -1, count: 5 },
      { low: -0.5, high: 0, count: 10 },
    ]);
    expect(ends(of({ positive: side([0, 5]) }, -0.25, 2))).toEqual([-0.25, 2]);
    // What another sender told apart lies within, or begins where the zero bucket ends.
    const near = side([-3, 1], [-1, 2], [0, 4]);
    expect(of({ zeroWidth: 0.75, positive: near, negative: near }).ranges).toEqual([
      { low: -2, high: -1, count: 4 },
      { low: -1, high: -0.75, count: 2 },
      { low: -0.75, high: 0.75, count: 12 },
      { low: 0.75, high: 1, count: 2 },
      { low: 1, high: 2, count: 4 },
    ]);
  });

  it('follow a zero bucket that became wider: what was beside it is taken off where it now lies', () => {
    const part = {
      scale: 0,
      zero: 1_005,
      zeroWidth: 2,
      positive: side([0, -1_000]),
      negative: side(),
    };
    expect(exponentialRanges(part)).toEqual([{ low: -2, high: 2, count: 5 }]);
    // What cannot be is nothing.
    expect(exponentialRanges({ ...part, zero: 10 })).toEqual([]);
    expect(exponentialRanges({ ...part, zeroWidth: 0, zero: 0, negative: side([1, 3]) })).toEqual([
      { low: -4, high: -2, count: 3 },
    ]);
  });

  it('stay numbers at scales that reach beyond numbers', () => {
    const [range] = exponentialRanges({
      scale: -11,
      zero: 0,
      positive: side([0, 1]),
      negative: side(),
    });
    expect(range).toEqual({ low: 1, high: Number.MAX_VALUE, count: 1 });
  });
});

it('buckets of several bounds are added up over the bounds they share', () => {
  expect(
    mergeExplicit([
      { bounds: [1, 2, 5], counts: [1, 2, 3, 4] },
      { bounds: [1, 5, 10], counts: [10, 20, 30, 40] },
    ]),
  ).toEqual({ bounds: [1, 5], counts: [11, 25, 74], exact: false });
  expect(mergeExplicit([{ bounds: [1], counts: [1, 2] }]).exact).toBe(true);
  // Where nothing was counted nothing has to be told apart.
  const empty = { bounds: [5], counts: [0, 0] };
  expect(mergeExplicit([empty, { bounds: [1], counts: [1, 2] }])).toEqual({
    bounds: [1],
    counts: [1, 2],
    exact: true,
  });
  expect(mergeExplicit([empty])).toEqual({ ...empty, exact: true });
});

describe('a smaller scale', () => {
  it('takes neighbours together on both sides of nothing', () => {
    const part = {
      scale: 1,
      zero: 7,
      positive: side([-3, 1], [-1, 2], [0, 3], [1, 4]),
      negative: side([5, 6]),
    };
    expect(atScale(part, 0)).toEqual({
      scale: 0,
      zero: 7,
      positive: side([-2, 1], [-1, 2], [0, 7]),
      negative: side([2, 6]),
    });
    expect(atScale(part, 1)).toEqual(part);
    const known = { zeroWidth: 0.5, min: -1, max: 2 };
    expect(atScale({ ...part, ...known }, 0)).toMatchObject(known);
    expect(() => atScale(part, 2)).toThrow(RangeError);
  });
});
