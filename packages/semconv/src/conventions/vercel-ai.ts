/**
 * Vercel AI SDK 3 to 5 (and the legacy mode of later ones): `ai.*`. The outer span (`ai.generateText`) repeats the sum
 * of its inner calls (`ai.generateText.doGenerate`), so only the inner ones are model calls. Version 7 speaks
 * `gen_ai.*` and is read by that convention.
 */
import { vercelConversation } from '../content/vercel-ai.ts';
import { numberDetails } from '../facts/details.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { countOf, textOf } from '../facts/values.ts';
import type { AttributeValue, Convention } from '../types.ts';

const META = 'ai.telemetry.metadata.';
const readFields = compileFields(
  {
    kind: ['ai.operationId'],
    sessionId: [
      'sessionId',
      'session_id',
      'session.id',
      'conversationId',
      'conversation_id',
      'threadId',
      'thread_id',
      'chatId',
    ].map((k) => META + k),
    userId: ['userId', 'user_id', 'user.id'].map((k) => META + k),
    agentName: ['ai.telemetry.functionId'],
    toolName: ['ai.toolCall.name'],
    responseId: ['ai.response.id'],
    finishReason: ['ai.response.finishReason'],
    firstTokenMs: ['ai.response.msToFirstChunk'],
    promptName: [`${META}promptName`],
    promptVersion: [`${META}promptVersion`],
    // These say the same as gen_ai.* but are on every generation of the SDK; the streaming ones differ in name.
    cacheReadTokens: ['ai.usage.cachedInputTokens', 'ai.usage.inputTokenDetails.cacheReadTokens'],
    cacheWriteTokens: ['ai.usage.inputTokenDetails.cacheWriteTokens'],
    reasoningTokens: ['ai.usage.reasoningTokens', 'ai.usage.outputTokenDetails.reasoningTokens'],
  },
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  {
    provider: ['ai.model.provider'],
    requestModel: ['ai.model.id'],
    responseModel: ['ai.response.model'],
    inputTokens: ['ai.usage.inputTokens', 'ai.usage.promptTokens'],
    outputTokens: ['ai.usage.outputTokens', 'ai.usage.completionTokens'],
    totalTokens: ['ai.usage.totalTokens', 'ai.usage.tokens'],
  },
  GENERAL,
);

/** What the SDK has no field for is in the provider's own words: `{"anthropic":{"cacheCreationInputTokens":12}}`. */
function cachedByProvider(metadata: AttributeValue | undefined): {
  read: number | undefined;
  write: number | undefined;
} {
  const found: { read: number | undefined; write: number | undefined } = {
    read: undefined,
    write: undefined,
  };
  if (metadata === undefined) return found;
  for (const [name, number] of numberDetails(metadata)) {
    if (/cache_?creation_?input_?tokens$|cache_?write_?input_?tokens$/i.test(name))
      found.write ??= countOf(number);
    else if (/cache_?read_?input_?tokens$|cached_?prompt_?tokens$|cached_?content_?token_?count$/i.test(name))
      found.read ??= countOf(number);
  }
  return found;
}

function operationOf(id: string): { operation: string; isModelCall: boolean } {
  if (id === 'ai.toolCall') return { operation: 'execute_tool', isModelCall: false };
  const inner = /\.do[A-Z]/.test(id);
  if (id.startsWith('ai.embed')) return { operation: 'embeddings', isModelCall: inner };
  if (id.startsWith('ai.rerank')) return { operation: 'rerank', isModelCall: inner };
  if (/image/i.test(id)) return { operation: 'image', isModelCall: inner };
  return inner ? { operation: 'chat', isModelCall: true } : { operation: 'invoke_agent', isModelCall: false };
}

export const vercelAi: Convention = {
  id: 'vercel-ai',
  triggers: ['ai.operationId'],
  detect: (span) => span.attributes.has('ai.operationId'),
  facts(span) {
    const fields = readFields(span.attributes);
    const kind = textOf(fields.get('kind'));
    return buildFacts(
      fields,
      {
        convention: 'vercel-ai',
        ...operationOf(kind),
        cached: cachedByProvider(span.attributes.get('ai.response.providerMetadata')),
        errorType: errorTypeOf(span, fields),
        // Before version 6 the SDK passed Anthropic's own count on, which leaves the cached part out.
        inputIncludesCache: (provider) =>
          (provider !== 'anthropic' && provider !== 'aws.bedrock') ||
          span.attributes.has('ai.usage.inputTokenDetails.noCacheTokens'),
      },
      span,
    );
  },
  conversation: vercelConversation,
};
