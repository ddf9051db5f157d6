import type { CodingEvent } from '@candela/contract';
import { describe, expect, it } from 'vitest';
import { diffLines, type EventNode, treeOf } from './event-tree.ts';

const event = (id: string, parentId: string | null, kind: CodingEvent['kind'] = 'tool'): CodingEvent => ({
  id,
  parentId,
  kind,
  traceId: 't',
  at: '2026-11-20T12:00:00.000Z',
  durationMs: 0,
  failed: false,
  error: null,
  name: null,
  path: null,
  command: null,
  input: null,
  output: null,
  diff: null,
  decision: null,
  lines: null,
  tokens: null,
  costUsd: null,
  source: null,
  waitedMs: null,
});
const shape = (nodes: readonly EventNode[]): unknown[] =>
  nodes.map(({ event: { id }, children }) => (children.length === 0 ? id : [id, ...shape(children)]));

describe('events of a session', () => {
  it('lie inside those that they belong to, the end last', () => {
    const events = [
      event('end', null, 'end'),
      event('turn', 'end', 'turn'),
      event('tool', 'turn'),
      event('edit', 'tool', 'edit'),
      event('late', 'on a later page'),
    ];
    expect(shape(treeOf(events))).toEqual([['turn', ['tool', 'edit']], 'late', 'end']);
  });

  it('in a circle stand at the top, none is lost', () => {
    const nodes = treeOf([event('a', 'b'), event('b', 'a'), event('c', 'c')]);
    expect(shape(nodes)).toEqual(['a', 'b', 'c']);
  });
});

it('lines of a diff are told by their sign', () => {
  expect(diffLines('@@ -1 +1 @@\n-a\n+b\n c').map(({ kind }) => kind)).toEqual([
    'place',
    'removed',
    'added',
    'same',
  ]);
});
