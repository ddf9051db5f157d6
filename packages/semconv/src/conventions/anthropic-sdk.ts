/** The spans Anthropic's own SDK emits: `gen_ai.*` with its own names for the stop reason and cache writes. */
import { genAiConversation } from '../content/gen-ai.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import type { Convention } from '../types.ts';

const readFields = compileFields(
  { finishReason: ['anthropic.message.stop_reason'] },
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  GENERAL,
);

const TRIGGERS = ['anthropic.message.stop_reason', 'anthropic.request.id', 'anthropic.message.id'];

export const anthropicSdk: Convention = {
  id: 'anthropic-sdk',
  triggers: [...TRIGGERS, 'gen_ai.operation.name'],
  // A failed call has no stop reason: then the scope decides, together with the shared key.
  detect: (span) =>
    span.scopeName.startsWith('com.anthropic.sdk') || TRIGGERS.some((key) => span.attributes.has(key)),
  facts(span) {
    const fields = readFields(span.attributes);
    return buildFacts(
      fields,
      {
        convention: 'anthropic-sdk',
        provider: 'anthropic',
        errorType: errorTypeOf(span, fields),
        inputIncludesCache: true,
      },
      span,
    );
  },
  conversation: genAiConversation,
};
