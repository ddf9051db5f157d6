import { parseFilterOrFail } from '@candela/contract';
import type { Clock } from '@candela/kernel';
import type { ActivityQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { windowOf } from '../telemetry/service.ts';
import { idOf, queryFilterOf, wholeWindowOf } from './service.ts';

type ActivityHandlers = Pick<
  Handlers,
  | 'listSessions'
  | 'sessionPreviews'
  | 'getSession'
  | 'getSessionTurns'
  | 'searchSession'
  | 'listUsers'
  | 'getUser'
>;

/** Sessions and users. */
export function activityHandlers(queries: ActivityQueries, clock: Clock): ActivityHandlers {
  return {
    listSessions: ({ context, query, signal }) =>
      queries.sessions(
        context,
        {
          window: windowOf(query, clock),
          filter: queryFilterOf(query),
          user: query.user,
          sort: query.sort,
          limit: query.limit,
          cursor: query.cursor,
          early: query.early === 'true',
        },
        signal,
      ),
    sessionPreviews: async ({ context, body, signal }) => ({
      data: await queries.sessionPreviews(context, body.sessions, signal),
    }),
    getSession: async ({ context, params, query, signal }) => ({
      data: await queries.session(
        context,
        { sessionId: idOf(params.session, 'The session'), window: wholeWindowOf(query, clock) },
        signal,
      ),
    }),
    getSessionTurns: ({ context, params, query, signal }) =>
      queries.turns(
        context,
        {
          sessionId: idOf(params.session, 'The session'),
          window: wholeWindowOf(query, clock),
          trace: query.trace,
          limit: query.limit,
          cursor: query.cursor,
        },
        signal,
      ),
    searchSession: async ({ context, params, query, signal }) => ({
      data: await queries.sessionHits(
        context,
        {
          sessionId: idOf(params.session, 'The session'),
          window: wholeWindowOf({ to: 'now' }, clock),
          filter: parseFilterOrFail(query.q, 'spans') ?? { field: 'text', op: 'contains', value: query.q },
        },
        signal,
      ),
    }),
    listUsers: ({ context, query, signal }) =>
      queries.users(
        context,
        {
          window: windowOf(query, clock),
          filter: queryFilterOf(query),
          sort: query.sort,
          limit: query.limit,
          cursor: query.cursor,
          early: query.early === 'true',
        },
        signal,
      ),
    getUser: async ({ context, params, query, signal }) => ({
      data: await queries.user(
        context,
        { userId: idOf(params.user, 'The user'), window: windowOf(query, clock) },
        signal,
      ),
    }),
  };
}
