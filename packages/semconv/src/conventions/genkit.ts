/** Google's Genkit: `genkit:*`. A model is an action with its request and its response whole, the usage among the latter. */
import { wholeConversation } from '../content/whole.ts';
import { countsOf } from '../facts/details.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { lastMember, unquoted } from '../facts/json-member.ts';
import { canonicalFinishReason } from '../facts/operation.ts';
import { canonicalProvider } from '../facts/provider.ts';
import { textOf } from '../facts/values.ts';
import type { Convention, SpanReader } from '../types.ts';

const readFields = compileFields(
  {
    kind: ['genkit:metadata:subtype', 'genkit:type'],
    sessionId: ['genkit:sessionId', 'genkit:metadata:context:sessionId'],
    workflowName: ['genkit:metadata:flow:name'],
  },
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  GENERAL,
);

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['model', 'chat'],
  ['background-model', 'chat'],
  ['embedder', 'embeddings'],
  ['reranker', 'rerank'],
  ['tool', 'execute_tool'],
  ['tool.v2', 'execute_tool'],
  ['retriever', 'retrieval'],
  ['flow', 'invoke_workflow'],
  ['agent', 'invoke_agent'],
  ['evaluator', 'evaluate'],
]);
const MODEL_KINDS: ReadonlySet<string> = new Set(['chat', 'embeddings', 'rerank']);

/** `googleai/gemini-2.5-flash`: the plugin, then the model. */
function named(span: SpanReader): { provider: string; name: string } {
  const name = textOf(span.attributes.get('genkit:name')) || span.name.slice(0, 512);
  const slash = name.indexOf('/');
  return slash <= 0
    ? { provider: '', name }
    : { provider: canonicalProvider(name.slice(0, slash)), name: name.slice(slash + 1) };
}

export const genkit: Convention = {
  id: 'genkit',
  triggers: ['genkit:type', 'genkit:name', 'genkit:metadata:subtype'],
  detect: (span) => span.attributes.has('genkit:type') || span.attributes.has('genkit:name'),
  facts(span) {
    const fields = readFields(span.attributes);
    const kind = textOf(fields.get('kind')).toLowerCase();
    const operation = OPERATIONS.get(kind) ?? kind;
    const isModelCall = MODEL_KINDS.has(operation);
    const { provider, name } = named(span);
    const output = isModelCall ? span.attributes.get('genkit:output') : undefined;
    const facts = buildFacts(
      fields,
      {
        convention: 'genkit',
        operation,
        isModelCall,
        ...(isModelCall ? { requestModel: name, ...(provider === '' ? {} : { provider }) } : {}),
        ...(operation === 'execute_tool' ? { toolName: name } : {}),
        ...(operation === 'invoke_workflow' ? { workflowName: name } : {}),
        ...(operation === 'invoke_agent' ? { agentName: name } : {}),
        errorType: errorTypeOf(span, fields),
        reported: countsOf(lastMember(output, 'usage')),
        // Its counts are those of the vendor: thoughts stand beside what was said.
        outputIncludesReasoning: provider !== 'google',
        trustTotal: true,
      },
      span,
    );
    const reason = canonicalFinishReason(unquoted(lastMember(output, 'finishReason')));
    return reason === '' ? facts : { ...facts, finishReason: reason };
  },
  conversation: (span) =>
    wholeConversation(span, {
      isTool: OPERATIONS.get(kindOf(span)) === 'execute_tool',
      input: ['genkit:input'],
      output: ['genkit:output'],
      id: [],
    }),
};

const kindOf = ({ attributes }: SpanReader): string =>
  textOf(attributes.get('genkit:metadata:subtype') ?? attributes.get('genkit:type')).toLowerCase();
