import { expect, it } from 'vitest';
import { asBefore, withChosen } from './chosen-values.ts';

const facet = (values: Record<string, number>, more = false) => ({
  field: 'service',
  values: Object.entries(values).map(([value, count]) => ({ value, count })),
  more,
});
const rows = (...args: Parameters<typeof withChosen>) =>
  withChosen(...args).values.map(({ value, count }) => [value, count]);

it('adds what was chosen behind the most frequent values, with its number', () => {
  const most = facet({ cart: 50, checkout: 40 }, true);
  const own = facet({ rare: 2, solo: 3, cart: 50 });
  expect(rows(most, ['cart', 'rare', 'solo', 'rare'], own)).toEqual([
    ['cart', 50],
    ['checkout', 40],
    ['solo', 3],
    ['rare', 2],
  ]);
  expect(withChosen(most, ['solo'], own).top).toBe(2);
});

it('says 0 only of what a whole answer does not name', () => {
  const most = facet({ cart: 50 }, true);
  expect(rows(most, ['gone'], facet({}))).toEqual([
    ['cart', 50],
    ['gone', 0],
  ]);
  expect(rows(most, ['gone'], facet({ a: 1 }, true))[1]).toEqual(['gone', undefined]);
  expect(rows(most, ['gone'], undefined)[1]).toEqual(['gone', undefined]);
});

it('keeps the numbers of the answer before in their places until the next one is there', () => {
  const most = facet({ cart: 50 }, true);
  const before = asBefore(facet({ rare: 2, solo: 3 }));
  expect(rows(most, ['rare', 'new', 'solo'], before).slice(1)).toEqual([
    ['solo', 3],
    ['rare', 2],
    ['new', undefined],
  ]);
  expect(asBefore(undefined)).toBeUndefined();
});

it('leaves the list as it is where all that was chosen is in it', () => {
  expect(rows(facet({ cart: 50 }), ['cart'], facet({ cart: 49 }))).toEqual([['cart', 50]]);
});
