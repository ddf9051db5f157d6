import { CODING_FLOOR } from '@candela/contract';
import type { Clock } from '@candela/kernel';
import type { CodingAgentQueries, Window } from '@candela/telemetry-store';
import type { Config } from '../../config.ts';
import type { Handlers } from '../../http/handlers.ts';
import { windowOf } from '../telemetry/service.ts';

type CodingHandlers = Pick<
  Handlers,
  | 'searchCodingSessions'
  | 'searchCodingUsers'
  | 'summariseCodingAgents'
  | 'getCodingSession'
  | 'getCodingPolicy'
>;
type Policy = Pick<Config, 'codingContentCapture' | 'codingRepositories'>;

/** Sessions and users of coding agents, and what may be captured of them. */
export function codingAgentHandlers(
  queries: CodingAgentQueries,
  clock: Clock,
  policy: Policy,
): CodingHandlers {
  return {
    searchCodingSessions: ({ context, body, signal }) => {
      const { agent, user, repository, sort, limit, cursor } = body;
      const input = { window: windowOf(body, clock), agent, user, repository, sort, limit, cursor };
      return queries.sessions(context, input, clock.now(), signal);
    },
    searchCodingUsers: ({ context, body, signal }) => {
      const { agent, user, repository, sort, limit, cursor, silent } = body;
      const input = { window: windowOf(body, clock), agent, user, repository, sort, limit, cursor, silent };
      return queries.users(context, input, signal);
    },
    summariseCodingAgents: async ({ context, body, signal }) => {
      const { agent, user, repository } = body;
      const window = windowOf(body, clock);
      const before = { from: window.from - (window.to - window.from), to: window.from };
      const of = (asked: Window) =>
        queries.summary(context, { window: asked, agent, user, repository }, signal);
      const data = await of(window);
      return { data, previous: body.compare && before.from >= 0n ? await of(before) : null };
    },
    getCodingSession: ({ context, params, query, signal }) => {
      const { agent, limit, cursor } = query;
      const input = { ...params, window: windowOf(query, clock), agent, limit, cursor };
      return queries.session(context, input, clock.now(), signal);
    },
    getCodingPolicy: () => ({
      capture: policy.codingContentCapture,
      repositories: [...policy.codingRepositories],
      floor: CODING_FLOOR,
    }),
  };
}
