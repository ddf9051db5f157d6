import { column, type Field, type Source } from '../core/source.ts';

const METRIC_FIELDS: Record<'service' | 'environment' | 'scope_name' | 'metric', Field> = {
  service: column('ServiceName'),
  environment: column('Environment'),
  scope_name: column('ScopeName'),
  metric: column('MetricName'),
};

/** Each kind of metric has a table of its own. */
export const METRIC_KINDS = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];

/** The points of metrics of one kind. */
export const metricPoints = (kind: MetricKind): Source => ({
  signal: 'metrics',
  table: `otel_metrics_${kind}`,
  time: 'TimeUnix',
  fields: METRIC_FIELDS,
  mapOf(source) {
    if (source === 'resource') return 'ResourceAttributes';
    return source === 'scope' ? 'ScopeAttributes' : 'Attributes';
  },
  pairs: new Map(),
});
