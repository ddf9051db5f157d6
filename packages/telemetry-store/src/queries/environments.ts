import type { SelectOptions } from '../client/types.ts';
import { type ReadStores, storesOf } from './core/stores.ts';

const MAX_ENVIRONMENTS = 1_000;
/** One of each signal, far fewer rows than the records they are made from. */
const ROLLUPS = ['span_counts', 'log_counts', 'metric_series'];

/** Names of the environments a project has records of, in any of its stores. */
export async function environmentsOf(
  stores: ReadStores,
  bounds: SelectOptions,
  projectId: string,
): Promise<string[]> {
  const parts = ROLLUPS.map(
    (table) =>
      `SELECT DISTINCT toString(Environment) AS Name FROM ${table} WHERE ProjectId = {project:String}`,
  );
  const sql = `SELECT DISTINCT Name FROM (${parts.join(' UNION ALL ')}) ORDER BY Name LIMIT ${MAX_ENVIRONMENTS}`;
  const lists = await Promise.all(
    (await storesOf(stores, projectId)).map((store) =>
      store.select<{ Name: string }>(sql, { project: projectId }, bounds),
    ),
  );
  return [...new Set(lists.flat().map((row) => row.Name))].sort().slice(0, MAX_ENVIRONMENTS);
}
