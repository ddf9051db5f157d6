/** Langfuse: `langfuse.observation.*`. It names no provider, and an error may be in the level only. */
import { langfuseConversation } from '../content/langfuse.ts';
import { countsOf, numberDetails } from '../facts/details.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { amountOf, textOf } from '../facts/values.ts';
import type { AttributeValue, Convention, SpanReader } from '../types.ts';

const readFields = compileFields(
  {
    kind: ['langfuse.observation.type'],
    requestModel: ['langfuse.observation.model.name'],
    sessionId: [
      'langfuse.session.id',
      'session.id',
      'langfuse.observation.metadata.session_id',
      'langfuse.observation.metadata.thread_id',
      'langfuse.trace.metadata.session_id',
      'langfuse.trace.metadata.thread_id',
    ],
    userId: [
      'langfuse.user.id',
      'user.id',
      'langfuse.observation.metadata.user_id',
      'langfuse.trace.metadata.user_id',
    ],
    metadata: ['langfuse.observation.metadata', 'langfuse.trace.metadata'],
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
    const reported = countsOf(attributes.get('langfuse.observation.usage_details'));
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
        // Langfuse prices each key by itself, so its keys are disjoint unless the total says otherwise.
        ...(reported === undefined
          ? {}
          : { reported, inputIncludesCache: false, outputIncludesReasoning: false, trustTotal: true }),
        // Its SDKs send a cost only where a person gives one.
        ...(cost === undefined ? {} : { emitterCostUsd: cost, costIsExplicit: true }),
        timeToFirstTokenMs: firstTokenMs(span),
      },
      span,
    );
  },
  conversation: langfuseConversation,
};

const clipName = (name: string): string => name.slice(0, 512);

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
