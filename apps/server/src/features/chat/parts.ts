import type { ChatMessage, ChatPart } from '@candela/contract';
import type { StoredChatMessage } from '@candela/metadata-store';

type TextPart = Extract<ChatPart, { kind: 'text' }>;
type ShownTool = Extract<ChatPart, { kind: 'tool' }>;

/** A tool call as it is kept: also with what the model was given. */
export interface ToolPart extends ShownTool {
  readonly output: string;
  /** It read what applications wrote. */
  readonly taints: boolean;
}
export type KeptPart = TextPart | ToolPart;

export type Usage = NonNullable<ChatMessage['usage']>;

/** What is kept of a message besides its parts. */
export interface MessageFacts {
  readonly err?: string | null;
  readonly model?: string | null;
  readonly usage?: Usage | null;
  readonly durationMs?: number | null;
  /** Of an answer that is being made: the instance that makes it. */
  readonly by?: string;
  /** Of a question: what was on screen. */
  readonly page?: { readonly path: string; readonly search: string; readonly [field: string]: unknown };
}

// Written by this feature and nothing else.
export const partsOf = ({ parts }: Pick<StoredChatMessage, 'parts'>): readonly KeptPart[] =>
  parts as readonly KeptPart[];
export const factsOf = ({ facts }: Pick<StoredChatMessage, 'facts'>): MessageFacts => facts;

export function showPart(part: KeptPart): ChatPart {
  if (part.kind === 'text') return part;
  const { output: _output, taints: _taints, ...shown } = part;
  return shown;
}

/** A message as the API shows it. */
export function showMessage(message: StoredChatMessage): ChatMessage {
  const { err = null, model = null, usage = null, durationMs = null } = factsOf(message);
  const { id, seq, role, status } = message;
  return {
    id,
    seq,
    role,
    status,
    parts: partsOf(message).map(showPart),
    err,
    model,
    usage,
    durationMs,
    createdAt: new Date(message.createdAt).toISOString(),
  };
}

export const textOf = (parts: readonly KeptPart[]): string =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');
