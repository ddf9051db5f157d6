/** Conversation of Claude Code's own spans: what it says where it was told to send contents. */
import { textOf } from '../facts/values.ts';
import type { Conversation, Message, SpanReader } from '../types.ts';
import { Budget, textPart } from './builder.ts';
import { toolExecution } from './extras.ts';
import { genAiConversation } from './gen-ai.ts';

/** Stands in place of a prompt that was not to be sent. */
const WITHHELD = '<REDACTED>';

export function claudeCodeConversation(span: SpanReader): Conversation {
  const budget = new Budget();
  const said = (key: string, role: string): Message[] => {
    const text = textOf(span.attributes.get(key));
    return text === '' || text === WITHHELD ? [] : [{ role, parts: [textPart(budget, text)] }];
  };
  const shared = genAiConversation(span);
  return {
    ...shared,
    input: [...said('user_prompt', 'user'), ...shared.input],
    output: [...said('response.model_output', 'assistant'), ...shared.output],
    toolExecution: ranTool(span, budget) ?? shared.toolExecution,
  };
}

const TOOL_KEYS = {
  id: ['tool_use_id', 'gen_ai.tool.call.id'],
  args: ['tool_input', 'full_command'],
  result: ['output', 'content'],
};

/** What a tool was given is on its span, what it gave in an event. */
function ranTool(span: SpanReader, budget: Budget): Conversation['toolExecution'] {
  const given = span.events.find((event) => event.name === 'tool.output')?.attributes;
  const read = ({ attributes }: Pick<SpanReader, 'attributes'>, keys: readonly string[]) =>
    keys.map((key) => [key, attributes.get(key) ?? null] as const);
  const attributes = new Map([
    ...read(span, [...TOOL_KEYS.id, ...TOOL_KEYS.args]),
    ...(given === undefined ? [] : read({ attributes: given }, TOOL_KEYS.result)),
  ]);
  return toolExecution({ ...span, attributes }, budget, TOOL_KEYS);
}
