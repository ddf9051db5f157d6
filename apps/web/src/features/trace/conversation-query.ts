import type { getSpan, ResponseOf } from '@candela/contract';
import type { Conversation } from '@candela/semconv';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { memoryOf } from './conversation-memory.ts';

/** What one step of a transcript needs. */
export interface SpokenSpan {
  readonly spanId: string;
  readonly conversation: Conversation;
}

/** The conversation of a span, read again when it has ended, its messages shared with the others of the trace; the rest of the span is let go. */
export const conversationQuery = (traceId: string, spanId: string, unfinished: boolean) =>
  queryOptions({
    queryKey: ['conversation', traceId, spanId, unfinished],
    staleTime: Number.POSITIVE_INFINITY,
    // Comparing one answer with the next would walk every message again.
    structuralSharing: false,
    queryFn: ({ signal }): Promise<SpokenSpan> =>
      call<ResponseOf<typeof getSpan>>(
        `/api/telemetry/traces/${encodeURIComponent(traceId)}/spans/${encodeURIComponent(spanId)}`,
        { environment: undefined },
        { signal },
      ).then(({ data }) => ({ spanId, conversation: memoryOf(traceId).intern(data.conversation) })),
  });
