/** Opik's names on OpenTelemetry: `opik.*` for kind, input, output and metadata, beside `gen_ai.*`. */
import { wholeConversation } from '../content/whole.ts';
import { countsOf } from '../facts/details.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { canonicalOperation, isModelOperation } from '../facts/operation.ts';
import { amountOf, textOf } from '../facts/values.ts';
import type { Convention, SpanReader } from '../types.ts';

const readFields = compileFields(
  {
    kind: ['opik.span.type', 'opik.type'],
    sessionId: [
      'opik.thread_id',
      'opik.metadata.thread_id',
      'opik.metadata.session_id',
      'opik.metadata.sessionId',
    ],
    userId: ['opik.metadata.user_id', 'opik.metadata.userId'],
    metadata: ['opik.metadata'],
  },
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  {
    requestModel: ['opik.model'],
    provider: ['opik.provider'],
    usageObject: ['opik.usage'],
    costUsd: ['opik.total_estimated_cost', 'opik.total_cost'],
  },
  GENERAL,
);

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['llm', 'chat'],
  ['tool', 'execute_tool'],
  ['guardrail', 'guardrail'],
  ['general', ''],
]);

const kindOf = ({ attributes }: SpanReader): string =>
  textOf(attributes.get('opik.span.type') ?? attributes.get('opik.type')).toLowerCase();

export const opik: Convention = {
  id: 'opik',
  triggers: ['opik.span.type', 'opik.type', 'opik.thread_id', 'opik.input', 'opik.output', 'opik.usage'],
  detect: () => true,
  facts(span) {
    const fields = readFields(span.attributes);
    const kind = kindOf(span);
    const named = canonicalOperation(textOf(fields.get('operation')));
    const operation = named || (OPERATIONS.get(kind) ?? kind);
    return buildFacts(
      fields,
      {
        convention: 'opik',
        operation,
        isModelCall: kind === 'llm' || isModelOperation(operation),
        ...(kind === 'tool' && !span.attributes.has('gen_ai.tool.name')
          ? { toolName: span.name.slice(0, 512) }
          : {}),
        errorType: errorTypeOf(span, fields),
        emitterCostUsd: amountOf(fields.get('costUsd')),
        reported: countsOf(fields.get('usageObject')),
      },
      span,
    );
  },
  conversation: (span) =>
    wholeConversation(span, {
      isTool: kindOf(span) === 'tool',
      input: ['opik.input', 'input'],
      output: ['opik.output', 'output'],
      id: ['gen_ai.tool.call.id'],
      standardFirst: true,
    }),
};
