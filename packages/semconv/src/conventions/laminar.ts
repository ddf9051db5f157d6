/** Laminar (`lmnr.*`): kind, input and output of a span in its own names, the facts of model calls on `gen_ai.*`. */
import { wholeConversation } from '../content/whole.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { canonicalOperation, isModelOperation } from '../facts/operation.ts';
import { textOf } from '../facts/values.ts';
import type { Convention, SpanReader } from '../types.ts';
import { namesEmbedding } from './gen-ai.ts';

const PROPERTY = 'lmnr.association.properties.';
const readFields = compileFields(
  {
    kind: ['lmnr.span.type'],
    sessionId: [`${PROPERTY}session_id`],
    userId: [`${PROPERTY}user_id`],
    metadata: [`${PROPERTY}metadata`],
  },
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  { operation: ['llm.request.type'], userId: ['llm.user'] },
  GENERAL,
);

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['TOOL', 'execute_tool'],
  ['EXECUTOR', 'execute_task'],
  ['EVALUATOR', 'evaluate'],
  ['EVALUATION', 'evaluate'],
  ['DEFAULT', ''],
  ['CACHED', ''],
]);

const kindOf = ({ attributes }: SpanReader): string => textOf(attributes.get('lmnr.span.type')).toUpperCase();

/** Its spans of embeddings are of the kind `LLM`, too. */
function modelOperation(span: SpanReader, named: string): string {
  if (named !== '' && named !== 'chat') return isModelOperation(named) ? named : 'chat';
  return namesEmbedding(span.attributes) || /embed/i.test(span.name) ? 'embeddings' : 'chat';
}

export const laminar: Convention = {
  id: 'laminar',
  triggers: ['lmnr.span.type', 'lmnr.span.path', 'lmnr.span.input', `${PROPERTY}session_id`],
  detect: () => true,
  facts(span) {
    const fields = readFields(span.attributes);
    const kind = kindOf(span);
    const named = canonicalOperation(textOf(fields.get('operation')));
    const isModelCall = kind === 'LLM' || (kind === '' && isModelOperation(named));
    const operation = isModelCall
      ? modelOperation(span, named)
      : (OPERATIONS.get(kind) ?? kind.toLowerCase()) || named;
    return buildFacts(
      fields,
      {
        convention: 'laminar',
        operation,
        isModelCall,
        ...(kind === 'TOOL' && !span.attributes.has('gen_ai.tool.name')
          ? { toolName: span.name.slice(0, 512) }
          : {}),
        errorType: errorTypeOf(span, fields),
      },
      span,
    );
  },
  conversation: (span) =>
    wholeConversation(span, {
      isTool: kindOf(span) === 'TOOL',
      input: ['lmnr.span.input'],
      output: ['lmnr.span.output'],
      id: ['gen_ai.tool.call.id'],
      standardFirst: true,
    }),
};
