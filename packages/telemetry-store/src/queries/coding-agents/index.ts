import type { CodingPeriod, CodingSessionSort, CodingUser } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Page } from '../core/page.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import type { ReadStores } from '../core/stores.ts';
import { type CodingSessionInput, type CodingSessionPage, getSession } from './session.ts';
import { type CodingSessionFacts, searchSessions } from './sessions.ts';
import type { CodingInput, CodingSelection } from './statement.ts';
import { summarise } from './summary.ts';
import { type CodingUsersInput, searchUsers } from './users.ts';

/** Reads of coding agents; every one passes the floor. @throws bad_query, query_too_expensive, store_unavailable */
export interface CodingAgentQueries {
  sessions(
    context: RequestContext,
    input: CodingInput<CodingSessionSort>,
    nowMs: number,
    signal?: AbortSignal,
  ): Promise<Page<CodingSessionFacts>>;
  users(context: RequestContext, input: CodingUsersInput, signal?: AbortSignal): Promise<Page<CodingUser>>;
  summary(context: RequestContext, input: CodingSelection, signal?: AbortSignal): Promise<CodingPeriod>;
  /** @throws not_found */
  session(
    context: RequestContext,
    input: CodingSessionInput,
    nowMs: number,
    signal?: AbortSignal,
  ): Promise<CodingSessionPage>;
}

export function createCodingAgentQueries(stores: ReadStores, limits: QueryLimits): CodingAgentQueries {
  const list = (signal: AbortSignal | undefined) => runner(stores, limits, 'list', signal);
  return {
    sessions: (context, input, nowMs, signal) => searchSessions(list(signal), context, input, nowMs),
    users: (context, input, signal) => searchUsers(list(signal), context, input),
    summary: (context, input, signal) => summarise(list(signal), context, input),
    session: (context, input, nowMs, signal) => getSession(list(signal), context, input, nowMs),
  };
}
