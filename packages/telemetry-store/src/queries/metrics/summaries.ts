import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { bucketAt, lineKeys, type PointsInput, pointsScope, withLabels } from './points.ts';
import { asLines, type Lines, type LineRow, readLines } from './scalars.ts';

/** A quantile as summaries give it: of each series the last one said, of several series the largest. */
export async function summaryLines(
  runner: Runner,
  input: PointsInput,
  window: Window,
  quantile: number,
  limit: number,
): Promise<Lines> {
  const scope = pointsScope(input, window);
  const wanted = scope.params.bind(quantile, 'Float64');
  const value = `arrayElement(\`ValueAtQuantiles.Value\`, arrayFirstIndex(one -> abs(one - ${wanted}) < 1e-9, \`ValueAtQuantiles.Quantile\`))`;
  const own = `(SELECT SeriesId, B, argMax(V, T) AS Own FROM (
    SELECT SeriesId, toUnixTimestamp64Nano(TimeUnix) AS T, ${bucketAt(input.grid, 'T')} AS B, ${value} AS V
    ${scope.and(`arrayExists(one -> abs(one - ${wanted}) < 1e-9, \`ValueAtQuantiles.Quantile\`)`).from}
  ) WHERE isFinite(V) GROUP BY SeriesId, B)`;
  const rows = await runner.run<LineRow>(
    scope,
    asLines(
      input,
      `SELECT ${lineKeys(input, 'B')}, max(Own) AS V FROM ${withLabels(input, scope, window, own)} GROUP BY ${lineKeys(input, 'B')}`,
      'avg(V)',
      limit,
    ),
  );
  return readLines(rows);
}

/** Quantiles that a note names at most. */
const MOST_QUANTILES = 20;

/** The quantiles that summaries were sent with, from low to high. */
export async function sentQuantiles(runner: Runner, input: PointsInput): Promise<number[]> {
  const scope = pointsScope(input, input.grid.window);
  const rows = await runner.run<{ Q: number }>(
    scope,
    `SELECT DISTINCT arrayJoin(\`ValueAtQuantiles.Quantile\`) AS Q ${scope.from} ORDER BY Q LIMIT ${MOST_QUANTILES}`,
  );
  return rows.map(({ Q }) => Q);
}
