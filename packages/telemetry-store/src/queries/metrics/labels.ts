import { METRIC_LIMITS } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { METRIC_SERIES_ROWS } from './metric-fields.ts';
import { seriesIn } from './series-scope.ts';

export interface MetricLabel {
  readonly field: string;
  readonly series: number;
  readonly values: { readonly value: string; readonly series: number }[];
  readonly valueCount: number;
}

/** Longer values are of no use to choose from. */
const MAX_VALUE_LENGTH = 200;

/** What the series of a metric can be filtered and grouped by: point attributes first, then the resource. */
export async function labelsOf(
  runner: Runner,
  context: RequestContext,
  { metric, window }: { readonly metric: string; readonly window: Window },
): Promise<{ data: MetricLabel[]; series: number; atLeast: boolean }> {
  const scope = seriesIn(Scope.of(context, METRIC_SERIES_ROWS), window);
  const most = METRIC_LIMITS.labelSeries;
  const pairs = (map: string, prefix: string) =>
    `arrayMap((k, v) -> (concat('${prefix}', k), v), mapKeys(${map}), mapValues(${map}))`;
  const rows = await runner.run<{
    Field: string;
    Series: number;
    ValueCount: number;
    Top: [value: string, series: number][];
    All: number;
  }>(
    scope,
    `WITH Found AS (
  SELECT SeriesId, any(Attributes) AS Own, any(ResourceAttributes) AS Resource, any(ScopeAttributes) AS OfScope,
    any(ServiceName) AS Service, any(Environment) AS OfEnvironment, any(ScopeName) AS ScopeOf
  ${scope.and(`MetricName = ${scope.params.bind(metric, 'String')}`).from} GROUP BY SeriesId LIMIT ${most + 1}
)
SELECT Field, sum(N) AS Series, count() AS ValueCount,
  arraySlice(arraySort(top -> (-top.2, top.1), groupArray((leftUTF8(Value, ${MAX_VALUE_LENGTH}), N))), 1, ${METRIC_LIMITS.labelValues}) AS Top,
  -- Each series has one service, if an empty one. Counted by itself, the series would be looked up twice.
  max(if(Field = 'service', Series, 0)) OVER () AS All
FROM (
  SELECT Pair.1 AS Field, Pair.2 AS Value, count() AS N FROM Found
  ARRAY JOIN arrayConcat(
    ${pairs('Own', 'attributes.')}, ${pairs('Resource', 'resource.')}, ${pairs('OfScope', 'scope.')},
    [('service', toString(Service)), ('environment', toString(OfEnvironment)), ('scope_name', toString(ScopeOf))]
  ) AS Pair
  GROUP BY Field, Value
)
GROUP BY Field
ORDER BY multiIf(startsWith(Field, 'attributes.'), 0, startsWith(Field, 'resource.'), 2, startsWith(Field, 'scope.'), 3, 1), Field
LIMIT ${METRIC_LIMITS.labelKeys}`,
  );
  const all = rows[0]?.All ?? 0;
  return {
    data: rows.map((row) => ({
      field: row.Field,
      series: row.Series,
      valueCount: row.ValueCount,
      values: row.Top.map(([value, series]) => ({ value, series })),
    })),
    series: Math.min(all, most),
    atLeast: all > most,
  };
}
