/** The spellings most conventions share: OpenTelemetry's current names, its deprecated ones, and general ones. */
import { type FieldKeys, isPromoted } from './fields.ts';

export const GEN_AI_CURRENT: FieldKeys = {
  operation: ['gen_ai.operation.name'],
  provider: ['gen_ai.provider.name'],
  requestModel: ['gen_ai.request.model'],
  responseModel: ['gen_ai.response.model'],
  responseId: ['gen_ai.response.id'],
  sessionId: ['gen_ai.conversation.id'],
  agentName: ['gen_ai.agent.name'],
  toolName: ['gen_ai.tool.name'],
  workflowName: ['gen_ai.workflow.name'],
  // Ours first: the name and version that the prompt hub gave out.
  promptName: ['platform.prompt.name', 'gen_ai.prompt.name'],
  promptVersion: ['platform.prompt.version', 'gen_ai.prompt.version'],
  finishReason: ['gen_ai.response.finish_reasons'],
  errorType: ['error.type'],
  inputTokens: ['gen_ai.usage.input_tokens'],
  outputTokens: ['gen_ai.usage.output_tokens'],
  totalTokens: ['gen_ai.usage.total_tokens'],
  cacheReadTokens: ['gen_ai.usage.cache_read.input_tokens'],
  cacheWriteTokens: ['gen_ai.usage.cache_creation.input_tokens', 'gen_ai.usage.cache_write.input_tokens'],
  reasoningTokens: ['gen_ai.usage.reasoning.output_tokens'],
  costUsd: ['gen_ai.usage.cost'],
  firstTokenSeconds: [
    'gen_ai.response.time_to_first_chunk',
    'gen_ai.client.operation.time_to_first_chunk',
    'gen_ai.server.time_to_first_token',
    // The model servers themselves: vLLM and SGLang.
    'gen_ai.latency.time_to_first_token',
  ],
};

/** OpenTelemetry up to 1.36 and the spellings of OpenLIT, OpenLLMetry and Gemini CLI on the same namespace. */
export const GEN_AI_DEPRECATED: FieldKeys = {
  provider: ['gen_ai.system'],
  inputTokens: ['gen_ai.usage.prompt_tokens'],
  outputTokens: ['gen_ai.usage.completion_tokens'],
  totalTokens: ['gen_ai.client.token.usage', 'llm.usage.total_tokens'],
  cacheReadTokens: [
    'gen_ai.usage.cache.read_input_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.prompt_tokens_details.cache_read',
    'gen_ai.usage.cached_input_tokens',
    // SGLang.
    'gen_ai.usage.cached_tokens',
  ],
  cacheWriteTokens: [
    'gen_ai.usage.cache.creation_input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'gen_ai.usage.prompt_tokens_details.cache_write',
  ],
  reasoningTokens: ['gen_ai.usage.reasoning_tokens', 'gen_ai.usage.completion_tokens_details.reasoning'],
  finishReason: ['gen_ai.response.finish_reason'],
  sessionId: ['gen_ai.session.id'],
  userId: ['gen_ai.user.id', 'gen_ai.request.user'],
};

/** General names that any instrumentation may add. */
export const GENERAL: FieldKeys = {
  sessionId: ['session.id', 'conversation.id', 'thread.id'],
  userId: ['user.id', 'enduser.id', 'user.name', 'user.email'],
};

const ANYBODYS: ReadonlySet<string> = new Set(Object.values(GENERAL).flat());

/**
 * Whether an attribute says, wherever it occurs, what a column of the row says too (model, tokens, agent, ...): people
 * ask for that one. General names are also on spans that are none of an AI application, whose columns stay empty.
 */
export const isFactKey = (key: string): boolean => isPromoted(key) && !ANYBODYS.has(key);
