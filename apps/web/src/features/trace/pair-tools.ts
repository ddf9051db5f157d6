import type { Message } from '@candela/semconv';

/** Messages with each tool's result at the call that asked for it. */
export interface PairedMessages {
  readonly messages: readonly Message[];
  /** Results by call id, of the calls among the messages. */
  readonly results: ReadonlyMap<string, string>;
}

/** Takes results out of the messages that only carry them; a result whose call is not here stays where it is. */
export function pairTools(messages: readonly Message[]): PairedMessages {
  const calls = new Set<string>();
  const results = new Map<string, string>();
  const kept: Message[] = [];
  for (const message of messages) {
    const parts = message.parts.filter((part) => {
      if (part.type === 'tool_call' && part.id !== '') calls.add(part.id);
      if (part.type !== 'tool_result' || !calls.has(part.id) || results.has(part.id)) return true;
      results.set(part.id, part.result);
      return false;
    });
    if (parts.length === message.parts.length) kept.push(message);
    else if (parts.length > 0) kept.push({ ...message, parts });
  }
  return { messages: kept, results };
}
