import type {
  aggregate,
  getLog,
  getLogContext,
  LogDetail,
  LogSort,
  RequestBodyOf,
  ResponseOf,
  searchLogs,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { estimatedFirst } from './estimate.ts';
import { SEARCH_PAGE, searchPagesOf } from './pages.ts';
import { bounds, type Scope } from './telemetry.ts';

const ANYWHERE = { environment: undefined };

export const logsQuery = (scope: Scope, sort: LogSort) =>
  searchPagesOf(['logs', scope, sort], (page, signal) =>
    call<ResponseOf<typeof searchLogs>>('/api/telemetry/logs/search', scope, {
      signal,
      body: {
        ...bounds(scope),
        sort,
        limit: SEARCH_PAGE,
        ...page,
      } satisfies RequestBodyOf<typeof searchLogs>,
    }),
  );

export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ['log', id],
    // A stored record never changes.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }): Promise<LogDetail> =>
      call<ResponseOf<typeof getLog>>(`/api/telemetry/logs/${encodeURIComponent(id)}`, ANYWHERE, {
        signal,
      }).then((answer) => answer.data),
  });

/** As many lines before and after the record. */
export const logContextQuery = (id: string, lines: number) =>
  queryOptions({
    queryKey: ['log-context', id, lines],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof getLogContext>>(
        `/api/telemetry/logs/${encodeURIComponent(id)}/context?before=${lines}&after=${lines}`,
        ANYWHERE,
        { signal },
      ).then((answer) => answer.data),
  });

/** How many records of each severity there are by time. */
export const severitiesQuery = (scope: Scope, bucketSeconds: number) =>
  queryOptions({
    queryKey: ['severities', scope, bucketSeconds],
    queryFn: estimatedFirst(
      (how, signal) =>
        call<ResponseOf<typeof aggregate>>('/api/telemetry/aggregate', scope, {
          signal,
          body: {
            signal: 'logs',
            ...bounds(scope),
            groupBy: ['severity'],
            measures: ['count'],
            bucketSeconds,
            ...how,
          } satisfies RequestBodyOf<typeof aggregate>,
        }).then((answer) => answer.data),
      ({ sample }) => sample,
    ),
  });

/** Whether the project has ever received a log record (within a year). */
export const anyLogQuery = (environment: string | undefined) =>
  queryOptions({
    queryKey: ['any-log', environment],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof searchLogs>>(
        '/api/telemetry/logs/search',
        { environment },
        { signal, body: { from: '-365d', to: 'now', limit: 1 } },
      ).then((page) => page.data[0] !== undefined),
  });
