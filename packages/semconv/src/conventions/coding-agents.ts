/** Spans of coding-agent hooks: `coding_agent.session`, `.llm.turn`, `.tool.call`, `.subagent` and the rest. */
import { genAiConversation } from '../content/gen-ai.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { textOf } from '../facts/values.ts';
import type { Convention } from '../types.ts';

const readFields = compileFields(
  {
    sessionId: ['coding_agent.session.id'],
    costUsd: ['coding_agent.session.cost_usd'],
    reasoningTokens: ['coding_agent.llm.reasoning.tokens'],
  },
  GEN_AI_CURRENT,
  GEN_AI_DEPRECATED,
  GENERAL,
  { agentName: ['coding_agent.client'] },
);

const PREFIX = 'coding_agent.';
const SUBAGENT = 'coding_agent.subagent';
const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['coding_agent.session', 'invoke_agent'],
  ['coding_agent.llm.turn', 'chat'],
  ['coding_agent.tool.call', 'execute_tool'],
  [SUBAGENT, 'invoke_agent'],
]);

export const codingAgents: Convention = {
  id: 'coding-agents',
  triggers: [],
  detect: (span) => span.name.startsWith(PREFIX),
  facts(span) {
    const fields = readFields(span.attributes);
    // On the run of a sub-agent the other names are those of the agent that started it.
    const started =
      span.name === SUBAGENT ? textOf(span.attributes.get('coding_agent.subagent.type')).slice(0, 512) : '';
    return buildFacts(
      fields,
      {
        convention: 'coding-agents',
        operation: OPERATIONS.get(span.name) ?? span.name.slice(PREFIX.length, PREFIX.length + 100),
        // The session repeats the sum of its turns.
        isModelCall: span.name === 'coding_agent.llm.turn',
        errorType: errorTypeOf(span, fields),
        inputIncludesCache: true,
        ...(started === '' ? {} : { agentName: started }),
      },
      span,
    );
  },
  conversation: genAiConversation,
};
