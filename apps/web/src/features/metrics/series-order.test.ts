import { expect, test } from 'vitest';
import { orderedLines } from './series-order.ts';

const line = (label: string, last: number | null) => ({
  label,
  figures: { least: 0, average: 0, most: 0, last },
});
const LINES = [line('host 10', 2), line('host 9', null), line('host 1', 7), line('host 2', 2)];
const named = (order: Parameters<typeof orderedLines>[1]) =>
  orderedLines(LINES, order).map(({ label }) => label);

test('series by a column: without a number last in both directions, alike as they stood', () => {
  expect(named(undefined)).toEqual(['host 10', 'host 9', 'host 1', 'host 2']);
  expect(named('-last')).toEqual(['host 1', 'host 10', 'host 2', 'host 9']);
  expect(named('last')).toEqual(['host 10', 'host 2', 'host 1', 'host 9']);
  expect(named('-least')).toEqual(named(undefined));
  expect(named('name')).toEqual(['host 1', 'host 2', 'host 9', 'host 10']);
  expect(named('-name')).toEqual(['host 10', 'host 9', 'host 2', 'host 1']);
});
