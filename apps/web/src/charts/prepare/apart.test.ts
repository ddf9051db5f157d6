import fc from 'fast-check';
import { expect, it } from 'vitest';
import { apart } from './apart.ts';

it('leaves out what would stand on a heavier mark', () => {
  const marks = [
    { x: 0, y: 0, weight: 1 },
    { x: 10, y: 0, weight: 3 },
    { x: 33, y: 0, weight: 2 },
    { x: 34, y: 0, weight: 2 },
    { x: 10, y: 24, weight: 0 },
  ];
  expect(apart(marks, 24).map(({ x, y }) => [x, y])).toEqual([
    [10, 0],
    [34, 0],
    [10, 24],
  ]);
});

it('gives each mark a square of its own, and leaves out only what has none', () => {
  const mark = fc.record({
    x: fc.integer({ min: 0, max: 300 }),
    y: fc.integer({ min: 0, max: 100 }),
    weight: fc.integer({ min: 0, max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(mark, { maxLength: 40 }), (marks) => {
      const kept = apart(marks, 24);
      const collides = (a: (typeof marks)[number], b: (typeof marks)[number]) =>
        Math.abs(a.x - b.x) < 24 && Math.abs(a.y - b.y) < 24;
      for (const [index, one] of kept.entries())
        for (const other of kept.slice(index + 1)) expect(collides(one, other)).toBe(false);
      for (const one of marks)
        if (!kept.includes(one))
          expect(kept.some((other) => other.weight >= one.weight && collides(one, other))).toBe(true);
    }),
  );
});
