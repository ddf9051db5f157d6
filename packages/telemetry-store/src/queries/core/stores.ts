import type { RequestContext, Signal } from '@candela/kernel';
import type { TableReads, TelemetryStore } from '../../client/types.ts';
import { ROLLUPS } from '../../rollups/index.ts';

/** What reads need of a store. */
export type ReadStore = Pick<TelemetryStore, 'select' | 'tables' | 'ownParts' | 'snapshot'>;

/** Stores by tenant and signal. */
export interface StoreRoutes {
  /**
   * Where the records of a signal are that a context may see. @throws signal_unbound, connector_unavailable,
   * choose_environment: never falls back to another store
   */
  storeOf(context: Pick<RequestContext, 'projectId' | 'environment'>, signal: Signal): Promise<ReadStore>;
  /** Every store that records of a project may be in; those that cannot be reached are left out. */
  storesOf(projectId: string): Promise<readonly ReadStore[]>;
}

/** Where reads go: one store for everything, or one by tenant and signal. */
export type ReadStores = ReadStore | StoreRoutes;

/** The store of what a context may see of a signal. */
export function storeOf(
  stores: ReadStores,
  context: Pick<RequestContext, 'projectId' | 'environment'>,
  signal: Signal,
): ReadStore | Promise<ReadStore> {
  return 'storeOf' in stores ? stores.storeOf(context, signal) : stores;
}

/** What answers statements that people write. @throws RangeError of a store that a test made for other reads */
export function tablesOf({ tables }: Pick<ReadStore, 'tables'>): TableReads {
  if (tables === undefined) throw new RangeError('This store answers no statements of people');
  return tables;
}

/** The stores that records of a project may be in. */
export async function storesOf(stores: ReadStores, projectId: string): Promise<readonly ReadStore[]> {
  return 'storesOf' in stores ? stores.storesOf(projectId) : [stores];
}

/** The signal whose store a table is in. Exceptions are with the spans that most of them are found on. */
export function signalOfTable(table: string): Signal {
  const source = ROLLUP_SOURCES.get(table) ?? table;
  if (source.startsWith('otel_metrics_')) return 'metrics';
  return source === 'otel_logs' ? 'logs' : 'traces';
}

/** Rollups lie beside the table they are made from. */
const ROLLUP_SOURCES: ReadonlyMap<string, string> = new Map(
  ROLLUPS.map(({ name, sources }) => {
    const from = Object.keys(sources);
    return [name, from.includes('otel_traces') ? 'otel_traces' : (from[0] ?? 'otel_traces')];
  }),
);
