/** Traceloop / OpenLLMetry: `traceloop.*` on workflows, tasks and tools; on model calls `gen_ai.*` or, older, `llm.*`. */
import { traceloopConversation } from '../content/traceloop.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { canonicalOperation, isModelOperation } from '../facts/operation.ts';
import { textOf } from '../facts/values.ts';
import type { Convention } from '../types.ts';

const PROPERTY = 'traceloop.association.properties.';
const readFields = compileFields(
  {
    kind: ['traceloop.span.kind'],
    sessionId: ['session_id', 'sessionId', 'session.id', 'conversation_id', 'thread_id', 'chat_id'].map(
      (k) => PROPERTY + k,
    ),
    userId: ['user_id', 'userId', 'user.id'].map((k) => PROPERTY + k),
    promptName: ['traceloop.prompt.key'],
    promptVersion: ['traceloop.prompt.version'],
  },
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  {
    operation: ['llm.request.type'],
    requestModel: ['llm.request.model'],
    responseModel: ['llm.response.model'],
    provider: ['llm.vendor'],
    inputTokens: ['llm.usage.prompt_tokens'],
    outputTokens: ['llm.usage.completion_tokens'],
    finishReason: [
      'llm.response.finish_reason',
      'gen_ai.completion.0.finish_reason',
      'llm.completions.0.finish_reason',
    ],
    workflowName: ['traceloop.workflow.name'],
    userId: ['llm.user'],
  },
  GENERAL,
);

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['workflow', 'invoke_workflow'],
  ['task', 'execute_task'],
  ['agent', 'invoke_agent'],
  ['tool', 'execute_tool'],
]);

export const traceloop: Convention = {
  id: 'traceloop',
  triggers: [
    'traceloop.span.kind',
    'traceloop.entity.name',
    'traceloop.workflow.name',
    'traceloop.entity.path',
    'llm.request.type',
    'llm.request.model',
  ],
  detect: () => true,
  facts(span) {
    const fields = readFields(span.attributes);
    const kind = textOf(fields.get('kind'));
    const entity = kind === '' ? '' : textOf(span.attributes.get('traceloop.entity.name'));
    // On a workflow's or tool's own span the kind is the truth; its children repeat only names.
    const operation = OPERATIONS.get(kind) ?? canonicalOperation(textOf(fields.get('operation')));
    return buildFacts(
      fields,
      {
        convention: 'traceloop',
        operation,
        isModelCall: kind === '' && isModelOperation(operation),
        errorType: errorTypeOf(span, fields),
        ...(kind === 'agent' && entity !== '' ? { agentName: entity } : {}),
        ...(kind === 'tool' && entity !== '' ? { toolName: entity } : {}),
      },
      span,
    );
  },
  conversation: traceloopConversation,
};
