/**
 * Traces that Copilot CLI and Gemini CLI send themselves. They use the names of OpenTelemetry, so only their scope tells
 * them from an application of somebody; Gemini's carry no usage.
 */
import { textOf } from '../facts/values.ts';
import type { Convention } from '../types.ts';
import { genAi } from './gen-ai.ts';

function agentCli(id: string, scope: string): Convention {
  return {
    ...genAi,
    id,
    triggers: ['gen_ai.operation.name'],
    detect: ({ scopeName }) => scopeName === scope,
    facts(span) {
      const facts = genAi.facts(span);
      // Calls of sub-agents lie below the run of one, which names it.
      const isOfAgent =
        facts.operation === 'invoke_agent' ||
        (facts.isModelCall && textOf(span.attributes.get('github.copilot.initiator')) !== 'sub-agent');
      const agentName = facts.agentName || (isOfAgent ? id : '');
      return { ...facts, convention: id, agentName };
    },
  };
}

export const copilotCli = agentCli('copilot-cli', 'github.copilot');
export const geminiCli = agentCli('gemini-cli', 'gemini-cli');
