import { fail, type Role } from '@candela/kernel';
import type { Access } from '../access.ts';
import { roleOf } from './people.ts';

export interface StoredInvitation {
  readonly id: string;
  readonly organisationId: string;
  readonly email: string;
  readonly role: Role;
  /** Ids of projects. */
  readonly projects: readonly string[];
  /** Id of who invited. */
  readonly invitedBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface InvitationPlace {
  readonly createdAt: number;
  readonly id: string;
}

/** Invitations and setup links: what a link of ours stands for, known by the hash of its token. */
export interface Invitations {
  /** One before it for the same address is void. */
  create(
    tokenHash: string,
    invitation: Omit<StoredInvitation, 'id' | 'createdAt'>,
  ): Promise<StoredInvitation>;
  /** Undefined: no such link. Whether it has expired is for the caller to say. */
  byToken(tokenHash: string): Promise<StoredInvitation | undefined>;
  /** Latest first, with the address of who invited. */
  list(
    organisationId: string,
    input: { readonly limit: number; readonly after: InvitationPlace | undefined },
  ): Promise<{
    invitations: (StoredInvitation & { readonly inviter: string | null })[];
    next: InvitationPlace | undefined;
  }>;
  /** Ends it; false when somebody was faster. */
  take(id: string): Promise<boolean>;
  /** @throws not_found */
  revoke(organisationId: string, id: string): Promise<void>;
  count(organisationId: string): Promise<number>;
  /** A link that makes the first owner; of those before it `keep` go on working. */
  addSetupLink(tokenHash: string, keep: number): Promise<void>;
  hasSetupLink(tokenHash: string): Promise<boolean>;
  endSetupLinks(): Promise<void>;
}

interface Row {
  id: string;
  organisation_id: string;
  email: string;
  role: string;
  projects: string;
  invited_by: string;
  created_at: number;
  expires_at: number;
}

const toInvitation = (row: Row): StoredInvitation => ({
  id: row.id,
  organisationId: row.organisation_id,
  email: row.email,
  role: roleOf(row.role),
  projects: JSON.parse(row.projects) as string[],
  invitedBy: row.invited_by,
  createdAt: Number(row.created_at),
  expiresAt: Number(row.expires_at),
});

export function invitations({ database, clock }: Access): Invitations {
  return {
    async create(tokenHash, invitation) {
      const { organisationId, email } = invitation;
      await database
        .deleteFrom('invitations')
        .where('organisation_id', '=', organisationId)
        .where('email', '=', email)
        .execute();
      const row = {
        id: crypto.randomUUID(),
        organisation_id: organisationId,
        email,
        role: invitation.role,
        projects: JSON.stringify(invitation.projects),
        token_hash: tokenHash,
        invited_by: invitation.invitedBy,
        created_at: clock.now(),
        expires_at: invitation.expiresAt,
      };
      await database.insertInto('invitations').values(row).execute();
      return toInvitation(row);
    },

    async byToken(tokenHash) {
      const row = await database
        .selectFrom('invitations')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst();
      return row && toInvitation(row);
    },

    async list(organisationId, { limit, after }) {
      let query = database
        .selectFrom('invitations')
        .leftJoin('users', 'users.id', 'invitations.invited_by')
        .selectAll('invitations')
        .select('users.email as inviter')
        .where('invitations.organisation_id', '=', organisationId)
        .orderBy('invitations.created_at', 'desc')
        .orderBy('invitations.id', 'desc')
        .limit(limit + 1);
      if (after !== undefined) {
        query = query.where(({ eb, or, and }) =>
          or([
            eb('invitations.created_at', '<', after.createdAt),
            and([eb('invitations.created_at', '=', after.createdAt), eb('invitations.id', '<', after.id)]),
          ]),
        );
      }
      const rows = await query.execute();
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        invitations: rows.slice(0, limit).map((row) => ({ ...toInvitation(row), inviter: row.inviter })),
        next: last === undefined ? undefined : { createdAt: Number(last.created_at), id: last.id },
      };
    },

    async take(id) {
      const result = await database.deleteFrom('invitations').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },

    async revoke(organisationId, id) {
      const result = await database
        .deleteFrom('invitations')
        .where('organisation_id', '=', organisationId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw fail('not_found', { what: 'The invitation' });
    },

    async count(organisationId) {
      const { count } = await database
        .selectFrom('invitations')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('organisation_id', '=', organisationId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    async addSetupLink(tokenHash, keep) {
      const kept = await database
        .selectFrom('setup_links')
        .select('token_hash')
        .orderBy('created_at', 'desc')
        .limit(keep)
        .execute();
      let old = database.deleteFrom('setup_links');
      if (kept.length > 0) {
        old = old.where(
          'token_hash',
          'not in',
          kept.map((row) => row.token_hash),
        );
      }
      await old.execute();
      await database
        .insertInto('setup_links')
        .values({ token_hash: tokenHash, created_at: clock.now() })
        .execute();
    },

    async hasSetupLink(tokenHash) {
      const row = await database
        .selectFrom('setup_links')
        .select('token_hash')
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst();
      return row !== undefined;
    },

    async endSetupLinks() {
      await database.deleteFrom('setup_links').execute();
    },
  };
}
