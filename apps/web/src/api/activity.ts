import type { ActivitySort, SessionRow, TraceRow, UserSort } from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import type { TimeWindow } from '../lib/time-range.ts';
import { call } from './client.ts';
import { SEARCH_PAGE, searchPagesOf } from './pages.ts';
import type { Scope } from './telemetry.ts';

/** Window, filter and paging as the lists asked for by GET take them. */
export const listSearch = (scope: Scope) => ({
  ...windowSearch(scope.window),
  q: scope.q.trim() === '' ? undefined : scope.q,
});

export const windowSearch = (window: TimeWindow) => ({
  from: new Date(window.fromMs).toISOString(),
  to: new Date(window.toMs).toISOString(),
});

/** A page as a part of an address. */
const inAddress = ({ cursor, early }: { cursor?: string; early?: true }) => ({
  ...(cursor === undefined ? {} : { cursor }),
  ...(early === undefined ? {} : { early: 'true' as const }),
});

/** Sessions with a matching span; of one user when one is given. */
export const sessionsQuery = (scope: Scope, sort: ActivitySort, user?: string) =>
  searchPagesOf(['sessions', scope, sort, user], (page, signal) =>
    call('listSessions', {
      query: { ...listSearch(scope), sort, limit: SEARCH_PAGE, user, ...inAddress(page) },
      environment: scope.environment,
      signal,
    }),
  );

/** First words of a page of sessions, by session id: after the rows, so that these never wait for contents. */
export const previewsQuery = (rows: readonly SessionRow[], environment: string | undefined) => {
  const sessions = rows.flatMap(({ sessionId, openingNs }) =>
    openingNs === null ? [] : [{ sessionId, openingNs }],
  );
  return queryOptions({
    queryKey: ['session-previews', sessions, environment],
    // The opening of a session stays what it is.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, TraceRow['preview']>> => {
      if (sessions.length === 0) return new Map();
      const answer = await call('sessionPreviews', { environment, signal, body: { sessions } });
      return new Map(answer.data.map(({ sessionId, preview }) => [sessionId, preview]));
    },
  });
};

/** One session with its traces, over all time, or since then. */
export const sessionQuery = (key: string, since: string | undefined) =>
  queryOptions({
    queryKey: ['session', key, since],
    queryFn: ({ signal }) =>
      call('getSession', { params: { session: key }, query: { from: since }, signal }).then(
        (answer) => answer.data,
      ),
  });

/** Turns that one answer holds: the part of a session that is fetched when it comes into sight. */
export const TURNS_A_PAGE = 20;

/** What is said in a page of a session, from that trace on; `since` as of the session itself. */
export const turnsQuery = (key: string, traceId: string, since: string | undefined) =>
  queryOptions({
    queryKey: ['turns', key, traceId, since],
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      call('getSessionTurns', {
        params: { session: key },
        query: { trace: traceId, limit: TURNS_A_PAGE, from: since },
        signal,
      }).then((answer) => answer.data),
  });

export const usersQuery = (scope: Scope, sort: UserSort) =>
  searchPagesOf(['users', scope, sort], (page, signal) =>
    call('listUsers', {
      query: { ...listSearch(scope), sort, limit: SEARCH_PAGE, ...inAddress(page) },
      environment: scope.environment,
      signal,
    }),
  );

export const userQuery = (key: string, scope: Scope) =>
  queryOptions({
    queryKey: ['user', key, scope.window, scope.environment],
    queryFn: ({ signal }) =>
      call('getUser', {
        params: { user: key },
        query: windowSearch(scope.window),
        environment: scope.environment,
        signal,
      }).then((answer) => answer.data),
  });

/** Whether a span ever named one of these (within a year); the newest spans are asked first. */
export const anyOf = (field: 'session' | 'user' | 'agent', environment: string | undefined) =>
  queryOptions({
    queryKey: ['any', field, environment],
    queryFn: ({ signal }) =>
      call('searchSpans', {
        environment,
        signal,
        body: { from: '-365d', to: 'now', q: `${field}:*`, limit: 1 },
      }).then((page) => page.data.length > 0),
  });

/** Messages of one session that hold what is sought. */
export const sessionHitsQuery = (session: string, q: string) =>
  queryOptions({
    queryKey: ['session-hits', session, q],
    staleTime: 60_000,
    retry: false,
    queryFn: ({ signal }) =>
      call('searchSession', { params: { session }, query: { q }, signal }).then((answer) => answer.data),
  });
