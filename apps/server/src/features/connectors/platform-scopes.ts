import { DEFAULT_DATABASE_CONFIG_ID, fail } from '@candela/kernel';
import type { MetadataStore, StoredConnector } from '@candela/metadata-store';
import type { SignalRoutes } from './signal-routes.ts';

/** Connectors that are remembered at once. */
const MAX_KNOWN = 1_000;

interface PlaceRequest {
  readonly organisationId: string;
  readonly projectId: string;
  readonly environment: string;
  /** Environments that the credential is limited to; null: to none. */
  readonly limits: readonly string[] | null;
  /** Configuration that the request names. */
  readonly named: string | undefined;
}

/** Which database configuration keeps the prompts, secrets and rules that a request is about. */
export interface PlatformScopes {
  /**
   * The one that is named, when it is the project's and within what the credential is limited to; else the one that
   * the environment's \`platform\` signal is bound to. @throws forbidden, signal_unbound
   */
  resolve(request: PlaceRequest): Promise<string>;
}

export function createPlatformScopes(parts: {
  readonly routes: SignalRoutes;
  readonly metadata: Pick<MetadataStore, 'connectors' | 'changes'>;
}): PlatformScopes {
  const { routes, metadata } = parts;
  const known = new Map<string, Promise<StoredConnector | undefined>>();
  metadata.changes.on(['connectors'], () => known.clear());

  function connector(id: string): Promise<StoredConnector | undefined> {
    const there = known.get(id);
    if (there !== undefined) return there;
    if (known.size >= MAX_KNOWN) known.clear();
    const reading = metadata.connectors.find(id);
    known.set(id, reading);
    reading.catch(() => known.delete(id));
    return reading;
  }

  return {
    async resolve({ organisationId, projectId, environment, limits, named }) {
      const project = await routes.of(projectId);
      if (named === undefined) return project.resolve(environment, 'platform');
      const refused = () =>
        fail('forbidden', {
          detail:
            'This credential does not reach the database configuration named in x-platform-database-config-id.',
        });
      // Otherwise a key for staging would read by this header what is kept for production.
      if (limits !== null && !limits.some((name) => project.boundTo(name, 'platform') === named)) {
        throw refused();
      }
      if (named === DEFAULT_DATABASE_CONFIG_ID) return named;
      const found = await connector(named);
      if (found === undefined || found.organisationId !== organisationId) throw refused();
      if (found.projectId !== null && found.projectId !== projectId) throw refused();
      return named;
    },
  };
}
