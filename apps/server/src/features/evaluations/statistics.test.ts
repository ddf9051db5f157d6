import { describe, expect, it } from 'vitest';
import { kappa, mcnemar, pairedDifference, wilson } from './statistics.ts';

describe('statistics', () => {
  it.each([
    [8, 10, 0.4902, 0.9433],
    [0, 20, 0, 0.1611],
    [20, 20, 0.8389, 1],
    [45, 100, 0.3561, 0.5476],
  ])('Wilson of %d in %d', (hits, of, low, high) => {
    const interval = wilson(hits, of);
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  });

  it.each([
    [
      [
        [20, 5],
        [10, 15],
      ],
      0.4,
    ],
    [
      [
        [45, 15],
        [25, 15],
      ],
      0.1304,
    ],
    [
      [
        [25, 35],
        [5, 35],
      ],
      0.2593,
    ],
  ])('kappa of %j', (table, expected) => expect(kappa(table)).toBeCloseTo(expected, 4));

  it('kappa of three levels, with and without weights; undefined is null', () => {
    const table = [
      [10, 3, 0],
      [2, 12, 4],
      [1, 2, 16],
    ];
    expect(kappa(table, 'quadratic')).toBeCloseTo(0.7631, 4);
    expect(kappa(table)).toBeCloseTo(0.6353, 4);
    expect(
      kappa([
        [50, 0],
        [0, 0],
      ]),
    ).toBeNull();
    expect([
      kappa([
        [0, 0],
        [0, 0],
      ]),
      wilson(0, 0),
    ]).toEqual([null, null]);
  });

  it.each([
    [3, 12, 0.03516],
    [5, 5, 1],
    [0, 6, 0.03125],
    [0, 0, 1],
  ])('McNemar of %d and %d', (b, c, p) => expect(mcnemar(b, c)).toBeCloseTo(p, 5));

  it('McNemar of thousands of pairs goes on where single terms vanish', () => {
    expect(mcnemar(1_000, 1_000)).toBeGreaterThan(0.9);
    expect(mcnemar(900, 1_100)).toBeLessThan(0.001);
  });

  it('paired differences have an interval', () => {
    const interval = pairedDifference([0.1, 0.2, 0.3]);
    expect(interval?.mean).toBeCloseTo(0.2, 10);
    expect(interval?.low).toBeCloseTo(0.0868, 4);
    expect(pairedDifference([1])).toBeNull();
  });
});
