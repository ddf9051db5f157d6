/** A span of a sampled trace, as far as who called whom goes. */
export interface TreeSpan {
  readonly TraceId: string;
  readonly SpanId: string;
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

/**
 * Who called whom, by parents: the runs of agents below other agents, and the tools and model calls that name no agent
 * themselves, with the nearest agent above. Spans that name their agent are counted by that name, not here.
 */
export function relationsOf(spans: readonly TreeSpan[], modelOperations: ReadonlySet<string>): Relation[] {
  const byId = new Map(spans.map((span) => [`${span.TraceId} ${span.SpanId}`, span]));
  const relations = new Map<string, { from: string; to: Target; spans: TreeSpan[] }>();
  for (const span of spans) {
    const to = targetOf(span, modelOperations);
    if (to === undefined) continue;
    const from = agentAbove(span, byId);
    if (from === undefined) continue;
    const key = JSON.stringify([from, to.kind, to.name]);
    const known = relations.get(key);
    if (known) known.spans.push(span);
    else relations.set(key, { from, to, spans: [span] });
  }
  return [...relations.values()];
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
