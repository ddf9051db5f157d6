import type { Filter } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { METRIC_SERIES_ROWS, type MetricKind } from './metric-fields.ts';
import { seriesIn } from './series-scope.ts';

/** A series as its senders describe it. Attribute keys are anybody's: maps, never objects. */
export interface MetricSeries {
  /** Opaque; equal for the same series. */
  readonly id: string;
  readonly metric: string;
  readonly kind: MetricKind;
  readonly unit: string;
  readonly service: string;
  readonly environment: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly resource: ReadonlyMap<string, string>;
  /** Epoch milliseconds of the newest point of the days that reach into the window. */
  readonly lastTime: number;
  /** Newest value (of histograms and summaries: their count); null when it was no finite number. */
  readonly lastValue: number | null;
}

export interface SeriesInput {
  /** Exact names. */
  readonly metrics: readonly string[];
  readonly window: Window;
  readonly filter?: Filter | undefined;
}

/** Series one answer may list. */
const MAX_SERIES = 50_000;

/** The series of some metrics that reported in the window, the newest first; `more` when there are too many to list. */
export async function seriesOf(
  runner: Runner,
  context: RequestContext,
  { metrics, window, filter }: SeriesInput,
): Promise<{ series: MetricSeries[]; more: boolean }> {
  if (metrics.length === 0) return { series: [], more: false };
  const scope = seriesIn(Scope.of(context, METRIC_SERIES_ROWS), window);
  const rows = await runner.run<{
    Id: string;
    MetricName: string;
    Kind: MetricKind;
    MetricUnit: string;
    ServiceName: string;
    Environment: string;
    AKeys: string[];
    AValues: string[];
    RKeys: string[];
    RValues: string[];
    Last: [number, number | null];
  }>(
    scope,
    `SELECT toString(SeriesId) AS Id, MetricName, Kind, MetricUnit, ServiceName, Environment,
  mapKeys(any(Attributes) AS Own) AS AKeys, mapValues(Own) AS AValues,
  mapKeys(any(ResourceAttributes) AS Resource) AS RKeys, mapValues(Resource) AS RValues,
  max((intDiv(LastPoint.1, 1000000), LastPoint.2)) AS Last
${scope.and(`MetricName IN ${scope.params.bind(metrics, 'Array(String)')}`).matching(filter).from}
GROUP BY SeriesId, MetricName, Kind, MetricUnit, ServiceName, Environment
ORDER BY Last DESC, Id LIMIT ${MAX_SERIES + 1}`,
  );
  const zip = (keys: readonly string[], values: readonly string[]) =>
    new Map(keys.map((key, index) => [key, values[index] ?? '']));
  return {
    series: rows.slice(0, MAX_SERIES).map((row) => ({
      id: row.Id,
      metric: row.MetricName,
      kind: row.Kind,
      unit: row.MetricUnit,
      service: row.ServiceName,
      environment: row.Environment,
      attributes: zip(row.AKeys, row.AValues),
      resource: zip(row.RKeys, row.RValues),
      lastTime: row.Last[0],
      lastValue: row.Last[1],
    })),
    more: rows.length > MAX_SERIES,
  };
}
