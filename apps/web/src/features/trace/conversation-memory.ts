import type { Conversation, Message, MessagePart } from '@candela/semconv';

/**
 * The messages of one trace, each kept once. Every model call repeats the history before it: without this, a
 * conversation of a hundred calls would be held a hundred times.
 */
export class MessageMemory {
  readonly #known = new Map<string, Message>();

  /** The same conversation, made of messages that are shared with the others. */
  intern(conversation: Conversation): Conversation {
    return {
      ...conversation,
      input: conversation.input.map((message) => this.#same(message)),
      output: conversation.output.map((message) => this.#same(message)),
    };
  }

  #same(message: Message): Message {
    const key = fingerprint(
      JSON.stringify([message.role, message.name, message.finishReason, message.parts]),
    );
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, message);
    return message;
  }
}

const identities = new WeakMap<Message, string>();

/** How many traces are remembered at a time: going back and forth between a few costs nothing. */
const MOST_MEMORIES = 3;
const memories = new Map<string, MessageMemory>();

/** The memory of that trace. */
export function memoryOf(traceId: string): MessageMemory {
  const memory = memories.get(traceId) ?? new MessageMemory();
  memories.delete(traceId);
  memories.set(traceId, memory);
  const oldest = memories.size > MOST_MEMORIES ? memories.keys().next() : undefined;
  if (oldest?.done === false) memories.delete(oldest.value);
  return memory;
}

/** Equal for messages of the same role and content; reasoning and citations are left out, because replays drop them. Made once a message. */
export function identityOf(message: Message): string {
  let identity = identities.get(message);
  if (identity === undefined) {
    const said = message.parts
      .filter((part) => part.type !== 'reasoning' && part.type !== 'citation')
      .map(partIdentity);
    identity = fingerprint(`${message.role}\u0000${said.join('\u0001')}`);
    identities.set(message, identity);
  }
  return identity;
}

function partIdentity(part: MessagePart): string {
  switch (part.type) {
    case 'tool_call':
      return `c${part.id || `${part.name}${part.arguments}`}`;
    case 'tool_result':
      return `r${part.id || part.result}`;
    default:
      return JSON.stringify(part);
  }
}

/** A short text that differs where the texts differ: 64 bits of hash and the length. No secret depends on it. */
export function fingerprint(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 2_654_435_761);
    b = Math.imul(b ^ unit, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}.${text.length.toString(36)}`;
}
