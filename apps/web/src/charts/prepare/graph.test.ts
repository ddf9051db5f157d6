import { describe, expect, it } from 'vitest';
import { COMPACT, type GraphEdge, type GraphNode, layoutGraph, NODE_HEIGHT } from './graph.ts';

const node = (id: string): GraphNode => ({ id, label: id, kind: 'agent' });
const edge = (from: string, to: string, count = 1): GraphEdge => ({ from, to, count, label: `${count}` });

describe('layoutGraph', () => {
  it('puts callers left of the called and nothing on top of another', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const layout = layoutGraph(ids.map(node), [
      edge('a', 'b'),
      edge('a', 'c'),
      edge('b', 'd'),
      edge('c', 'd'),
      edge('a', 'd'),
      edge('d', 'e'),
    ]);
    const layer = new Map(layout.nodes.map((placed) => [placed.node.id, placed.layer]));
    expect([...ids].map((id) => layer.get(id))).toEqual([0, 1, 1, 2, 3]);
    for (const one of layout.nodes)
      for (const other of layout.nodes)
        if (one !== other && one.layer === other.layer)
          expect(Math.abs(one.y - other.y)).toBeGreaterThanOrEqual(NODE_HEIGHT);
    expect(layout.edges).toHaveLength(6);
    // The long way passes the layer between.
    const long = layout.edges.find(({ edge: { from, to } }) => from === 'a' && to === 'd');
    expect(long?.points).toHaveLength(4);
  });

  it('ends on circles, loops, foreign ends, nothing at all and repeats itself exactly', () => {
    const edges = [
      edge('a', 'b', 9),
      edge('b', 'a'),
      edge('b', 'b'),
      edge('b', 'c'),
      edge('c', 'a'),
      edge('a', 'x'),
    ];
    const once = layoutGraph(['a', 'b', 'c'].map(node), edges);
    expect(once.edges.map(({ edge: { from, to } }) => `${from}${to}`)).toEqual([
      'ab',
      'ba',
      'bb',
      'bc',
      'ca',
    ]);
    for (const { points, strength } of once.edges) {
      expect(points.length).toBeGreaterThanOrEqual(2);
      expect(points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
      expect(strength).toBeGreaterThan(0);
    }
    expect(layoutGraph(['a', 'b', 'c'].map(node), edges)).toEqual(once);
    expect(layoutGraph([], [])).toEqual({ nodes: [], edges: [], width: 0, height: 0 });
    expect(layoutGraph([node('__proto__')], []).nodes).toHaveLength(1);
  });

  it('keeps three layers on the width of a telephone in its compact shape', () => {
    const layout = layoutGraph(['a', 'b', 'c'].map(node), [edge('a', 'b'), edge('b', 'c')], COMPACT);
    // At 0.7 of its size, the smallest that is read, with a margin.
    expect(layout.width * 0.7).toBeLessThan(342 - 24);
    const [a, b] = layout.nodes;
    expect((b?.x ?? 0) - (a?.x ?? 0)).toBeGreaterThan(COMPACT.nodeWidth);
  });

  it('writes no label over another', () => {
    const callers = ['a', 'b', 'c', 'd'];
    const called = ['x', 'y', 'z'];
    const layout = layoutGraph(
      [...callers, ...called].map(node),
      callers.flatMap((from) => called.map((to) => edge(from, to))),
    );
    for (const one of layout.edges)
      for (const other of layout.edges)
        if (one !== other && Math.abs(one.middle.x - other.middle.x) < 80)
          expect(Math.abs(one.middle.y - other.middle.y)).toBeGreaterThanOrEqual(17.9);
  });

  it('lays out a thousand lines between 120 nodes, no label over another', () => {
    const nodes = Array.from({ length: 120 }, (_, index) => node(`${index}`));
    const edges = Array.from({ length: 1_000 }, (_, index) =>
      edge(`${(index * 7) % 120}`, `${(index * 7 + 1 + (index % 61)) % 120}`),
    );
    const layout = layoutGraph(nodes, edges);
    const labels = layout.edges.map(({ middle }) => middle).toSorted((a, b) => a.y - b.y);
    for (const [index, one] of labels.entries())
      for (let next = index + 1; (labels[next]?.y ?? Infinity) - one.y < 17.9; next += 1)
        expect(Math.abs((labels[next]?.x ?? 0) - one.x)).toBeGreaterThanOrEqual(80);
  });

  it('lays out 300 nodes without hanging', () => {
    const nodes = Array.from({ length: 300 }, (_, index) => node(`${index}`));
    const edges = nodes.slice(1).map((_, index) => edge(`${Math.floor(index / 3)}`, `${index + 1}`));
    const layout = layoutGraph(nodes, edges);
    expect(layout.nodes).toHaveLength(300);
    expect(new Set(layout.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(300);
  });
});
