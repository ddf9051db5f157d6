import { expect, it } from 'vitest';
import { peaks } from './peaks.ts';

it('keeps the height of what was short, in its place', () => {
  const week = Array.from({ length: 672 }, () => 3);
  week[400] = 60;
  const seen = peaks(week, 60);
  expect(seen).toHaveLength(60);
  expect(seen.filter((value) => value === 60)).toHaveLength(1);
  expect(seen[Math.floor((400 * 60) / 672)]).toBe(60);
});

it('counts every value once, and knows no value as none', () => {
  expect(peaks([1, null, 5, 2, null, null, 7], 3)).toEqual([1, 5, 7]);
  expect(peaks([null, null, 0, 4], 2)).toEqual([null, 4]);
  expect(peaks([1, 2], 60)).toEqual([1, 2]);
  expect(peaks([], 60)).toEqual([]);
});
