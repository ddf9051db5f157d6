import type { CodingSessionSort, CodingUserSort, RequestBodyOf, ROUTES } from '@candela/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { windowSearch } from './activity.ts';
import type { Place } from './agents.ts';
import { call } from './client.ts';

/** Which sessions of coding agents are looked at. */
export interface CodingChoice {
  readonly agent?: string | undefined;
  readonly user?: string | undefined;
  readonly repository?: string | undefined;
}

const next = {
  initialPageParam: '',
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor ?? undefined,
};
const cursorOf = (cursor: string) => (cursor === '' ? {} : { cursor });
const selected = (place: Place, { agent, user, repository }: CodingChoice) => ({
  ...windowSearch(place.window),
  ...(agent === undefined ? {} : { agent }),
  ...(user === undefined ? {} : { user }),
  ...(repository === undefined ? {} : { repository }),
});

/** Sums, groups and course of the time range, and of the one before. */
export const codingSummaryQuery = (place: Place, choice: CodingChoice, compare: boolean) =>
  queryOptions({
    queryKey: ['coding-summary', place, choice, compare],
    queryFn: ({ signal }) =>
      call('summariseCodingAgents', {
        body: { ...selected(place, choice), compare },
        environment: place.environment,
        signal,
      }),
  });

export const codingSessionsQuery = (place: Place, choice: CodingChoice, sort: CodingSessionSort) =>
  infiniteQueryOptions({
    queryKey: ['coding-sessions', place, choice, sort],
    queryFn: ({ signal, pageParam }) =>
      call('searchCodingSessions', {
        body: { ...selected(place, choice), sort, limit: 50, ...cursorOf(pageParam) },
        environment: place.environment,
        signal,
      }),
    ...next,
  });

export const codingUsersQuery = (place: Place, choice: CodingChoice, sort: CodingUserSort, silent: boolean) =>
  infiniteQueryOptions({
    queryKey: ['coding-users', place, choice, sort, silent],
    queryFn: ({ signal, pageParam }) =>
      call('searchCodingUsers', {
        body: { ...selected(place, choice), sort, silent, limit: 50, ...cursorOf(pageParam) },
        environment: place.environment,
        signal,
      }),
    ...next,
  });

/** A session and its events, page by page. `from`: when to look for it, where that is known. */
export const codingSessionQuery = (
  id: string,
  of: {
    readonly agent: string | undefined;
    readonly from: string | undefined;
    readonly environment: string | undefined;
  },
) =>
  infiniteQueryOptions({
    queryKey: ['coding-session', id, of],
    queryFn: ({ signal, pageParam }) =>
      call('getCodingSession', {
        params: { sessionId: id },
        query: {
          ...(of.agent === undefined ? {} : { agent: of.agent }),
          ...(of.from === undefined ? {} : { from: of.from }),
          limit: 200,
          ...cursorOf(pageParam),
        },
        environment: of.environment,
        signal,
      }),
    ...next,
  });

/** Disputes over what sessions are called, the newest first: all for admins, else one's own. */
export const codingDisputesQuery = (sessionId?: string) =>
  queryOptions({
    queryKey: ['coding-disputes', sessionId],
    queryFn: ({ signal }) =>
      call('listCodingDisputes', {
        query: { limit: 200, ...(sessionId === undefined ? {} : { sessionId }) },
        signal,
      }).then(({ data }) => data),
  });

export const createDispute = (body: RequestBodyOf<typeof ROUTES.createCodingDispute>) =>
  call('createCodingDispute', { body });
export const resolveDispute = (id: string, body: RequestBodyOf<typeof ROUTES.resolveCodingDispute>) =>
  call('resolveCodingDispute', { params: { id }, body });
export const withdrawDispute = (id: string) => call('withdrawCodingDispute', { params: { id } });
