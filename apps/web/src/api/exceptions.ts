import type { ExceptionSort, ExceptionTriage } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { listSearch } from './activity.ts';
import { addressOf, call } from './client.ts';
import { pagesOf } from './pages.ts';
import { bounds, type Scope } from './telemetry.ts';

const PAGE = 100;
const OCCURRENCES = 50;

export const exceptionsQuery = (
  scope: Scope,
  sort: ExceptionSort,
  status: ExceptionTriage['status'] | 'any',
) =>
  pagesOf(['exceptions', scope, sort, status], (page, signal) =>
    call('searchExceptions', {
      environment: scope.environment,
      signal,
      body: {
        ...bounds(scope),
        sort,
        status,
        limit: PAGE,
        ...page,
      },
    }),
  );

const exceptionSearch = (scope: Scope) => ({ ...listSearch(scope), limit: OCCURRENCES });

/** The address of one group within a scope. */
export const exceptionPath = (fingerprint: string, scope: Scope): string =>
  addressOf('getException', { params: { fingerprint }, query: exceptionSearch(scope) });

/** One group; the first page has its figures, every page has occurrences. */
export const exceptionQuery = (fingerprint: string, scope: Scope) =>
  pagesOf(['exception', fingerprint, scope], (page, signal) =>
    call('getException', {
      params: { fingerprint },
      query: { ...exceptionSearch(scope), cursor: page.cursor },
      environment: scope.environment,
      signal,
    }),
  );

/** Resolves, ignores, reopens or assigns a group. */
export const triageException = (
  fingerprint: string,
  body: { status?: 'open' | 'resolved' | 'ignored'; assignee?: string | null },
) => call('triageException', { params: { fingerprint }, body }).then(({ data }) => data);

/** Whether the project has ever had an exception (within a year). */
export const anyExceptionQuery = (environment: string | undefined) =>
  queryOptions({
    queryKey: ['any-exception', environment],
    queryFn: ({ signal }) =>
      call('searchExceptions', { environment, signal, body: { from: '-365d', to: 'now', limit: 1 } }).then(
        (page) => page.data[0] !== undefined,
      ),
  });
