/** LangSmith's OpenTelemetry export: `langsmith.*` beside `gen_ai.*`, whole requests and responses as prompt and completion. */
import { langsmithConversation } from '../content/langsmith.ts';
import { countsOf, numberDetails } from '../facts/details.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { canonicalOperation } from '../facts/operation.ts';
import { canonicalProvider, providerOfModel } from '../facts/provider.ts';
import { amountOf, textOf } from '../facts/values.ts';
import type { AttributeValue, Convention, SpanReader } from '../types.ts';

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
    const metadata = usageMetadata(span);
    const cost = costOf(metadata);
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
        reported: countsOf(metadata),
        ...(cost === undefined ? {} : { emitterCostUsd: cost, costIsExplicit: true }),
      },
      span,
    );
  },
  conversation: langsmithConversation,
};

/**
 * LangChain's usage metadata, as JSON or as Python's repr: input and output are totals, the details are parts of them. The
 * details in attributes of their own are read by everybody.
 */
const METADATA = ['langsmith.usage_metadata', `${META}usage_metadata`];

function usageMetadata({ attributes }: SpanReader): AttributeValue | undefined {
  const key = METADATA.find((name) => attributes.has(name));
  return key === undefined ? undefined : attributes.get(key);
}

/** What a person says that a run cost; LangSmith reckons its own on its server and does not send it. */
function costOf(metadata: AttributeValue | undefined): number | undefined {
  const details = numberDetails(metadata);
  const total = details.get('total_cost');
  if (total !== undefined) return amountOf(total);
  const [input, output] = [details.get('input_cost'), details.get('output_cost')];
  return input === undefined && output === undefined ? undefined : amountOf((input ?? 0) + (output ?? 0));
}
