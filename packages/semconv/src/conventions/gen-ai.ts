/**
 * OpenTelemetry GenAI: the current names, those up to 1.36, and what OpenLIT's SDKs (TypeScript, Python, Go), Gemini
 * CLI and the Vercel AI SDK 7 add on the same namespace. Also the Model Context Protocol's names.
 */
import { genAiConversation } from '../content/gen-ai.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { canonicalOperation, isModelOperation } from '../facts/operation.ts';
import { textOf } from '../facts/values.ts';
import type { AttributeReader, Convention, SpanReader } from '../types.ts';

const readFields = compileFields(GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL, {
  kind: ['mcp.method.name', 'gen_ai.operation', 'db.operation.name'],
  toolName: ['mcp.tool.name', 'gen_ai.tool.call.name'],
  // Logfire's spans of agents of OpenAI and Pydantic AI.
  agentName: ['agent_name'],
  requestModel: ['model_name'],
  // Google's ADK names it on model calls by this alone.
  sessionId: ['gcp.vertex.agent.session_id'],
});

/** OpenLIT hands through what Anthropic's API says, where the cached part is beside the input. */
function inputIncludesCache(span: SpanReader, provider: string): boolean {
  if (provider !== 'anthropic' && provider !== 'aws.bedrock') return true;
  const openlit =
    /openlit/i.test(span.scopeName) ||
    span.attributes.has('openlit.agent.version_hash') ||
    textOf(span.resource.get('telemetry.sdk.name')) === 'openlit';
  return !openlit;
}

export const genAi: Convention = {
  id: 'gen-ai',
  triggers: [
    'gen_ai.operation.name',
    'gen_ai.system',
    'gen_ai.provider.name',
    'gen_ai.request.model',
    'gen_ai.response.model',
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.prompt_tokens',
    'gen_ai.usage.completion_tokens',
    'gen_ai.input.messages',
    'gen_ai.output.messages',
    'gen_ai.prompt',
    'gen_ai.completion',
    'gen_ai.prompt.0.content',
    'gen_ai.agent.name',
    'gen_ai.tool.name',
    'gen_ai.tool.call.id',
    'gen_ai.workflow.name',
    'gen_ai.conversation.id',
    'gen_ai.prompt.name',
    'platform.prompt.name',
    'mcp.method.name',
  ],
  detect: () => true,
  facts(span) {
    const fields = readFields(span.attributes);
    let operation = canonicalOperation(textOf(fields.get('operation')));
    if (operation === '') operation = guessOperation(span, textOf(fields.get('kind')));
    return buildFacts(
      fields,
      {
        convention: 'gen-ai',
        operation,
        isModelCall: isModelOperation(operation),
        errorType: errorTypeOf(span, fields),
        inputIncludesCache: (provider) => inputIncludesCache(span, provider),
      },
      span,
    );
  },
  conversation: genAiConversation,
};

/** Whether the name of the model says that it makes embeddings. */
export const namesEmbedding = (attributes: AttributeReader): boolean =>
  /embed/i.test(
    textOf(attributes.get('gen_ai.request.model')) || textOf(attributes.get('gen_ai.response.model')),
  );

/** Older emitters name no operation: a model makes it a call, a tool an execution. */
function guessOperation(span: SpanReader, kind: string): string {
  const { attributes } = span;
  if (kind !== '')
    return kind === 'tools/call' ? 'execute_tool' : attributes.has('mcp.method.name') ? kind : 'retrieval';
  if (attributes.has('gen_ai.tool.name') || attributes.has('gen_ai.tool.call.id')) {
    if (!attributes.has('gen_ai.usage.input_tokens')) return 'execute_tool';
  }
  if (attributes.has('gen_ai.request.model') || attributes.has('gen_ai.response.model'))
    return namesEmbedding(attributes) ? 'embeddings' : 'chat';
  if (attributes.has('gen_ai.workflow.name')) return 'invoke_workflow';
  if (attributes.has('gen_ai.agent.name')) return 'invoke_agent';
  return '';
}
