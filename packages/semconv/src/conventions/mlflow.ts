/** MLflow's tracing: `mlflow.*`, every value as JSON text. */
import { wholeConversation } from '../content/whole.ts';
import { countsOf, numberDetails } from '../facts/details.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { unquoted } from '../facts/json-member.ts';
import { canonicalProvider } from '../facts/provider.ts';
import { amountOf, textOf } from '../facts/values.ts';
import type { Convention, SpanReader } from '../types.ts';

const readFields = compileFields(GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL);

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['CHAT_MODEL', 'chat'],
  ['LLM', 'chat'],
  ['EMBEDDING', 'embeddings'],
  ['RERANKER', 'rerank'],
  ['TOOL', 'execute_tool'],
  ['AGENT', 'invoke_agent'],
  ['RETRIEVER', 'retrieval'],
  ['WORKFLOW', 'invoke_workflow'],
  ['TASK', 'execute_task'],
  ['GUARDRAIL', 'guardrail'],
  ['EVALUATOR', 'evaluate'],
]);
const MODEL_KINDS: ReadonlySet<string> = new Set(['CHAT_MODEL', 'LLM', 'EMBEDDING', 'RERANKER']);

const quoted = (span: SpanReader, key: string): string => unquoted(span.attributes.get(key));
const kindOf = (span: SpanReader): string => quoted(span, 'mlflow.spanType').toUpperCase();

export const mlflow: Convention = {
  id: 'mlflow',
  triggers: ['mlflow.spanType', 'mlflow.traceRequestId', 'mlflow.spanInputs', 'mlflow.chat.tokenUsage'],
  detect: (span) => span.attributes.has('mlflow.spanType') || span.attributes.has('mlflow.chat.tokenUsage'),
  facts(span) {
    const fields = readFields(span.attributes);
    const kind = kindOf(span);
    const operation = OPERATIONS.get(kind) ?? kind.toLowerCase();
    const name = quoted(span, 'mlflow.spanFunctionName') || span.name.slice(0, 512);
    // What a person sets is JSON text, too.
    const session = quoted(span, 'mlflow.trace.session') || quoted(span, 'session.id');
    const user = quoted(span, 'mlflow.trace.user') || quoted(span, 'user.id');
    const isModelCall = MODEL_KINDS.has(kind);
    const told = quoted(span, 'mlflow.llm.model') || textOf(fields.get('requestModel'));
    // Arguments of a call are attributes by their own names; the answer's name of the model replaces the asked one.
    const asked = isModelCall ? quoted(span, 'model') : '';
    const provider = canonicalProvider(quoted(span, 'mlflow.llm.provider'));
    const cost = amountOf(numberDetails(span.attributes.get('mlflow.llm.cost')).get('total_cost'));
    return buildFacts(
      fields,
      {
        convention: 'mlflow',
        operation,
        isModelCall,
        requestModel: asked || told,
        ...(asked !== '' && told !== '' && told !== asked ? { responseModel: told } : {}),
        ...(provider === '' ? {} : { provider }),
        ...(kind === 'TOOL' ? { toolName: name } : {}),
        ...(kind === 'AGENT' ? { agentName: name } : {}),
        ...(kind === 'WORKFLOW' ? { workflowName: name } : {}),
        ...(session === '' ? {} : { sessionId: session }),
        ...(user === '' ? {} : { userId: user }),
        ...(cost === undefined ? {} : { emitterCostUsd: cost }),
        errorType: errorTypeOf(span, fields),
        reported: countsOf(span.attributes.get('mlflow.chat.tokenUsage')),
        inputIncludesCache: (vendor) => vendor !== 'anthropic',
      },
      span,
    );
  },
  conversation: (span) =>
    wholeConversation(span, {
      isTool: kindOf(span) === 'TOOL',
      input: ['mlflow.spanInputs'],
      output: ['mlflow.spanOutputs'],
      tools: 'mlflow.chat.tools',
      isRetriever: kindOf(span) === 'RETRIEVER',
      id: [],
    }),
};
