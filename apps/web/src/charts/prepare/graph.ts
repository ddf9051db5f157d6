import type { ReadingKind } from '../../lib/span-kind.ts';

/** A thing that calls or is called. Ids are whatever the caller chose, each once. */
export interface GraphNode {
  readonly id: string;
  readonly label: string;
  readonly kind: ReadingKind;
  /** A second, quieter line: figures. */
  readonly detail?: string;
  readonly failed?: boolean;
}

/** One kind of call between two nodes; several of the same pair and direction are one edge. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Decides how strong the line is. */
  readonly count: number;
  /** What stands on the line: `12 · 340 ms`. */
  readonly label: string;
  readonly failed?: boolean;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedNode {
  readonly node: GraphNode;
  /** Left upper corner. */
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  readonly key: string;
  /** From the right side of one node to the left side of the other, through the gaps of the layers between. */
  readonly points: readonly Point[];
  /** Where the label goes. */
  readonly middle: Point;
  /** 1 for the busiest edge, close to 0 for the least. */
  readonly strength: number;
}

export interface GraphLayout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

/** How wide nodes are and how far layers stand apart. */
export interface GraphShape {
  readonly nodeWidth: number;
  readonly layerGap: number;
}

/** With room for what stands on the lines. */
export const WIDE: GraphShape = { nodeWidth: 184, layerGap: 136 };
/** For a telephone: three layers stand beside each other and can be read. */
export const COMPACT: GraphShape = { nodeWidth: 124, layerGap: 28 };
export const NODE_HEIGHT = 44;
/** Room of the label on a line. */
const LABEL_WIDTH = 96;
const LABEL_HEIGHT = 18;
const ROW_GAP = 22;
/** Room a line takes where it passes by the nodes of a layer. */
const LINE_HEIGHT = 20;
const SWEEPS = 8;
const LOOP = 26;
const BACK = 10;

export const edgeKey = (edge: Pick<GraphEdge, 'from' | 'to'>): string => JSON.stringify([edge.from, edge.to]);

/** A node of the layout: a real one, or the place where a long line passes a layer. */
interface Slot {
  readonly id: string;
  readonly node: GraphNode | undefined;
  readonly layer: number;
  y: number;
}

/**
 * Lays a graph out from left to right: who calls stands left of who is called. Calls in a circle are drawn backwards
 * where they close it. Deterministic: the same graph always looks the same. Edges to unknown nodes are left out.
 */
export function layoutGraph(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  { nodeWidth, layerGap }: GraphShape = WIDE,
): GraphLayout {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const drawn = edges.filter((edge) => known.has(edge.from) && known.has(edge.to));
  const straight = drawn.filter((edge) => edge.from !== edge.to);
  const forward = withoutCircles(nodes, straight);
  const layerOf = layersOf(nodes, forward);
  const { layers, chains, links } = withPassages(nodes, forward, layerOf);
  for (let sweep = 0; sweep < SWEEPS; sweep++) orderLayers(layers, links, sweep % 2 === 0);
  placeRows(layers, links);

  const degrees = { out: tally(drawn, 'from'), in: tally(drawn, 'to') };
  const most = drawn.reduce((highest, edge) => Math.max(highest, edge.count), 1);
  const xOf = (layer: number) => layer * (nodeWidth + layerGap);
  const placed: PlacedNode[] = [];
  const slotOf = new Map<string, Slot>();
  for (const slot of layers.flat()) {
    slotOf.set(slot.id, slot);
    if (slot.node) placed.push({ node: slot.node, x: xOf(slot.layer), y: slot.y, layer: slot.layer });
  }
  const right = (slot: Slot): Point => ({ x: xOf(slot.layer) + nodeWidth, y: slot.y + NODE_HEIGHT / 2 });
  const left = (slot: Slot): Point => ({ x: xOf(slot.layer), y: slot.y + NODE_HEIGHT / 2 });
  const placedEdges = drawn.map((edge): PlacedEdge => {
    const strength = Math.log1p(edge.count) / Math.log1p(most);
    const key = edgeKey(edge);
    if (edge.from === edge.to) {
      const slot = slotOf.get(nodeKey(edge.from)) as Slot;
      const { x, y } = right(slot);
      const points = [
        { x: x - 40, y: slot.y },
        { x: x - 30, y: slot.y - LOOP },
        { x: x - 10, y: slot.y - LOOP },
        { x, y },
      ];
      return { edge, key, strength, points, middle: { x: x - 20, y: slot.y - LOOP + 8 } };
    }
    const chain = (chains.get(key) ?? []).map((id) => slotOf.get(id) as Slot);
    const points = chain.flatMap((slot, index) => {
      if (index === 0) return [right(slot)];
      if (index === chain.length - 1) return [left(slot)];
      return [left(slot), right(slot)];
    });
    // Lines fan out from one node or into one: labels stand where they are apart.
    const fansOut = (degrees.out.get(edge.from) ?? 0) >= (degrees.in.get(edge.to) ?? 0);
    const forwards = (layerOf.get(edge.from) ?? 0) < (layerOf.get(edge.to) ?? 0);
    const atEnd = fansOut === forwards;
    const [a, b] = (atEnd ? points.slice(-2) : points.slice(0, 2)) as [Point, Point];
    const middle = between(a, b, atEnd ? 0.66 : 0.34);
    if (forwards) return { edge, key, strength, points, middle };
    // Backwards, a little below the way forwards: both labels can be read.
    const below = ({ x, y }: Point): Point => ({ x, y: y + BACK });
    return { edge, key, strength, points: points.map(below).toReversed(), middle: below(below(middle)) };
  });
  return {
    nodes: placed,
    edges: apart(placedEdges),
    width: placed.reduce((most, { x }) => Math.max(most, x + nodeWidth), 0),
    height: placed.reduce((most, { y }) => Math.max(most, y + NODE_HEIGHT), 0),
  };
}

/** Labels that would lie on each other move down until each can be read. */
function apart(edges: readonly PlacedEdge[]): PlacedEdge[] {
  const moved = new Map<PlacedEdge, Point>();
  /** From above to below. */
  const taken: Point[] = [];
  const order = edges
    .filter(({ edge }) => edge.label !== '')
    .toSorted((a, b) => a.middle.y - b.middle.y || a.middle.x - b.middle.x);
  for (const placed of order) {
    const { x } = placed.middle;
    let { y } = placed.middle;
    // From above to below: what is in the way can only be above the next try.
    for (const other of taken)
      if (Math.abs(other.x - x) < LABEL_WIDTH && Math.abs(other.y - y) < LABEL_HEIGHT)
        y = other.y + LABEL_HEIGHT;
    taken.splice(taken.findLastIndex((other) => other.y <= y) + 1, 0, { x, y });
    moved.set(placed, { x, y });
  }
  return edges.map((placed) => ({ ...placed, middle: moved.get(placed) ?? placed.middle }));
}

const nodeKey = (id: string): string => `n${id}`;

function tally(edges: readonly GraphEdge[], end: 'from' | 'to'): Map<string, number> {
  const counts = new Map<string, number>();
  for (const edge of edges) counts.set(edge[end], (counts.get(edge[end]) ?? 0) + 1);
  return counts;
}

/** A point of the curve that is drawn from `a` to `b`: it leaves and arrives sideways. */
function between(a: Point, b: Point, t: number): Point {
  const bend = (b.x - a.x) / 2;
  const s = 1 - t;
  const x = s ** 3 * a.x + 3 * s * s * t * (a.x + bend) + 3 * s * t * t * (b.x - bend) + t ** 3 * b.x;
  const y = s ** 3 * a.y + 3 * s * s * t * a.y + 3 * s * t * t * b.y + t ** 3 * b.y;
  return { x, y };
}

/** The edges with those turned round that would close a circle, in the order of the nodes. */
function withoutCircles(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): GraphEdge[] {
  const out = new Map<string, GraphEdge[]>(nodes.map((node) => [node.id, []]));
  const incoming = new Set(edges.map((edge) => edge.to));
  for (const edge of edges) out.get(edge.from)?.push(edge);
  const state = new Map<string, 'open' | 'done'>();
  const turned = new Set<GraphEdge>();
  const starts = [...nodes.filter((node) => !incoming.has(node.id)), ...nodes];
  for (const start of starts) {
    if (state.has(start.id)) continue;
    const path = [{ id: start.id, next: 0 }];
    state.set(start.id, 'open');
    while (path.length > 0) {
      const top = path.at(-1) as { id: string; next: number };
      const edge = out.get(top.id)?.[top.next++];
      if (edge === undefined) {
        state.set(top.id, 'done');
        path.pop();
      } else if (state.get(edge.to) === 'open') turned.add(edge);
      else if (!state.has(edge.to)) {
        state.set(edge.to, 'open');
        path.push({ id: edge.to, next: 0 });
      }
    }
  }
  return edges.map((edge) => (turned.has(edge) ? { ...edge, from: edge.to, to: edge.from } : edge));
}

/** The longest way from a node nobody calls. */
function layersOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Map<string, number> {
  const out = new Map<string, string[]>(nodes.map((node) => [node.id, []]));
  const waiting = new Map(nodes.map((node) => [node.id, 0]));
  for (const { from, to } of edges) {
    out.get(from)?.push(to);
    waiting.set(to, (waiting.get(to) ?? 0) + 1);
  }
  const layer = new Map(nodes.map((node) => [node.id, 0]));
  const ready = nodes.filter((node) => waiting.get(node.id) === 0).map((node) => node.id);
  for (let at = 0; at < ready.length; at++) {
    const id = ready[at] as string;
    for (const to of out.get(id) ?? []) {
      layer.set(to, Math.max(layer.get(to) ?? 0, (layer.get(id) ?? 0) + 1));
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  return layer;
}

/** Slots by layer, with a passage in every layer that a long edge crosses. */
function withPassages(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  layerOf: ReadonlyMap<string, number>,
): { layers: Slot[][]; chains: Map<string, string[]>; links: [string, string][] } {
  const layers: Slot[][] = [];
  const put = (slot: Slot): void => {
    while (layers.length <= slot.layer) layers.push([]);
    layers[slot.layer]?.push(slot);
  };
  for (const node of nodes) put({ id: nodeKey(node.id), node, layer: layerOf.get(node.id) ?? 0, y: 0 });
  const chains = new Map<string, string[]>();
  const links: [string, string][] = [];
  for (const edge of edges) {
    const key = edgeKey(edge);
    if (chains.has(key)) continue;
    const first = layerOf.get(edge.from) ?? 0;
    const last = layerOf.get(edge.to) ?? 0;
    const chain = [nodeKey(edge.from)];
    for (let layer = first + 1; layer < last; layer++) {
      const id = `p${layer}${key}`;
      put({ id, node: undefined, layer, y: 0 });
      chain.push(id);
    }
    chain.push(nodeKey(edge.to));
    chains.set(key, chain);
    // The same way serves the edge that was turned round.
    const back = edgeKey({ from: edge.to, to: edge.from });
    if (!chains.has(back)) chains.set(back, chain);
    for (let at = 1; at < chain.length; at++) links.push([chain[at - 1] as string, chain[at] as string]);
  }
  return { layers, chains, links };
}

/** Moves each slot of a layer next to the middle of those it is tied to in the layer before (after). */
function orderLayers(
  layers: Slot[][],
  links: readonly (readonly [string, string])[],
  forwards: boolean,
): void {
  const neighbours = new Map<string, string[]>();
  for (const [from, to] of links) {
    const [own, other] = forwards ? [to, from] : [from, to];
    const list = neighbours.get(own);
    if (list) list.push(other);
    else neighbours.set(own, [other]);
  }
  const order = forwards ? layers.slice(1) : layers.slice(0, -1).toReversed();
  const rank = new Map<string, number>();
  for (const layer of layers) layer.forEach((slot, index) => rank.set(slot.id, index));
  for (const layer of order) {
    const wish = new Map(
      layer.map((slot, index) => {
        const near = (neighbours.get(slot.id) ?? []).map((id) => rank.get(id) ?? 0);
        return [slot.id, near.length === 0 ? index : near.reduce((a, b) => a + b, 0) / near.length];
      }),
    );
    layer.sort((a, b) => (wish.get(a.id) ?? 0) - (wish.get(b.id) ?? 0));
    layer.forEach((slot, index) => rank.set(slot.id, index));
  }
}

const roomOf = (slot: Slot): number => (slot.node ? NODE_HEIGHT : LINE_HEIGHT) + ROW_GAP;

/** Heights: first stacked, then drawn towards those they are tied to without overtaking or overlapping. */
function placeRows(layers: readonly Slot[][], links: readonly (readonly [string, string])[]): void {
  const slots = new Map(layers.flat().map((slot) => [slot.id, slot]));
  const near = new Map<string, Slot[]>([...slots.keys()].map((id) => [id, []]));
  for (const [a, b] of links) {
    near.get(a)?.push(slots.get(b) as Slot);
    near.get(b)?.push(slots.get(a) as Slot);
  }
  for (const layer of layers) {
    let y = 0;
    for (const slot of layer) {
      slot.y = y;
      y += roomOf(slot);
    }
  }
  for (let round = 0; round < SWEEPS; round++) {
    for (const layer of round % 2 === 0 ? layers : layers.toReversed()) settle(layer, near);
  }
  let top = 0;
  for (const slot of slots.values()) top = Math.min(top, slot.y);
  for (const slot of slots.values()) slot.y -= top;
}

/** One layer: each slot wants the middle of its neighbours; groups that would overlap share the middle of their wishes. */
function settle(layer: readonly Slot[], near: ReadonlyMap<string, readonly Slot[]>): void {
  const groups: { slots: Slot[]; wish: number; room: number }[] = [];
  for (const slot of layer) {
    const tied = near.get(slot.id) ?? [];
    const wish = tied.length === 0 ? slot.y : tied.reduce((sum, { y }) => sum + y, 0) / tied.length;
    groups.push({ slots: [slot], wish, room: roomOf(slot) });
    while (groups.length > 1) {
      const [before, last] = groups.slice(-2) as [(typeof groups)[number], (typeof groups)[number]];
      if (before.wish + before.room <= last.wish) break;
      const size = before.slots.length + last.slots.length;
      const wish = (before.wish * before.slots.length + (last.wish - before.room) * last.slots.length) / size;
      groups.splice(-2, 2, {
        slots: [...before.slots, ...last.slots],
        wish,
        room: before.room + last.room,
      });
    }
  }
  for (const group of groups) {
    let y = group.wish;
    for (const slot of group.slots) {
      slot.y = y;
      y += roomOf(slot);
    }
  }
}
