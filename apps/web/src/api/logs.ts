import type { LogDetail, LogSort } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { estimatedFirst } from './estimate.ts';
import { SEARCH_PAGE, searchPagesOf } from './pages.ts';
import { bounds, type Scope } from './telemetry.ts';

export const logsQuery = (scope: Scope, sort: LogSort) =>
  searchPagesOf(['logs', scope, sort], (page, signal) =>
    call('searchLogs', {
      environment: scope.environment,
      signal,
      body: {
        ...bounds(scope),
        sort,
        limit: SEARCH_PAGE,
        ...page,
      },
    }),
  );

export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ['log', id],
    // A stored record never changes.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }): Promise<LogDetail> =>
      call('getLog', { params: { id }, signal }).then((answer) => answer.data),
  });

/** As many lines before and after the record. */
export const logContextQuery = (id: string, lines: number) =>
  queryOptions({
    queryKey: ['log-context', id, lines],
    queryFn: ({ signal }) =>
      call('getLogContext', { params: { id }, query: { before: lines, after: lines }, signal }).then(
        (answer) => answer.data,
      ),
  });

/** How many records of each severity there are by time. */
export const severitiesQuery = (scope: Scope, bucketSeconds: number) =>
  queryOptions({
    queryKey: ['severities', scope, bucketSeconds],
    queryFn: estimatedFirst(
      (how, signal) =>
        call('aggregate', {
          environment: scope.environment,
          signal,
          body: {
            signal: 'logs',
            ...bounds(scope),
            groupBy: ['severity'],
            measures: ['count'],
            bucketSeconds,
            ...how,
          },
        }).then((answer) => answer.data),
      ({ sample }) => sample,
    ),
  });

/** Whether the project has ever received a log record (within a year). */
export const anyLogQuery = (environment: string | undefined) =>
  queryOptions({
    queryKey: ['any-log', environment],
    queryFn: ({ signal }) =>
      call('searchLogs', { environment, signal, body: { from: '-365d', to: 'now', limit: 1 } }).then(
        (page) => page.data[0] !== undefined,
      ),
  });
