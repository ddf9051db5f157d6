import type { Point } from './graph.ts';

/** Where a drawing stands in its frame, and how large it is. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export const SMALLEST = 0.2;
export const LARGEST = 2;

const within = (scale: number): number => Math.min(LARGEST, Math.max(SMALLEST, scale));

/** Larger or smaller by a factor; what is at that point stays there. */
export function zoomed(view: View, factor: number, at: Point): View {
  const scale = within(view.scale * factor);
  const ratio = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** Follows fingers from where they were to where they are: one moves the drawing, two also make it larger or smaller. */
export function dragged(from: View, before: readonly Point[], now: readonly Point[]): View {
  const [a, b] = before;
  const [c, d] = now;
  if (!a || !c) return from;
  if (!b || !d) return { ...from, x: from.x + c.x - a.x, y: from.y + c.y - a.y };
  const apart = Math.hypot(b.x - a.x, b.y - a.y);
  const old = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  // Fingers on the same spot say nothing of the size.
  const grown = apart < 1 ? from : zoomed(from, Math.hypot(d.x - c.x, d.y - c.y) / apart, old);
  return { ...grown, x: grown.x + (c.x + d.x) / 2 - old.x, y: grown.y + (c.y + d.y) / 2 - old.y };
}
