import type { Stage } from './rollup.ts';

const SHARED = `ProjectId, Environment, ReceivedAt, RetentionDays, MetricName, MetricUnit, MetricDescription, ServiceName,
  ScopeName, ScopeVersion, Attributes, ResourceAttributes, ScopeAttributes, TimeUnix, Flags, Value`;

/**
 * Points of the two kinds that have several rollups, by the columns that those read, as they are. Requests bring a
 * hundred or so at a time, and every function runs once for each lot; staged they are one.
 */
export const POINT_STAGES: Readonly<Record<'gauge' | 'sum', Stage>> = {
  gauge: { name: 'staged_points', select: (rows) => `SELECT ${SHARED} FROM ${rows}` },
  sum: {
    name: 'staged_points',
    select: (rows) => `SELECT ${SHARED}, StartTimeUnix, AggregationTemporality, IsMonotonic FROM ${rows}`,
  },
};
