/** Codex's own traces: a turn, `session_task.turn`, and the answers of the model in it, `handle_responses`. */
import { genAiConversation } from '../content/gen-ai.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { textOf } from '../facts/values.ts';
import type { Convention, SpanReader } from '../types.ts';

const readFields = compileFields(GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL, {
  requestModel: ['model'],
  reasoningTokens: ['codex.usage.reasoning_output_tokens'],
});

const CALL = 'handle_responses';
const TURN = 'session_task.turn';

/** What its events say where the span does not. */
function told(span: SpanReader, key: string): string {
  for (const { attributes } of span.events) {
    const text = textOf(attributes.get(key));
    if (text !== '') return text;
  }
  return '';
}

export const codex: Convention = {
  id: 'codex',
  // Every event of a stream has a span of that name: the one with the usage is the call.
  triggers: [
    'codex.usage.total_tokens',
    'codex.turn.token_usage.input_tokens',
    'gen_ai.usage.input_tokens',
    'turn.id',
  ],
  detect: (span) =>
    span.name === TURN || (span.name === CALL && span.attributes.has('codex.usage.total_tokens')),
  facts(span) {
    const fields = readFields(span.attributes);
    const isCall = span.name === CALL;
    return buildFacts(
      fields,
      {
        convention: 'codex',
        operation: isCall ? 'chat' : 'invoke_agent',
        isModelCall: isCall,
        provider: 'openai',
        requestModel: textOf(fields.get('requestModel')) || told(span, 'model'),
        sessionId: textOf(fields.get('sessionId')) || told(span, 'conversation.id'),
        agentName: 'codex',
        errorType: errorTypeOf(span, fields),
      },
      span,
    );
  },
  conversation: genAiConversation,
};
