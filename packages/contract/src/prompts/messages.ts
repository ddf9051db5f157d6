export const MESSAGE_ROLES = ['system', 'developer', 'user', 'assistant'] as const;

/** A message of a chat prompt; placeholders in it are `{{name}}`. */
export interface PromptMessage {
  readonly role: (typeof MESSAGE_ROLES)[number];
  readonly content: string;
}

/** What roles are called where people read them. */
export const ROLE_NAMES: Readonly<Record<PromptMessage['role'], string>> = {
  system: 'System',
  developer: 'Developer',
  user: 'User',
  assistant: 'Assistant',
};

/**
 * Messages as one text, for whoever asks for a text: one message is its content, several stand below each other,
 * each under its role.
 */
export function textOfMessages(messages: readonly PromptMessage[]): string {
  const [first] = messages;
  if (messages.length === 1 && first !== undefined) return first.content;
  return messages.map(({ role, content }) => `${ROLE_NAMES[role]}:\n${content}`).join('\n\n');
}
