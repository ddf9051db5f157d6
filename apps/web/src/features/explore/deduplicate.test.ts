import type { ComparedField, ComparedNumber } from '@candela/contract';
import { expect, it } from 'vitest';
import { differences } from './deduplicate.ts';

const field = (
  name: string,
  difference: number,
  ...values: [value: string | null, selection: number, rest: number][]
): ComparedField => ({
  field: name,
  difference,
  values: values.map(([value, selection, rest]) => ({ value, cut: false, selection, rest })),
  more: false,
});
const number = (name: string, difference: number): ComparedNumber => ({
  field: name,
  unit: 'ms',
  difference,
  selection: { count: 9, p50: 1, p90: 1, p99: 1 },
  rest: { count: 9, p50: 1, p90: 1, p99: 1 },
});
const named = (told: ReturnType<typeof differences>) =>
  told.map((one) => ('unit' in one ? one.field : [one.field, ...one.alike].map((each) => each.field)));

it('fields that part the rows alike are one, whatever their values are called', () => {
  const told = differences({
    fields: [
      field('language', 0.3, ['python', 0.84, 0.54], ['node', 0.16, 0.46]),
      field('version', 0.3, ['22.21', 0.16, 0.46], ['3.13', 0.84, 0.54]),
      field('region', 0.3, ['eu', 0.84, 0.54], ['us', 0.1, 0.4], [null, 0.06, 0.06]),
      field('host', 0.3, [null, 0.16, 0.46], ['a', 0.84, 0.54]),
      field('sdk', 0.3, ['py', 0.84, 0.54], ['js', 0.16, 0.46]),
    ],
    numbers: [],
  });
  expect(named(told)).toEqual([['language', 'version', 'sdk'], ['region'], ['host']]);
});

it('a field of one value, or of more values than were told, stands for itself', () => {
  const more = (name: string) => ({ ...field(name, 0.5, ['a', 0.5, 0], ['b', 0.5, 0]), more: true });
  const told = differences({
    fields: [more('id'), more('path'), field('one', 0.1, ['x', 1, 0.9]), field('two', 0.1, ['y', 1, 0.9])],
    numbers: [],
  });
  expect(named(told)).toEqual([['id'], ['path'], ['one'], ['two']]);
});

it('numbers stand where they differ as much, and not where they hardly do', () => {
  const told = differences({
    fields: [field('a', 0.6, ['x', 1, 0.4]), field('b', 0.2, ['y', 1, 0.8])],
    numbers: [number('duration', 0.7), number('tokens', 0.2), number('late', 0.1), number('cost', 0.04)],
  });
  expect(named(told)).toEqual(['duration', ['a'], 'tokens', ['b'], 'late']);
});
