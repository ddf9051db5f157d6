/**
 * Logfire's spans of OpenAI Agents: what a span is stands in its message template, its name in `name`. A chat completion has
 * `input`, `output` and `usage`; its `request_data` holds the answer as if it had been asked. Other model calls are those of
 * the gen-ai convention.
 */
import { wholeConversation } from '../content/whole.ts';
import { countsOf } from '../facts/details.ts';
import { buildFacts, errorTypeOf } from '../facts/facts.ts';
import { compileFields } from '../facts/fields.ts';
import { GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL } from '../facts/gen-ai-fields.ts';
import { textOf } from '../facts/values.ts';
import type { Convention, SpanReader } from '../types.ts';

const readFields = compileFields({ sessionId: ['group_id'] }, GEN_AI_CURRENT, GEN_AI_DEPRECATED, GENERAL);

/** What a message template begins with, and what the span is then. */
const KINDS: readonly (readonly [string, string])[] = [
  ['Chat completion with', 'chat'],
  ['Agent run:', 'invoke_agent'],
  ['Function: {name}', 'execute_tool'],
  ['OpenAI Agents trace:', 'invoke_workflow'],
  ['Guardrail {name', 'guardrail'],
  ['Handoff:', 'handoff'],
  ['MCP: list tools', 'tools/list'],
];

const operationOf = ({ attributes }: SpanReader): string => {
  const template = textOf(attributes.get('logfire.msg_template'));
  return KINDS.find(([beginning]) => template.startsWith(beginning))?.[1] ?? '';
};

export const logfire: Convention = {
  id: 'logfire',
  triggers: ['logfire.msg_template'],
  detect: (span) => operationOf(span) !== '',
  facts(span) {
    const fields = readFields(span.attributes);
    const operation = operationOf(span);
    const name = textOf(span.attributes.get('name'));
    const isModelCall = operation === 'chat';
    return buildFacts(
      fields,
      {
        convention: 'logfire',
        operation,
        isModelCall,
        ...(isModelCall ? { reported: countsOf(span.attributes.get('usage')) } : {}),
        // A run without a group says so in JSON.
        ...(textOf(span.attributes.get('group_id')) === 'null' ? { sessionId: '' } : {}),
        ...(operation === 'invoke_agent' ? { agentName: name } : {}),
        ...(operation === 'handoff' ? { agentName: textOf(span.attributes.get('to_agent')) } : {}),
        ...(operation === 'execute_tool' ? { toolName: name } : {}),
        ...(operation === 'invoke_workflow' ? { workflowName: name } : {}),
        errorType: errorTypeOf(span, fields),
      },
      span,
    );
  },
  conversation: (span) =>
    wholeConversation(span, {
      isTool: operationOf(span) === 'execute_tool',
      input: ['input'],
      output: ['output'],
      id: [],
      ...(operationOf(span) === 'chat' ? {} : { standardFirst: true as const }),
    }),
};
