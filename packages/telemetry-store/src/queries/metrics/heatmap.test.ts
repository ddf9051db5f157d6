import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Range } from './distribution.ts';
import { laidOut } from './heatmap.ts';

const column = (...ranges: Range[]) => ({ ranges, counts: ranges.map(({ count }) => count) });
const columns = (...ranges: Range[]) => ({ columns: new Map([[0, column(...ranges)]]), notes: [] });
const range = (low: number, high: number, count = 1): Range => ({ low, high, count });

describe('rows of a heat map', () => {
  it('leaves out edges that lie inside of another range', () => {
    const { edges, notes } = laidOut(
      columns(range(-Infinity, 1), range(1, 2), range(2, 5), range(2, Infinity)),
    );
    expect(edges).toEqual([-Infinity, 1, 2, Infinity]);
    expect(notes).toEqual(['Bucket bounds differ over time: ranges that overlap are shown as one.']);
  });
  it('keeps zero, a range without a width, beside what begins there', () => {
    expect(laidOut(columns(range(0, 1), range(0, 0), range(1, 2)))).toMatchObject({
      edges: [0, 1, 2],
      notes: [],
    });
  });
  it('does not mind the edges of ranges that hold nothing', () => {
    expect(laidOut(columns(range(1, 2), range(2, 4), range(1, 4, 0)))).toMatchObject({
      edges: [1, 2, 4],
      notes: [],
    });
  });
  it('leaves out what nobody knows the place of, unless there is nothing else', () => {
    const { cells, edges, notes } = laidOut(columns(range(1, 2), range(-Infinity, Infinity, 1_234)));
    expect([edges, cells]).toEqual([[1, 2], [[0, 0, 1]]]);
    expect(notes).toEqual(['1,234 measurements are not shown: no bucket says where they lie.']);
    expect(laidOut(columns(range(-Infinity, Infinity)))).toMatchObject({
      edges: [-Infinity, Infinity],
      notes: [],
    });
  });

  it('adds up what lies in one row, whether ranges that are alike are one object or several', () => {
    const [low, high] = [range(0, 1, 2), range(1, 2, 3)];
    const several = new Map([
      [7, column(low, high)],
      [5, column(high, range(1, 2, 4), range(2, 3, 0))],
    ]);
    expect(laidOut({ columns: several, notes: [] })).toEqual({
      edges: [0, 1, 2],
      cells: [
        [5, 1, 7],
        [7, 0, 2],
        [7, 1, 3],
      ],
      notes: [],
    });
  });

  const edge = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom(-Infinity, Infinity));
  const ranges = fc.array(
    fc
      .tuple(edge, edge)
      .filter(([a, b]) => a !== b || Number.isFinite(a))
      .map(([a, b]) => range(Math.min(a, b), Math.max(a, b))),
    { minLength: 1, maxLength: 12 },
  );
  it('has a row for each range, however they overlap', () =>
    fc.assert(
      fc.property(ranges, (all) => {
        const each = new Map(all.map((one, index) => [index, column(one)]));
        const { cells, edges } = laidOut({ columns: each, notes: [] });
        expect(edges).toEqual([...edges].sort((a, b) => a - b));
        const isAnywhere = ({ low, high }: Range) => low === -Infinity && high === Infinity;
        const shown = all.every(isAnywhere) ? all : all.filter((one) => !isAnywhere(one));
        expect(cells.map(([bucket]) => all[bucket])).toEqual(shown);
        for (const [bucket, row, count] of cells) {
          const { low = NaN, high = NaN } = all[bucket] ?? {};
          expect(edges[row]).toBeLessThanOrEqual(low);
          expect(edges[row + 1]).toBeGreaterThanOrEqual(high);
          expect(count).toBe(1);
        }
      }),
    ));
});
