import {
  type AgentEdge,
  type AgentFigures,
  printFilter,
  type ResponseOf,
  type ROUTES,
} from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { MODEL_OPERATIONS } from '@candela/semconv';
import { ENDED } from '../../schema/tables.ts';
import { INPUT_TOKENS_SQL, MODEL_SQL, OUTPUT_TOKENS_SQL } from '../core/gen-ai.ts';
import { readKey } from '../core/map-key.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { iso } from '../spans/span-row.ts';
import { type AgentParts, type OfAgent, readParts } from './agent.ts';
import { type HandOver, type Relation, relationsOf, type Target, type TreeSpan } from './call-tree.ts';

export type AgentGraph = ResponseOf<typeof ROUTES.agentGraph>['data'];

/** Newest spans of the agent that are looked through for their traces. */
const MAX_OWN_SPANS = 3_000;
const MAX_TRACES = 100;
const MAX_SPANS = 50_000;
/** Nodes beside the agent itself. */
const MAX_NODES = 60;
/** More ids than these do not fit into a search text. */
const MAX_IDS = 150;
const HOUR = 3_600_000_000_000n;
const NS = 'toUnixTimestamp64Nano(Timestamp)';
const MODELS = new Set(MODEL_OPERATIONS);

const idOf = ({ kind, name }: Target): string => `${kind} ${name}`;

/**
 * Who calls what. An agent's models and tools: every span of the window that names the agent. Other agents, and spans
 * that do not say whose they are: by their parents, in the newest traces. @throws not_found
 */
export async function readGraph(
  runner: Runner,
  context: RequestContext,
  input: OfAgent,
): Promise<AgentGraph> {
  const [models, tools, sample] = await Promise.all([
    readParts(runner, context, input, 'call'),
    readParts(runner, context, input, 'tool'),
    readSample(runner, context, input),
  ]);
  if (sample.traces === 0) throw fail('not_found', { what: 'The agent in this time range' });
  const self: Target = { kind: 'agent', name: input.agent };
  const named = (kind: 'model' | 'tool', { parts }: AgentParts) =>
    parts
      .filter((part) => part.name !== '')
      .map((part): { edge: AgentEdge; target: Target } => {
        const target: Target = { kind, name: part.name };
        return {
          target,
          edge: { from: idOf(self), to: idOf(target), figures: part.figures, basis: 'window' },
        };
      });
  const kinds = [named('model', models), named('tool', tools)];
  const exact = kinds.flat();
  const taken = new Set(exact.map(({ edge }) => edge.to));
  const relations = relationsOf(sample.spans, sample.handOvers, MODELS, input.window).toSorted(
    (a, b) => b.spans.length - a.spans.length,
  );
  const all = new Map([self, ...exact.map(({ target }) => target)].map((node) => [idOf(node), node]));
  const others: string[] = [];
  const followed: AgentEdge[] = [];
  for (const relation of relations) {
    const from: Target = { kind: 'agent', name: relation.from };
    // A model that the agent names itself has its edge; what other agents use stays on their own pages.
    if (relation.to.kind !== 'agent' && (relation.from !== input.agent || taken.has(idOf(relation.to))))
      continue;
    for (const node of [from, relation.to]) {
      all.set(idOf(node), node);
      others.push(idOf(node));
    }
    followed.push({ from: idOf(from), to: idOf(relation.to), figures: figuresOf(relation), basis: 'newest' });
  }
  // Taking turns: a hundred models leave room for tools and for other agents.
  const turns = inTurns([...kinds.map((kind) => kind.map(({ edge }) => edge.to)), others]);
  const shown = new Set([...new Set([idOf(self), ...turns])].slice(0, MAX_NODES + 1));
  const left = [models, tools].reduce((sum, { parts, total }) => sum + total - parts.length, 0);
  const edges = [...exact.map(({ edge }) => edge), ...followed];
  return {
    nodes: [...all].flatMap(([id, node]) => (shown.has(id) ? [{ id, ...node }] : [])),
    edges: edges.filter((edge) => shown.has(edge.from) && shown.has(edge.to)),
    hidden: all.size - [...all.keys()].filter((id) => shown.has(id)).length + left,
    sampledTraces: sample.traces,
    sampledFrom: sample.from,
    complete: sample.complete,
  };
}

/** The first of each list, then the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, place) =>
    lists.flatMap((list) => list.slice(place, place + 1)),
  ).flat();
}

interface Sample {
  readonly spans: TreeSpan[];
  readonly handOvers: HandOver[];
  readonly traces: number;
  readonly from: string | null;
  readonly complete: boolean;
}

/** The spans of the newest traces that the agent had a part in. */
async function readSample(runner: Runner, context: RequestContext, input: OfAgent): Promise<Sample> {
  const open = Scope.of(context, SPANS).during(input.window);
  const own = open.and(`AgentName = ${open.params.bind(input.agent, 'String')}`);
  const rows = await runner.run<{ TraceId: string; Ns: string }>(
    own,
    `SELECT TraceId, toString(${NS}) AS Ns ${own.from}
     ORDER BY Timestamp DESC LIMIT ${MAX_OWN_SPANS}`,
  );
  const newest = [...new Set(rows.map((row) => row.TraceId))].slice(0, MAX_TRACES);
  const chosen = new Set(newest);
  const times = rows.flatMap((row) => (chosen.has(row.TraceId) ? [BigInt(row.Ns)] : []));
  const [last, first] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined)
    return { spans: [], handOvers: [], traces: 0, from: null, complete: true };
  const during = { from: first > HOUR ? first - HOUR : 0n, to: last + HOUR };
  const near = Scope.of(context, SPANS).during(during);
  const scope = near.and(`TraceId IN ${near.params.bind(newest, 'Array(String)')}`);
  const tree = runner.run<TreeSpan>(
    scope,
    `SELECT TraceId, SpanId, toString(${NS}) AS StartNs, ParentSpanId, AgentName, GenAiOperation, ToolName, ${MODEL_SQL} AS Model, StatusCode,
       toString(Duration) AS DurationNs, ${ENDED} AS Ended, ${INPUT_TOKENS_SQL} AS InTokens, ${OUTPUT_TOKENS_SQL} AS OutTokens,
       CostUsd AS Cost, CountsUsage ${scope.from} LIMIT ${MAX_SPANS + 1}`,
  );
  const [spans, handOvers] = await Promise.all([
    tree,
    readHandOvers(runner, context, { traces: newest, during }),
  ]);
  const traceCount = new Set(rows.map((row) => row.TraceId)).size;
  return {
    spans: spans.slice(0, MAX_SPANS),
    handOvers,
    traces: newest.length,
    from: iso(first),
    complete: rows.length < MAX_OWN_SPANS && traceCount <= MAX_TRACES && spans.length <= MAX_SPANS,
  };
}

/** The spans of these traces that say who handed over to whom, in the words of OpenInference and of others. */
function readHandOvers(
  runner: Runner,
  context: RequestContext,
  input: { traces: readonly string[]; during: Window },
): Promise<HandOver[]> {
  const near = Scope.of(context, SPANS).during(input.during);
  const { params } = near;
  const read = (key: string) => readKey(SPANS, 'attributes', key, params);
  const [node, parent] = [read('graph.node.id'), read('graph.node.parent_id')];
  const [from, to] = [read('gen_ai.handoff.from_agent'), read('gen_ai.handoff.to_agent')];
  const telling = near
    .and(`TraceId IN ${params.bind(input.traces, 'Array(String)')}`)
    .and(
      `((GenAiOperation = 'invoke_agent' AND AgentName != '' AND (${node.has} OR ${parent.has})) OR (${from.has} AND ${to.has}))`,
    );
  return runner.run<HandOver>(
    telling,
    `SELECT TraceId, SpanId, toString(${NS}) AS StartNs, AgentName, ${node.value} AS Node, ${parent.value} AS ParentNode,
       ${from.value} AS FromAgent, ${to.value} AS ToAgent ${telling.from} LIMIT ${MAX_SPANS}`,
  );
}

function figuresOf({ spans }: Relation): Omit<AgentFigures, 'q'> & { q: string | null } {
  const durations = spans
    .flatMap((span) => (span.Ended === 1 ? [Number(span.DurationNs) / 1e6] : []))
    .sort((a, b) => a - b);
  const at = (share: number) => durations[Math.max(0, Math.ceil(share * durations.length) - 1)] ?? null;
  const counting = spans.filter((span) => span.CountsUsage === 1);
  const costs = counting.flatMap((span) => (span.Cost === null ? [] : [span.Cost]));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    count: spans.length,
    errors: spans.filter((span) => span.StatusCode === 'Error').length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    inputTokens: counting.length === 0 ? null : sum(counting.map((span) => span.InTokens)),
    outputTokens: counting.length === 0 ? null : sum(counting.map((span) => span.OutTokens)),
    costUsd: costs.length === 0 ? null : sum(costs),
    q:
      spans.length > MAX_IDS
        ? null
        : printFilter({ field: 'span_id', op: 'in', value: spans.map((span) => span.SpanId) }),
  };
}
