/** The spellings most conventions share: OpenTelemetry's current names, its deprecated ones, and general ones. */
import type { FieldKeys } from './fields.ts';

/** What Pydantic AI, Logfire and others write of a vendor's own counts. */
function ofDetails(...names: readonly string[]): string[] {
  return names.map((name) => `gen_ai.usage.details.${name}`);
}

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
  inputAudioTokens: ['gen_ai.usage.audio.input_tokens'],
  outputAudioTokens: ['gen_ai.usage.audio.output_tokens'],
  inputImageTokens: ['gen_ai.usage.image.input_tokens'],
  outputImageTokens: ['gen_ai.usage.image.output_tokens'],
  serviceTier: [
    'openai.response.service_tier',
    'gen_ai.openai.response.service_tier',
    'gen_ai.response.service_tier',
    'anthropic.usage.service_tier',
    'gen_ai.usage.service_tier',
    'openai.request.service_tier',
    'gen_ai.openai.request.service_tier',
    'gen_ai.request.service_tier',
  ],
  serverAddress: ['server.address', 'gen_ai.request.base_url', 'gen_ai.openai.api_base'],
  // Pydantic AI and Logfire say what their own price list gives.
  costUsd: ['gen_ai.usage.cost', 'gen_ai.usage.total_cost', 'operation.cost'],
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
    ...ofDetails(
      'cache_read_tokens',
      'cache_read_input_tokens',
      'cached_tokens',
      'cached_content_tokens',
      'cached_input_tokens',
    ),
    'gen_ai.usage.prompt_tokens_details.cached_tokens',
    'gen_ai.usage.input_tokens_details.cached_tokens',
    'gen_ai.usage.input_token_details.cache_read',
    'gen_ai.usage.experimental.cached_tokens',
    'gen_ai.usage.cached_content_token_count',
    'prompt_tokens_details.cached_tokens',
  ],
  cacheWriteTokens: [
    'gen_ai.usage.cache.creation_input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
    'gen_ai.usage.prompt_tokens_details.cache_write',
    ...ofDetails(
      'cache_write_tokens',
      'cache_creation_tokens',
      'cache_creation_input_tokens',
      'cache_write_input_tokens',
    ),
    'gen_ai.usage.input_token_details.cache_creation',
    'gen_ai.usage.cache_write_input_tokens',
  ],
  cacheWrite1hTokens: [
    'anthropic.usage.cache_creation.ephemeral_1h_input_tokens',
    'gen_ai.usage.cache_creation.ephemeral_1h_input_tokens',
    'gen_ai.usage.cache_creation_1h_input_tokens',
    'gen_ai.usage.input_token_details.ephemeral_1h_input_tokens',
    ...ofDetails(
      'ephemeral_1h_input_tokens',
      'cache_creation.ephemeral_1h_input_tokens',
      'cache_write_1h_tokens',
    ),
  ],
  cacheWrite5mTokens: [
    'anthropic.usage.cache_creation.ephemeral_5m_input_tokens',
    'gen_ai.usage.cache_creation.ephemeral_5m_input_tokens',
    'gen_ai.usage.input_token_details.ephemeral_5m_input_tokens',
    ...ofDetails(
      'ephemeral_5m_input_tokens',
      'cache_creation.ephemeral_5m_input_tokens',
      'cache_write_5m_tokens',
    ),
  ],
  reasoningTokens: [
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.completion_tokens_details.reasoning',
    'gen_ai.usage.completion_tokens_details.reasoning_tokens',
    'gen_ai.usage.output_tokens_details.reasoning_tokens',
    'gen_ai.usage.output_token_details.reasoning',
    ...ofDetails('reasoning_tokens', 'reasoning_output_tokens', 'output_reasoning_tokens'),
  ],
  // Gemini's own counts: what it thought is beside what it said.
  reasoningBesideTokens: [
    'gen_ai.usage.experimental.reasoning_tokens',
    'gen_ai.usage.thoughts_tokens',
    'gen_ai.usage.thoughts_token_count',
    ...ofDetails('thoughts_tokens', 'thoughts_token_count'),
  ],
  inputAudioTokens: ofDetails(
    'input_audio_tokens',
    'prompt_audio_tokens',
    'audio_prompt_tokens',
    'audio_input_tokens',
  ),
  outputAudioTokens: ofDetails('output_audio_tokens', 'completion_audio_tokens', 'audio_output_tokens'),
  inputImageTokens: ofDetails('input_image_tokens', 'image_prompt_tokens', 'image_input_tokens'),
  outputImageTokens: ofDetails('output_image_tokens', 'image_output_tokens'),
  webSearches: [
    'gen_ai.usage.server_tool_use.web_search_requests',
    'anthropic.usage.server_tool_use.web_search_requests',
    'gen_ai.usage.web_search_requests',
    ...ofDetails('web_search_requests', 'server_tool_use.web_search_requests', 'web_searches'),
  ],
  // Whole usage objects as JSON or Python's repr: LiteLLM, LangChain.
  usageObject: [
    'metadata.usage_object',
    'llm.usage',
    'gen_ai.usage',
    'gen_ai.usage.details',
    'usage_metadata',
  ],
  inputDetails: [
    'gen_ai.usage.input_token_details',
    'gen_ai.usage.prompt_tokens_details',
    'gen_ai.usage.input_tokens_details',
  ],
  outputDetails: [
    'gen_ai.usage.output_token_details',
    'gen_ai.usage.completion_tokens_details',
    'gen_ai.usage.output_tokens_details',
  ],
  serviceTier: ['service_tier', 'llm.openai.service_tier', ...ofDetails('service_tier')],
  finishReason: ['gen_ai.response.finish_reason'],
  sessionId: ['gen_ai.session.id'],
  userId: ['gen_ai.user.id', 'gen_ai.request.user'],
};

/** General names that any instrumentation may add. */
export const GENERAL: FieldKeys = {
  sessionId: ['session.id', 'conversation.id', 'thread.id', 'thread_id', 'session_id', 'conversation_id'],
  userId: ['user.id', 'enduser.id', 'user.name', 'user.email'],
  metadata: ['metadata'],
};
