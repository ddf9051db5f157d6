import { fail } from '@candela/kernel';
import type { Selectable } from 'kysely';
import type { ConnectorTable } from '../tables/connectors.ts';
import type { Access } from './access.ts';
import { requireLiveKey } from './sealed.ts';
import { unlessTaken } from './unless-taken.ts';

/** A connector as it is kept. `secrets` is sealed. Times are epoch milliseconds. */
export interface StoredConnector {
  readonly id: string;
  readonly organisationId: string;
  readonly projectId: string | null;
  readonly name: string;
  readonly kind: 'embedded' | 'clickhouse';
  readonly url: string | null;
  readonly username: string | null;
  readonly database: string;
  readonly allowInsecure: boolean;
  readonly secrets: string | null;
  readonly hasPassword: boolean;
  readonly hasCa: boolean;
  readonly hasClientCertificate: boolean;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type NewConnector = Omit<StoredConnector, 'organisationId' | 'version' | 'createdAt' | 'updatedAt'>;
export type ConnectorChanges = Partial<
  Pick<
    StoredConnector,
    | 'name'
    | 'url'
    | 'username'
    | 'allowInsecure'
    | 'secrets'
    | 'hasPassword'
    | 'hasCa'
    | 'hasClientCertificate'
  >
>;

/** Connectors of one organisation at a time; another's id is unknown here. */
export interface Connectors {
  /** By name. */
  list(organisationId: string): Promise<StoredConnector[]>;
  /** @throws not_found */
  get(organisationId: string, id: string): Promise<StoredConnector>;
  /** Whosever it is: for whoever follows a binding. */
  find(id: string): Promise<StoredConnector | undefined>;
  /** @throws conflict when the name is taken, refused when the organisation has its fill */
  create(organisationId: string, connector: NewConnector): Promise<StoredConnector>;
  /** @throws not_found, conflict when the name is taken or the version is another one by now */
  update(
    organisationId: string,
    id: string,
    version: number,
    changes: ConnectorChanges,
  ): Promise<StoredConnector>;
  /** @throws not_found */
  delete(organisationId: string, id: string): Promise<void>;
}

const keyOf = (name: string): string => name.normalize('NFKC').toLowerCase();
const missing = () => fail('not_found', { what: 'The connector' });
const number = (yes: boolean): number => (yes ? 1 : 0);

const toConnector = (row: Selectable<ConnectorTable>): StoredConnector => ({
  id: row.id,
  organisationId: row.organisation_id,
  projectId: row.project_id,
  name: row.name,
  kind: row.kind === 'clickhouse' ? 'clickhouse' : 'embedded',
  url: row.url,
  username: row.username,
  database: row.database_name,
  allowInsecure: row.allow_insecure === 1,
  secrets: row.secrets,
  hasPassword: row.has_password === 1,
  hasCa: row.has_ca === 1,
  hasClientCertificate: row.has_client_certificate === 1,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export function connectors({ database, clock, dialect, limits }: Access): Connectors {
  const taken = (name: string) =>
    fail('conflict', { detail: `There is a connector called "${name}" already. Choose another name.` });

  const unlessNameTaken = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    unlessTaken({ dialect }, () => taken(name), work);

  const rows = () => database.selectFrom('connectors').selectAll();
  const find: Connectors['find'] = async (id) => {
    const row = await rows().where('id', '=', id).executeTakeFirst();
    return row === undefined ? undefined : toConnector(row);
  };
  const get: Connectors['get'] = async (organisationId, id) => {
    const found = await find(id);
    if (found?.organisationId !== organisationId) throw missing();
    return found;
  };

  return {
    find,
    get,
    list: async (organisationId) =>
      (await rows().where('organisation_id', '=', organisationId).orderBy('name_key').execute()).map(
        toConnector,
      ),

    async create(organisationId, connector) {
      const { count } = await database
        .selectFrom('connectors')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('organisation_id', '=', organisationId)
        .executeTakeFirstOrThrow();
      if (count >= limits.connectorsPerOrganisation) {
        throw fail('refused', {
          detail: `This organisation has ${limits.connectorsPerOrganisation} connectors, which is the most it may have. Delete some first.`,
        });
      }
      const now = clock.now();
      const row = {
        id: connector.id,
        organisation_id: organisationId,
        project_id: connector.projectId,
        name: connector.name,
        name_key: keyOf(connector.name),
        kind: connector.kind,
        url: connector.url,
        username: connector.username,
        database_name: connector.database,
        allow_insecure: number(connector.allowInsecure),
        secrets: connector.secrets,
        has_password: number(connector.hasPassword),
        has_ca: number(connector.hasCa),
        has_client_certificate: number(connector.hasClientCertificate),
        version: 1,
        created_at: now,
        updated_at: now,
      };
      await requireLiveKey(database, connector.secrets);
      await unlessNameTaken(connector.name, () => database.insertInto('connectors').values(row).execute());
      return toConnector(row);
    },

    async update(organisationId, id, version, changes) {
      const before = await get(organisationId, id);
      const after = { ...before, ...changes };
      await requireLiveKey(database, changes.secrets);
      const result = await unlessNameTaken(after.name, () =>
        database
          .updateTable('connectors')
          .set({
            name: after.name,
            name_key: keyOf(after.name),
            url: after.url,
            username: after.username,
            allow_insecure: number(after.allowInsecure),
            secrets: after.secrets,
            has_password: number(after.hasPassword),
            has_ca: number(after.hasCa),
            has_client_certificate: number(after.hasClientCertificate),
            version: version + 1,
            updated_at: clock.now(),
          })
          .where('id', '=', id)
          .where('version', '=', version)
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 0n) {
        throw fail('conflict', {
          detail: 'Somebody changed this connector meanwhile. Read it again, then change it.',
        });
      }
      return get(organisationId, id);
    },

    async delete(organisationId, id) {
      const result = await database
        .deleteFrom('connectors')
        .where('organisation_id', '=', organisationId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (result.numDeletedRows === 0n) throw missing();
    },
  };
}
