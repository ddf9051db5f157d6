import type { HierarchyNode, LightSpan } from '@candela/contract';

interface Node extends LightSpan {
  readonly children: Node[];
}

/**
 * The tree of the spans of one trace, in their order. Every span is in it exactly once: spans without a parent and
 * spans whose parent never arrived (orphans) are roots; a circle of parents is opened at its earliest span.
 */
export function buildHierarchy(spans: readonly LightSpan[]): { roots: HierarchyNode[]; orphans: number } {
  const nodes = spans.map((span): Node => ({ ...span, children: [] }));
  const byId = new Map<string, Node>();
  for (const node of nodes) if (!byId.has(node.spanId)) byId.set(node.spanId, node);
  const roots: Node[] = [];
  let orphans = 0;
  const inCircle = circleOpeners(nodes, byId);
  for (const node of nodes) {
    const parent = node.parentSpanId === null ? undefined : byId.get(node.parentSpanId);
    if (parent !== undefined && parent !== node && !inCircle.has(node)) {
      parent.children.push(node);
      continue;
    }
    roots.push(node);
    if (node.parentSpanId !== null && parent === undefined) orphans++;
  }
  return { roots, orphans };
}

/** The first span, in the given order, of every circle that following the parents runs into. */
function circleOpeners(nodes: readonly Node[], byId: ReadonlyMap<string, Node>): Set<Node> {
  const openers = new Set<Node>();
  const state = new Map<Node, 'walking' | 'done'>();
  const order = new Map(nodes.map((node, index) => [node, index]));
  for (const start of nodes) {
    const walked: Node[] = [];
    let at: Node | undefined = start;
    while (at !== undefined && !state.has(at)) {
      state.set(at, 'walking');
      walked.push(at);
      at = at.parentSpanId === null ? undefined : byId.get(at.parentSpanId);
    }
    if (at !== undefined && state.get(at) === 'walking') {
      const circle = walked.slice(walked.indexOf(at));
      circle.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
      if (circle[0] !== undefined) openers.add(circle[0]);
    }
    for (const node of walked) state.set(node, 'done');
  }
  return openers;
}
