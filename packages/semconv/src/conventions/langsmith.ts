/** LangSmith's OpenTelemetry export: `langsmith.*` beside `gen_ai.*`, whole requests and responses as prompt and completion. */
import { langsmithConversation } from '../content/langsmith.ts';
import { numberDetails } from '../facts/details.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields, type FieldValues } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { canonicalOperation } from '../facts/operation.ts';
import { canonicalProvider, providerOfModel } from '../facts/provider.ts';
import { disjointUsage } from '../facts/usage.ts';
import { countOf, textOf } from '../facts/values.ts';
import type { Convention, SpanReader, TokenUsage } from '../types.ts';

const META = 'langsmith.metadata.';
const readFields = compileFields(
  {
    kind: ['langsmith.span.kind'],
    requestModel: [`${META}ls_model_name`],
    sessionId: ['session_id', 'thread_id', 'conversation_id', 'sessionId', 'threadId'].map((k) => META + k),
    userId: ['user_id', 'userId'].map((k) => META + k),
    workflowName: ['langsmith.trace.name'],
    agentName: [`${META}lc_agent_name`],
  },
  // The request's own model name is the better one, so the shared names follow and the metadata fills gaps.
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  GENERAL,
);

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['llm', 'chat'],
  ['tool', 'execute_tool'],
  ['retriever', 'retrieval'],
  ['embedding', 'embeddings'],
]);

export const langsmith: Convention = {
  id: 'langsmith',
  triggers: ['langsmith.span.kind', 'langsmith.trace.name', 'langsmith.span.id', 'langsmith.run.id'],
  detect: () => true,
  facts(span) {
    const { attributes } = span;
    const fields = readFields(attributes);
    const kind = textOf(fields.get('kind')).toLowerCase();
    const named = canonicalOperation(textOf(fields.get('operation')));
    const isModelCall = kind === 'llm' || kind === 'embedding';
    const operation =
      kind === 'llm' ? (named === '' ? 'chat' : named) : (OPERATIONS.get(kind) ?? (named || kind));
    const usage = usageOf(span, fields);
    const model = textOf(attributes.get('gen_ai.request.model')) || textOf(fields.get('requestModel'));
    return buildFacts(
      fields,
      {
        convention: 'langsmith',
        operation,
        isModelCall,
        requestModel: model,
        provider:
          canonicalProvider(textOf(attributes.get(`${META}ls_provider`))) ||
          canonicalProvider(textOf(fields.get('provider'))) ||
          (isModelCall ? providerOfModel(model) : ''),
        errorType: errorTypeOf(span, fields),
        ...(kind === 'tool' && !attributes.has('gen_ai.tool.name')
          ? { toolName: span.name.slice(0, 512) }
          : {}),
        ...(usage === undefined ? {} : { usage }),
      },
      span.resource,
    );
  },
  conversation: langsmithConversation,
};

/** LangChain's usage metadata: input and output are totals, the details are parts of them. */
function usageOf(span: SpanReader, fields: FieldValues): TokenUsage | undefined {
  const { attributes } = span;
  const metadata = numberDetails(attributes.get('langsmith.usage_metadata'));
  const input = numberDetails(attributes.get('gen_ai.usage.input_token_details'));
  const output = numberDetails(attributes.get('gen_ai.usage.output_token_details'));
  return disjointUsage({
    input: countOf(fields.get('inputTokens')) ?? countOf(metadata.get('input_tokens')),
    output: countOf(fields.get('outputTokens')) ?? countOf(metadata.get('output_tokens')),
    total: countOf(fields.get('totalTokens')) ?? countOf(metadata.get('total_tokens')),
    cacheRead:
      countOf(input.get('cache_read')) ??
      countOf(metadata.get('input_token_details.cache_read')) ??
      countOf(fields.get('cacheReadTokens')),
    cacheWrite:
      countOf(input.get('cache_creation')) ??
      countOf(metadata.get('input_token_details.cache_creation')) ??
      countOf(fields.get('cacheWriteTokens')),
    reasoning:
      countOf(output.get('reasoning')) ??
      countOf(metadata.get('output_token_details.reasoning')) ??
      countOf(fields.get('reasoningTokens')),
    inputIncludesCache: true,
    outputIncludesReasoning: true,
  });
}
