import type { SpanRow, SpanSort, TraceRow, TraceSort } from '@candela/contract';
import type { RecordKind } from '@candela/contract/filter';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { call } from './client.ts';
import { estimatedFirst } from './estimate.ts';
import { pagesOf, SEARCH_PAGE, searchPagesOf } from './pages.ts';

/** Which rows: the window, the query text and the environment of the header. */
export interface Scope {
  readonly window: TimeWindow;
  readonly q: string;
  readonly environment: string | undefined;
}

/** Window and filter as every body takes them. */
export const bounds = (scope: Scope) => ({
  from: scope.window.fromMs,
  to: scope.window.toMs,
  ...(scope.q.trim() === '' ? {} : { q: scope.q }),
});

export const tracesQuery = (scope: Scope, sort: TraceSort) =>
  searchPagesOf(['traces', scope, sort], (page, signal) =>
    call('searchTraces', {
      environment: scope.environment,
      signal,
      body: {
        ...bounds(scope),
        sort,
        limit: SEARCH_PAGE,
        previews: false,
        ...page,
      },
    }),
  );

/** Whether a trace may have first words: only those are asked for. */
export const mayHavePreview = ({ openingNs, models }: TraceRow): boolean =>
  openingNs !== null || models.length > 0;

/** First words of a page of traces, by trace id: after the rows, so that these never wait for contents. */
export const tracePreviewsQuery = (rows: readonly TraceRow[], environment: string | undefined) => {
  const traces = rows
    .filter(mayHavePreview)
    .map(({ traceId, startTime, durationMs, openingNs }) => ({ traceId, startTime, durationMs, openingNs }));
  return queryOptions({
    queryKey: ['trace-previews', traces, environment],
    // More spans of a trace change its row, and with it the question; log records with messages do not.
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, TraceRow['preview']>> => {
      if (traces.length === 0) return new Map();
      const answer = await call('tracePreviews', { environment, signal, body: { traces } });
      return new Map(answer.data.map(({ traceId, preview }) => [traceId, preview]));
    },
  });
};

/** A span of a list with the values of the fields asked for by name; of the live stream it comes without. */
export type SpanLine = SpanRow & { readonly values?: ReadonlyMap<string, string | null> };

const withValues = (row: SpanRow, fields: readonly string[]): SpanLine =>
  fields.length === 0
    ? row
    : { ...row, values: new Map(fields.map((field, index) => [field, row.fields?.[index] ?? null])) };

/** `whole`: the first page is shown alone, and waits until it is full. */
export const spansQuery = (scope: Scope, sort: SpanSort, fields: readonly string[], whole = false) =>
  searchPagesOf(['spans', scope, sort, fields, whole], ({ early, ...page }, signal) =>
    call('searchSpans', {
      environment: scope.environment,
      signal,
      body: {
        ...bounds(scope),
        sort,
        limit: SEARCH_PAGE,
        ...(fields.length === 0 ? {} : { fields: [...fields] }),
        ...page,
        ...(early === undefined || whole ? {} : { early }),
      },
    }).then((answer) => ({ ...answer, data: answer.data.map((row) => withValues(row, fields)) })),
  );

/** The signal as a part of a body; spans are what routes take when nothing is said. */
type FacetKind = Exclude<RecordKind, 'metrics'>;

const signalPart = (signal: FacetKind) => (signal === 'spans' ? {} : { signal });

/** The most frequent values of one field. */
export interface FacetValues {
  readonly field: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** True when there are more values than were asked for. */
  readonly more: boolean;
}

export const facetsQuery = (
  scope: Scope,
  fields: readonly string[],
  { signal = 'spans', limit = 12, ...only }: { signal?: FacetKind; limit?: number; search?: string } = {},
) =>
  queryOptions({
    queryKey: ['facets', signal, scope, fields, limit, only.search ?? ''],
    queryFn: estimatedFirst(
      (how, abort) =>
        call('facets', {
          environment: scope.environment,
          signal: abort,
          body: { ...signalPart(signal), ...bounds(scope), fields: [...fields], limit, ...only, ...how },
        }),
      ({ sample }) => sample,
    ),
  });

/** Environments that sent anything in the last 30 days. */
export const environmentsQuery = () =>
  queryOptions({
    queryKey: ['environments'],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      call('facets', { signal, body: { from: '-30d', to: 'now', fields: ['environment'], limit: 50 } }),
  });

/** Whether the project has ever received a trace (within a year). */
export const anyTraceQuery = (environment: string | undefined) =>
  queryOptions({
    queryKey: ['any-trace', environment],
    queryFn: ({ signal }) =>
      call('searchTraces', {
        environment,
        signal,
        body: { from: '-365d', to: 'now', limit: 1, previews: false },
      }).then((page) => page.data[0] !== undefined),
  });

/** Enough to fill a screen: a huge trace shows itself at once and grows from there by pages of 5,000. */
const FIRST_SPANS = 500;

/** The spans of a trace, page by page, oldest first. */
export const traceQuery = (traceId: string) =>
  pagesOf(['trace', traceId], (page, signal) =>
    call('getTrace', {
      params: { traceId },
      query: page.cursor === undefined ? { limit: FIRST_SPANS } : page,
      signal,
    }),
  );
