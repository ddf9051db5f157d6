import { type PromptChat, type PromptMessage, renderTemplate } from '@candela/contract';
import type { StoredPromptVersion } from '@candela/metadata-store';
import type { LlmMessage } from '../../llm/types.ts';

/** What a version has beside its text, as it is kept: the store holds it as JSON. */
export const chatOf = ({ chat }: Pick<StoredPromptVersion, 'chat'>): PromptChat =>
  chat === null ? {} : (JSON.parse(chat) as PromptChat);

/** The messages with values put in. @throws refused */
export const fillMessages = (
  messages: readonly PromptMessage[],
  values: Readonly<Record<string, unknown>>,
): PromptMessage[] =>
  messages.map(({ role, content }) => ({ role, content: renderTemplate(content, values).text }));

/** What a model is asked with: the messages of a chat, system messages first, or a text as what a user says. */
export function askedOf(prompt: {
  readonly compiledPrompt: string;
  readonly messages?: readonly PromptMessage[] | undefined;
}): LlmMessage[] {
  if (prompt.messages === undefined) return [{ role: 'user', text: prompt.compiledPrompt }];
  const isFirst = ({ role }: PromptMessage) => role === 'system' || role === 'developer';
  const first = prompt.messages
    .filter(isFirst)
    .map(({ content }) => ({ role: 'system' as const, text: content }));
  const rest = prompt.messages
    .filter((message) => !isFirst(message))
    .map(({ role, content }) => ({ role: role === 'assistant' ? role : ('user' as const), text: content }));
  return [...first, ...rest];
}

/** What a version has beside its text, as it is kept; null where there is nothing. */
export function keptChat({ messages, modelSettings, tools, responseFormat }: PromptChat): string | null {
  const chat: PromptChat = {
    ...(messages === undefined ? {} : { messages }),
    ...(isEmpty(modelSettings) ? {} : { modelSettings }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(responseFormat === undefined || responseFormat.type === 'text' ? {} : { responseFormat }),
  };
  return isEmpty(chat) ? null : JSON.stringify(chat);
}

const isEmpty = (value: object | undefined): boolean =>
  value === undefined || Object.keys(value).length === 0;
