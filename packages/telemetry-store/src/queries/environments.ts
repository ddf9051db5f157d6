import type { TelemetryStore } from '../client/store.ts';
import { TABLES } from '../schema/tables.ts';

const MAX_ENVIRONMENTS = 1_000;

/** Names of the environments a project has records of. */
export async function environmentsOf(
  store: Pick<TelemetryStore, 'select'>,
  projectId: string,
): Promise<string[]> {
  const parts = TABLES.map(
    (table) =>
      `SELECT DISTINCT toString(Environment) AS Name FROM ${table.name} WHERE ProjectId = {project:String}`,
  );
  const rows = await store.select<{ Name: string }>(
    `SELECT DISTINCT Name FROM (${parts.join(' UNION ALL ')}) ORDER BY Name LIMIT ${MAX_ENVIRONMENTS}`,
    { project: projectId },
  );
  return rows.map((row) => row.Name);
}
