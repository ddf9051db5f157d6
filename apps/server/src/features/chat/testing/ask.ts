import type { ChatMessage, ChatPart } from '@candela/contract';
import type { Browser } from '../../identity/testing/browser.ts';

export type Tool = Extract<ChatPart, { kind: 'tool' }>;

export interface StreamEvent {
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into events of many shapes
  readonly data: any;
}

/** Events of a stream that was read to its end. */
export function eventsOf(text: string): StreamEvent[] {
  return text.split('\n\n').flatMap((block) => {
    const event = /^event: (.*)$/m.exec(block)?.[1];
    const data = /^data: (.*)$/m.exec(block)?.[1];
    return event === undefined || data === undefined ? [] : [{ event, data: JSON.parse(data) as unknown }];
  });
}

export const toolsIn = (message: ChatMessage): Tool[] =>
  message.parts.filter((part): part is Tool => part.kind === 'tool');
export const textIn = (message: ChatMessage): string =>
  message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');

/** Makes a model on a fake and the assistant's settings. @returns the id of the model */
export async function configure(owner: Browser, baseUrl: string, more: object = {}): Promise<string> {
  const saved = await owner.call('PUT', '/api/chat/config', {
    provider: 'openai-compatible',
    model: 'gpt-4o-mini',
    baseUrl,
    ...more,
  });
  if (saved.status !== 200) throw new Error(saved.text);
  return String(saved.data.modelId);
}

/** Asks in a conversation (a new one without an id) and waits for the answer. */
export async function ask(
  browser: Browser,
  content: string,
  more: { readonly conversationId?: string; readonly [field: string]: unknown } = {},
): Promise<{ conversationId: string; answer: ChatMessage; question: ChatMessage; events: StreamEvent[] }> {
  const conversationId =
    more.conversationId ?? String((await browser.call('POST', '/api/chat/conversation', {})).data.id);
  const sent = await browser.call('POST', '/api/chat/message', { ...more, conversationId, content });
  if (sent.status !== 200) throw new Error(sent.text);
  const events = eventsOf(sent.text);
  const answer = events.findLast(({ event }) => event === 'done')?.data as ChatMessage | undefined;
  const question = events.find(({ event }) => event === 'question')?.data as ChatMessage;
  if (answer === undefined) throw new Error(sent.text);
  return { conversationId, answer, question, events };
}

export async function decide(browser: Browser, id: string, body: object): Promise<StreamEvent[]> {
  const sent = await browser.call('POST', `/api/chat/approval/${id}`, body);
  if (sent.status !== 200) throw new Error(sent.text);
  return eventsOf(sent.text);
}
