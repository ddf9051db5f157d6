import type {
  Connector,
  ConnectorCheck,
  createConnector,
  RequestBodyOf,
  RetentionSettings,
  SignalRouting,
  updateConnector,
  updateRetention,
  updateRouting,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

export const connectorsQuery = () =>
  queryOptions({
    queryKey: ['connectors'],
    queryFn: ({ signal }): Promise<Connector[]> =>
      call('listConnectors', { signal }).then((answer) => answer.data),
  });

export type NewConnector = RequestBodyOf<typeof createConnector>;
export type ConnectorChange = RequestBodyOf<typeof updateConnector>;

export const createConnectorOf = (body: NewConnector) => call('createConnector', { body });
export const changeConnector = (what: { id: string; change: ConnectorChange }) =>
  call('updateConnector', { params: { id: what.id }, body: what.change });
export const deleteConnector = (id: string) => call('deleteConnector', { params: { id } });

/** Whether the database can be used; changes nothing. */
export const checkConnector = (id: string): Promise<ConnectorCheck> =>
  call('checkConnector', { params: { id } }).then((answer) => answer.data);
/** Brings the schema of the database up to date. */
export const migrateConnector = (id: string): Promise<ConnectorCheck> =>
  call('migrateConnector', { params: { id } }).then((answer) => answer.data);

export const routingQuery = () =>
  queryOptions({
    queryKey: ['routing'],
    queryFn: ({ signal }): Promise<SignalRouting> =>
      call('getRouting', { signal }).then((answer) => answer.data),
  });

export type RoutingChange = RequestBodyOf<typeof updateRouting>['changes'][number];
export const changeRouting = (changes: readonly RoutingChange[]) =>
  call('updateRouting', { body: { changes: [...changes] } });

export const retentionQuery = () =>
  queryOptions({
    queryKey: ['retention'],
    queryFn: ({ signal }): Promise<RetentionSettings> =>
      call('getRetention', { signal }).then((answer) => answer.data),
  });

export const changeRetention = (body: RequestBodyOf<typeof updateRetention>) =>
  call('updateRetention', { body });
