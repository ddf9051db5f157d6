import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compacted, firstOverlap, GRID, nextPlace, placed } from './layout.ts';

const number = fc.oneof(fc.integer({ min: -5, max: 30 }), fc.constant(Number.NaN));
const widgets = fc
  .array(fc.record({ x: number, y: number, w: number, h: number }), { maxLength: 20 })
  .map((places) => places.map((place, index) => ({ id: `w${index}`, ...place })));

it('lays out anything without overlap, inside the grid, and the same the second time', () => {
  fc.assert(
    fc.property(widgets, (items) => {
      const once = compacted(items);
      expect(firstOverlap(once)).toBeUndefined();
      expect(
        once.every(({ x, y, w, h }) => x >= 0 && y >= 0 && w >= 1 && h >= 1 && x + w <= GRID.columns),
      ).toBe(true);
      expect(compacted(once)).toEqual(once);
    }),
  );
});

it('moves and resizes one widget and loses none', () => {
  fc.assert(
    fc.property(widgets, number, number, number, (items, x, y, w) => {
      const before = compacted(items);
      const after = placed(before, 'w0', { x, y, w });
      expect(firstOverlap(after)).toBeUndefined();
      expect(after.map(({ id }) => id).toSorted()).toEqual(before.map(({ id }) => id).toSorted());
    }),
  );
});

it('puts a new widget where there is room', () => {
  const left = { id: 'a', x: 0, y: 0, w: 6, h: 4 };
  expect(nextPlace([left], { w: 6, h: 4 })).toEqual({ x: 6, y: 0, w: 6, h: 4 });
  expect(nextPlace([left], { w: 12, h: 4 })).toEqual({ x: 0, y: 4, w: 12, h: 4 });
});

it('a widget that is pushed onto another takes its place, and the other goes below', () => {
  const after = placed(
    [
      { id: 'a', x: 0, y: 0, w: 6, h: 4 },
      { id: 'b', x: 6, y: 0, w: 6, h: 4 },
    ],
    'b',
    { x: 0 },
  );
  expect(after.find(({ id }) => id === 'b')).toMatchObject({ x: 0, y: 0 });
  expect(after.find(({ id }) => id === 'a')).toMatchObject({ x: 0, y: 4 });
});
