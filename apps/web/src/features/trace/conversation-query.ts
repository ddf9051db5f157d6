import type { Conversation } from '@candela/semconv';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { asksAgain, type SpanAge, staleAfter } from '../../api/trace.ts';
import { memoryOf } from './conversation-memory.ts';
import { LOOK_AGAIN_MS } from './still-running.ts';
import type { Step } from './transcript.ts';

/** What one step of a transcript needs, and what tells whether more of it is to come. */
export interface SpokenSpan extends SpanAge {
  readonly key: string;
  readonly conversation: Conversation;
}

/** Whether it has all that it can say: what went in is sent before what came out. */
const isTold = ({ unfinished, conversation }: SpokenSpan): boolean =>
  !unfinished && (conversation.output.length > 0 || conversation.toolExecution !== undefined);

/**
 * The conversation of a step, its messages shared with the others of the trace; the rest of the span is let go. It is
 * read again until its end and its messages are here, which may come after it.
 */
export const conversationQuery = (traceId: string, { key, start, span }: Step, looksAgain: boolean) =>
  queryOptions({
    queryKey: ['conversation', traceId, key],
    queryFn: async ({ signal }): Promise<SpokenSpan> => {
      const { data } = await call('getSpan', {
        params: { traceId, spanId: span.spanId },
        query: { start },
        signal,
      });
      const { unfinished, convention, startTime, durationMs } = data;
      const conversation = memoryOf(traceId).intern(data.conversation);
      return { key, conversation, unfinished, convention, startTime, durationMs };
    },
    staleTime: ({ state: { data, dataUpdatedAt } }) =>
      data && isTold(data) ? Number.POSITIVE_INFINITY : staleAfter(data, dataUpdatedAt),
    refetchInterval: ({ state: { data } }) =>
      data && !isTold(data) && asksAgain(data, span.light, looksAgain) ? LOOK_AGAIN_MS : false,
    // Comparing one answer with the next would walk every message again.
    structuralSharing: false,
  });
