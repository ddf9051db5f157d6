import { CODING_FLOOR } from '@candela/contract';
import type { Clock } from '@candela/kernel';
import type { CodingAgentQueries } from '@candela/telemetry-store';
import type { Config } from '../../config.ts';
import type { Handlers } from '../../http/handlers.ts';
import { windowOf } from '../telemetry/service.ts';

type CodingHandlers = Pick<Handlers, 'searchCodingSessions' | 'searchCodingUsers' | 'getCodingPolicy'>;
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
      const { agent, user, repository, sort, limit, cursor } = body;
      const input = { window: windowOf(body, clock), agent, user, repository, sort, limit, cursor };
      return queries.users(context, input, signal);
    },
    getCodingPolicy: () => ({
      capture: policy.codingContentCapture,
      repositories: [...policy.codingRepositories],
      floor: CODING_FLOOR,
    }),
  };
}
