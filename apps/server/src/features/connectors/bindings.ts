import {
  type BodyOf,
  type ResponseOf,
  ROUTED_SIGNALS,
  type ROUTES,
  type SignalRouting,
} from '@candela/contract';
import { DEFAULT_DATABASE_CONFIG_ID, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore, StoredBinding } from '@candela/metadata-store';
import { record } from '../audit/service.ts';
import type { BuiltIn } from './service.ts';
import type { StorePool } from './pool.ts';

export interface BindingParts {
  readonly metadata: MetadataStore;
  readonly pool: StorePool;
  readonly builtIn: BuiltIn;
}

type Change = BodyOf<typeof ROUTES.updateRouting>['changes'][number];
type DbConfigs = ResponseOf<typeof ROUTES.getDbConfig>['data'];

/** Bindings one project may have. */
const MAX_BINDINGS = 5_000;
const DEFAULTS = {
  traces: DEFAULT_DATABASE_CONFIG_ID,
  metrics: DEFAULT_DATABASE_CONFIG_ID,
  logs: DEFAULT_DATABASE_CONFIG_ID,
  platform: DEFAULT_DATABASE_CONFIG_ID,
};

const isSignal = (name: string) => ROUTED_SIGNALS.find((signal) => signal === name);

function shown(bindings: readonly StoredBinding[]): SignalRouting['bindings'] {
  return bindings.flatMap(({ environment, signal: name, connectorId }) => {
    const signal = isSignal(name);
    return signal === undefined ? [] : [{ environment, signal, connectorId }];
  });
}

/** What a project's signals are bound to. */
export function createBindings({ metadata, pool, builtIn }: BindingParts) {
  async function read({ projectId }: RequestContext): Promise<SignalRouting> {
    const bindings = shown(await metadata.routing.of(projectId));
    const known = await metadata.projects.environments(projectId);
    const named = bindings.flatMap(({ environment }) => (environment === null ? [] : [environment]));
    const environments = [...new Set([...known.map(({ name }) => name), ...named])].sort();
    return { projectId, bindings, defaults: { ...DEFAULTS }, environments };
  }

  /** A connector of another organisation or project is as unknown as one that never was. @throws not_found */
  async function mayBind({ organisationId, projectId }: RequestContext, id: string): Promise<void> {
    if (id === DEFAULT_DATABASE_CONFIG_ID) return;
    const connector = await metadata.connectors.get(organisationId, id);
    if (connector.projectId !== null && connector.projectId !== projectId) {
      throw fail('not_found', { what: 'The connector' });
    }
  }

  return {
    read,

    /** @throws not_found, refused, connector_unavailable: nothing is bound to what cannot be opened now */
    async update(context: RequestContext, changes: readonly Change[]): Promise<SignalRouting> {
      const { projectId } = context;
      const wanted = new Set<string>();
      for (const { environment, connectorId } of changes) {
        if (environment !== null && connectorId === null) {
          throw fail('refused', {
            detail:
              'Only the default of a project may lead nowhere. Take the binding of the environment away instead.',
          });
        }
        if (typeof connectorId === 'string') wanted.add(connectorId);
      }
      for (const id of wanted) await mayBind(context, id);
      for (const id of wanted) await pool.use(id, projectId, async () => undefined);
      await metadata.change(undefined, async (repositories) => {
        // Looked at again: it may have been deleted while it was opened.
        for (const id of wanted) {
          if (id !== DEFAULT_DATABASE_CONFIG_ID)
            await repositories.connectors.get(context.organisationId, id);
        }
        await repositories.routing.set(
          projectId,
          changes.map(({ environment, signal, connectorId }) => ({ environment, signal, connectorId })),
        );
        if ((await repositories.routing.of(projectId)).length > MAX_BINDINGS) {
          throw fail('refused', { detail: `A project may have ${MAX_BINDINGS} bindings. Take some away.` });
        }
        await record(repositories, context, {
          action: 'routing.update',
          objectKind: 'project',
          objectId: projectId,
          details: {
            changes: changes.map(
              ({ environment, signal, connectorId }) =>
                `${signal} of ${environment ?? 'the project'}: ${connectorId === undefined ? 'taken away' : (connectorId ?? 'nowhere')}`,
            ),
          },
        });
      });
      return read(context);
    },

    async dbConfigs(context: RequestContext): Promise<DbConfigs> {
      const { projectId, environment } = context;
      const all = shown(await metadata.routing.of(projectId));
      const own = all.filter(
        (one) => one.environment === null || environment === undefined || one.environment === environment,
      );
      const made = new Set(own.filter((one) => one.environment === null).map(({ signal }) => signal));
      const signals = new Map<string, DbConfigs[number]['signals']>();
      const add = (id: string, of: DbConfigs[number]['signals'][number]) =>
        signals.set(id, [...(signals.get(id) ?? []), of]);
      for (const signal of ROUTED_SIGNALS) {
        if (!made.has(signal)) add(DEFAULTS[signal], { environment: null, signal });
      }
      for (const { connectorId, environment: of, signal } of own) {
        if (connectorId !== null) add(connectorId, { environment: of, signal });
      }
      const rows: DbConfigs = [];
      for (const [id, bound] of signals) {
        const config =
          id === DEFAULT_DATABASE_CONFIG_ID
            ? { name: 'Embedded', ...builtIn }
            : await metadata.connectors.find(id);
        // Deleted: what is bound to it fails, and is told so where it is asked.
        if (config === undefined) continue;
        const { name, kind, url, database, username } = config;
        rows.push({ id, name, kind, url, database, username, signals: bound });
      }
      return rows;
    },
  };
}
