import type { Access } from './access.ts';

/** Where a signal of a project is kept. */
export interface StoredBinding {
  readonly projectId: string;
  /** Null: the default of the project. */
  readonly environment: string | null;
  readonly signal: string;
  /** Null: nowhere. */
  readonly connectorId: string | null;
}

export type BindingChange = Omit<StoredBinding, 'projectId' | 'connectorId'> & {
  /** Undefined: the binding is taken away. */
  readonly connectorId: string | null | undefined;
};

/** Bindings of signals to connectors. */
export interface Routing {
  of(projectId: string): Promise<StoredBinding[]>;
  /** Every binding, of any project, that names a connector. */
  boundTo(connectorId: string): Promise<StoredBinding[]>;
  set(projectId: string, changes: readonly BindingChange[]): Promise<void>;
}

export function routing({ database, clock }: Access): Routing {
  const rows = () =>
    database
      .selectFrom('signal_bindings')
      .select(['project_id', 'environment', 'signal', 'connector_id'])
      .orderBy('environment')
      .orderBy('signal');
  const toBinding = (
    row: Awaited<ReturnType<ReturnType<typeof rows>['execute']>>[number],
  ): StoredBinding => ({
    projectId: row.project_id,
    environment: row.environment === '' ? null : row.environment,
    signal: row.signal,
    connectorId: row.connector_id,
  });
  return {
    of: async (projectId) => (await rows().where('project_id', '=', projectId).execute()).map(toBinding),
    boundTo: async (connectorId) =>
      (await rows().where('connector_id', '=', connectorId).execute()).map(toBinding),
    async set(projectId, changes) {
      for (const { environment, signal, connectorId } of changes) {
        const key = { project_id: projectId, environment: environment ?? '', signal };
        await database
          .deleteFrom('signal_bindings')
          .where('project_id', '=', projectId)
          .where('environment', '=', key.environment)
          .where('signal', '=', signal)
          .execute();
        if (connectorId === undefined) continue;
        await database
          .insertInto('signal_bindings')
          .values({ ...key, connector_id: connectorId, updated_at: clock.now() })
          .execute();
      }
    },
  };
}
