import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ancestorsOf, buildTree, siblingPlaces, type TreeSpan, visiblePositions } from './tree.ts';

const span = (spanId: string, parentSpanId = '', startMs = 0, durationMs = 1, failed = false): TreeSpan => ({
  spanId,
  parentSpanId,
  startMs,
  durationMs,
  failed,
});

/** The tree as indented text. */
function drawn(spans: readonly TreeSpan[]): string[] {
  const tree = buildTree(spans);
  return Array.from(
    tree.order,
    (index, position) => `${'  '.repeat(tree.depth[position] ?? 0)}${spans[index]?.spanId}`,
  );
}

describe('span tree', () => {
  it('orders depth first, siblings by start, whatever order they arrive in', () => {
    const spans = [
      span('c', 'a', 30),
      span('b2', 'b', 15),
      span('a', '', 0),
      span('b', 'a', 10),
      span('b1', 'b', 11),
    ];
    expect(drawn(spans)).toEqual(['a', '  b', '    b1', '    b2', '  c']);
  });

  it('keeps several roots and orphans and counts what is below', () => {
    const spans = [
      span('r', '', 0),
      span('lost', 'gone', 1),
      span('x', 'lost', 2, 5, true),
      span('s', '', 3),
    ];
    const tree = buildTree(spans);
    expect(drawn(spans)).toEqual(['r', 'lost', '  x', 's']);
    expect(tree.orphans).toBe(1);
    expect(Array.from(tree.descendants)).toEqual([0, 1, 0, 0]);
    expect(Array.from(tree.failedBelow)).toEqual([0, 1, 0, 0]);
    expect([tree.startMs, tree.endMs]).toEqual([0, 7]);
  });

  it('counts siblings in their order, roots among each other', () => {
    const tree = buildTree([
      span('r', '', 0),
      span('a', 'r', 1),
      span('a1', 'a', 2),
      span('b', 'r', 3),
      span('s', '', 4),
    ]);
    const { nth, of } = siblingPlaces(tree);
    expect(Array.from(nth, (place, position) => `${place} of ${of[position]}`)).toEqual([
      '1 of 2',
      '1 of 2',
      '1 of 1',
      '2 of 2',
      '2 of 2',
    ]);
  });

  it('cuts cycles at the earliest span and survives spans that are their own parent', () => {
    expect(drawn([span('a', 'b', 0), span('b', 'a', 1), span('self', 'self', 2)])).toEqual([
      'self',
      'a',
      '  b',
    ]);
    expect(buildTree([span('a', 'b', 0), span('b', 'a', 1)]).cyclesCut).toBe(1);
    expect(drawn([span('a', 'c', 0), span('b', 'a', 1), span('c', 'b', 2), span('leaf', 'b', 3)])).toEqual([
      'a',
      '  b',
      '    c',
      '    leaf',
    ]);
  });

  it('hides the subtree of folded spans and finds the way up', () => {
    const spans = [span('a', '', 0), span('b', 'a', 1), span('b1', 'b', 2), span('c', 'a', 3)];
    const tree = buildTree(spans);
    expect(Array.from(visiblePositions(tree, spans, new Set(['b'])))).toEqual([0, 1, 3]);
    expect(Array.from(visiblePositions(tree, spans, new Set()))).toEqual([0, 1, 2, 3]);
    expect(ancestorsOf(tree, spans, 2)).toEqual(['b', 'a']);
  });

  it('keeps what hangs on a ring beside the span where it is cut', () => {
    const spans = [span('a', 'b', 0), span('b', 'a', 1), span('c', 'b', 2), span('d', 'c', 3)];
    const tree = buildTree(spans);
    expect(Array.from(tree.order)).toEqual([0, 1, 2, 3]);
    expect(Array.from(tree.depth)).toEqual([0, 1, 2, 3]);
    expect(tree.cyclesCut).toBe(1);
  });

  it('holds every span exactly once, with its parent before it, for any links at all', () => {
    const links = fc.array(
      fc.record({ parent: fc.integer({ min: -1, max: 40 }), start: fc.integer({ min: 0, max: 9 }) }),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(links, (rows) => {
        const spans = rows.map((row, index) =>
          span(`s${index}`, row.parent === -1 ? '' : `s${row.parent}`, row.start),
        );
        const tree = buildTree(spans);
        expect(Array.from(tree.order).sort((a, b) => a - b)).toEqual(spans.map((_, index) => index));
        for (let position = 0; position < spans.length; position += 1) {
          const parent = tree.parent[position] ?? -1;
          expect(parent).toBeLessThan(position);
          if (parent === -1) continue;
          expect(tree.depth[position]).toBe((tree.depth[parent] ?? 0) + 1);
          expect(spans[tree.order[position] ?? 0]?.parentSpanId).toBe(spans[tree.order[parent] ?? 0]?.spanId);
          expect(position).toBeLessThanOrEqual(parent + (tree.descendants[parent] ?? 0));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('builds 30,000 spans, deep or wide', () => {
    const deep = Array.from({ length: 30_000 }, (_, i) => span(`d${i}`, i === 0 ? '' : `d${i - 1}`, i));
    const wide = Array.from({ length: 30_000 }, (_, i) => span(`w${i}`, i === 0 ? '' : 'w0', i));
    expect(buildTree(deep).maxDepth).toBe(29_999);
    expect(buildTree(wide).descendants[0]).toBe(29_999);
  });
});
