import type { Chat, ChatMessage, ChatPart, ChatSummary, SqlResult } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { eventReader } from '../lib/event-stream.ts';
import { brokenOff } from './broken-off.ts';
import { type AnswerOf, type BodyOf, call, openStream } from './client.ts';

type Environment = string | undefined;

export const CHAT_KEYS = ['chat'] as const;

export const chatConfigQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...CHAT_KEYS, 'config', environment],
    queryFn: ({ signal }): Promise<AnswerOf<'getChatConfig'>> =>
      call('getChatConfig', { environment, signal }),
  });
export const saveChatConfigIn = (environment: Environment) => (body: BodyOf<'saveChatConfig'>) =>
  call('saveChatConfig', { environment, body });

export const chatsQuery = (environment: Environment) =>
  queryOptions({
    queryKey: [...CHAT_KEYS, 'list', environment],
    queryFn: ({ signal }): Promise<ChatSummary[]> =>
      call('listConversations', { environment, signal, query: { limit: 100 } }).then(({ data }) => data),
  });

export const chatKey = (id: string) => [...CHAT_KEYS, 'one', id] as const;
export const chatQuery = (environment: Environment, id: string) =>
  queryOptions({
    queryKey: chatKey(id),
    queryFn: ({ signal }): Promise<Chat> =>
      call('getConversation', { environment, signal, params: { id } }).then(({ data }) => data),
  });

export const createChat = (environment: Environment) =>
  call('createConversation', { environment, body: {} }).then(({ data }) => data);
export const deleteChat = (environment: Environment, id: string) =>
  call('deleteConversation', { environment, params: { id } });
export const renameChat = (environment: Environment, id: string, title: string) =>
  call('renameConversation', { environment, params: { id }, body: { title } }).then(({ data }) => data);
export const stopAnswer = (environment: Environment, id: string) =>
  call('stopMessage', { environment, params: { id } });

export type AnswerEvent =
  | { readonly event: 'question' | 'message' | 'done'; readonly data: ChatMessage }
  | { readonly event: 'delta'; readonly data: { readonly text: string } }
  | { readonly event: 'part'; readonly data: { readonly index: number; readonly part: ChatPart } };

/** Events of an answer, as they come. @throws ApiError when it is refused or breaks off */
export async function* answerEvents(
  ask:
    | { readonly route: 'sendMessage'; readonly body: BodyOf<'sendMessage'> }
    | { readonly route: 'decideApproval'; readonly id: string; readonly body: BodyOf<'decideApproval'> }
    | { readonly route: 'followMessage'; readonly id: string },
  environment: Environment,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const around = { environment, signal, headers: { accept: 'text/event-stream' } };
  const { body } = await (ask.route === 'sendMessage'
    ? openStream('sendMessage', { ...around, body: ask.body })
    : ask.route === 'decideApproval'
      ? openStream('decideApproval', { ...around, params: { id: ask.id }, body: ask.body })
      : openStream('followMessage', { ...around, params: { id: ask.id } }));
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read = eventReader();
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      for (const { event, data } of read(decoder.decode(step.value, { stream: true }))) {
        if (event === 'failure') throw brokenOff(data);
        yield { event, data: JSON.parse(data) } as AnswerEvent;
        if (event === 'done') return;
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

export interface SqlAsk {
  readonly query: string;
  readonly from: string;
  readonly to: string;
  readonly limit?: number;
}

export const runSql = (environment: Environment, body: SqlAsk, signal: AbortSignal): Promise<SqlResult> =>
  call('executeSql', { environment, body, signal }).then(({ data }) => data);

export const sqlSchemaQuery = () =>
  queryOptions({
    queryKey: ['sql-schema'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }): Promise<AnswerOf<'describeSql'>['data']> =>
      call('describeSql', { signal }).then(({ data }) => data),
  });

/** Keys of attributes that spans have, for the editor. */
export const attributeKeysQuery = (environment: Environment) =>
  queryOptions({
    queryKey: ['sql-attribute-keys', environment],
    queryFn: ({ signal }): Promise<AnswerOf<'listFields'>['data']> =>
      call('listFields', { environment, signal, query: { from: '-7d' } }).then(({ data }) => data),
  });

export const saveSqlWidget = (body: BodyOf<'saveChatWidget'>) =>
  call('saveChatWidget', { body }).then(({ data }) => data);

export const usageQuery = (query: {
  readonly window: '24H' | '7D' | '1M' | '3M' | 'CUSTOM';
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly groupBy: string;
}) =>
  queryOptions({
    queryKey: ['llm-usage', query],
    queryFn: ({ signal }): Promise<AnswerOf<'getChatUsage'>['data']> =>
      call('getChatUsage', { query, signal }).then(({ data }) => data),
  });
