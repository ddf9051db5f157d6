/** The part of a span that shapes the tree. */
export interface TreeSpan {
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly failed: boolean;
}

/**
 * A trace's spans in reading order (depth first, siblings by start). Parallel arrays over positions in that order:
 * 30,000 spans stay a handful of flat arrays, and hiding a subtree is one addition.
 */
export interface SpanTree {
  /** Position -> index into the spans given. */
  readonly order: Int32Array;
  readonly depth: Int32Array;
  /** Position -> number of spans below it. */
  readonly descendants: Int32Array;
  /** Position -> position of its parent, -1 for a root. */
  readonly parent: Int32Array;
  /** Position -> failed spans below it. */
  readonly failedBelow: Int32Array;
  readonly positionOf: ReadonlyMap<string, number>;
  readonly startMs: number;
  readonly endMs: number;
  readonly maxDepth: number;
  /** Spans that name a parent which is not (yet) here. */
  readonly orphans: number;
  /** Parent links that were cut because they formed a cycle. */
  readonly cyclesCut: number;
}

/** Position -> which of its siblings it is (from 1), and how many they are: rows that are not drawn count too. */
export function siblingPlaces(tree: Pick<SpanTree, 'parent'>): { nth: Int32Array; of: Int32Array } {
  const count = tree.parent.length;
  // Roots are the children of the last place.
  const children = new Int32Array(count + 1);
  const nth = new Int32Array(count);
  const placeOf = (position: number): number => {
    const above = tree.parent[position] ?? -1;
    return above === -1 ? count : above;
  };
  for (let position = 0; position < count; position += 1) {
    const above = placeOf(position);
    children[above] = (children[above] ?? 0) + 1;
    nth[position] = children[above] ?? 0;
  }
  return { nth, of: nth.map((_, position) => children[placeOf(position)] ?? 0) };
}

/**
 * Builds the tree in one pass over spans sorted by start (sorting first when they are not). Spans whose parent is
 * absent become roots; a cycle is cut at its earliest span; a repeated span id keeps its first occurrence as parent.
 */
export function buildTree(spans: readonly TreeSpan[]): SpanTree {
  const count = spans.length;
  const byStart = sortedByStart(spans);
  const indexOf = new Map<string, number>();
  for (const index of byStart) {
    const id = (spans[index] as TreeSpan).spanId;
    if (!indexOf.has(id)) indexOf.set(id, index);
  }

  const parentIndex = new Int32Array(count).fill(-1);
  const firstChild = new Int32Array(count).fill(-1);
  const lastChild = new Int32Array(count).fill(-1);
  const nextSibling = new Int32Array(count).fill(-1);
  const roots: number[] = [];
  let orphans = 0;
  let cyclesCut = 0;
  for (const index of byStart) {
    const { parentSpanId } = spans[index] as TreeSpan;
    const parent = parentSpanId === '' ? undefined : indexOf.get(parentSpanId);
    if (parent === undefined || parent === index) {
      if (parent === index) cyclesCut += 1;
      else if (parentSpanId !== '') orphans += 1;
      roots.push(index);
      continue;
    }
    parentIndex[index] = parent;
    if (firstChild[parent] === -1) firstChild[parent] = index;
    else nextSibling[lastChild[parent] as number] = index;
    lastChild[parent] = index;
  }

  const order = new Int32Array(count);
  const depth = new Int32Array(count);
  const descendants = new Int32Array(count);
  const parent = new Int32Array(count).fill(-1);
  const failedBelow = new Int32Array(count);
  const positionAt = new Int32Array(count).fill(-1);
  let filled = 0;
  let maxDepth = 0;

  const walk = (root: number): void => {
    let index = root;
    let level = 0;
    while (index !== -1) {
      if (positionAt[index] === -1) {
        positionAt[index] = filled;
        order[filled] = index;
        depth[filled] = level;
        parent[filled] = level === 0 ? -1 : (positionAt[parentIndex[index] as number] as number);
        if (level > maxDepth) maxDepth = level;
        filled += 1;
        // Where a ring was cut, one of the children is its root, and the others come after it.
        let child = firstChild[index] as number;
        while (child !== -1 && positionAt[child] !== -1) child = nextSibling[child] as number;
        if (child !== -1) {
          index = child;
          level += 1;
          continue;
        }
      }
      // Up until there is a sibling that was not yet visited; the root ends the walk.
      while (index !== root) {
        let sibling = nextSibling[index] as number;
        while (sibling !== -1 && positionAt[sibling] !== -1) sibling = nextSibling[sibling] as number;
        if (sibling !== -1) {
          index = sibling;
          break;
        }
        index = parentIndex[index] as number;
        level -= 1;
      }
      if (index === root) break;
    }
  };

  for (const root of roots) walk(root);
  // What no root led to hangs on a ring of parents, one ring each.
  for (const index of byStart) {
    if (positionAt[index] !== -1) continue;
    cyclesCut += 1;
    walk(earliestOfRing(index, parentIndex, spans));
  }

  let startMs = Number.POSITIVE_INFINITY;
  let endMs = Number.NEGATIVE_INFINITY;
  for (let position = count - 1; position >= 0; position -= 1) {
    const span = spans[order[position] as number] as TreeSpan;
    if (span.startMs < startMs) startMs = span.startMs;
    if (span.startMs + span.durationMs > endMs) endMs = span.startMs + span.durationMs;
    const above = parent[position] as number;
    if (above === -1) continue;
    descendants[above] = (descendants[above] as number) + (descendants[position] as number) + 1;
    failedBelow[above] =
      (failedBelow[above] as number) + (failedBelow[position] as number) + (span.failed ? 1 : 0);
  }
  const positionOf = new Map<string, number>();
  for (const [id, index] of indexOf) positionOf.set(id, positionAt[index] as number);
  return {
    order,
    depth,
    descendants,
    parent,
    failedBelow,
    positionOf,
    startMs: count === 0 ? 0 : startMs,
    endMs: count === 0 ? 0 : endMs,
    maxDepth,
    orphans,
    cyclesCut,
  };
}

/** The earliest span of the ring that the parents of a span lead into. */
function earliestOfRing(from: number, parentIndex: Int32Array, spans: readonly TreeSpan[]): number {
  const met = new Set<number>();
  let at = from;
  for (; !met.has(at); at = parentIndex[at] as number) met.add(at);
  const startOf = (index: number) => (spans[index] as TreeSpan).startMs;
  let earliest = at;
  for (let next = parentIndex[at] as number; next !== at; next = parentIndex[next] as number)
    if (startOf(next) < startOf(earliest) || (startOf(next) === startOf(earliest) && next < earliest))
      earliest = next;
  return earliest;
}

/** Positions that are on screen when the spans with these ids are folded. */
export function visiblePositions(
  tree: SpanTree,
  spans: readonly TreeSpan[],
  folded: ReadonlySet<string>,
): Int32Array {
  const visible = new Int32Array(tree.order.length);
  let filled = 0;
  for (let position = 0; position < tree.order.length; position += 1) {
    visible[filled] = position;
    filled += 1;
    if (folded.size > 0 && folded.has((spans[tree.order[position] as number] as TreeSpan).spanId))
      position += tree.descendants[position] as number;
  }
  return visible.subarray(0, filled);
}

/** Ids of the folded spans above `position`: unfold these to see it. */
export function ancestorsOf(tree: SpanTree, spans: readonly TreeSpan[], position: number): string[] {
  const ids: string[] = [];
  for (let above = tree.parent[position] ?? -1; above !== -1; above = tree.parent[above] as number)
    ids.push((spans[tree.order[above] as number] as TreeSpan).spanId);
  return ids;
}

function sortedByStart(spans: readonly TreeSpan[]): Int32Array {
  const indexes = new Int32Array(spans.length);
  let sorted = true;
  for (let index = 0; index < spans.length; index += 1) {
    indexes[index] = index;
    if (index > 0 && (spans[index] as TreeSpan).startMs < (spans[index - 1] as TreeSpan).startMs)
      sorted = false;
  }
  if (sorted) return indexes;
  return indexes.sort((a, b) => (spans[a] as TreeSpan).startMs - (spans[b] as TreeSpan).startMs || a - b);
}
