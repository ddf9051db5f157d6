import type { Message, MessagePart } from '@candela/semconv';
import { callIds } from '@candela/semconv/call-ids';

/** Messages with each tool's result at the call that asked for it. */
export interface PairedMessages {
  readonly messages: readonly Message[];
  /** Where each of them stands among all that were given. */
  readonly places: readonly number[];
  /** Results by the call, of the calls among the messages. */
  readonly results: ReadonlyMap<MessagePart, ResultPart>;
}

/** The part of a message that carries a tool's result. */
export type ResultPart = Extract<MessagePart, { type: 'tool_result' }>;

/** Takes results out of the messages that only carry them; a result whose call is not here stays where it is. */
export function pairTools(messages: readonly Message[]): PairedMessages {
  const idOf = callIds(messages);
  const calls = new Map<string, MessagePart>();
  const results = new Map<MessagePart, ResultPart>();
  const kept: Message[] = [];
  const places: number[] = [];
  for (const [place, message] of messages.entries()) {
    const parts = message.parts.filter((part) => {
      const id = idOf(part);
      if (part.type === 'tool_call' && id !== '') calls.set(id, part);
      const call = part.type === 'tool_result' ? calls.get(id) : undefined;
      if (part.type !== 'tool_result' || call === undefined || results.has(call)) return true;
      results.set(call, part);
      return false;
    });
    if (message.parts.length > 0 && parts.length === 0) continue;
    kept.push(parts.length === message.parts.length ? message : { ...message, parts });
    places.push(place);
  }
  return { messages: kept, places, results };
}
