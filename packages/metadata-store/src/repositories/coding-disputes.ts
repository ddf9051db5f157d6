import { fail } from '@candela/kernel';
import { sql, type Selectable } from 'kysely';
import type { CodingDisputeTable } from '../tables/coding-disputes.ts';
import type { Access } from './access.ts';

export type DisputeStatus = 'open' | 'accepted' | 'rejected' | 'withdrawn';

/** A dispute over what a session of a coding agent is called. Times are epoch milliseconds. */
export interface StoredDispute {
  readonly id: string;
  readonly projectId: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly current: string;
  readonly requested: string;
  readonly rationale: string;
  readonly status: DisputeStatus;
  readonly createdBy: string;
  readonly createdByName: string;
  readonly createdAt: number;
  readonly resolvedByName: string | null;
  readonly resolvedAt: number | null;
  readonly resolution: string | null;
}

export type NewDispute = Pick<
  StoredDispute,
  'projectId' | 'sessionId' | 'agent' | 'current' | 'requested' | 'rationale' | 'createdBy' | 'createdByName'
>;

/** Disputes of a project; those of another one are unknown there. */
export interface CodingDisputes {
  /** @throws conflict where one of the session is open, rate_limited after so many of one person within an hour */
  create(dispute: NewDispute): Promise<StoredDispute>;
  /** The newest first. @param by of this person only */
  list(
    projectId: string,
    page: {
      readonly status?: string | undefined;
      readonly by?: string | undefined;
      readonly sessionId?: string | undefined;
      readonly limit: number;
    },
  ): Promise<StoredDispute[]>;
  /** @throws not_found */
  get(projectId: string, id: string): Promise<StoredDispute>;
  /** @throws not_found, conflict when it is not open any more */
  close(
    projectId: string,
    id: string,
    how: {
      readonly status: Exclude<DisputeStatus, 'open'>;
      readonly byName: string;
      readonly resolution: string | null;
    },
  ): Promise<StoredDispute>;
  /** What accepted disputes call these sessions, by agent and session; the newest counts. */
  accepted(
    projectId: string,
    sessionIds: readonly string[],
  ): Promise<readonly Pick<StoredDispute, 'sessionId' | 'agent' | 'requested'>[]>;
}

/** So many disputes one person may begin within an hour. */
const MOST_PER_HOUR = 20;
const HOUR_MS = 3_600_000;

const toDispute = (row: Selectable<CodingDisputeTable>): StoredDispute => ({
  id: row.id,
  projectId: row.project_id,
  sessionId: row.session_id,
  agent: row.agent,
  current: row.current,
  requested: row.requested,
  rationale: row.rationale,
  // Written here and by nobody else.
  status: row.status as DisputeStatus,
  createdBy: row.created_by,
  createdByName: row.created_by_name,
  createdAt: Number(row.created_at),
  resolvedByName: row.resolved_by_name,
  resolvedAt: row.resolved_at === null ? null : Number(row.resolved_at),
  resolution: row.resolution,
});

export function codingDisputes({ database, clock }: Access): CodingDisputes {
  const of = (projectId: string) =>
    database.selectFrom('coding_disputes').selectAll().where('project_id', '=', projectId);
  const get: CodingDisputes['get'] = async (projectId, id) => {
    const row = await of(projectId).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw fail('not_found', { what: 'The dispute' });
    return toDispute(row);
  };
  return {
    get,

    async create(dispute) {
      const now = clock.now();
      const { projectId, sessionId, agent, createdBy } = dispute;
      const open = await of(projectId)
        .where('session_id', '=', sessionId)
        .where('agent', '=', agent)
        .where('status', '=', 'open')
        .executeTakeFirst();
      if (open !== undefined)
        throw fail('conflict', { detail: 'The classification of this session is disputed already.' });
      const recent = await database
        .selectFrom('coding_disputes')
        .select(sql<number>`count(*)`.as('count'))
        .where('created_by', '=', createdBy)
        .where('created_at', '>', now - HOUR_MS)
        .executeTakeFirst();
      if (Number(recent?.count ?? 0) >= MOST_PER_HOUR) throw fail('rate_limited', { seconds: 3_600 });
      const row = {
        id: crypto.randomUUID(),
        project_id: projectId,
        session_id: sessionId,
        agent,
        current: dispute.current,
        requested: dispute.requested,
        rationale: dispute.rationale,
        status: 'open',
        created_by: createdBy,
        created_by_name: dispute.createdByName,
        created_at: now,
        resolved_by_name: null,
        resolved_at: null,
        resolution: null,
      };
      await database.insertInto('coding_disputes').values(row).execute();
      return toDispute(row);
    },

    async list(projectId, { status, by, sessionId, limit }) {
      let rows = of(projectId).orderBy('created_at', 'desc').orderBy('id').limit(limit);
      if (status !== undefined) rows = rows.where('status', '=', status);
      if (by !== undefined) rows = rows.where('created_by', '=', by);
      if (sessionId !== undefined) rows = rows.where('session_id', '=', sessionId);
      return (await rows.execute()).map(toDispute);
    },

    async close(projectId, id, { status, byName, resolution }) {
      await get(projectId, id);
      const { numUpdatedRows } = await database
        .updateTable('coding_disputes')
        .set({ status, resolved_by_name: byName, resolved_at: clock.now(), resolution })
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .where('status', '=', 'open')
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw fail('conflict', { detail: 'The dispute is closed already.' });
      return get(projectId, id);
    },

    async accepted(projectId, sessionIds) {
      if (sessionIds.length === 0) return [];
      const rows = await of(projectId)
        .where('session_id', 'in', [...new Set(sessionIds)])
        .where('status', '=', 'accepted')
        .orderBy('resolved_at')
        .execute();
      return rows.map(toDispute);
    },
  };
}
