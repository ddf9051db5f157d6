import type {
  ActivitySort,
  Filter,
  ResponseOf,
  ROUTES,
  SaidHit,
  SessionRow,
  Turn,
  UserRow,
  UserSort,
} from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { withSnapshot } from '../core/snapshot.ts';
import type { ReadStores } from '../core/stores.ts';
import type { QueryKind } from '../core/limits.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { SPANS } from '../spans/span-fields.ts';
import { toUserRow } from './figures.ts';
import { type ActivityInput, type ActivityPage, figuresOfOne, listSessions, listUsers } from './list.ts';
import { readSession, type SessionDetail } from './session.ts';
import { searchInSession } from './session-search.ts';
import { readSessionPreviews, type SessionPreview } from './session-previews.ts';
import { readTurns } from './session-turns.ts';

export type { ActivityInput, ActivityPage } from './list.ts';

type UserDetail = ResponseOf<typeof ROUTES.getUser>['data'];

/** Reads of sessions and users. @throws bad_query, not_found, query_too_expensive, store_unavailable */
export interface ActivityQueries {
  sessions(
    context: RequestContext,
    input: ActivityInput<ActivitySort>,
    signal?: AbortSignal,
  ): Promise<ActivityPage<SessionRow>>;
  sessionPreviews(
    context: RequestContext,
    sessions: readonly { readonly sessionId: string; readonly openingNs: string }[],
    signal?: AbortSignal,
  ): Promise<SessionPreview[]>;
  session(
    context: RequestContext,
    input: { sessionId: string; window: Window },
    signal?: AbortSignal,
  ): Promise<SessionDetail>;
  turns(
    context: RequestContext,
    input: {
      sessionId: string;
      window: Window;
      trace: string | undefined;
      limit: number;
      cursor: string | undefined;
    },
    signal?: AbortSignal,
  ): Promise<{ data: Turn[]; nextCursor: string | null }>;
  /** Messages of a session that hold what a filter seeks, in order. */
  sessionHits(
    context: RequestContext,
    input: { sessionId: string; window: Window; filter: Filter },
    signal?: AbortSignal,
  ): Promise<{ hits: SaidHit[]; truncated: boolean }>;
  users(
    context: RequestContext,
    input: ActivityInput<UserSort>,
    signal?: AbortSignal,
  ): Promise<ActivityPage<UserRow>>;
  user(
    context: RequestContext,
    input: { userId: string; window: Window },
    signal?: AbortSignal,
  ): Promise<UserDetail>;
}

/** @param shares which part of sessions or users matched, remembered between lists */
export function createActivityQueries(stores: ReadStores, limits: QueryLimits): ActivityQueries {
  const on = (kind: QueryKind, signal: AbortSignal | undefined) => runner(stores, limits, kind, signal);
  const page = ({ early = false }: Pick<ActivityInput<string>, 'early'>, signal: AbortSignal | undefined) =>
    runner(stores, limits, { kind: 'list', hurried: early }, signal);
  return {
    sessions: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) => listSessions(page(input, signal), seen, input)),
    sessionPreviews: (context, sessions, signal) =>
      readSessionPreviews(on('list', signal), context, sessions),
    session: (context, input, signal) => readSession(on('lookup', signal), context, input),
    turns: (context, input, signal) => readTurns(on('lookup', signal), context, input),
    sessionHits: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) => searchInSession(on('lookup', signal), seen, input)),
    users: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) => listUsers(page(input, signal), seen, input)),
    user: (context, input, signal) => readUser(on('lookup', signal), context, input),
  };
}

async function readUser(
  run: ReturnType<typeof runner>,
  context: RequestContext,
  input: { userId: string; window: Window },
): Promise<UserDetail> {
  const figures = await figuresOfOne(run, context, 'users', { window: input.window, id: input.userId });
  if (figures === undefined) throw fail('not_found', { what: 'The user in this time range' });
  const open = Scope.of(context, SPANS).during(input.window);
  const scope = open.and(`UserId = ${open.params.bind(input.userId, 'String')}`);
  const [places] = await run.run<{ Services: string[]; Environments: string[] }>(
    scope,
    `SELECT arraySort(groupUniqArray(50)(ServiceName)) AS Services,
       arraySort(groupUniqArray(50)(Environment)) AS Environments ${scope.from}`,
  );
  return {
    ...toUserRow(figures),
    services: places?.Services ?? [],
    environments: places?.Environments ?? [],
  };
}
