import { fail, type Role } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { SessionTable } from '../../tables/identity.ts';
import type { Access } from '../access.ts';
import { roleOf } from './people.ts';

export interface StoredSession {
  readonly id: string;
  readonly userId: string;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
}

/** What a session's token stands for at this moment. */
export interface SessionHolder {
  readonly session: StoredSession;
  readonly email: string;
  /** Undefined: belongs to no organisation (any more). */
  readonly membership: { readonly organisationId: string; readonly role: Role } | undefined;
}

/** A sign-in under way: past the password and before the code, or at a provider. */
export interface SignInAttempt {
  readonly kind: 'totp' | 'provider';
  /** What the next step needs to know; JSON. */
  readonly payload: unknown;
  readonly expiresAt: number;
}

/** Sessions of people. A token is known by its hash only. */
export interface Sessions {
  create(
    tokenHash: string,
    session: Pick<StoredSession, 'userId' | 'address' | 'userAgent' | 'expiresAt'>,
  ): Promise<StoredSession>;
  /** Undefined: no such session, or its account is gone. Whether it has ended by time is for the caller to say. */
  byToken(tokenHash: string): Promise<SessionHolder | undefined>;
  /** Notes that it was used; told to no cache. */
  touch(id: string, at: number): Promise<void>;
  /** Latest use first. */
  list(userId: string, limit: number): Promise<StoredSession[]>;
  /** @throws not_found */
  end(userId: string, id: string): Promise<void>;
  endAll(userId: string, except?: string): Promise<number>;
  /** Replaces what has ended; of more than `keep` under way at once the ones that end first are given up. */
  beginAttempt(tokenHash: string, attempt: SignInAttempt, keep: number): Promise<void>;
  /** One that has not ended. */
  attempt(tokenHash: string): Promise<SignInAttempt | undefined>;
  /** False when somebody was faster. */
  endAttempt(tokenHash: string): Promise<boolean>;
  /** Removes those that have ended, and of one person's the oldest beyond `keep`. */
  prune(userId: string, input: { readonly unusedSince: number; readonly keep: number }): Promise<void>;
}

const toSession = (row: Selectable<SessionTable>): StoredSession => ({
  id: row.id,
  userId: row.user_id,
  address: row.address,
  userAgent: row.user_agent,
  createdAt: Number(row.created_at),
  lastSeenAt: Number(row.last_seen_at),
  expiresAt: Number(row.expires_at),
});

export function sessions({ database, quiet, clock }: Access): Sessions {
  return {
    async create(tokenHash, { userId, address, userAgent, expiresAt }) {
      const now = clock.now();
      const row = {
        id: crypto.randomUUID(),
        token_hash: tokenHash,
        user_id: userId,
        address,
        user_agent: userAgent,
        created_at: now,
        last_seen_at: now,
        expires_at: expiresAt,
      };
      await database.insertInto('sessions').values(row).execute();
      return toSession(row);
    },

    async byToken(tokenHash) {
      const row = await database
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .leftJoin('memberships', 'memberships.user_id', 'sessions.user_id')
        .selectAll('sessions')
        .select(['users.email', 'memberships.organisation_id', 'memberships.role'])
        .where('sessions.token_hash', '=', tokenHash)
        .orderBy('memberships.joined_at')
        .orderBy('memberships.organisation_id')
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { organisation_id: organisationId, role } = row;
      return {
        session: toSession(row),
        email: row.email,
        membership:
          organisationId === null || role === null ? undefined : { organisationId, role: roleOf(role) },
      };
    },

    async touch(id, at) {
      await quiet.updateTable('sessions').set({ last_seen_at: at }).where('id', '=', id).execute();
    },

    async list(userId, limit) {
      const rows = await database
        .selectFrom('sessions')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('last_seen_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(toSession);
    },

    async end(userId, id) {
      const result = await database
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw fail('not_found', { what: 'The session' });
    },

    async endAll(userId, except) {
      let query = database.deleteFrom('sessions').where('user_id', '=', userId);
      if (except !== undefined) query = query.where('id', '!=', except);
      return Number((await query.executeTakeFirst()).numDeletedRows);
    },

    async beginAttempt(tokenHash, { kind, payload, expiresAt }, keep) {
      await quiet.deleteFrom('sign_in_attempts').where('expires_at', '<=', clock.now()).execute();
      const surplus = await quiet
        .selectFrom('sign_in_attempts')
        .select('expires_at')
        .orderBy('expires_at', 'desc')
        .offset(keep - 1)
        .limit(1)
        .executeTakeFirst();
      if (surplus !== undefined) {
        await quiet
          .deleteFrom('sign_in_attempts')
          .where('expires_at', '<=', Number(surplus.expires_at))
          .execute();
      }
      await quiet
        .insertInto('sign_in_attempts')
        .values({ token_hash: tokenHash, kind, payload: JSON.stringify(payload), expires_at: expiresAt })
        .execute();
    },

    async attempt(tokenHash) {
      const row = await quiet
        .selectFrom('sign_in_attempts')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      return (
        row && {
          kind: row.kind === 'totp' ? 'totp' : 'provider',
          payload: JSON.parse(row.payload) as unknown,
          expiresAt: Number(row.expires_at),
        }
      );
    },

    async endAttempt(tokenHash) {
      const result = await quiet
        .deleteFrom('sign_in_attempts')
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    async prune(userId, { unusedSince, keep }) {
      const now = clock.now();
      await database
        .deleteFrom('sessions')
        .where(({ eb, or }) => or([eb('expires_at', '<', now), eb('last_seen_at', '<', unusedSince)]))
        .execute();
      const kept = await database
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('last_seen_at', 'desc')
        .orderBy('id')
        .limit(keep)
        .execute();
      if (kept.length < keep) return;
      const ids = kept.map(({ id }) => id);
      await database
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', 'not in', ids)
        .execute();
    },
  };
}
