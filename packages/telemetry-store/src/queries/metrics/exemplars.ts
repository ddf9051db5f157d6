import { METRIC_LIMITS, type MetricExemplar } from '@candela/contract';
import type { Runner } from '../core/run.ts';
import { bucketAt, type PointsInput, pointsScope } from './points.ts';

/** Of each bucket the largest few. */
const PER_BUCKET = 3;

/** Measurements that name their trace, the largest of each bucket, in the order of time. */
export async function exemplarsOf(runner: Runner, input: PointsInput): Promise<MetricExemplar[]> {
  const { grid, variant } = input;
  if (variant.kind === 'summary') return [];
  const scope = pointsScope(input, grid.window);
  const from = scope.params.bind(grid.window.from, 'Int64');
  const rows = await runner.run<{ Ms: number; V: number; TraceId: string; SpanId: string }>(
    scope,
    `SELECT * FROM (
  SELECT intDiv(E.1, 1000000) AS Ms, E.2 AS V, E.3 AS TraceId, E.4 AS SpanId, ${bucketAt(grid, 'E.1')} AS B
  FROM (
    SELECT DISTINCT arrayJoin(arrayZip(arrayMap(t -> toUnixTimestamp64Nano(t), \`Exemplars.TimeUnix\`), \`Exemplars.Value\`,
      \`Exemplars.TraceId\`, \`Exemplars.SpanId\`)) AS E
    ${scope.and('notEmpty(`Exemplars.TraceId`)').from}
  )
  WHERE E.3 != '' AND isFinite(E.2) AND E.1 >= ${from}
  ORDER BY V DESC, Ms, TraceId LIMIT ${PER_BUCKET} BY B
)
ORDER BY V DESC, Ms, TraceId LIMIT ${METRIC_LIMITS.exemplars}`,
  );
  return rows
    .map((row) => ({ time: row.Ms, value: row.V, traceId: row.TraceId, spanId: row.SpanId }))
    .sort((a, b) => a.time - b.time);
}
