import { expect, it } from 'vitest';
import { layoutGraph, WIDE } from './graph.ts';
import { carried, fitted, nextNode } from './graph-view.ts';

const nodes = Array.from({ length: 12 }, (_, index) => ({
  id: `node ${index}`,
  kind: 'agent' as const,
  label: `node ${index}`,
}));
/** A chain: as wide as it is long. */
const edges = nodes
  .slice(1)
  .map(({ id }, index) => ({ from: `node ${index}`, to: id, label: '1', count: 1 }));
const layout = layoutGraph(nodes, edges, WIDE);
const size = { width: 800, height: 400 };

it('a graph that is fitted is all on screen where it may be that small, and never larger than life', () => {
  const all = fitted(layout, size, 36, 0.1);
  expect(all.x).toBeGreaterThanOrEqual(0);
  expect(all.x + layout.width * all.scale).toBeLessThanOrEqual(size.width);
  const readable = fitted(layout, size, 36, 0.7);
  expect(readable.scale).toBe(0.7);
  expect(readable.x + layout.width * readable.scale).toBeGreaterThan(size.width);
  const one = fitted(layoutGraph(nodes.slice(0, 1), [], WIDE), size, 36, 0.1);
  expect(one.scale).toBe(1);
});

it('an arrow key leads to the nearest node in its direction', () => {
  const at = (id: string) => layout.nodes.find(({ node }) => node.id === id);
  const third = at('node 3');
  if (third === undefined) throw new Error('There is no such node');
  expect(nextNode(layout, third, 'ArrowRight')?.node.id).toBe('node 4');
  expect(nextNode(layout, third, 'ArrowLeft')?.node.id).toBe('node 2');
  expect(nextNode(layout, third, 'Enter')).toBeUndefined();
});

it('what is looked at stays where it is while the graph grows', () => {
  const more = [{ id: 'caller', kind: 'agent' as const, label: 'caller' }, ...nodes];
  const grown = layoutGraph(more, [{ from: 'caller', to: 'node 0', label: '1', count: 1 }, ...edges], WIDE);
  const view = { x: -900, y: 20, scale: 0.7 };
  const after = carried(view, layout, grown, size);
  if (after === undefined) throw new Error('Nothing was kept');
  const onScreen = (of: typeof layout, seen: typeof view) => {
    const placed = of.nodes.find(({ node }) => node.id === 'node 5');
    return [(placed?.x ?? 0) * seen.scale + seen.x, (placed?.y ?? 0) * seen.scale + seen.y];
  };
  expect(after.x).not.toBe(view.x);
  expect(onScreen(grown, after).map(Math.round)).toEqual(onScreen(layout, view).map(Math.round));
  expect(carried(view, layout, layoutGraph([], [], WIDE), size)).toBeUndefined();
});
