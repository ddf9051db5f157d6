/** Langfuse: `langfuse.observation.*`. It names no provider, and an error may be in the level only. */
import { langfuseConversation } from '../content/langfuse.ts';
import { numberDetails } from '../facts/details.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { disjointUsage } from '../facts/usage.ts';
import { amountOf, countOf, textOf } from '../facts/values.ts';
import type { AttributeValue, Convention, SpanReader, TokenUsage } from '../types.ts';

const readFields = compileFields(
  {
    kind: ['langfuse.observation.type'],
    requestModel: ['langfuse.observation.model.name'],
    sessionId: ['langfuse.session.id', 'session.id'],
    userId: ['langfuse.user.id', 'user.id'],
    workflowName: ['langfuse.trace.name'],
    promptName: ['langfuse.observation.prompt.name'],
    promptVersion: ['langfuse.observation.prompt.version'],
  },
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  GENERAL,
);

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['generation', 'chat'],
  ['embedding', 'embeddings'],
  ['agent', 'invoke_agent'],
  ['tool', 'execute_tool'],
  ['retriever', 'retrieval'],
  ['evaluator', 'evaluate'],
]);

export const langfuse: Convention = {
  id: 'langfuse',
  triggers: ['langfuse.observation.type'],
  detect: (span) => span.attributes.has('langfuse.observation.type'),
  facts(span) {
    const { attributes } = span;
    const fields = readFields(attributes);
    const kind = textOf(fields.get('kind')).toLowerCase();
    const isModelCall = kind === 'generation' || kind === 'embedding';
    const usage = usageOf(attributes.get('langfuse.observation.usage_details'));
    const cost = costOf(attributes.get('langfuse.observation.cost_details'));
    const error = errorTypeOf(span, fields);
    return buildFacts(
      fields,
      {
        convention: 'langfuse',
        operation: OPERATIONS.get(kind) ?? kind,
        isModelCall,
        errorType:
          error === '' && textOf(attributes.get('langfuse.observation.level')) === 'ERROR' ? '_OTHER' : error,
        ...(kind === 'agent' && !attributes.has('gen_ai.agent.name')
          ? { agentName: clipName(span.name) }
          : {}),
        ...(kind === 'tool' && !attributes.has('gen_ai.tool.name') ? { toolName: clipName(span.name) } : {}),
        ...(usage === undefined ? {} : { usage }),
        ...(cost === undefined ? {} : { emitterCostUsd: cost }),
        timeToFirstTokenMs: firstTokenMs(span),
      },
      span.resource,
    );
  },
  conversation: langfuseConversation,
};

const clipName = (name: string): string => name.slice(0, 512);

/** Langfuse prices each key by itself, so its keys are disjoint unless the total says otherwise. */
function usageOf(value: AttributeValue | undefined): TokenUsage | undefined {
  const details = numberDetails(value);
  if (details.size === 0) return undefined;
  let input: number | undefined;
  let output: number | undefined;
  let total: number | undefined;
  let cacheRead = 0;
  let cacheWrite = 0;
  let reasoning = 0;
  for (const [name, number] of details) {
    const key = name.toLowerCase();
    if (/cache_?(creation|write)/.test(key)) cacheWrite += number;
    else if (/cache/.test(key)) cacheRead += number;
    else if (/reasoning/.test(key)) reasoning += number;
    else if (/^(total|total_tokens|totaltokens)$/.test(key)) total = number;
    else if (/^(input|input_tokens|prompt_tokens|prompttokens|inputtokens)$/.test(key)) input = number;
    else if (/^(output|output_tokens|completion_tokens|completiontokens|outputtokens)$/.test(key))
      output = number;
  }
  return disjointUsage({
    input: countOf(input),
    output: countOf(output),
    total: countOf(total),
    cacheRead: countOf(cacheRead),
    cacheWrite: countOf(cacheWrite),
    reasoning: countOf(reasoning),
    inputIncludesCache: false,
    outputIncludesReasoning: false,
    trustTotal: true,
  });
}

function costOf(value: AttributeValue | undefined): number | undefined {
  const details = numberDetails(value);
  if (details.size === 0) return undefined;
  const total = details.get('total');
  if (total !== undefined) return amountOf(total);
  let sum = 0;
  for (const part of details.values()) sum += part;
  return amountOf(sum);
}

/** The completion's start is an ISO time, sometimes with JSON quotes around it. */
function firstTokenMs(span: SpanReader): number | undefined {
  const text = textOf(span.attributes.get('langfuse.observation.completion_start_time'));
  if (text === '') return undefined;
  const at = Date.parse(text.replaceAll('"', ''));
  if (Number.isNaN(at)) return undefined;
  return amountOf(at - Number(span.startTimeUnixNano) / 1e6);
}
