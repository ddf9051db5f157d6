import type { GraphEdge, GraphNode } from '../../charts/prepare/graph.ts';
import { formatCount, formatDuration } from '../../lib/format.ts';
import type { ReadingKind } from '../../lib/span-kind.ts';
import type { TraceSpan } from './trace-spans.ts';
import type { SpanTree } from './tree.ts';

/** More would be no picture any more; the calls that count most are kept. */
export const MOST_NODES = 120;
/** More lines would cover each other, and take seconds to be laid out. */
export const MOST_EDGES = 300;

/** Who calls whom in a trace, spans of one kind and name folded into one node. */
export interface TraceGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Node id -> its spans, in reading order. */
  readonly spansOf: ReadonlyMap<string, readonly string[]>;
  /** Span id -> its node; spans of a node that was left out have none. */
  readonly nodeOf: ReadonlyMap<string, string>;
  /** Names that were left out because there are too many. */
  readonly leftOut: number;
  /** Ways from one to another that were left out because there are too many. */
  readonly edgesLeftOut: number;
}

interface Folded {
  readonly id: string;
  readonly label: string;
  readonly kind: ReadingKind;
  readonly spans: string[];
  failed: number;
  /** Spans without an end: how long they took is not known. */
  running: number;
  totalMs: number;
}

interface Call {
  readonly from: string;
  readonly to: string;
  count: number;
  failed: number;
  running: number;
  totalMs: number;
}

const NO_END = 'no end yet';

function detailOf({ spans, totalMs, running, failed }: Folded): string {
  const count = spans.length;
  const ended = running === count ? [] : [formatDuration(totalMs)];
  return [
    count === 1 ? '1 span' : `${formatCount(count)} spans`,
    ...ended,
    ...(running === 0 ? [] : [running === count ? NO_END : `${formatCount(running)} running`]),
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
  ].join(' · ');
}

/** What a node is called: an agent by its name, a tool by its name, a model call by its model, anything else by its span's. */
function subjectOf(span: TraceSpan): string {
  const { light, reading } = span;
  const named =
    reading === 'agent'
      ? light.agent
      : reading === 'tool'
        ? light.tool
        : reading === 'llm' || reading === 'embedding'
          ? light.model
          : null;
  return named ?? (light.name || light.spanId);
}

/**
 * Folds the tree. Spans that are no AI step (HTTP, database) stand by their service when there are AI steps, so that
 * the picture is of agents, models and tools; a trace without any is drawn by span names.
 */
export function buildTraceGraph(spans: readonly TraceSpan[], tree: SpanTree): TraceGraph {
  const speaks = spans.some((span) => span.reading !== 'other');
  const idAt = (index: number): Pick<Folded, 'id' | 'label' | 'kind'> => {
    const span = spans[index] as TraceSpan;
    const service = speaks && span.reading === 'other';
    const label = service ? span.light.service : subjectOf(span);
    return { id: `${span.reading} ${label}`, label, kind: span.reading };
  };
  const nodes = new Map<string, Folded>();
  const calls = new Map<string, Call>();
  const ids: string[] = [];
  for (let position = 0; position < tree.order.length; position += 1) {
    const index = tree.order[position] as number;
    const span = spans[index] as TraceSpan;
    const { id, label, kind } = idAt(index);
    ids[position] = id;
    const node = nodes.get(id) ?? { id, label, kind, spans: [], failed: 0, running: 0, totalMs: 0 };
    nodes.set(id, node);
    node.spans.push(span.spanId);
    const running = span.light.unfinished ? 1 : 0;
    const tookMs = running === 1 ? 0 : span.durationMs;
    node.totalMs += tookMs;
    node.running += running;
    if (span.failed) node.failed += 1;
    const above = tree.parent[position] ?? -1;
    const from = above === -1 ? undefined : ids[above];
    // Work inside of one service is no call.
    if (from === undefined || (from === id && kind === 'other')) continue;
    const key = `${from}\n${id}`;
    const call = calls.get(key) ?? { from, to: id, count: 0, failed: 0, running: 0, totalMs: 0 };
    calls.set(key, call);
    call.count += 1;
    call.totalMs += tookMs;
    call.running += running;
    if (span.failed) call.failed += 1;
  }
  const kept = new Map(
    [...nodes.values()]
      .sort((a, b) => b.spans.length - a.spans.length)
      .slice(0, MOST_NODES)
      .map((node) => [node.id, node] as const),
  );
  const nodeOf = new Map<string, string>();
  // In reading order, so that the picture begins where the trace begins.
  const shown = [...nodes.values()].filter((node) => kept.has(node.id));
  for (const node of shown) for (const spanId of node.spans) nodeOf.set(spanId, node.id);
  const between = [...calls.values()].filter((call) => kept.has(call.from) && kept.has(call.to));
  const busiest = new Set(between.toSorted((a, b) => b.count - a.count).slice(0, MOST_EDGES));
  return {
    nodes: shown.map((node) => ({
      id: node.id,
      label: node.label,
      kind: node.kind,
      detail: detailOf(node),
      failed: node.failed > 0,
    })),
    edges: between
      .filter((call) => busiest.has(call))
      .map((call) => ({
        from: call.from,
        to: call.to,
        count: call.count,
        label: `${formatCount(call.count)}× · ${call.running === call.count ? NO_END : formatDuration(call.totalMs / (call.count - call.running))}`,
        failed: call.failed > 0,
      })),
    spansOf: new Map(shown.map((node) => [node.id, node.spans])),
    nodeOf,
    leftOut: nodes.size - kept.size,
    edgesLeftOut: between.length - busiest.size,
  };
}
