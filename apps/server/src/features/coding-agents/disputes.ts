import type { BodyOf, CodingClass, CodingDispute, CodingSession, ROUTES } from '@candela/contract';
import { fail, hasRole, isListedRepository, type RequestContext } from '@candela/kernel';
import type { AuditDetails, Call, MetadataStore, StoredDispute } from '@candela/metadata-store';
import type { CodingSessionFacts } from '@candela/telemetry-store';
import { type AuditEntry, record } from '../audit/service.ts';
import { openFindingsIn } from '../scanners/service.ts';

/** What a session is by its repository; `listed` as `PLATFORM_CODING_REPOSITORIES` writes them. */
function classOf(repository: string | null, listed: readonly string[]): CodingClass {
  if (repository === null || listed.length === 0) return 'unknown';
  return isListedRepository(repository, listed) ? 'work' : 'personal';
}

const nameOf = ({ principal }: RequestContext): string =>
  'name' in principal && principal.name !== undefined ? principal.name : 'nobody';
const idOf = ({ principal }: RequestContext): string => ('id' in principal ? principal.id : '');
const isAdmin = ({ principal }: RequestContext): boolean =>
  principal.kind === 'user' && hasRole(principal.role, 'admin');

const iso = (ms: number) => new Date(ms).toISOString();
const show = (context: RequestContext, dispute: StoredDispute): CodingDispute => ({
  id: dispute.id,
  sessionId: dispute.sessionId,
  agent: dispute.agent,
  // Written by the contract's schema and nobody else.
  current: dispute.current as CodingClass,
  requested: dispute.requested as CodingDispute['requested'],
  rationale: dispute.rationale,
  status: dispute.status,
  createdBy: dispute.createdByName,
  own: dispute.createdBy === idOf(context),
  createdAt: iso(dispute.createdAt),
  resolvedBy: dispute.resolvedByName,
  resolvedAt: dispute.resolvedAt === null ? null : iso(dispute.resolvedAt),
  resolution: dispute.resolution,
});

const entry = (verb: string, dispute: StoredDispute, more: AuditDetails = {}): AuditEntry => ({
  action: `coding-dispute.${verb}`,
  objectKind: 'coding-dispute',
  objectId: dispute.id,
  details: { agent: dispute.agent, current: dispute.current, requested: dispute.requested, ...more },
});

/** What sessions are called: by the list of repositories, and by disputes that were accepted. Every change is in the audit log. */
export function createDisputes(metadata: MetadataStore, repositories: readonly string[]) {
  /** What people say of sessions: what they are called, and what is open in their repositories. */
  const classify = async (
    { projectId, environment }: Pick<RequestContext, 'projectId' | 'environment'>,
    sessions: readonly CodingSessionFacts[],
  ): Promise<CodingSession[]> => {
    const open = await openFindingsIn(
      metadata,
      { projectId, environment },
      sessions.flatMap(({ repository }) => repository ?? []),
    );
    const accepted = await metadata.codingDisputes.accepted(
      projectId,
      sessions.map(({ sessionId }) => sessionId),
    );
    const said = new Map(accepted.map((one) => [JSON.stringify([one.agent, one.sessionId]), one.requested]));
    return sessions.map((session) => ({
      ...session,
      classification:
        (said.get(JSON.stringify([session.agent, session.sessionId])) as CodingClass | undefined) ??
        classOf(session.repository, repositories),
      openFindings: session.repository === null ? null : (open.get(session.repository) ?? null),
    }));
  };
  return {
    classify,

    list: async (
      context: RequestContext,
      page: { status?: string | undefined; sessionId?: string | undefined; limit: number },
    ) => {
      const by = isAdmin(context) ? {} : { by: idOf(context) };
      const found = await metadata.codingDisputes.list(context.projectId, { ...page, ...by });
      return found.map((dispute) => show(context, dispute));
    },

    /** @param session as the person who asks sees it */
    create: (
      context: RequestContext,
      {
        session,
        requested,
        rationale,
      }: Omit<BodyOf<typeof ROUTES.createCodingDispute>, 'sessionId' | 'agent'> & {
        readonly session: CodingSession;
      },
      call: Call | undefined,
    ): Promise<CodingDispute> => {
      const { sessionId, agent, classification: current } = session;
      if (current === requested)
        throw fail('refused', { detail: `The session is called ${current} already.` });
      return metadata.change(call, async (repositories) => {
        const made = await repositories.codingDisputes.create({
          projectId: context.projectId,
          sessionId,
          agent,
          current,
          requested,
          rationale,
          createdBy: idOf(context),
          createdByName: nameOf(context),
        });
        await record(repositories, context, entry('create', made));
        return show(context, made);
      });
    },

    resolve: (
      context: RequestContext,
      id: string,
      { verdict, resolution }: BodyOf<typeof ROUTES.resolveCodingDispute>,
      call: Call | undefined,
    ): Promise<CodingDispute> =>
      metadata.change(call, async (repositories) => {
        const closed = await repositories.codingDisputes.close(context.projectId, id, {
          status: verdict,
          byName: nameOf(context),
          resolution,
        });
        await record(repositories, context, entry('resolve', closed, { verdict }));
        return show(context, closed);
      }),

    /** @throws not_found also of a dispute of somebody else */
    withdraw: (context: RequestContext, id: string, call: Call | undefined): Promise<CodingDispute> =>
      metadata.change(call, async (repositories) => {
        const own = await repositories.codingDisputes.get(context.projectId, id);
        if (own.createdBy !== idOf(context)) throw fail('not_found', { what: 'The dispute' });
        const closed = await repositories.codingDisputes.close(context.projectId, id, {
          status: 'withdrawn',
          byName: nameOf(context),
          resolution: null,
        });
        await record(repositories, context, entry('withdraw', closed));
        return show(context, closed);
      }),
  };
}
