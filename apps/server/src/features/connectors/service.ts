import type { BodyOf, Connector, ConnectorCheck, ROUTES } from '@candela/contract';
import { type Clock, DEFAULT_DATABASE_CONFIG_ID, fail, type RequestContext } from '@candela/kernel';
import type { ConnectorChanges, MetadataStore, Repositories, StoredConnector } from '@candela/metadata-store';
import type { Inspection } from '@candela/telemetry-store';
import { type AuditEntry, record } from '../audit/service.ts';
import type { Envelope } from '@candela/vault';
import { serverAddress } from './address.ts';
import { MIGRATION_WAIT_MS, type StorePool } from './pool.ts';
import { type ConnectorSecrets, placeOf, secretsOf } from './secrets.ts';

/** What the configuration says of the built-in connector. */
export interface BuiltIn {
  readonly kind: 'embedded' | 'clickhouse';
  readonly url: string | null;
  readonly username: string | null;
  readonly database: string;
  readonly hasPassword: boolean;
  inspect(): Promise<Inspection>;
}

export interface ConnectorParts {
  readonly metadata: MetadataStore;
  readonly envelope: Envelope;
  readonly pool: StorePool;
  readonly logs: {
    backlogOf(databaseConfigId: string): number;
    remove(databaseConfigId: string): Promise<void>;
  };
  readonly builtIn: BuiltIn;
  readonly clock: Clock;
}

type CreateBody = BodyOf<typeof ROUTES.createConnector>;
type UpdateBody = BodyOf<typeof ROUTES.updateConnector>;
const SECRETS = ['password', 'ca', 'clientCertificate', 'clientKey'] as const;

const iso = (ms: number): string => new Date(ms).toISOString();
const entry = (verb: string, objectId: string, details: AuditEntry['details']): AuditEntry => ({
  action: `connector.${verb}`,
  objectKind: 'connector',
  objectId,
  ...(details === undefined ? {} : { details }),
});
const fixed = () =>
  fail('refused', {
    detail: 'This connector is the one of the installation: its settings are in the configuration.',
  });

/** Connectors of an organisation: what people see and change of them. Secrets go in and never come out. */
export function createConnectors(parts: ConnectorParts) {
  const { metadata, envelope, pool, logs, builtIn, clock } = parts;

  const show = async (
    connector: StoredConnector,
    { routing }: Pick<Repositories, 'routing'>,
  ): Promise<Connector> => {
    const { organisationId: _, secrets: __, createdAt, updatedAt, ...rest } = connector;
    const boundTo = (await routing.boundTo(connector.id)).length;
    return { ...rest, builtIn: false, boundTo, createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
  };

  const showBuiltIn = async (): Promise<Connector> => {
    const { inspect: _, ...rest } = builtIn;
    const id = DEFAULT_DATABASE_CONFIG_ID;
    return {
      id,
      name: rest.kind === 'embedded' ? 'Embedded' : 'ClickHouse of the installation',
      builtIn: true,
      projectId: null,
      ...rest,
      allowInsecure: rest.url?.startsWith('http:') === true,
      hasCa: false,
      hasClientCertificate: false,
      version: 1,
      boundTo: (await metadata.routing.boundTo(id)).length,
      createdAt: iso(0),
      updatedAt: iso(0),
    };
  };

  const seal = (id: string, secrets: ConnectorSecrets) => {
    if ((secrets.clientCertificate === null) !== (secrets.clientKey === null)) {
      throw fail('refused', {
        detail: 'A client certificate and its key belong together: give both or none.',
      });
    }
    return {
      secrets: envelope.seal(JSON.stringify(secrets), placeOf(id)),
      hasPassword: secrets.password !== '',
      hasCa: secrets.ca !== null,
      hasClientCertificate: secrets.clientCertificate !== null,
    };
  };

  /** What a request to change means for the row. @throws refused */
  function changesOf(before: StoredConnector, body: UpdateBody): ConnectorChanges {
    const { version: _, name, url, username, allowInsecure } = body;
    const given = SECRETS.filter((field) => body[field] !== undefined);
    if (before.kind === 'embedded') {
      if (url !== undefined || username !== undefined || allowInsecure !== undefined || given.length > 0) {
        throw fail('refused', { detail: 'A database of the embedded engine has a name and nothing else.' });
      }
      return name === undefined ? {} : { name };
    }
    const insecure = allowInsecure ?? before.allowInsecure;
    const address = serverAddress(url ?? before.url ?? '', insecure);
    const elsewhere = address !== before.url || (insecure && !before.allowInsecure);
    if (elsewhere && before.hasPassword && body.password === undefined) {
      throw fail('refused', {
        detail:
          'Enter the password again: it is sent to no other server, and no less safely, than it was given for.',
      });
    }
    const sealed = () => {
      const former = secretsOf(before, envelope);
      return seal(before.id, {
        password: body.password ?? former.password,
        ca: body.ca === undefined ? former.ca : body.ca,
        clientCertificate:
          body.clientCertificate === undefined ? former.clientCertificate : body.clientCertificate,
        clientKey: body.clientKey === undefined ? former.clientKey : body.clientKey,
      });
    };
    return {
      url: address,
      allowInsecure: insecure,
      ...(name === undefined ? {} : { name }),
      ...(username === undefined ? {} : { username }),
      ...(given.length === 0 ? {} : sealed()),
    };
  }

  async function check(inspection: Promise<Inspection>): Promise<ConnectorCheck> {
    const { version, steps, schema } = await inspection;
    return {
      ok: steps.every(({ ok }) => ok),
      checkedAt: iso(clock.now()),
      engineVersion: version ?? null,
      steps: steps.map((step) => ({ ...step })),
      schema: schema ?? null,
    };
  }

  return {
    async list({ organisationId }: RequestContext): Promise<Connector[]> {
      const rows = await metadata.connectors.list(organisationId);
      return [await showBuiltIn(), ...(await Promise.all(rows.map((row) => show(row, metadata))))];
    },

    async get({ organisationId }: RequestContext, id: string): Promise<Connector> {
      if (id === DEFAULT_DATABASE_CONFIG_ID) return showBuiltIn();
      return show(await metadata.connectors.get(organisationId, id), metadata);
    },

    create(context: RequestContext, body: CreateBody): Promise<Connector> {
      const id = crypto.randomUUID();
      const server =
        body.kind === 'clickhouse'
          ? {
              url: serverAddress(body.url, body.allowInsecure),
              username: body.username,
              database: body.database,
              allowInsecure: body.allowInsecure,
              ...seal(id, body),
            }
          : {
              url: null,
              username: null,
              database: `candela_${id.replaceAll('-', '')}`,
              allowInsecure: false,
              secrets: null,
              hasPassword: false,
              hasCa: false,
              hasClientCertificate: false,
            };
      const { name, kind, projectId } = body;
      return metadata.change(undefined, async (repositories) => {
        // A project of somebody else is as unknown as one that never was.
        if (projectId !== null) await repositories.projects.get(context.organisationId, projectId);
        const made = await repositories.connectors.create(context.organisationId, {
          id,
          name,
          kind,
          projectId,
          ...server,
        });
        const { url, database } = made;
        await record(repositories, context, entry('create', id, { name, kind, url, database, projectId }));
        return show(made, repositories);
      });
    },

    update(context: RequestContext, id: string, body: UpdateBody): Promise<Connector> {
      if (id === DEFAULT_DATABASE_CONFIG_ID) throw fixed();
      return metadata.change(undefined, async (repositories) => {
        const before = await repositories.connectors.get(context.organisationId, id);
        const changed = await repositories.connectors.update(
          context.organisationId,
          id,
          body.version,
          changesOf(before, body),
        );
        const fields = Object.keys(body).filter((field) => field !== 'version');
        await record(repositories, context, entry('update', id, { name: changed.name, changed: fields }));
        return show(changed, repositories);
      });
    },

    async delete(context: RequestContext, id: string): Promise<{ id: string }> {
      if (id === DEFAULT_DATABASE_CONFIG_ID) throw fixed();
      await metadata.change(undefined, async (repositories) => {
        const { name } = await repositories.connectors.get(context.organisationId, id);
        const bound = (await repositories.routing.boundTo(id)).length;
        if (bound > 0) {
          throw fail('conflict', {
            detail: `The connector is in use: ${bound} binding(s) name it. Bind another one there first.`,
          });
        }
        const things = await repositories.kept.in(id);
        if (things.length > 0) {
          throw fail('conflict', {
            detail: `The connector keeps ${things.join(', ')}. Delete them first: requests reach them with the header x-platform-database-config-id: ${id}.`,
          });
        }
        if (logs.backlogOf(id) > 0) {
          throw fail('conflict', {
            detail:
              'Records that were taken for this connector are not in its database yet. Try again later.',
          });
        }
        await repositories.connectors.delete(context.organisationId, id);
        await record(repositories, context, entry('delete', id, { name }));
      });
      await pool.forget(id);
      await logs.remove(id);
      return { id };
    },

    async check({ organisationId }: RequestContext, id: string): Promise<ConnectorCheck> {
      if (id === DEFAULT_DATABASE_CONFIG_ID) return check(builtIn.inspect());
      return check(pool.inspect(await metadata.connectors.get(organisationId, id)));
    },

    async migrate(context: RequestContext, id: string): Promise<ConnectorCheck> {
      if (id === DEFAULT_DATABASE_CONFIG_ID) return check(builtIn.inspect());
      const connector = await metadata.connectors.get(context.organisationId, id);
      await metadata.change(undefined, (repositories) =>
        record(repositories, context, entry('migrate', id, { name: connector.name })),
      );
      await pool.forget(id);
      await pool.use(id, undefined, async () => undefined, MIGRATION_WAIT_MS);
      return check(pool.inspect(connector));
    },
  };
}
