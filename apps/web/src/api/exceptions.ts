import type {
  ExceptionSort,
  getException,
  RequestBodyOf,
  ResponseOf,
  searchExceptions,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';
import { bounds, type Scope } from './telemetry.ts';

const PAGE = 100;
const OCCURRENCES = 50;

export const exceptionsQuery = (scope: Scope, sort: ExceptionSort) =>
  pagesOf(['exceptions', scope, sort], (page, signal) =>
    call<ResponseOf<typeof searchExceptions>>('/api/telemetry/exceptions/search', scope, {
      signal,
      body: {
        ...bounds(scope),
        sort,
        limit: PAGE,
        ...page,
      } satisfies RequestBodyOf<typeof searchExceptions>,
    }),
  );

/** The address of one group within a scope; epoch milliseconds are not a text, so times go as ISO. */
export function exceptionPath(fingerprint: string, scope: Scope, cursor = ''): string {
  const parameters = new URLSearchParams({
    from: new Date(scope.window.fromMs).toISOString(),
    to: new Date(scope.window.toMs).toISOString(),
    limit: String(OCCURRENCES),
    ...(scope.q.trim() === '' ? {} : { q: scope.q }),
    ...(cursor === '' ? {} : { cursor }),
  });
  return `/api/telemetry/exceptions/${encodeURIComponent(fingerprint)}?${parameters}`;
}

/** One group; the first page has its figures, every page has occurrences. */
export const exceptionQuery = (fingerprint: string, scope: Scope) =>
  pagesOf(['exception', fingerprint, scope], (page, signal) =>
    call<ResponseOf<typeof getException>>(exceptionPath(fingerprint, scope, page.cursor), scope, { signal }),
  );

/** Whether the project has ever had an exception (within a year). */
export const anyExceptionQuery = (environment: string | undefined) =>
  queryOptions({
    queryKey: ['any-exception', environment],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof searchExceptions>>(
        '/api/telemetry/exceptions/search',
        { environment },
        { signal, body: { from: '-365d', to: 'now', limit: 1 } },
      ).then((page) => page.data[0] !== undefined),
  });
