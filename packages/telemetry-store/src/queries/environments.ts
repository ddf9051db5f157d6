import type { SelectOptions, TelemetryStore } from '../client/store.ts';

const MAX_ENVIRONMENTS = 1_000;
/** One of each signal, far fewer rows than the records they are made from. */
const ROLLUPS = ['span_counts', 'log_counts', 'metric_series'];

/** Names of the environments a project has records of. */
export async function environmentsOf(
  store: Pick<TelemetryStore, 'select'>,
  bounds: SelectOptions,
  projectId: string,
): Promise<string[]> {
  const parts = ROLLUPS.map(
    (table) =>
      `SELECT DISTINCT toString(Environment) AS Name FROM ${table} WHERE ProjectId = {project:String}`,
  );
  const rows = await store.select<{ Name: string }>(
    `SELECT DISTINCT Name FROM (${parts.join(' UNION ALL ')}) ORDER BY Name LIMIT ${MAX_ENVIRONMENTS}`,
    { project: projectId },
    bounds,
  );
  return rows.map((row) => row.Name);
}
