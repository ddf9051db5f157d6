/** A span of a sampled trace, as far as who called whom goes. */
export interface TreeSpan {
  readonly TraceId: string;
  readonly SpanId: string;
  readonly StartNs: string;
  readonly ParentSpanId: string;
  readonly AgentName: string;
  readonly GenAiOperation: string;
  readonly ToolName: string;
  readonly Model: string;
  readonly StatusCode: string;
  readonly DurationNs: string;
  /** 0 while it runs: its duration says nothing. */
  readonly Ended: number;
  readonly InTokens: number;
  readonly OutTokens: number;
  readonly Cost: number | null;
  readonly CountsUsage: number;
}

export type Target = { readonly kind: 'agent' | 'model' | 'tool'; readonly name: string };

export interface Relation {
  readonly from: string;
  readonly to: Target;
  readonly spans: readonly TreeSpan[];
}

/** What says who handed over to whom; what it does not say is empty. */
export interface HandOver {
  readonly TraceId: string;
  readonly SpanId: string;
  readonly StartNs: string;
  readonly AgentName: string;
  /** Of the run of an agent: its node in a graph of them, and the node that handed over to it. */
  readonly Node: string;
  readonly ParentNode: string;
  /** Of a span that stands for handing over. */
  readonly FromAgent: string;
  readonly ToAgent: string;
}

/**
 * Who called whom, by parents: the runs of agents below other agents, and the tools and model calls that name no agent
 * themselves, with the nearest agent above. Spans that name their agent are counted by that name, not here. Where an
 * agent hands over to another, their runs stand side by side: then what says so tells.
 * @param window what began in it is counted; the rest tells who called
 */
export function relationsOf(
  spans: readonly TreeSpan[],
  told: readonly HandOver[],
  modelOperations: ReadonlySet<string>,
  window: { readonly from: bigint; readonly to: bigint },
): Relation[] {
  const byId = new Map(spans.map((span) => [idOf(span), span]));
  const byNode = nodesAbove(told);
  const handed = Map.groupBy(
    told.filter((one) => one.FromAgent !== '' && one.ToAgent !== ''),
    (one) => keyOf(one.TraceId, one.ToAgent),
  );
  const relations = new Map<string, { from: string; to: Target; spans: TreeSpan[] }>();
  for (const span of spans) {
    const start = BigInt(span.StartNs);
    if (start < window.from || start >= window.to) continue;
    const to = targetOf(span, modelOperations);
    if (to === undefined) continue;
    const from =
      byNode.get(idOf(span)) ??
      agentAbove(span, byId) ??
      (to.kind === 'agent' ? lastBefore(handed.get(keyOf(span.TraceId, to.name)), start) : undefined);
    if (from === undefined) continue;
    const key = JSON.stringify([from, to.kind, to.name]);
    const known = relations.get(key);
    if (known) known.spans.push(span);
    else relations.set(key, { from, to, spans: [span] });
  }
  return [...relations.values()];
}

const idOf = ({ TraceId, SpanId }: Pick<TreeSpan, 'TraceId' | 'SpanId'>): string => `${TraceId} ${SpanId}`;

const keyOf = (traceId: string, name: string): string => `${traceId} ${name}`;

/** The agent that each of these runs was handed over by, as far as that one has a run in the same trace. */
function nodesAbove(told: readonly HandOver[]): ReadonlyMap<string, string> {
  const runs = told.filter((one) => one.Node !== '' || one.ParentNode !== '');
  const agents = new Map(
    runs.flatMap(({ TraceId, AgentName, Node }) =>
      [AgentName, Node].map((node) => [keyOf(TraceId, node), AgentName] as const),
    ),
  );
  return new Map(
    runs.flatMap((run) => {
      const from = run.ParentNode === '' ? undefined : agents.get(keyOf(run.TraceId, run.ParentNode));
      return from === undefined ? [] : [[idOf(run), from] as const];
    }),
  );
}

/** Who handed over last before a run began. */
function lastBefore(handed: readonly HandOver[] = [], start: bigint): string | undefined {
  const before = handed.filter((one) => BigInt(one.StartNs) <= start);
  const last = before.reduce<HandOver | undefined>(
    (a, b) => (a === undefined || BigInt(b.StartNs) > BigInt(a.StartNs) ? b : a),
    undefined,
  );
  return last?.FromAgent;
}

function targetOf(span: TreeSpan, modelOperations: ReadonlySet<string>): Target | undefined {
  if (span.GenAiOperation === 'invoke_agent' && span.AgentName !== '')
    return { kind: 'agent', name: span.AgentName };
  if (span.AgentName !== '') return undefined;
  if (span.GenAiOperation === 'execute_tool' && span.ToolName !== '')
    return { kind: 'tool', name: span.ToolName };
  if (modelOperations.has(span.GenAiOperation) && span.Model !== '')
    return { kind: 'model', name: span.Model };
  return undefined;
}

/** The agent whose run is nearest above; a circle of parents ends the walk. */
function agentAbove(span: TreeSpan, byId: ReadonlyMap<string, TreeSpan>): string | undefined {
  const walked = new Set([span]);
  let at = byId.get(`${span.TraceId} ${span.ParentSpanId}`);
  while (at !== undefined && !walked.has(at)) {
    const isRun = at.GenAiOperation === 'invoke_agent';
    if (at.AgentName !== '' && (isRun || at.AgentName !== span.AgentName)) return at.AgentName;
    walked.add(at);
    at = byId.get(`${at.TraceId} ${at.ParentSpanId}`);
  }
  return undefined;
}
