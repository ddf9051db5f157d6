import { describe, expect, it } from 'vitest';
import { dragged, LARGEST, SMALLEST, type View, zoomed } from './pinch.ts';

const FROM: View = { x: 10, y: 20, scale: 1 };
/** What of the drawing lies under a point of the frame. */
const under = (view: View, at: { x: number; y: number }) => [
  (at.x - view.x) / view.scale,
  (at.y - view.y) / view.scale,
];

describe('fingers on a drawing', () => {
  it('moves with one finger and keeps its size', () => {
    expect(dragged(FROM, [{ x: 5, y: 5 }], [{ x: 8, y: 1 }])).toEqual({ x: 13, y: 16, scale: 1 });
  });

  it('grows with two fingers, and what was between them stays between them', () => {
    const before = [
      { x: 100, y: 100 },
      { x: 200, y: 100 },
    ];
    const now = [
      { x: 90, y: 140 },
      { x: 240, y: 140 },
    ];
    const view = dragged(FROM, before, now);
    expect(view.scale).toBeCloseTo(1.5);
    expect(under(view, { x: 165, y: 140 })).toEqual(under(FROM, { x: 150, y: 100 }));
  });

  it('keeps within its bounds, and where fingers lie on each other its size', () => {
    const at = { x: 0, y: 0 };
    expect(dragged(FROM, [at, { x: 1, y: 0 }], [at, { x: 999, y: 0 }]).scale).toBe(LARGEST);
    expect(dragged(FROM, [at, { x: 999, y: 0 }], [at, at]).scale).toBe(SMALLEST);
    expect(dragged(FROM, [at, at], [at, { x: 50, y: 0 }])).toEqual({ x: 35, y: 20, scale: 1 });
  });

  it('zooms about a point', () => {
    const view = zoomed(FROM, 0.5, { x: 50, y: 60 });
    expect(under(view, { x: 50, y: 60 })).toEqual(under(FROM, { x: 50, y: 60 }));
  });
});
