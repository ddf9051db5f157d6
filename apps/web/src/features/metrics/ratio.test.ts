import { expect, it } from 'vitest';
import { ratioLines, ratioUnit } from './ratio.ts';

type Points = readonly (readonly [number, number | null])[];
const answer = (groupBy: string[], ...series: [string[], Points][]) => ({
  metric: 'm',
  aggregation: 'rate',
  valueUnit: '{request}/s',
  groupBy,
  series: series.map(([labels, points]) => ({ labels, points })),
});

it('divides bucket by bucket, and knows nothing where either does not, or where there is nothing below', () => {
  const top = answer(
    [],
    [
      [],
      [
        [1, 1],
        [2, null],
        [3, 3],
        [4, 0],
        [5, 9],
      ],
    ],
  );
  const bottom = answer(
    [],
    [
      [],
      [
        [1, 4],
        [2, 4],
        [3, null],
        [4, 0],
        [6, 1],
      ],
    ],
  );
  const found = ratioLines(top, bottom, 'A ÷ B');
  expect(found?.lines.map(({ line }) => [line.label, line.points.map(({ value }) => value)])).toEqual([
    ['A ÷ B', [0.25, null, null, null, null]],
  ]);
});

it('averages over what was counted, not over the buckets', () => {
  const top = answer(
    [],
    [
      [],
      [
        [1, 1],
        [2, 10],
      ],
    ],
  );
  const bottom = answer(
    [],
    [
      [],
      [
        [1, 1],
        [2, 100],
      ],
    ],
  );
  expect(ratioLines(top, bottom, 'r')?.lines[0]?.figures).toEqual({
    least: 0.1,
    average: 11 / 101,
    most: 1,
    last: 0.1,
  });
});

it('divides lines of the same labels, in whichever order they were chosen', () => {
  const top = answer(
    ['host', 'zone'],
    [['a', 'x'], [[1, 2]]],
    [['b', 'x'], [[1, 6]]],
    [['c', 'x'], [[1, 1]]],
  );
  const bottom = answer(['zone', 'host'], [['x', 'b'], [[1, 3]]], [['x', 'a'], [[1, 4]]]);
  const found = ratioLines(top, bottom, 'r');
  expect(found?.lines.map(({ line }) => [line.label, line.points[0]?.value])).toEqual([
    ['a · x', 0.5],
    ['b · x', 2],
  ]);
  expect(found?.alone).toBe(1);
});

it('divides every line by the only one of what has no labels, and refuses labels that differ', () => {
  const byHost = answer(['host'], [['a'], [[1, 2]]], [['b'], [[1, 6]]]);
  const all = answer([], [[], [[1, 8]]]);
  expect(ratioLines(byHost, all, 'r')?.lines.map(({ line }) => line.points[0]?.value)).toEqual([0.25, 0.75]);
  expect(ratioLines(all, byHost, 'r')).toBeUndefined();
  expect(ratioLines(byHost, answer(['zone'], [['a'], [[1, 2]]]), 'r')).toBeUndefined();
});

it('says what a ratio is in', () => {
  expect(ratioUnit('{request}/s', '{request}/s')).toBe('1');
  expect(ratioUnit('By/s', '{request}/s')).toBe('By/{request}');
  expect(ratioUnit('W', '1')).toBe('W');
  expect(ratioUnit('1', 'W')).toBe('/W');
  expect(ratioUnit('J', '{token}')).toBe('J/{token}');
});
