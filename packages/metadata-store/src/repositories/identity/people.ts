import { fail, type Role, ROLES } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { UserTable } from '../../tables/identity.ts';
import type { Access } from '../access.ts';
import { requireLiveKey } from '../sealed.ts';

/** An account as it is kept. Times are epoch milliseconds; secrets are hashes, or sealed by the caller. */
export interface StoredUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly totpSecret: string | null;
  readonly totpPending: string | null;
  readonly totpLastStep: number;
  /** Hashes of those that are left. */
  readonly recoveryCodes: readonly string[];
  readonly createdAt: number;
}

export type UserChanges = Partial<
  Pick<StoredUser, 'name' | 'passwordHash' | 'totpSecret' | 'totpPending' | 'totpLastStep' | 'recoveryCodes'>
>;

export interface Membership {
  readonly organisationId: string;
  readonly organisation: string;
  readonly role: Role;
}

export interface StoredMember {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly totp: boolean;
  readonly joinedAt: number;
  readonly lastSeenAt: number | null;
}

export interface MemberPlace {
  readonly email: string;
}

/** Accounts, what they are linked to, and the organisations they belong to. E-mail addresses come in lower case. */
export interface People {
  byEmail(email: string): Promise<StoredUser | undefined>;
  byId(id: string): Promise<StoredUser | undefined>;
  /** The account that an account of a provider signs in as. */
  byIdentity(provider: string, subject: string): Promise<StoredUser | undefined>;
  /** @throws conflict when the address has an account */
  create(user: Pick<StoredUser, 'email' | 'name' | 'passwordHash'>): Promise<StoredUser>;
  /** @throws not_found */
  update(id: string, changes: UserChanges): Promise<void>;
  /**
   * Takes a step of the authenticator, once: true for the first caller, false when that step or a later one was taken.
   */
  takeTotpStep(id: string, step: number): Promise<boolean>;
  link(userId: string, provider: string, subject: string): Promise<void>;
  providersOf(userId: string): Promise<string[]>;
  /** The account and all that it was given: sessions, links, memberships, the keys it made. Returns how many keys. */
  remove(userId: string): Promise<number>;
  membershipOf(userId: string): Promise<Membership | undefined>;
  join(organisationId: string, userId: string, role: Role): Promise<void>;
  /** @throws not_found */
  setRole(organisationId: string, userId: string, role: Role): Promise<void>;
  /** @throws not_found */
  member(organisationId: string, userId: string): Promise<StoredMember>;
  /** By e-mail, at most `limit`, after a place. */
  members(
    organisationId: string,
    input: { readonly limit: number; readonly after: MemberPlace | undefined },
  ): Promise<{ members: StoredMember[]; next: MemberPlace | undefined }>;
  owners(organisationId: string): Promise<number>;
  /** Whether any organisation has an owner: whether somebody set this installation up. */
  isOwned(): Promise<boolean>;
}

const missing = () => fail('not_found', { what: 'The member' });
export const roleOf = (text: string): Role => ROLES.find((role) => role === text) ?? 'viewer';

const toUser = (row: Selectable<UserTable>): StoredUser => ({
  id: row.id,
  email: row.email,
  name: row.name,
  passwordHash: row.password_hash,
  totpSecret: row.totp_secret,
  totpPending: row.totp_pending,
  totpLastStep: Number(row.totp_last_step),
  recoveryCodes: JSON.parse(row.recovery_codes) as string[],
  createdAt: Number(row.created_at),
});

export function people({ database, clock, dialect }: Access): People {
  const user = () => database.selectFrom('users').selectAll('users');
  const memberRows = (organisationId: string) =>
    database
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .where('memberships.organisation_id', '=', organisationId)
      .select((eb) => [
        'users.id',
        'users.email',
        'users.name',
        'users.totp_secret',
        'memberships.role',
        'memberships.joined_at',
        eb
          .selectFrom('sessions')
          .whereRef('sessions.user_id', '=', 'users.id')
          .select(({ fn }) => fn.max('sessions.last_seen_at').as('seen'))
          .as('last_seen_at'),
      ]);
  type MemberRow = Awaited<ReturnType<ReturnType<typeof memberRows>['execute']>>[number];
  const toMember = (row: MemberRow): StoredMember => ({
    id: row.id,
    email: row.email,
    name: row.name,
    role: roleOf(row.role),
    totp: row.totp_secret !== null,
    joinedAt: Number(row.joined_at),
    lastSeenAt: row.last_seen_at === null ? null : Number(row.last_seen_at),
  });
  const ownersOf = async (organisationId: string | undefined): Promise<number> => {
    let query = database
      .selectFrom('memberships')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('role', '=', 'owner');
    if (organisationId !== undefined) query = query.where('organisation_id', '=', organisationId);
    return Number((await query.executeTakeFirstOrThrow()).count);
  };

  return {
    async byEmail(email) {
      const row = await user().where('email', '=', email).executeTakeFirst();
      return row && toUser(row);
    },

    async byId(id) {
      const row = await user().where('id', '=', id).executeTakeFirst();
      return row && toUser(row);
    },

    async byIdentity(provider, subject) {
      const row = await user()
        .innerJoin('user_identities', 'user_identities.user_id', 'users.id')
        .where('provider', '=', provider)
        .where('subject', '=', subject)
        .executeTakeFirst();
      return row && toUser(row);
    },

    async create({ email, name, passwordHash }) {
      const row = {
        id: crypto.randomUUID(),
        email,
        name,
        password_hash: passwordHash,
        totp_secret: null,
        totp_pending: null,
        totp_last_step: 0,
        recovery_codes: '[]',
        created_at: clock.now(),
      };
      try {
        await database.insertInto('users').values(row).execute();
      } catch (thrown) {
        if (!dialect.isUniqueViolation(thrown)) throw thrown;
        throw fail('conflict', { detail: 'This address has an account already.' }, { cause: thrown });
      }
      return toUser(row);
    },

    async update(id, changes) {
      const { name, passwordHash, totpSecret, totpPending, totpLastStep, recoveryCodes } = changes;
      await requireLiveKey(database, totpSecret);
      await requireLiveKey(database, totpPending);
      const result = await database
        .updateTable('users')
        .set({
          ...(name === undefined ? {} : { name }),
          ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
          ...(totpSecret === undefined ? {} : { totp_secret: totpSecret }),
          ...(totpPending === undefined ? {} : { totp_pending: totpPending }),
          ...(totpLastStep === undefined ? {} : { totp_last_step: totpLastStep }),
          ...(recoveryCodes === undefined ? {} : { recovery_codes: JSON.stringify(recoveryCodes) }),
        })
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) throw fail('not_found', { what: 'The account' });
    },

    async takeTotpStep(id, step) {
      const result = await database
        .updateTable('users')
        .set({ totp_last_step: step })
        .where('id', '=', id)
        .where('totp_last_step', '<', step)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },

    async link(userId, provider, subject) {
      await database
        .insertInto('user_identities')
        .values({ provider, subject, user_id: userId, created_at: clock.now() })
        .execute();
    },

    async providersOf(userId) {
      const rows = await database
        .selectFrom('user_identities')
        .select('provider')
        .distinct()
        .where('user_id', '=', userId)
        .orderBy('provider')
        .execute();
      return rows.map(({ provider }) => provider);
    },

    async remove(userId) {
      await database.deleteFrom('sessions').where('user_id', '=', userId).execute();
      await database.deleteFrom('user_identities').where('user_id', '=', userId).execute();
      await database.deleteFrom('project_members').where('user_id', '=', userId).execute();
      await database.deleteFrom('memberships').where('user_id', '=', userId).execute();
      await database.deleteFrom('invitations').where('invited_by', '=', userId).execute();
      const keys = await database.deleteFrom('api_keys').where('created_by', '=', userId).executeTakeFirst();
      await database.deleteFrom('users').where('id', '=', userId).execute();
      return Number(keys.numDeletedRows);
    },

    async membershipOf(userId) {
      const row = await database
        .selectFrom('memberships')
        .innerJoin('organisations', 'organisations.id', 'memberships.organisation_id')
        .select(['organisations.id', 'organisations.name', 'memberships.role'])
        .where('memberships.user_id', '=', userId)
        .orderBy('memberships.joined_at')
        .orderBy('organisations.id')
        .executeTakeFirst();
      return row && { organisationId: row.id, organisation: row.name, role: roleOf(row.role) };
    },

    async join(organisationId, userId, role) {
      await database
        .insertInto('memberships')
        .values({ organisation_id: organisationId, user_id: userId, role, joined_at: clock.now() })
        .execute();
    },

    async setRole(organisationId, userId, role) {
      const result = await database
        .updateTable('memberships')
        .set({ role })
        .where('organisation_id', '=', organisationId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) throw missing();
    },

    async member(organisationId, userId) {
      const row = await memberRows(organisationId).where('users.id', '=', userId).executeTakeFirst();
      if (row === undefined) throw missing();
      return toMember(row);
    },

    async members(organisationId, { limit, after }) {
      let query = memberRows(organisationId)
        .orderBy('users.email')
        .limit(limit + 1);
      if (after !== undefined) query = query.where('users.email', '>', after.email);
      const rows = await query.execute();
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        members: rows.slice(0, limit).map(toMember),
        next: last === undefined ? undefined : { email: last.email },
      };
    },

    owners: ownersOf,
    isOwned: async () => (await ownersOf(undefined)) > 0,
  };
}
