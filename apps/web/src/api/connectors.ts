import type {
  Connector,
  ConnectorCheck,
  createConnector,
  getRetention,
  getRouting,
  listConnectors,
  RequestBodyOf,
  ResponseOf,
  RetentionSettings,
  SignalRouting,
  updateConnector,
  updateRetention,
  updateRouting,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call, HERE } from './client.ts';

const CONNECTORS = '/api/connectors';
const connector = (id: string) => `${CONNECTORS}/${encodeURIComponent(id)}`;

export const connectorsQuery = () =>
  queryOptions({
    queryKey: ['connectors'],
    queryFn: ({ signal }): Promise<Connector[]> =>
      call<ResponseOf<typeof listConnectors>>(CONNECTORS, HERE, { signal }).then((answer) => answer.data),
  });

export type NewConnector = RequestBodyOf<typeof createConnector>;
export type ConnectorChange = RequestBodyOf<typeof updateConnector>;

export const createConnectorOf = (body: NewConnector) => call(CONNECTORS, HERE, { body });
export const changeConnector = (what: { id: string; change: ConnectorChange }) =>
  call(connector(what.id), HERE, { method: 'PATCH', body: what.change });
export const deleteConnector = (id: string) => call(connector(id), HERE, { method: 'DELETE' });

const examine = (id: string, how: 'check' | 'migrate'): Promise<ConnectorCheck> =>
  call<{ readonly data: ConnectorCheck }>(`${connector(id)}/${how}`, HERE, { method: 'POST' }).then(
    (answer) => answer.data,
  );
/** Whether the database can be used; changes nothing. */
export const checkConnector = (id: string) => examine(id, 'check');
/** Brings the schema of the database up to date. */
export const migrateConnector = (id: string) => examine(id, 'migrate');

export const routingQuery = () =>
  queryOptions({
    queryKey: ['routing'],
    queryFn: ({ signal }): Promise<SignalRouting> =>
      call<ResponseOf<typeof getRouting>>('/api/routing', HERE, { signal }).then((answer) => answer.data),
  });

export type RoutingChange = RequestBodyOf<typeof updateRouting>['changes'][number];
export const changeRouting = (changes: readonly RoutingChange[]) =>
  call<ResponseOf<typeof updateRouting>>('/api/routing', HERE, { method: 'PUT', body: { changes } });

export const retentionQuery = () =>
  queryOptions({
    queryKey: ['retention'],
    queryFn: ({ signal }): Promise<RetentionSettings> =>
      call<ResponseOf<typeof getRetention>>('/api/retention', HERE, { signal }).then((answer) => answer.data),
  });

export const changeRetention = (body: RequestBodyOf<typeof updateRetention>) =>
  call('/api/retention', HERE, { method: 'PUT', body });
