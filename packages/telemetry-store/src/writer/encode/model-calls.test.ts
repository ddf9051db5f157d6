import { describe, expect, it } from 'vitest';
import { createModelCallRegistry, ModelCallRegistry, tenantHash } from './model-calls.ts';

const TENANT = tenantHash('default');

/** Spans of one trace as bytes: the trace id, then ids of eight bytes. */
const view = new DataView(
  Uint8Array.from({ length: 16 + 8 * 8 }, (_, at) => (at * 37 + (at >> 3)) & 0xff).buffer,
);
const at = (span: number): number => 16 + span * 8;
type Call = readonly [span: number, parent?: number];

/** What each call of a request counts, by span. */
function request(
  registry: ModelCallRegistry,
  calls: readonly Call[],
  tenant = TENANT,
): Record<number, boolean> {
  for (const [, parent] of calls) if (parent !== undefined) registry.addParent(view, 0, at(parent), tenant);
  return Object.fromEntries(
    calls.map(([span, parent]) => [
      span,
      registry.counts(view, 0, at(span), parent === undefined ? -1 : at(parent), tenant),
    ]),
  );
}

describe('a model call below a model call', () => {
  it.each<[string, readonly (readonly Call[])[]]>([
    ['together, the parent first', [[[0], [1, 0]]]],
    ['together, the child first', [[[1, 0], [0]]]],
    ['the child in an earlier request', [[[1, 0]], [[0]]]],
    ['the parent in an earlier request', [[[0]], [[1, 0]]]],
  ])('counts once: %s', (_name, requests) => {
    const registry = new ModelCallRegistry(createModelCallRegistry());
    const counted = Object.assign({}, ...requests.map((calls) => request(registry, calls)));
    expect(Object.values(counted).filter(Boolean)).toHaveLength(1);
  });

  it('leaves the usage with all children, or with the parent that came before all of them', () => {
    const registry = new ModelCallRegistry(createModelCallRegistry());
    expect(request(registry, [[0]])).toEqual({ 0: true });
    expect(
      request(registry, [
        [1, 0],
        [2, 0],
      ]),
    ).toEqual({ 1: false, 2: false });
    expect(request(registry, [[4, 3]])).toEqual({ 4: true });
    expect(request(registry, [[3]])).toEqual({ 3: false });
    expect(request(registry, [[5, 3]])).toEqual({ 5: true });
  });

  it('is covered by the call above its parent', () => {
    const registry = new ModelCallRegistry(createModelCallRegistry());
    expect(request(registry, [[0]])).toEqual({ 0: true });
    expect(request(registry, [[1, 0]])).toEqual({ 1: false });
    expect(request(registry, [[2, 1]])).toEqual({ 2: false });
  });

  it('stays decided when a request is sent again, whatever came in between', () => {
    const registry = new ModelCallRegistry(createModelCallRegistry());
    const first = request(registry, [[0]]);
    const child = request(registry, [[1, 0]]);
    expect(request(registry, [[0]])).toEqual(first);
    expect(request(registry, [[1, 0]])).toEqual(child);
  });

  it('of another project is another call', () => {
    const registry = new ModelCallRegistry(createModelCallRegistry());
    request(registry, [[0]]);
    expect(request(registry, [[1, 0]], tenantHash('other'))).toEqual({ 1: true });
  });

  it('without model calls around it counts', () => {
    const registry = new ModelCallRegistry(createModelCallRegistry());
    expect(request(registry, [[0, 6], [1, 7], [2]])).toEqual({ 0: true, 1: true, 2: true });
  });
});
