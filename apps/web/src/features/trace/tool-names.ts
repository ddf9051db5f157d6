import type { Message } from '@candela/semconv';

/** What the calls among the messages were named, by call id: many conventions name a result only by its call. */
export function toolNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap((message) =>
      message.parts.flatMap((part) =>
        part.type === 'tool_call' && part.id !== '' && part.name !== ''
          ? [[part.id, part.name] as const]
          : [],
      ),
    ),
  );
}
