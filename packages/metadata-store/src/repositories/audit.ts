import type { Selectable } from 'kysely';
import type { AuditTable } from '../tables/audit.ts';
import type { Access } from './access.ts';

export type AuditActorKind = 'user' | 'key' | 'anonymous' | 'system';

/** Values that details may have: small and flat, so that a secret does not slip in with a whole object. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface NewAuditEvent {
  readonly organisationId: string | null;
  readonly projectId: string | null;
  readonly actorKind: AuditActorKind;
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly action: string;
  readonly objectKind: string;
  readonly objectId: string | null;
  readonly details: AuditDetails;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string;
}

export interface AuditEvent extends NewAuditEvent {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface AuditPlace {
  readonly at: number;
  readonly id: string;
}

export interface AuditFilter {
  readonly projectId?: string | undefined;
  readonly actorId?: string | undefined;
  readonly action?: string | undefined;
  readonly objectKind?: string | undefined;
  readonly objectId?: string | undefined;
  /** Epoch milliseconds, inclusive and exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface AuditLog {
  append(event: NewAuditEvent): Promise<void>;
  /** Newest first, at most `limit`, after a place. */
  list(
    organisationId: string,
    input: AuditFilter & { readonly limit: number; readonly after: AuditPlace | undefined },
  ): Promise<{ events: AuditEvent[]; next: AuditPlace | undefined }>;
  /** Removes events from before a time; the database keeps those of the last 30 days whatever is asked. */
  prune(before: number): Promise<number>;
}

const toEvent = (row: Selectable<AuditTable>): AuditEvent => ({
  id: row.id,
  at: row.at,
  organisationId: row.organisation_id,
  projectId: row.project_id,
  actorKind: row.actor_kind as AuditActorKind,
  actorId: row.actor_id,
  actorName: row.actor_name,
  action: row.action,
  objectKind: row.object_kind,
  objectId: row.object_id,
  details: JSON.parse(row.details) as AuditDetails,
  address: row.address,
  userAgent: row.user_agent,
  requestId: row.request_id,
});

export function auditLog({ database, clock }: Access): AuditLog {
  /** What the actor is called now: later the account or the key may be gone. */
  async function nameOf({ actorKind, actorId, actorName }: NewAuditEvent): Promise<string | null> {
    if (actorName !== null || actorId === null) return actorName;
    if (actorKind === 'user') {
      const user = database.selectFrom('users').select('email').where('id', '=', actorId);
      return (await user.executeTakeFirst())?.email ?? null;
    }
    if (actorKind !== 'key') return null;
    const key = database.selectFrom('api_keys').select('name').where('id', '=', actorId);
    return (await key.executeTakeFirst())?.name ?? null;
  }

  return {
    async append(event) {
      await database
        .insertInto('audit_log')
        .values({
          id: crypto.randomUUID(),
          at: clock.now(),
          organisation_id: event.organisationId,
          project_id: event.projectId,
          actor_kind: event.actorKind,
          actor_id: event.actorId,
          actor_name: await nameOf(event),
          action: event.action,
          object_kind: event.objectKind,
          object_id: event.objectId,
          details: JSON.stringify(event.details),
          address: event.address,
          user_agent: event.userAgent,
          request_id: event.requestId,
        })
        .execute();
    },

    async list(organisationId, { limit, after, from, to, ...filter }) {
      let query = database
        .selectFrom('audit_log')
        .selectAll()
        .where('organisation_id', '=', organisationId)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1);
      if (from !== undefined) query = query.where('at', '>=', from);
      if (to !== undefined) query = query.where('at', '<', to);
      if (filter.projectId !== undefined) query = query.where('project_id', '=', filter.projectId);
      if (filter.actorId !== undefined) query = query.where('actor_id', '=', filter.actorId);
      if (filter.action !== undefined) query = query.where('action', '=', filter.action);
      if (filter.objectKind !== undefined) query = query.where('object_kind', '=', filter.objectKind);
      if (filter.objectId !== undefined) query = query.where('object_id', '=', filter.objectId);
      if (after !== undefined) {
        query = query.where(({ eb, or, and }) =>
          or([eb('at', '<', after.at), and([eb('at', '=', after.at), eb('id', '<', after.id)])]),
        );
      }
      const rows = await query.execute();
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        events: rows.slice(0, limit).map(toEvent),
        next: last === undefined ? undefined : { at: last.at, id: last.id },
      };
    },

    async prune(before) {
      const result = await database.deleteFrom('audit_log').where('at', '<', before).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
