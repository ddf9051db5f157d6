import type { Clock } from '@candela/kernel';
import type { AgentQueries } from '@candela/telemetry-store';
import type { Handlers } from '../../http/handlers.ts';
import { idOf } from '../activity/service.ts';
import { windowOf } from '../telemetry/service.ts';

type AgentHandlers = Pick<Handlers, 'listAgents' | 'getAgent' | 'getAgentVersion' | 'agentGraph'>;

export function agentHandlers(queries: AgentQueries, clock: Clock): AgentHandlers {
  const of = (
    params: { readonly agent: string },
    query: { readonly from: string | number; readonly to: string | number },
  ) => ({ agent: idOf(params.agent, 'The agent'), window: windowOf(query, clock) });
  return {
    listAgents: async ({ context, query, signal }) => ({
      data: await queries.agents(context, { window: windowOf(query, clock), search: query.search }, signal),
    }),
    getAgent: async ({ context, params, query, signal }) => ({
      data: await queries.agent(context, of(params, query), signal),
    }),
    getAgentVersion: async ({ context, params, query, signal }) => ({
      data: await queries.version(context, { ...of(params, query), version: params.version }, signal),
    }),
    agentGraph: async ({ context, params, query, signal }) => ({
      data: await queries.graph(context, of(params, query), signal),
    }),
  };
}
