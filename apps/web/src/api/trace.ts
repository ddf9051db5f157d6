import type {
  ExceptionOccurrence,
  getException,
  RequestBodyOf,
  ResponseOf,
  searchExceptions,
  searchLogs,
  searchTrace,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';

const EVERYWHERE = { environment: undefined };
const HOUR_MS = 3_600_000;
const LOG_PAGE = 500;
/** Kinds of exceptions of one trace that are looked into, and occurrences of each. */
const EXCEPTION_KINDS = 12;
const OCCURRENCES = 200;

/** Spans of the trace that hold the terms anywhere: names, attributes, events, messages, log records. */
export const traceSearchQuery = (traceId: string, q: string) =>
  queryOptions({
    queryKey: ['trace-search', traceId, q],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof searchTrace>>(
        `/api/telemetry/traces/${encodeURIComponent(traceId)}/search?q=${encodeURIComponent(q)}`,
        EVERYWHERE,
        { signal },
      ).then((answer) => answer.data),
  });

/** When a trace ran; its log records are looked for an hour around, for clocks that differ. */
export interface TraceSpanOfTime {
  readonly startMs: number;
  readonly endMs: number;
}

/** The log records of a trace, or of one span of it, oldest first. */
export const traceLogsQuery = (traceId: string, during: TraceSpanOfTime, spanId?: string) =>
  pagesOf(['trace-logs', traceId, during, spanId], (page, signal) => {
    const ofTrace = { field: 'trace_id', op: '=', value: traceId } as const;
    const ofSpan = { field: 'span_id', op: '=', value: spanId ?? '' } as const;
    return call<ResponseOf<typeof searchLogs>>('/api/telemetry/logs/search', EVERYWHERE, {
      signal,
      body: {
        from: Math.floor(during.startMs - HOUR_MS),
        to: Math.ceil(during.endMs + HOUR_MS),
        filter: spanId === undefined ? ofTrace : { and: [ofTrace, ofSpan] },
        sort: 'time',
        limit: LOG_PAGE,
        ...page,
      } satisfies RequestBodyOf<typeof searchLogs>,
    });
  });

/** An exception that a span of the trace recorded, with its type. */
export type TraceException = ExceptionOccurrence & { readonly type: string };

/** What the spans of a trace recorded as exceptions, whether they failed by it or not. */
export const traceExceptionsQuery = (traceId: string, during: TraceSpanOfTime) =>
  queryOptions({
    queryKey: ['trace-exceptions', traceId, during],
    queryFn: async ({ signal }): Promise<TraceException[]> => {
      // Epoch milliseconds are not a text, so times of an address go as ISO.
      const from = new Date(during.startMs - HOUR_MS).toISOString();
      const to = new Date(during.endMs + HOUR_MS).toISOString();
      const q = `trace_id:${traceId}`;
      const groups = await call<ResponseOf<typeof searchExceptions>>(
        '/api/telemetry/exceptions/search',
        EVERYWHERE,
        {
          signal,
          body: { from, to, q, limit: EXCEPTION_KINDS } satisfies RequestBodyOf<typeof searchExceptions>,
        },
      );
      const found = await Promise.all(
        groups.data.map(async ({ fingerprint, type }) => {
          const asked = new URLSearchParams({ from, to, q, limit: `${OCCURRENCES}` });
          const { data } = await call<ResponseOf<typeof getException>>(
            `/api/telemetry/exceptions/${fingerprint}?${asked.toString()}`,
            EVERYWHERE,
            { signal },
          );
          return data.occurrences.map((occurrence) => ({ ...occurrence, type }));
        }),
      );
      return found.flat();
    },
  });
