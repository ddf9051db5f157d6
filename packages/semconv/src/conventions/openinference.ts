/** OpenInference (Arize): `openinference.span.kind` and flattened `llm.*` names. */
import { openInferenceConversation } from '../content/openinference.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { textOf } from '../facts/values.ts';
import type { Convention, SpanReader } from '../types.ts';

const readFields = compileFields(
  {
    kind: ['openinference.span.kind'],
    provider: ['llm.provider', 'llm.system'],
    requestModel: ['llm.request.model_name', 'embedding.model_name', 'reranker.model_name'],
    responseModel: ['llm.response.model_name', 'llm.model_name'],
    sessionId: ['session.id'],
    userId: ['user.id'],
    agentName: ['agent.name', 'graph.node.name'],
    toolName: ['tool.name'],
    promptName: ['prompt.name', 'prompt.id'],
    promptVersion: ['llm.prompt_template.version', 'prompt.version'],
    finishReason: ['llm.finish_reason'],
    inputTokens: ['llm.token_count.prompt'],
    outputTokens: ['llm.token_count.completion'],
    totalTokens: ['llm.token_count.total'],
    cacheReadTokens: ['llm.token_count.prompt_details.cache_read'],
    cacheWriteTokens: ['llm.token_count.prompt_details.cache_write'],
    reasoningTokens: ['llm.token_count.completion_details.reasoning'],
    costUsd: ['llm.cost.total'],
  },
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  GENERAL,
);

/**
 * `llm.model_name` holds the model that answered; the one asked for is in the invocation parameters. Read with a
 * pattern, not parsed: the text may be of any size.
 */
function requestedModel(span: SpanReader, named: string, answered: string): string {
  if (named !== '') return named;
  const parameters = span.attributes.get('llm.invocation_parameters');
  if (typeof parameters !== 'string') return answered;
  return (
    /^[^[]{0,4096}?"model(?:_name)?"\s*:\s*"([^"\\]{1,200})"/.exec(parameters.slice(0, 5000))?.[1] ?? answered
  );
}

/**
 * The instrumentations of OpenAI Agents and CrewAI name their agents as nodes of a graph, others by the span alone. What
 * is no node of OpenAI Agents is the whole of a trace, which is no agent.
 */
function nodeOf(span: SpanReader): string {
  const node = textOf(span.attributes.get('graph.node.id'));
  return node !== '' || span.scopeName.endsWith('openai_agents') ? node : span.name.slice(0, 512);
}

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['LLM', 'chat'],
  ['EMBEDDING', 'embeddings'],
  ['CHAIN', 'chain'],
  ['RETRIEVER', 'retrieval'],
  ['RERANKER', 'rerank'],
  ['TOOL', 'execute_tool'],
  ['AGENT', 'invoke_agent'],
  ['GUARDRAIL', 'guardrail'],
  ['EVALUATOR', 'evaluate'],
  ['PROMPT', 'prompt'],
]);
const MODEL_KINDS: ReadonlySet<string> = new Set(['LLM', 'EMBEDDING', 'RERANKER']);

export const openInference: Convention = {
  id: 'openinference',
  triggers: ['openinference.span.kind'],
  detect: (span) => span.attributes.has('openinference.span.kind'),
  facts(span) {
    const fields = readFields(span.attributes);
    const kind = textOf(fields.get('kind')).toUpperCase();
    return buildFacts(
      fields,
      {
        convention: 'openinference',
        operation: OPERATIONS.get(kind) ?? kind.toLowerCase(),
        isModelCall: MODEL_KINDS.has(kind),
        requestModel: requestedModel(
          span,
          textOf(fields.get('requestModel')),
          textOf(fields.get('responseModel')),
        ),
        errorType: errorTypeOf(span, fields),
        ...(kind === 'AGENT' && fields.get('agentName') === undefined ? { agentName: nodeOf(span) } : {}),
      },
      span,
    );
  },
  conversation: openInferenceConversation,
};
