import type { Runner } from './run.ts';
import type { Scope } from './scope.ts';

/** Rows of a granule, if they are small. */
export const GRANULE_ROWS = 8_192;

/** About how much a statement would read by its primary key: nothing is read to tell. None of a table that lies on other servers. */
export interface Extent {
  readonly rows: number;
  readonly granules: number;
}

/** A column is selected, for a bare count is answered from what the engine knows of its parts, and then it reads nothing. */
export async function extentOf(runner: Runner, scope: Scope): Promise<Extent> {
  const [found] = await runner.run<{ Rows: number; Granules: number }>(
    scope,
    `SELECT sum(rows) AS Rows, sum(marks) AS Granules FROM (EXPLAIN ESTIMATE SELECT ProjectId ${scope.from})`,
  );
  return { rows: found?.Rows ?? 0, granules: found?.Granules ?? 0 };
}
