import type { CodingSession, CodingSessionSort, CodingUser, CodingUserSort } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Page } from '../core/page.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import type { ReadStores } from '../core/stores.ts';
import { type CodingInput, searchSessions, searchUsers } from './sessions.ts';

/** Reads of coding agents; every one passes the floor. @throws bad_query, query_too_expensive, store_unavailable */
export interface CodingAgentQueries {
  sessions(
    context: RequestContext,
    input: CodingInput<CodingSessionSort>,
    nowMs: number,
    signal?: AbortSignal,
  ): Promise<Page<CodingSession>>;
  users(
    context: RequestContext,
    input: CodingInput<CodingUserSort>,
    signal?: AbortSignal,
  ): Promise<Page<CodingUser>>;
}

export function createCodingAgentQueries(stores: ReadStores, limits: QueryLimits): CodingAgentQueries {
  return {
    sessions: (context, input, nowMs, signal) =>
      searchSessions(runner(stores, limits, 'list', signal), context, input, nowMs),
    users: (context, input, signal) => searchUsers(runner(stores, limits, 'list', signal), context, input),
  };
}
