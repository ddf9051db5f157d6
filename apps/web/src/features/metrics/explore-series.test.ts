import { expect, it } from 'vitest';
import { closedRange, figuresOf, linesOf, offsetBefore, thinned } from './explore-series.ts';
import { emptyWords, unitWords } from './metric-words.ts';

const answer = {
  metric: 'm',
  aggregation: 'p95',
  valueUnit: 's',
  groupBy: ['service'],
  series: [{ labels: ['shop', ''], points: [[1_000, 2] as const, [2_000, null] as const] }],
};

it('names lines by their labels, queries by their letter, and keeps gaps', () => {
  expect(linesOf(answer, undefined)).toMatchObject([
    {
      label: 'shop · (none)',
      points: [
        { timeMs: 1_000, value: 2 },
        { timeMs: 2_000, value: null },
      ],
    },
  ]);
  const [a] = linesOf({ ...answer, series: [{ labels: [], points: [] }] }, 'a');
  const [b] = linesOf({ ...answer, series: [{ labels: [], points: [] }] }, 'b');
  expect(a?.label).toBe('A: p95 m');
  expect(a?.key).not.toBe(b?.key);
  expect(a?.identity).toBe(b?.identity);
});

it('tells where buckets of an earlier period begin to lie under those of this one', () => {
  expect(offsetBefore(60, 3_600_000)).toBeUndefined();
  expect(offsetBefore(undefined, 1)).toBeUndefined();
  // A bucket from 12:00:00 on, 90 seconds and a half before: from 11:58:29.5 on.
  expect(offsetBefore(60, 90_500)).toBe(29_500);
});

it('has figures of what was measured only', () => {
  expect(figuresOf([{ value: 3 }, { value: null }, { value: 1 }])).toEqual({
    least: 1,
    average: 2,
    most: 3,
    last: 1,
  });
  expect(figuresOf([{ value: null }])).toEqual({ least: null, average: null, most: null, last: null });
});

it('keeps the largest exemplar of each stretch, and none from outside', () => {
  const window = { fromMs: 0, toMs: 4_000 };
  const at = (timeMs: number, value: number) => ({ timeMs, value });
  expect(thinned([at(10, 1), at(20, 3), at(30, 2), at(150, 1), at(-5, 9), at(4_000, 9)], window)).toEqual([
    at(20, 3),
    at(150, 1),
  ]);
});

it('draws open ranges of a heat map where they can be seen, and says that they are open', () => {
  expect(closedRange({ low: 1, high: 2 })).toEqual({ low: 1, high: 2 });
  expect(closedRange({ low: 1, high: null })).toEqual({ low: 1, high: 2, open: 'above' });
  expect(closedRange({ low: -5, high: null })).toEqual({ low: -5, high: -4, open: 'above' });
  expect(closedRange({ low: null, high: 0.1 })).toEqual({ low: 0, high: 0.1, open: 'below' });
  expect(closedRange({ low: null, high: -10 })).toEqual({ low: -20, high: -10, open: 'below' });
  expect(closedRange({ low: null, high: 0 })).toEqual({ low: -1, high: 0, open: 'below' });
});

it('says why there is nothing to draw', () => {
  const about = (changes: object) => ({
    type: 'gauge' as const,
    temporality: null,
    monotonic: null,
    matchedSeries: 1,
    series: [],
    ...changes,
  });
  const counter = about({ type: 'sum', temporality: 'cumulative', monotonic: true });
  const histogram = about({ type: 'histogram', temporality: 'cumulative' });
  expect(emptyWords([about({ type: null, matchedSeries: 0 })])).toMatch(/^No series matches/);
  expect(emptyWords([counter])).toMatch(/second point/);
  expect(emptyWords([histogram, counter])).toMatch(/second point/);
  expect(emptyWords([about({}), counter])).toMatch(/reported no value/);
  expect(emptyWords([about({ type: 'sum', temporality: 'cumulative', monotonic: false })])).toMatch(
    /no value/,
  );
  expect(emptyWords([{ ...histogram, temporality: 'delta' }])).toMatch(/no value/);
  expect(emptyWords([{ ...histogram, series: [{}] }])).toMatch(/^Nothing was measured/);
});

it('writes units beside a title as people say them', () => {
  expect(['1', '', 'By/s', '{token}', '{request}/s'].map(unitWords)).toEqual([
    '',
    '',
    'By/s',
    'token',
    'request/s',
  ]);
});
