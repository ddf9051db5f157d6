import type { AnalysisFacts, HierarchyNode, SpanDetail } from '@candela/contract';

/** Tokens from which a prompt is long enough that vendors would cache it. */
const CACHEABLE = 1_024;
const MOST_GROUPS = 20;

/** The nodes of a tree, parents first. */
export function flat(roots: readonly HierarchyNode[]): HierarchyNode[] {
  const nodes: HierarchyNode[] = [];
  const queue = [...roots];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    nodes.push(node);
    queue.unshift(...node.children);
  }
  return nodes;
}

const hasTokens = ({ inputTokens, outputTokens, costUsd }: HierarchyNode): boolean =>
  inputTokens !== null || outputTokens !== null || costUsd !== null;

/** Spans whose tokens count: of a span and those below it that say them, the lowest. */
function counting(roots: readonly HierarchyNode[]): HierarchyNode[] {
  const found: HierarchyNode[] = [];
  const below = (node: HierarchyNode): boolean => {
    let has = false;
    for (const child of node.children) has = below(child) || has;
    if (!has && hasTokens(node)) found.push(node);
    return has || hasTokens(node);
  };
  for (const root of roots) below(root);
  return found;
}

const endOf = (node: HierarchyNode): number => node.offsetMs + node.durationMs;

/** From the root on, at each level the span that ends last: what the whole waits for. */
function criticalPath(roots: readonly HierarchyNode[]): string[] {
  const path: string[] = [];
  let level: readonly HierarchyNode[] = roots;
  while (level.length > 0) {
    const last = level.reduce((latest, node) => (endOf(node) > endOf(latest) ? node : latest));
    path.push(last.spanId);
    level = last.children;
  }
  return path;
}

/** What a call was given; undefined: nothing that could be repeated. */
function inputOf({ conversation }: SpanDetail): string | undefined {
  const { toolExecution, input } = conversation;
  if (toolExecution !== undefined && toolExecution.arguments !== '') return toolExecution.arguments;
  return input.length === 0 ? undefined : JSON.stringify(input);
}

/** Groups of at least two, the largest first. */
const repeated = (groups: ReadonlyMap<string, string[]>): string[][] =>
  [...groups.values()]
    .filter((ids) => ids.length > 1)
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST_GROUPS);

/** A failed span followed by siblings of its name: tries of the same. */
function retries(roots: readonly HierarchyNode[]): string[][] {
  const found: string[][] = [];
  const look = (siblings: readonly HierarchyNode[]) => {
    const names = new Map<string, HierarchyNode[]>();
    for (const node of siblings.toSorted((a, b) => a.offsetMs - b.offsetMs)) {
      names.set(node.name, [...(names.get(node.name) ?? []), node]);
    }
    for (const nodes of names.values()) {
      const first = nodes.findIndex(({ status }) => status === 'error');
      const rest = first === -1 ? [] : nodes.slice(first);
      if (rest.length > 1) found.push(rest.map(({ spanId }) => spanId));
    }
    for (const { children } of siblings) look(children);
  };
  look(roots);
  return found.slice(0, MOST_GROUPS);
}

/** What can be computed of a trace or a part of it, without a model. Durations in milliseconds. */
export function factsOf(
  roots: readonly HierarchyNode[],
  details: readonly SpanDetail[],
  truncated: boolean,
): AnalysisFacts {
  const nodes = flat(roots);
  const paid = counting(roots);
  const priced = paid.filter(({ costUsd }) => costUsd !== null);
  const sum = (values: readonly (number | null)[]): number =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const most = (of: readonly HierarchyNode[], by: (node: HierarchyNode) => number) =>
    of.reduce<HierarchyNode | undefined>(
      (best, node) => (best === undefined || by(node) > by(best) ? node : best),
      undefined,
    )?.spanId ?? null;
  const counted = new Set(paid.map(({ spanId }) => spanId));
  const inputs = new Map<string, string[]>();
  for (const detail of details) {
    const input = inputOf(detail);
    if (input === undefined) continue;
    const key = JSON.stringify([detail.name, detail.requestModel, input]);
    inputs.set(key, [...(inputs.get(key) ?? []), detail.spanId]);
  }
  return {
    spans: nodes.length,
    errors: nodes.filter(({ status }) => status === 'error').length,
    durationMs:
      nodes.length === 0
        ? 0
        : // Children may begin before their parents, and end after them.
          nodes.reduce((latest, node) => Math.max(latest, endOf(node)), -Infinity) -
          nodes.reduce((earliest, { offsetMs }) => Math.min(earliest, offsetMs), Infinity),
    inputTokens: sum(paid.map(({ inputTokens }) => inputTokens)),
    cacheReadTokens: sum(
      details.map(({ spanId, usage }) => (counted.has(spanId) ? (usage?.cacheRead ?? 0) : 0)),
    ),
    outputTokens: sum(paid.map(({ outputTokens }) => outputTokens)),
    costUsd: priced.length === 0 ? null : sum(priced.map(({ costUsd }) => costUsd)),
    slowest: most(
      nodes.filter(({ children }) => children.length === 0),
      ({ durationMs }) => durationMs,
    ),
    dearest: most(priced, ({ costUsd }) => costUsd ?? 0),
    criticalPath: criticalPath(roots),
    duplicates: repeated(inputs),
    retries: retries(roots),
    cacheMisses: details
      .filter(
        ({ spanId, usage }) =>
          counted.has(spanId) && usage !== null && usage.input >= CACHEABLE && usage.cacheRead === 0,
      )
      .map(({ spanId }) => spanId),
    truncated,
  };
}
