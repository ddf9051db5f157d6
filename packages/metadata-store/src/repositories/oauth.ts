import { fail } from '@candela/kernel';
import { type Selectable, sql } from 'kysely';
import type { OauthClientTable, OauthEntryTable } from '../tables/oauth.ts';
import type { Access } from './access.ts';
import { requireLiveKey } from './sealed.ts';
import { holding } from './storage-scope.ts';
import { unlessTaken } from './unless-taken.ts';

/** An application as it is kept. Times are epoch milliseconds. */
export interface StoredOauthClient {
  readonly id: string;
  readonly organisationId: string;
  readonly projectId: string;
  readonly name: string;
  readonly kind: 'confidential' | 'public';
  readonly secretHash: string | null;
  readonly redirectUris: readonly string[];
  readonly grants: readonly string[];
  readonly scopes: readonly string[];
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export type NewOauthClient = Omit<StoredOauthClient, 'createdAt' | 'lastUsedAt'>;
export type OauthClientChanges = Partial<
  Pick<StoredOauthClient, 'name' | 'redirectUris' | 'grants' | 'scopes' | 'secretHash'>
>;

/** A code, token, permission or request under way, named by the SHA-256 of what was handed out. */
export interface OauthEntry {
  readonly kind: string;
  readonly idHash: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly grantId: string | null;
  readonly clientId: string | null;
  readonly userId: string | null;
  readonly uid: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly consumedAt: number | null;
}

/** Where a page of the list ended. */
export interface OauthClientPlace {
  readonly nameKey: string;
  readonly id: string;
}

/** How long what has ended is kept. */
const KEEP_EXPIRED_MS = 60_000;

const keyOf = (name: string): string => name.normalize('NFKC').toLowerCase();

const toClient = (row: Selectable<OauthClientTable>): StoredOauthClient => ({
  id: row.id,
  organisationId: row.organisation_id,
  projectId: row.project_id,
  name: row.name,
  kind: row.kind as StoredOauthClient['kind'],
  secretHash: row.secret_hash,
  redirectUris: JSON.parse(row.redirect_uris) as string[],
  grants: JSON.parse(row.grants) as string[],
  scopes: JSON.parse(row.scopes) as string[],
  createdBy: row.created_by,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

const toEntry = (row: Selectable<OauthEntryTable>): OauthEntry => ({
  kind: row.kind,
  idHash: row.id_hash,
  payload: JSON.parse(row.payload) as Record<string, unknown>,
  grantId: row.grant_id,
  clientId: row.client_id,
  userId: row.user_id,
  uid: row.uid,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  consumedAt: row.consumed_at,
});

/** Applications that may ask for tokens. Every call but `get` is of one organisation. */
export function oauthClients({ database, quiet, clock, dialect, limits }: Access) {
  const unlessNameTaken = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    unlessTaken(
      { dialect },
      () => fail('conflict', { detail: `There is an application called "${name}" already.` }),
      work,
    );

  const missing = () => fail('not_found', { what: 'The application' });

  async function own(organisationId: string, id: string): Promise<StoredOauthClient> {
    const row = await database
      .selectFrom('oauth_clients')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw missing();
    return toClient(row);
  }

  return {
    own,

    /** By its `client_id` alone: for the endpoints of OAuth, where it is the credential's name. */
    async get(id: string): Promise<StoredOauthClient | undefined> {
      const row = await database
        .selectFrom('oauth_clients')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? undefined : toClient(row);
    },

    /** Whether an application is registered that lives at this origin, complete and as browsers write it. */
    async livesAt(origin: string): Promise<boolean> {
      const rows = await database
        .selectFrom('oauth_clients')
        .select('redirect_uris')
        .where(sql<boolean>`lower(redirect_uris) like ${holding(origin)} escape '\\'`)
        .execute();
      return rows.some(({ redirect_uris }) =>
        (JSON.parse(redirect_uris) as string[]).some(
          (uri) => URL.canParse(uri) && new URL(uri).origin === origin,
        ),
      );
    },

    async list(
      organisationId: string,
      { limit, after }: { readonly limit: number; readonly after: OauthClientPlace | undefined },
    ): Promise<{ clients: StoredOauthClient[]; next: OauthClientPlace | undefined }> {
      let query = database
        .selectFrom('oauth_clients')
        .selectAll()
        .where('organisation_id', '=', organisationId)
        .orderBy('name_key')
        .orderBy('id')
        .limit(limit + 1);
      if (after !== undefined) {
        query = query.where(({ eb, or, and }) =>
          or([
            eb('name_key', '>', after.nameKey),
            and([eb('name_key', '=', after.nameKey), eb('id', '>', after.id)]),
          ]),
        );
      }
      const rows = await query.execute();
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        clients: rows.slice(0, limit).map(toClient),
        next: last === undefined ? undefined : { nameKey: last.name_key, id: last.id },
      };
    },

    /** @throws conflict when the name is taken, refused when the organisation has its fill */
    async create(client: NewOauthClient): Promise<StoredOauthClient> {
      const { count } = await database
        .selectFrom('oauth_clients')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('organisation_id', '=', client.organisationId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= limits.oauthClients) {
        throw fail('refused', {
          detail: `There are ${limits.oauthClients} applications already. Remove one that is not used.`,
        });
      }
      const row = {
        id: client.id,
        organisation_id: client.organisationId,
        project_id: client.projectId,
        name: client.name,
        name_key: keyOf(client.name),
        kind: client.kind,
        secret_hash: client.secretHash,
        redirect_uris: JSON.stringify(client.redirectUris),
        grants: JSON.stringify(client.grants),
        scopes: JSON.stringify(client.scopes),
        created_by: client.createdBy,
        created_at: clock.now(),
        last_used_at: null,
      };
      await unlessNameTaken(client.name, () => database.insertInto('oauth_clients').values(row).execute());
      return toClient(row);
    },

    /** @throws not_found, conflict */
    async update(
      organisationId: string,
      id: string,
      changes: OauthClientChanges,
    ): Promise<StoredOauthClient> {
      const { name, redirectUris, grants, scopes, secretHash } = changes;
      const set = {
        ...(name === undefined ? {} : { name, name_key: keyOf(name) }),
        ...(redirectUris === undefined ? {} : { redirect_uris: JSON.stringify(redirectUris) }),
        ...(grants === undefined ? {} : { grants: JSON.stringify(grants) }),
        ...(scopes === undefined ? {} : { scopes: JSON.stringify(scopes) }),
        ...(secretHash === undefined ? {} : { secret_hash: secretHash }),
      };
      if (Object.keys(set).length > 0) {
        await unlessNameTaken(name ?? '', () =>
          database
            .updateTable('oauth_clients')
            .set(set)
            .where('organisation_id', '=', organisationId)
            .where('id', '=', id)
            .execute(),
        );
      }
      return own(organisationId, id);
    },

    /** Removes the application and everything that was handed out to it. @throws not_found */
    async delete(organisationId: string, id: string): Promise<void> {
      const result = await database
        .deleteFrom('oauth_clients')
        .where('organisation_id', '=', organisationId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (Number(result.numDeletedRows) === 0) throw missing();
      await database.deleteFrom('oauth_entries').where('client_id', '=', id).execute();
    },

    async touch(id: string): Promise<void> {
      await quiet
        .updateTable('oauth_clients')
        .set({ last_used_at: clock.now() })
        .where('id', '=', id)
        .execute();
    },
  };
}

/** Codes, tokens and permissions. What is past its end counts as gone. */
export function oauthEntries({ database, quiet, clock }: Access) {
  const alive = () =>
    database
      .selectFrom('oauth_entries')
      .selectAll()
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', clock.now())]));

  return {
    async find(kind: string, idHash: string): Promise<OauthEntry | undefined> {
      const row = await alive().where('kind', '=', kind).where('id_hash', '=', idHash).executeTakeFirst();
      return row === undefined ? undefined : toEntry(row);
    },

    async findByUid(kind: string, uid: string): Promise<OauthEntry | undefined> {
      const row = await alive().where('kind', '=', kind).where('uid', '=', uid).executeTakeFirst();
      return row === undefined ? undefined : toEntry(row);
    },

    /** Entries of a kind that a person has to do with, latest first. */
    async ofUser(kind: string, userId: string, limit: number): Promise<OauthEntry[]> {
      const rows = await alive()
        .where('kind', '=', kind)
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toEntry);
    },

    async put(entry: Omit<OauthEntry, 'createdAt' | 'consumedAt'>): Promise<void> {
      const now = clock.now();
      // Nobody looks at what has ended; it goes with the writing of what is new.
      await quiet
        .deleteFrom('oauth_entries')
        .where('expires_at', '<', now - KEEP_EXPIRED_MS)
        .execute();
      const changing = {
        payload: JSON.stringify(entry.payload),
        grant_id: entry.grantId,
        client_id: entry.clientId,
        user_id: entry.userId,
        uid: entry.uid,
        expires_at: entry.expiresAt,
      };
      await quiet
        .insertInto('oauth_entries')
        .values({
          kind: entry.kind,
          id_hash: entry.idHash,
          created_at: now,
          consumed_at: null,
          ...changing,
        })
        .onConflict((conflict) => conflict.columns(['kind', 'id_hash']).doUpdateSet(changing))
        .execute();
    },

    /** True for the one who came first: a code or refresh token is good once. */
    async consume(kind: string, idHash: string): Promise<boolean> {
      const result = await database
        .updateTable('oauth_entries')
        .set({ consumed_at: clock.now() })
        .where('kind', '=', kind)
        .where('id_hash', '=', idHash)
        .where('consumed_at', 'is', null)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    async remove(kind: string, idHash: string): Promise<void> {
      await database
        .deleteFrom('oauth_entries')
        .where('kind', '=', kind)
        .where('id_hash', '=', idHash)
        .execute();
    },

    /** A permission with everything that was handed out on it. */
    async removeGranted(grantId: string): Promise<void> {
      await database.deleteFrom('oauth_entries').where('grant_id', '=', grantId).execute();
    },
  };
}

/** Keys of the server's own. */
export function serverKeys({ database, clock }: Access) {
  const get = async (name: string): Promise<string | undefined> => {
    const row = await database
      .selectFrom('server_keys')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirst();
    return row?.value;
  };
  return {
    get,
    /** Keeps the value unless there is one already; gives the one that is kept. */
    async keepFirst(name: string, value: string): Promise<string> {
      await requireLiveKey(database, value);
      await database
        .insertInto('server_keys')
        .values({ name, value, created_at: clock.now() })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      return (await get(name)) ?? value;
    },
  };
}
