import type { RequestContext } from '@candela/kernel';
import { withSnapshot } from '../core/snapshot.ts';
import type { ReadStores } from '../core/stores.ts';
import { type QueryLimits, runner } from '../core/run.ts';
import { type AgentDetail, type OfAgent, readAgent } from './agent.ts';
import { type AgentGraph, readGraph } from './graph.ts';
import { type AgentsInput, type AgentsResult, listAgents } from './list.ts';
import { readVersion, type VersionContent } from './version.ts';

/** Reads of agents. @throws not_found, query_too_expensive, store_unavailable */
export interface AgentQueries {
  agents(context: RequestContext, input: AgentsInput, signal?: AbortSignal): Promise<AgentsResult>;
  agent(context: RequestContext, input: OfAgent, signal?: AbortSignal): Promise<AgentDetail>;
  version(
    context: RequestContext,
    input: OfAgent & { readonly version: string },
    signal?: AbortSignal,
  ): Promise<VersionContent>;
  graph(context: RequestContext, input: OfAgent, signal?: AbortSignal): Promise<AgentGraph>;
}

export function createAgentQueries(stores: ReadStores, limits: QueryLimits): AgentQueries {
  const on = (signal: AbortSignal | undefined) => runner(stores, limits, 'list', signal);
  return {
    agents: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) => listAgents(on(signal), seen, input)),
    agent: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) => readAgent(on(signal), seen, input)),
    version: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) => readVersion(on(signal), seen, input)),
    graph: (context, input, signal) =>
      withSnapshot(stores, context, 'traces', (seen) => readGraph(on(signal), seen, input)),
  };
}
