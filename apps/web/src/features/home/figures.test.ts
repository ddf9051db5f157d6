import { expect, it } from 'vitest';
import type { AggregateData } from '../../api/home.ts';
import { bucketValues, costOf, errorSeconds, figureOf, rankedOf } from './figures.ts';

type Row = AggregateData['rows'][number];
const row = (changes: Partial<Row>): Row => ({
  time: null,
  group: [],
  values: [],
  previous: null,
  ...changes,
});
const answer = (rows: Row[], bucketSeconds: number | null = null): AggregateData => ({
  from: '2026-11-20T10:05:00.000Z',
  to: '2026-11-20T11:00:00.000Z',
  bucketSeconds,
  rows,
  groups: rows.length,
  previous: null,
  source: 'rows',
  sample: null,
  maxRowsToRead: 1,
});

it('reads a figure and the one before; nothing is 0 of a sum and unknown of a quantile', () => {
  const data = answer([row({ values: [5, null], previous: [4, 7] })]);
  expect(figureOf(data, 0, true)).toEqual({ value: 5, previous: 4 });
  expect(figureOf(data, 1, false)).toEqual({ value: null, previous: 7 });
  expect(figureOf(answer([]), 0, true)).toEqual({ value: 0, previous: 0 });
  expect(figureOf(undefined, 0, false)).toEqual({ value: null, previous: null });
});

it('gives every bucket of the answer a value', () => {
  const data = answer(
    [
      row({ time: '2026-11-20T10:20:00.000Z', values: [3] }),
      row({ time: '2026-11-20T10:40:00.000Z', values: [1] }),
    ],
    1_200,
  );
  expect(bucketValues(data, 0, true)).toEqual([0, 3, 1]);
  expect(bucketValues(data, 0, false)).toEqual([null, 3, 1]);
  expect(bucketValues(undefined, 0, true)).toEqual([]);
});

it('ranks what has a name and a figure', () => {
  const ranked = rankedOf(
    answer([
      row({ group: ['a'], values: [9, 1], previous: [3, 1] }),
      row({ group: [''], values: [8, 1] }),
      row({ group: ['b'], values: [0, 4] }),
    ]),
  );
  expect(ranked).toEqual([{ group: ['a'], values: [9, 1], before: 3 }]);
});

it('does not take calls without a price for free ones', () => {
  const calls = { value: 3, previous: 0 };
  expect(costOf({ value: null, previous: null }, calls)).toEqual({ value: null, previous: 0 });
  expect(costOf({ value: 0, previous: null }, { value: 3, previous: 2 })).toEqual({
    value: 0,
    previous: null,
  });
  expect(costOf({ value: null, previous: null }, { value: null, previous: null })).toEqual({
    value: 0,
    previous: 0,
  });
});

it('errors are counted finely over long ranges, and no finer than a bar or five minutes', () => {
  const seconds = (hours: number) => errorSeconds({ fromMs: 0, toMs: hours * 3_600_000 });
  expect(seconds(1)).toBe(60);
  expect(seconds(24)).toBe(300);
  expect(seconds(24 * 7)).toBeLessThanOrEqual(900);
  for (const hours of [0.1, 1, 6, 24, 24 * 7, 24 * 30, 24 * 365])
    expect((hours * 3_600) / seconds(hours)).toBeLessThanOrEqual(1_000);
});
