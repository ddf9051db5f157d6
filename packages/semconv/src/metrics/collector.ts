import { type Metric, metric } from './metric.ts';

export const collectorSourceErrors = metric({
  name: 'platform.collector.source.errors',
  instrument: 'counter',
  unit: '{error}',
  description: 'Times a source failed, hung or sent a point that cannot be, since the agent started.',
  attributes: ['platform.collector.source', 'error.type'],
  differs: 'Not in the semantic conventions: the health of the agent itself.',
});

export const collectorSourceDuration = metric({
  name: 'platform.collector.source.duration',
  instrument: 'gauge',
  unit: 's',
  description: 'Time a source took at the last tick.',
  attributes: ['platform.collector.source'],
  differs: 'Not in the semantic conventions: the health of the agent itself.',
});

export const collectorTickDuration = metric({
  name: 'platform.collector.tick.duration',
  instrument: 'gauge',
  unit: 's',
  description: 'Time the last tick took, all sources together.',
  attributes: [],
  differs: 'Not in the semantic conventions: the health of the agent itself.',
});

export const collectorPoints = metric({
  name: 'platform.collector.tick.points',
  instrument: 'gauge',
  unit: '{point}',
  description: 'Points of the last tick.',
  attributes: [],
  differs: 'Not in the semantic conventions: the health of the agent itself.',
});

export const collectorDroppedPoints = metric({
  name: 'platform.collector.points.dropped',
  instrument: 'counter',
  unit: '{point}',
  description: 'Points that were measured and not kept, since the agent started.',
  attributes: ['platform.collector.source', 'error.type'],
  differs: 'Not in the semantic conventions: the health of the agent itself.',
});

export const collectorExportFailures = metric({
  name: 'platform.collector.export.failures',
  instrument: 'counter',
  unit: '{export}',
  description: 'Exports that the OTLP endpoint did not take, retries included, since the agent started.',
  attributes: [],
  differs: 'Not in the semantic conventions: the health of the agent itself.',
});

export const collectorProfileRequests = metric({
  name: 'platform.collector.profile.requests',
  instrument: 'counter',
  unit: '{request}',
  description: 'Captures asked for through the control API, since the agent started.',
  attributes: ['profile.type', 'result'],
  differs: 'Not in the semantic conventions: the health of the agent itself.',
});

/** What the agent says of itself. */
export const COLLECTOR_METRICS: readonly Metric[] = [
  collectorSourceErrors,
  collectorSourceDuration,
  collectorTickDuration,
  collectorPoints,
  collectorDroppedPoints,
  collectorExportFailures,
  collectorProfileRequests,
];
