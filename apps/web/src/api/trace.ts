import type { ExceptionOccurrence, LightSpan, ResponseOf, searchTrace, SpanDetail } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';

const HOUR_MS = 3_600_000;
const LOG_PAGE = 500;
/** Kinds of exceptions of one trace that are looked into, and occurrences of each. */
export const EXCEPTION_KINDS = 12;
export const OCCURRENCES = 200;

/** Spans of the trace that hold the terms anywhere: names, attributes, events, messages, log records. */
export const traceSearchQuery = (traceId: string, q: string, spanCount: number) =>
  queryOptions({
    // A trace that grows is searched again; what was found in it stands until then.
    queryKey: ['trace-search', traceId, q, spanCount],
    placeholderData: (found: ResponseOf<typeof searchTrace>['data'] | undefined, before) =>
      before?.queryKey[2] === q ? found : undefined,
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      call('searchTrace', { params: { traceId }, query: { q }, signal }).then((answer) => answer.data),
  });

/** When a trace ran; its log records are looked for an hour around, for clocks that differ. */
export interface TraceSpanOfTime {
  readonly startMs: number;
  readonly endMs: number;
}

/** An hour around, in whole milliseconds, but not before the epoch: a device without a clock begins there. */
export const around = ({ startMs, endMs }: TraceSpanOfTime): { from: number; to: number } => ({
  from: Math.max(0, Math.floor(startMs - HOUR_MS)),
  to: Math.ceil(endMs + HOUR_MS),
});

/** The log records of a trace, or of one span of it, oldest first. A trace that grows keeps those it has. */
export const traceLogsQuery = (traceId: string, during: TraceSpanOfTime, spanId?: string) =>
  pagesOf(['trace-logs', traceId, spanId], (page, signal) => {
    const ofTrace = { field: 'trace_id', op: '=', value: traceId } as const;
    const ofSpan = { field: 'span_id', op: '=', value: spanId ?? '' } as const;
    return call('searchLogs', {
      signal,
      body: {
        ...around(during),
        filter: spanId === undefined ? ofTrace : { and: [ofTrace, ofSpan] },
        sort: 'time',
        limit: LOG_PAGE,
        ...page,
      },
    });
  });

/** An exception that a span of the trace recorded, with its type. */
export type TraceException = ExceptionOccurrence & { readonly type: string };

/** Exceptions of a trace, and whether there are more of them. */
export interface TraceExceptions {
  readonly thrown: readonly TraceException[];
  readonly more: boolean;
}

/** Each time is a request for every kind of exception. */
const EXCEPTIONS_AGAIN_MS = 30_000;

/** What the spans of a trace recorded as exceptions, whether they failed by it or not. */
export const traceExceptionsQuery = (traceId: string, during: TraceSpanOfTime, looksAgain: boolean) =>
  queryOptions({
    queryKey: ['trace-exceptions', traceId],
    refetchInterval: () => (looksAgain || mayFollow(during.endMs, Date.now()) ? EXCEPTIONS_AGAIN_MS : false),
    queryFn: async ({ signal }): Promise<TraceExceptions> => {
      const window = around(during);
      // Epoch milliseconds are not a text, so times of an address go as ISO.
      const from = new Date(window.from).toISOString();
      const to = new Date(window.to).toISOString();
      const q = `trace_id:${traceId}`;
      const groups = await call('searchExceptions', {
        signal,
        body: { from, to, q, limit: EXCEPTION_KINDS },
      });
      const found = await Promise.all(
        groups.data.map(async ({ fingerprint, type }) => {
          const { data, nextCursor } = await call('getException', {
            params: { fingerprint },
            query: { from, to, q, limit: OCCURRENCES },
            signal,
          });
          return { thrown: data.occurrences.map((occurrence) => ({ ...occurrence, type })), nextCursor };
        }),
      );
      return {
        thrown: found.flatMap(({ thrown }) => thrown),
        more: [groups, ...found].some(({ nextCursor }) => nextCursor !== null),
      };
    },
  });

/** Log records have exporters of their own, which send them seconds after the span they belong to. */
const LATE_MS = 60_000;
/** How long what may still get log records is taken for whole. */
const LATE_STALE_MS = 5_000;

/** Whether log records of what ended at `endMs` may still be under way; by a clock that is far ahead nothing is told. */
export const mayFollow = (endMs: number, now: number): boolean => Math.abs(now - endMs) < LATE_MS;

/** What tells of a span that was read whether it is to be read again. */
export type SpanAge = Pick<SpanDetail, 'unfinished' | 'convention' | 'startTime' | 'durationMs'>;

/** Whether messages of the span may still come, as log records: it is a model's, and has just ended. */
export const awaitsMessages = (span: SpanAge, now: number): boolean =>
  span.convention !== null && mayFollow(Date.parse(span.startTime) + span.durationMs, now);

/** How long after its end was told a span that is still read without it is asked for again. */
const END_MS = 300_000;

/** Whether a span that was read without its end is asked for again: while the trace is, or since the trace has its end. */
export const awaitsEnd = (
  { unfinished, startTime, durationMs }: LightSpan,
  looksAgain: boolean,
  now: number,
): boolean => looksAgain || (!unfinished && Math.abs(now - Date.parse(startTime) - durationMs) < END_MS);

/** Whether a span that was read is asked for again: until its end is here too, and what is said of it in log records. */
export const asksAgain = (read: SpanAge, light: LightSpan, looksAgain: boolean): boolean =>
  read.unfinished ? awaitsEnd(light, looksAgain, Date.now()) : awaitsMessages(read, Date.now());

/** A stored span never changes, but for one that was sent while it ran, or whose messages come after it. */
export const staleAfter = (read: SpanAge | undefined, at: number): number => {
  if (read?.unfinished) return 0;
  return read && awaitsMessages(read, at) ? LATE_STALE_MS : Number.POSITIVE_INFINITY;
};

/** A span whole. `start`: of one that is not the first with its id. */
export const spanQuery = (traceId: string, spanId: string, start?: string) =>
  queryOptions({
    queryKey: ['span', traceId, spanId, start],
    queryFn: ({ signal }): Promise<SpanDetail> =>
      call('getSpan', { params: { traceId, spanId }, query: { start }, signal }).then(
        (answer) => answer.data,
      ),
    staleTime: ({ state: { data, dataUpdatedAt } }) => staleAfter(data, dataUpdatedAt),
  });
