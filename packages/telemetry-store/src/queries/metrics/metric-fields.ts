import type { KeySource } from '@candela/contract';
import type { MetricKind } from '../../schema/series-id.ts';
import { column, type Field, type Source } from '../core/source.ts';

export type { MetricKind };

const METRIC_FIELDS: Record<'service' | 'environment' | 'scope_name' | 'metric', Field> = {
  service: column('ServiceName'),
  environment: column('Environment'),
  scope_name: column('ScopeName'),
  metric: column('MetricName'),
};

export function metricMap(source: KeySource): string {
  if (source === 'resource') return 'ResourceAttributes';
  return source === 'scope' ? 'ScopeAttributes' : 'Attributes';
}

/** The points of metrics of one kind. Each kind has a table of its own. */
export const metricPoints = (kind: MetricKind): Source => ({
  signal: 'metrics',
  table: `otel_metrics_${kind}`,
  time: 'TimeUnix',
  fields: METRIC_FIELDS,
  mapOf: metricMap,
  pairs: new Map(),
});

/** The series of metrics, a row for each day of arrival: filters on labels are decided here, not on points. */
export const METRIC_SERIES_ROWS: Source = {
  signal: 'metrics',
  table: 'metric_series',
  // Of the newest point; windows are compared with both ends (see `seriesIn`).
  time: 'fromUnixTimestamp64Nano(LastNs)',
  fields: METRIC_FIELDS,
  mapOf: metricMap,
  pairs: new Map(),
};
