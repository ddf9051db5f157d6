import { CODING_FLOOR, type CodingSession } from '@candela/contract';
import type { Clock, RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { CodingAgentQueries, CodingSessionFacts, Window } from '@candela/telemetry-store';
import type { Config } from '../../config.ts';
import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { windowOf } from '../telemetry/service.ts';
import { createDisputes } from './disputes.ts';

type CodingHandlers = Pick<
  Handlers,
  | 'searchCodingSessions'
  | 'searchCodingUsers'
  | 'summariseCodingAgents'
  | 'getCodingSession'
  | 'getCodingPolicy'
  | 'listCodingDisputes'
  | 'createCodingDispute'
  | 'resolveCodingDispute'
  | 'withdrawCodingDispute'
>;
type Policy = Pick<Config, 'codingContentCapture' | 'codingRepositories'>;

/** Sessions and users of coding agents, what they are called, and what may be captured of them. */
export function codingAgentHandlers(
  queries: CodingAgentQueries,
  clock: Clock,
  policy: Policy,
  metadata: MetadataStore,
): CodingHandlers {
  const disputes = createDisputes(metadata, policy.codingRepositories);
  const classified = async (context: RequestContext, session: CodingSessionFacts): Promise<CodingSession> => {
    const [data] = await disputes.classify(context, [session]);
    return data ?? { ...session, classification: 'unknown', openFindings: null };
  };
  return {
    searchCodingSessions: async ({ context, body, signal }) => {
      const { agent, user, repository, sort, limit, cursor } = body;
      const input = { window: windowOf(body, clock), agent, user, repository, sort, limit, cursor };
      const page = await queries.sessions(context, input, clock.now(), signal);
      return { ...page, data: await disputes.classify(context, page.data) };
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
    getCodingSession: async ({ context, params, query, signal }) => {
      const { agent, limit, cursor } = query;
      const input = { ...params, window: windowOf(query, clock), agent, limit, cursor };
      const page = await queries.session(context, input, clock.now(), signal);
      return { ...page, data: await classified(context, page.data) };
    },
    listCodingDisputes: async ({ context, query }) => ({ data: await disputes.list(context, query) }),
    createCodingDispute: async ({ context, body, header, signal }) => {
      const { sessionId, agent, requested, rationale } = body;
      const call = callOf(context, 'createCodingDispute', header('idempotency-key'), body);
      const window = windowOf({ from: '-30d', to: 'now' }, clock);
      const asked = { sessionId, agent, window, limit: 1, cursor: undefined };
      // Who may not see the session may not say anything of it.
      const { data } = await queries.session({ ...context, window }, asked, clock.now(), signal);
      const session = await classified(context, data);
      return { data: await disputes.create(context, { session, requested, rationale }, call) };
    },
    resolveCodingDispute: async ({ context, params, body, header }) => {
      const call = callOf(context, 'resolveCodingDispute', header('idempotency-key'), { ...params, body });
      return { data: await disputes.resolve(context, params.id, body, call) };
    },
    withdrawCodingDispute: async ({ context, params, header }) => {
      const call = callOf(context, 'withdrawCodingDispute', header('idempotency-key'), params);
      return { data: await disputes.withdraw(context, params.id, call) };
    },
    getCodingPolicy: () => ({
      capture: policy.codingContentCapture,
      repositories: [...policy.codingRepositories],
      floor: CODING_FLOOR,
    }),
  };
}
