import { METRIC_KINDS, type MetricKind } from '@candela/otlp';

export { METRIC_KINDS, type MetricKind };

/** What tells series of a kind apart besides the attributes. */
const OWN: Readonly<Record<MetricKind, readonly string[]>> = {
  gauge: [],
  sum: ['AggregationTemporality', 'IsMonotonic'],
  histogram: ['AggregationTemporality'],
  exponential_histogram: ['AggregationTemporality'],
  summary: [],
};

/**
 * The number of the series that a point belongs to. The order of attributes does not count. The column `SeriesId` of
 * the metric tables is made with it (migration `metric_series`), so that charts need not read a point's attributes.
 */
export const seriesIdSql = (kind: MetricKind): string =>
  `cityHash64(${[
    `'${kind}'`,
    'MetricName',
    'MetricUnit',
    'Environment',
    ...OWN[kind],
    'ScopeName',
    'ScopeVersion',
    'mapSort(Attributes)',
    'mapSort(ResourceAttributes)',
    'mapSort(ScopeAttributes)',
  ].join(', ')})`;
