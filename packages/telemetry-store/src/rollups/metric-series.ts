import { METRIC_KINDS, type MetricKind, seriesIdSql } from '../schema/series-id.ts';
import { POINT_STAGES } from './point-stage.ts';
import { ROLLUP_HEAD, ROLLUP_HEAD_SQL, type Rollup } from './rollup.ts';

const MAP = 'SimpleAggregateFunction(any, Map(String, String))';
const LC = 'LowCardinality(String)';
const KEYS = [
  ...ROLLUP_HEAD.map(({ name }) => name),
  'MetricName',
  'Kind',
  'MetricUnit',
  'Temporality',
  'Monotonic',
  'ServiceName',
  'ScopeName',
  'ScopeVersion',
  'SeriesId',
].join(', ');

/** What a kind counts as its temporality and its direction, and the one number shown as its last value. */
const OWN: Readonly<Record<MetricKind, { temporality: string; monotonic: string; value: string }>> = {
  gauge: { temporality: '0', monotonic: '0', value: 'Value' },
  sum: { temporality: 'AggregationTemporality', monotonic: 'IsMonotonic', value: 'Value' },
  histogram: { temporality: 'AggregationTemporality', monotonic: '1', value: 'toFloat64(Count)' },
  exponential_histogram: {
    temporality: 'AggregationTemporality',
    monotonic: '1',
    value: 'toFloat64(Count)',
  },
  summary: { temporality: '2', monotonic: '1', value: 'toFloat64(Count)' },
};

const ofKinds = (of: (kind: MetricKind) => string) =>
  Object.fromEntries(METRIC_KINDS.map((kind) => [kind, of(kind)])) as Readonly<Record<MetricKind, string>>;

/** The value of a point of each kind that is shown as its last; minus infinity where it has none. */
export const LAST_VALUE = ofKinds(
  (kind) => `if(isFinite(${OWN[kind].value}) AND bitAnd(Flags, 1) = 0, ${OWN[kind].value}, -inf)`,
);
/** Whether points of each kind only rise. */
export const MONOTONIC = ofKinds((kind) => OWN[kind].monotonic);

/** Points of one table, each as a row of the rollup before grouping. */
const pointsOf =
  (kind: MetricKind) =>
  (rows: string): string =>
    `
SELECT ${KEYS}, max(Described) AS MetricDescription, any(PointAttributes) AS Attributes,
  any(OfResource) AS ResourceAttributes, any(OfScope) AS ScopeAttributes, min(T) AS FirstNs, max(T) AS LastNs,
  count() AS Points, max((T, V)) AS LastPoint
FROM (
  SELECT ${ROLLUP_HEAD_SQL}, MetricName, '${kind}' AS Kind, MetricUnit,
    toInt32(${OWN[kind].temporality}) AS Temporality, toUInt8(${MONOTONIC[kind]}) AS Monotonic, ServiceName,
    ScopeName, ScopeVersion, ${seriesIdSql(kind)} AS SeriesId, MetricDescription AS Described,
    mapSort(Attributes) AS PointAttributes, mapSort(ResourceAttributes) AS OfResource,
    mapSort(ScopeAttributes) AS OfScope, toUnixTimestamp64Nano(TimeUnix) AS T,
    ${LAST_VALUE[kind]} AS V
  FROM ${rows}
) GROUP BY ${KEYS}`;

/**
 * One row for each series and day of arrival: who sends it, with which attributes, since when, how many points and
 * the newest value (of histograms and summaries: their count). Catalogue, labels and filters of metrics read it
 * instead of the points.
 */
export const METRIC_SERIES: Rollup = {
  name: 'metric_series',
  columns: [
    ...ROLLUP_HEAD,
    { name: 'MetricName', type: LC },
    { name: 'Kind', type: LC },
    { name: 'MetricUnit', type: LC },
    /** As OTLP numbers it: 1 delta, 2 cumulative; 0 for gauges. */
    { name: 'Temporality', type: 'Int32' },
    { name: 'Monotonic', type: 'UInt8' },
    { name: 'ServiceName', type: LC },
    { name: 'ScopeName', type: LC },
    { name: 'ScopeVersion', type: LC },
    { name: 'SeriesId', type: 'UInt64' },
    { name: 'MetricDescription', type: 'SimpleAggregateFunction(max, String)' },
    /** Sorted by key. */
    { name: 'Attributes', type: MAP },
    { name: 'ResourceAttributes', type: MAP },
    { name: 'ScopeAttributes', type: MAP },
    { name: 'FirstNs', type: 'SimpleAggregateFunction(min, Int64)' },
    { name: 'LastNs', type: 'SimpleAggregateFunction(max, Int64)' },
    { name: 'Points', type: 'SimpleAggregateFunction(sum, UInt64)' },
    /** Time and value of the newest point; minus infinity where it has no value. */
    { name: 'LastPoint', type: 'SimpleAggregateFunction(max, Tuple(Int64, Float64))' },
  ],
  sources: Object.fromEntries(
    METRIC_KINDS.map((kind) => {
      const select = pointsOf(kind);
      const staged = kind === 'gauge' || kind === 'sum';
      return [`otel_metrics_${kind}`, staged ? { stage: POINT_STAGES[kind], select } : { select }];
    }),
  ),
};
