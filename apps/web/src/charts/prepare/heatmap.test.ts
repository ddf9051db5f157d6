import { describe, expect, it } from 'vitest';
import {
  heatCellAt,
  type HeatCursor,
  heatCursor,
  heatMarked,
  heatMoved,
  heatPlace,
  heatValue,
  prepareHeatmap,
} from './heatmap.ts';

const window = { fromMs: 0, toMs: 10_000 };
const cell = (timeMs: number, low: number, high: number, count: number) => ({ timeMs, low, high, count });

describe('heat map', () => {
  it('places cells by time and value; few beside many stay visible', () => {
    const map = prepareHeatmap([cell(0, 0, 50, 1_000), cell(5_000, 50, 100, 1)], window, 1);
    expect(map.logarithmic).toBe(false);
    expect(map.cells[0]).toMatchObject({ x: 0, y: 0.5, height: 0.5, heat: 1 });
    expect(map.cells[1]).toMatchObject({ x: 0.5, y: 0, width: 0.1 });
    expect(map.cells[1]?.heat).toBeCloseTo(0.235, 2);
    expect(map.total).toBe(1_001);
  });
  it('takes the logarithm of a wide range and finds values by place', () => {
    const map = prepareHeatmap([cell(0, 1, 10, 5), cell(0, 1_000, 10_000, 5)], window, 1);
    expect(map.logarithmic).toBe(true);
    expect(map.valueTicks).toEqual([1, 10, 100, 1_000, 10_000]);
    expect(heatValue(map, 0.5)).toBeCloseTo(100);
    expect(heatPlace(map, 100)).toBeCloseTo(0.5);
  });
  it('leaves out what is beyond the window, empty or no number', () => {
    const odd = [cell(-1, 0, 1, 5), cell(20_000, 0, 1, 5), cell(0, 0, Number.NaN, 5), cell(0, 0, 1, 0)];
    expect(prepareHeatmap(odd, window, 1).cells).toEqual([]);
  });
  it('writes round values beside the plot, also below nothing and of bytes and times', () => {
    const ticks = (low: number, high: number, unit: string) =>
      prepareHeatmap([cell(0, low, high, 5)], window, 1, unit).valueTicks;
    expect(ticks(-20, 20, 'Cel')).toEqual([-20, -10, 0, 10, 20]);
    expect(ticks(0, 1_000, 'By')).toEqual([0, 256, 512, 768]);
    expect(ticks(0, 90, 's')).toEqual([0, 30, 60, 90]);
  });
  it('gives a bucket that begins at nothing a place of its own', () => {
    const map = prepareHeatmap([cell(0, 0, 1, 5), cell(0, 1, 1_000, 5)], window, 1);
    expect(map.cells.every((one) => one.height > 0.01)).toBe(true);
  });
  it('draws one value alone inside of the plot', () => {
    const [drawn] = prepareHeatmap([cell(0, 0, 0, 10)], window, 1).cells;
    expect((drawn?.y ?? 1) + (drawn?.height ?? 0)).toBeLessThanOrEqual(1);
  });
});

describe('the keyboard on a heat map', () => {
  const map = prepareHeatmap(
    [cell(2_000, 0, 10, 7), cell(2_000, 10, 20, 9), cell(0, 10, 20, 1), cell(1_000, 20, 40, 2)],
    { fromMs: 0, toMs: 4_000 },
    1,
  );
  const walk = (...keys: string[]): HeatCursor | undefined =>
    keys.reduce<HeatCursor | undefined>(
      (at, key) => heatCursor(map, at, key.replace('Shift+', ''), key.startsWith('Shift+')),
      undefined,
    );

  it('begins at what is fullest of the newest time and walks by time and value, also where nothing is', () => {
    const first = walk('ArrowLeft');
    expect(first).toMatchObject({ column: 2, row: 1 });
    expect(first && heatCellAt(map, first)?.count).toBe(9);
    const up = walk('ArrowLeft', 'ArrowUp');
    expect(up).toMatchObject({ column: 2, row: 2 });
    expect(up && heatCellAt(map, up)).toBeUndefined();
    expect(walk('ArrowUp', 'ArrowUp', 'ArrowUp', 'End', 'ArrowRight')).toMatchObject({ column: 3, row: 2 });
    expect(walk('x')).toBeUndefined();
  });

  it('marks from where Shift was pressed, and forgets the marks without it', () => {
    const marked = walk('ArrowLeft', 'Shift+ArrowLeft', 'Shift+ArrowUp');
    expect(marked && heatMarked(map, marked)).toEqual({ fromMs: 1_000, toMs: 3_000, low: 10, high: 40 });
    const one = walk('ArrowLeft', 'Shift+ArrowLeft', 'ArrowDown');
    expect(one && heatMarked(map, one)).toEqual({ fromMs: 1_000, toMs: 2_000, low: 0, high: 10 });
  });

  it('keeps time and values when newer figures move what stands where', () => {
    const at = walk('ArrowLeft', 'Shift+ArrowUp');
    const moved = (cells: Parameters<typeof prepareHeatmap>[0], fromMs: number, step = 1) => {
      const next = prepareHeatmap(cells, { fromMs, toMs: fromMs + 4_000 }, step);
      const there = at && heatMoved(map, next, at);
      return there && heatMarked(next, there);
    };
    const marked = { fromMs: 2_000, toMs: 3_000, low: 10, high: 40 };
    const newer = [cell(2_000, 5, 10, 1), cell(2_000, 10, 20, 9), cell(3_000, 20, 40, 2)];
    expect(at && heatMarked(map, at)).toEqual(marked);
    expect(moved(newer, 1_000)).toEqual(marked);
    // Its time is past, its values are gone, everything is gone, or times are told apart otherwise.
    expect(moved(newer, 3_000)).toBeUndefined();
    expect(moved(newer.slice(0, 2), 1_000)).toBeUndefined();
    expect(moved([], 1_000)).toBeUndefined();
    expect(moved(newer, 0, 2)).toBeUndefined();
  });

  it('leads nowhere on an empty one', () => {
    expect(heatCursor(prepareHeatmap([], window, 1), undefined, 'ArrowLeft', false)).toBeUndefined();
  });
});
