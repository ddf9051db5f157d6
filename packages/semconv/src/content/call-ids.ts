import type { Message, MessagePart } from '../types.ts';

/** The id that a tool call and its result have in common; empty for every other part, and for a result without a call. */
export type CallIdOf = (part: MessagePart) => string;

/**
 * Ids of the tool calls and results of one conversation. Gemini and others send none: there the first call of a tool
 * that has no result yet gets the next result of that tool. Such an id is the same wherever the conversation is sent
 * again from its beginning.
 * @param thread who leads the conversation, to tell equal calls of two of them apart
 */
export function callIds(messages: readonly Message[], thread = ''): CallIdOf {
  const made = new Map<MessagePart, string>();
  const times = new Map<string, number>();
  const open = new Map<string, string[]>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if ((part.type !== 'tool_call' && part.type !== 'tool_result') || part.id !== '' || part.name === '')
        continue;
      const waiting = open.get(part.name) ?? [];
      open.set(part.name, waiting);
      if (part.type === 'tool_call') {
        const call = JSON.stringify([thread, part.name, part.arguments]);
        const nth = (times.get(call) ?? 0) + 1;
        times.set(call, nth);
        made.set(part, `#${nth} ${call}`);
        waiting.push(`#${nth} ${call}`);
      } else {
        const id = waiting.shift();
        if (id !== undefined) made.set(part, id);
      }
    }
  }
  return (part) =>
    part.type === 'tool_call' || part.type === 'tool_result' ? part.id || (made.get(part) ?? '') : '';
}
