import { describe, expect, it } from 'vitest';
import { rankNumbers } from './rank.ts';

const FIELDS = [{ field: 'duration_ms', unit: 'ms' }] as const;
const numbers = (selected: boolean, values: readonly (number | null)[]) =>
  values.map((value) => ({ selected, weight: 1, values: [value] }));
const upTo = (count: number, of: (index: number) => number) =>
  Array.from({ length: count }, (_, at) => of(at));
const rest = numbers(
  false,
  upTo(2_000, (at) => at / 2_000),
);
const difference = (selection: readonly (number | null)[]) =>
  rankNumbers([...numbers(true, selection), ...rest], FIELDS)[0]?.difference;

describe('numbers', () => {
  it('lie apart where chance does not explain it', () => {
    expect(difference(upTo(200, (at) => 0.5 + at / 400))).toBeCloseTo(0.5, 1);
    // Eight of one distribution lie so far apart often.
    expect(difference([0.44, 0.5, 0.58, 0.66, 0.71, 0.8, 0.88, 0.95])).toBe(0);
    expect(difference(upTo(8, (at) => 2 + at))).toBe(1);
  });

  it('of a few rows say nothing', () => {
    expect(difference([7, null, null])).toBe(0);
    expect(difference(upTo(4, () => 7))).toBe(0);
    expect(difference(upTo(5, () => 7))).toBe(1);
  });
});
