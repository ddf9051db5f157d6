import type { CodingEvent } from '@candela/contract';

/** An event and what happened inside it. */
export interface EventNode {
  readonly event: CodingEvent;
  readonly children: EventNode[];
}

/** Deeper than this, what happened stands beside its parent. */
const DEEPEST = 12;

/**
 * Events inside those that they belong to, in their order. An event whose parent is not among them stands at the top: the parent is on
 * a later page, or never came. What hostile telemetry puts into a circle stands at the top, too.
 */
export function treeOf(events: readonly CodingEvent[]): EventNode[] {
  const nodes = new Map(events.map((event) => [event.id, { event, children: [] } as EventNode]));
  const top: EventNode[] = [];
  for (const node of nodes.values()) {
    const parent = parentOf(node, nodes);
    // The end of a session holds all the rest; it is a line of its own.
    if (parent === undefined || parent.event.kind === 'end') top.push(node);
    else parent.children.push(node);
  }
  return [
    ...top.filter(({ event }) => event.kind !== 'end'),
    ...top.filter(({ event }) => event.kind === 'end'),
  ];
}

/** The parent of a node, unless the way up from it is a circle or too long. */
function parentOf(node: EventNode, nodes: ReadonlyMap<string, EventNode>): EventNode | undefined {
  const parent = node.event.parentId === null ? undefined : nodes.get(node.event.parentId);
  let above = parent;
  for (let depth = 0; above !== undefined; depth += 1) {
    if (above === node || depth > DEEPEST) return undefined;
    above = above.event.parentId === null ? undefined : nodes.get(above.event.parentId);
  }
  return parent;
}

/** The lines of a diff with what each is. */
export function diffLines(
  diff: string,
): { readonly text: string; readonly kind: 'added' | 'removed' | 'place' | 'same' }[] {
  return diff.split('\n').map((text) => ({
    text,
    kind: text.startsWith('@@')
      ? 'place'
      : text.startsWith('+')
        ? 'added'
        : text.startsWith('-')
          ? 'removed'
          : 'same',
  }));
}
