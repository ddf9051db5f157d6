import type { Chat, ChatMessage } from '@candela/contract';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type AnswerEvent, answerEvents, CHAT_KEYS, chatKey, chatQuery, stopAnswer } from '../../api/chat.ts';

type Ask = Parameters<typeof answerEvents>[0];

/** A message put where it belongs; a question takes the place of everything from its number on. */
function withMessage(chat: Chat, message: ChatMessage, cuts: boolean): Chat {
  const before = chat.thread.filter(({ seq }) => (cuts ? seq < message.seq : seq !== message.seq));
  return { ...chat, thread: [...before, message].sort((a, b) => a.seq - b.seq) };
}

/** A conversation after an event of its stream. `current` is the answer that changes belong to. */
function afterEvent(chat: Chat, event: AnswerEvent, current: string | undefined): Chat {
  if (event.event !== 'part' && event.event !== 'delta')
    return withMessage(chat, event.data, event.event === 'question');
  const message = chat.thread.find(({ id }) => id === current);
  if (message === undefined) return chat;
  const parts = [...message.parts];
  const last = parts.at(-1);
  if (event.event === 'part') parts[event.data.index] = event.data.part;
  else if (last?.kind === 'text')
    parts[parts.length - 1] = { kind: 'text', text: last.text + event.data.text };
  else parts.push({ kind: 'text', text: event.data.text });
  return withMessage(chat, { ...message, parts }, false);
}

async function takeEvents(
  client: QueryClient,
  chatId: string,
  events: AsyncIterable<AnswerEvent>,
): Promise<void> {
  let current: string | undefined;
  for await (const event of events) {
    if (event.event === 'message' || event.event === 'done') current = event.data.id;
    client.setQueryData<Chat>(chatKey(chatId), (chat) => chat && afterEvent(chat, event, current));
  }
}

/** A conversation that is shown: it follows an answer that is under way, also after a reload. */
export function useThread(environment: string | undefined, chatId: string | undefined) {
  const client = useQueryClient();
  const query = useQuery({ ...chatQuery(environment, chatId ?? ''), enabled: chatId !== undefined });
  const stream = useRef<{ readonly chatId: string; readonly abort: AbortController }>(undefined);
  const [error, setError] = useState<unknown>();
  const [streaming, setStreaming] = useState(false);

  const take = async (id: string, ask: Ask) => {
    stream.current?.abort.abort();
    const abort = new AbortController();
    const mine = { chatId: id, abort };
    stream.current = mine;
    setError(undefined);
    setStreaming(true);
    try {
      // Events change a conversation that is there.
      await client.ensureQueryData(chatQuery(environment, id));
      await takeEvents(client, id, answerEvents(ask, environment, abort.signal));
    } catch (thrown) {
      if (!abort.signal.aborted) setError(thrown);
    }
    if (stream.current !== mine) return;
    stream.current = undefined;
    setStreaming(false);
    // A title comes with the first question.
    await client.invalidateQueries({ queryKey: [...CHAT_KEYS, 'list'] });
    await client.invalidateQueries({ queryKey: chatKey(id) });
  };

  useEffect(() => {
    // Another conversation is shown. A new one gets its id while its first answer streams.
    if (stream.current !== undefined && stream.current.chatId !== chatId) stream.current.abort.abort();
  }, [chatId]);
  useEffect(() => () => stream.current?.abort.abort(), []);
  const running = query.data?.thread.find(({ status }) => status === 'running')?.id;
  const follow = useEffectEvent((id: string) => {
    if (chatId !== undefined && stream.current === undefined)
      void take(chatId, { route: 'followMessage', id });
  });
  useEffect(() => {
    if (running !== undefined) follow(running);
  }, [running]);

  return {
    query,
    error,
    busy: streaming || running !== undefined,
    take,
    stop: () => {
      if (running !== undefined) void stopAnswer(environment, running);
    },
  };
}

export type Thread = ReturnType<typeof useThread>;
