import type { Handlers } from '../../http/handlers.ts';
import { type BindingParts, createBindings } from './bindings.ts';
import { type ConnectorParts, createConnectors } from './service.ts';

type ConnectorHandlers = Pick<
  Handlers,
  | 'listConnectors'
  | 'getConnector'
  | 'createConnector'
  | 'updateConnector'
  | 'deleteConnector'
  | 'checkConnector'
  | 'migrateConnector'
  | 'getRouting'
  | 'updateRouting'
  | 'getDbConfig'
>;

/** Connectors and what is bound to them. */
export function connectorHandlers(parts: ConnectorParts & BindingParts): ConnectorHandlers {
  const connectors = createConnectors(parts);
  const bindings = createBindings(parts);
  return {
    listConnectors: async ({ context }) => ({ data: await connectors.list(context), nextCursor: null }),
    getConnector: async ({ context, params }) => ({ data: await connectors.get(context, params.id) }),
    createConnector: async ({ context, body }) => ({ data: await connectors.create(context, body) }),
    updateConnector: async ({ context, params, body }) => ({
      data: await connectors.update(context, params.id, body),
    }),
    deleteConnector: async ({ context, params }) => ({ data: await connectors.delete(context, params.id) }),
    checkConnector: async ({ context, params }) => ({ data: await connectors.check(context, params.id) }),
    migrateConnector: async ({ context, params }) => ({ data: await connectors.migrate(context, params.id) }),
    getRouting: async ({ context }) => ({ data: await bindings.read(context) }),
    updateRouting: async ({ context, body }) => ({ data: await bindings.update(context, body.changes) }),
    getDbConfig: async ({ context }) => ({ data: await bindings.dbConfigs(context), nextCursor: null }),
  };
}
