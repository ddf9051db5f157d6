import { type GraphLayout, NODE_HEIGHT, type PlacedNode, type Point } from './graph.ts';
import type { View } from './pinch.ts';

/** All of it in the middle, never larger than life and never smaller than `least`: then where it begins is in the middle. */
export function fitted(
  layout: GraphLayout,
  size: { width: number; height: number },
  margin: number,
  least: number,
): View {
  const room = { width: Math.max(1, size.width - margin * 2), height: Math.max(1, size.height - margin * 2) };
  const wanted = Math.min(room.width / Math.max(1, layout.width), room.height / Math.max(1, layout.height));
  const scale = Math.min(1, Math.max(least, wanted));
  const [width, height] = [layout.width * scale, layout.height * scale];
  const [x, y] = [(size.width - width) / 2, (size.height - height) / 2];
  if (height <= room.height) return { scale, x: Math.max(x, margin), y };
  const first = layout.nodes.filter(({ layer }) => layer === 0).map((placed) => placed.y + NODE_HEIGHT / 2);
  const middle = first.reduce((sum, at) => sum + at, 0) / Math.max(1, first.length);
  // Its own end at most: beyond there is nothing to see.
  const top = Math.min(margin, Math.max(size.height - margin - height, size.height / 2 - middle * scale));
  return { scale, x: Math.max(x, margin), y: top };
}

/**
 * The view of a graph after it grew: what stands nearest to the middle of the frame stays where it is. Undefined when nothing
 * of the graph before is left.
 */
export function carried(
  view: View,
  before: GraphLayout,
  after: GraphLayout,
  size: { width: number; height: number },
): View | undefined {
  const now = new Map(after.nodes.map((placed) => [placed.node.id, placed]));
  const middle = { x: (size.width / 2 - view.x) / view.scale, y: (size.height / 2 - view.y) / view.scale };
  let best: { was: PlacedNode; is: PlacedNode; far: number } | undefined;
  for (const was of before.nodes) {
    const is = now.get(was.node.id);
    const far = Math.hypot(was.x - middle.x, was.y - middle.y);
    if (is && (best === undefined || far < best.far)) best = { was, is, far };
  }
  if (best === undefined) return undefined;
  const { was, is } = best;
  return { ...view, x: view.x + (was.x - is.x) * view.scale, y: view.y + (was.y - is.y) * view.scale };
}

/** How far something is to be moved to lie within its room, a margin from the edge. */
export function shiftInto(start: number, length: number, room: number, margin: number): number {
  if (start < margin) return margin - start;
  return Math.min(0, room - margin - length - start);
}

const DIRECTIONS: ReadonlyMap<string, Point> = new Map([
  ['ArrowLeft', { x: -1, y: 0 }],
  ['ArrowRight', { x: 1, y: 0 }],
  ['ArrowUp', { x: 0, y: -1 }],
  ['ArrowDown', { x: 0, y: 1 }],
]);

/** The nearest node in the direction of an arrow key. */
export function nextNode(layout: GraphLayout, at: PlacedNode, key: string): PlacedNode | undefined {
  const to = DIRECTIONS.get(key);
  if (!to) return undefined;
  let best: { placed: PlacedNode; far: number } | undefined;
  for (const placed of layout.nodes) {
    const x = placed.x - at.x;
    const y = placed.y - at.y;
    const along = x * to.x + y * to.y;
    if (along <= 0) continue;
    const far = along + Math.abs(x * to.y + y * to.x) * 2;
    if (best === undefined || far < best.far) best = { placed, far };
  }
  return best?.placed;
}

/** An edge as a line that leaves and arrives sideways. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let from = first;
  return rest.reduce((path, to) => {
    const bend = (to.x - from.x) / 2;
    const next = `${path} C ${from.x + bend} ${from.y}, ${to.x - bend} ${to.y}, ${to.x} ${to.y}`;
    from = to;
    return next;
  }, `M ${first.x} ${first.y}`);
}

/** The head of the arrow: edges end sideways, whichever way they came. */
export function arrowOf(points: readonly Point[]): string {
  const to = points.at(-1);
  const before = points.at(-2);
  if (!to || !before) return '';
  const back = to.x >= before.x ? -8 : 8;
  return `M ${to.x} ${to.y} l ${back} -4 v 8 z`;
}
