import type { Message, MessagePart } from '../types.ts';

/**
 * What makes two messages the same to a reader: role and content. Reasoning and citations are left out, because clients
 * drop them when they send a conversation again.
 */
export function messageIdentity(message: Message): string {
  const said = message.parts
    .filter((part) => part.type !== 'reasoning' && part.type !== 'citation')
    .map(partIdentity);
  return `${message.role}\u0000${said.join('\u0001')}`;
}

function partIdentity(part: MessagePart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return `t${part.text}`;
    case 'tool_call':
      return `c${part.id || `${part.name}${part.arguments}`}`;
    case 'tool_result':
      return `r${part.id || part.result}`;
    case 'media':
      return `m${part.uri}`;
    case 'citation':
      return `s${part.uri}${part.title}${part.text}`;
    case 'json':
      return `j${part.json}`;
  }
}
