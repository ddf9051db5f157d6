import {
  AGENT_SQL,
  DEVICE_SQL,
  HOST_SERIES_SQL,
  HOST_SQL,
  IS_HOST_METRIC_SQL,
  PART_SQL,
} from '../schema/host-points.ts';
import { POINT_STAGES } from './point-stage.ts';
import { ROLLUP_HEAD, ROLLUP_HEAD_SQL, type Rollup } from './rollup.ts';

const LC = 'LowCardinality(String)';
const KEYS = `${ROLLUP_HEAD.map(({ name }) => name).join(', ')}, MetricName, TimeUnix, Host, Agent, Device, Part, Series, Kind`;

/** How the value of a point is to be read. */
export const POINT_KINDS = { level: 0, counter: 1, increase: 2 } as const;

const pointsOf =
  (kind: string, since: string) =>
  (rows: string): string =>
    `
SELECT ${KEYS}, max(Point) AS Value, max(Since) AS SinceNs FROM (
  SELECT ${ROLLUP_HEAD_SQL}, MetricName, TimeUnix, ${HOST_SQL} AS Host, ${AGENT_SQL} AS Agent, ${DEVICE_SQL} AS Device,
    ${PART_SQL} AS Part, ${HOST_SERIES_SQL} AS Series, toUInt8(${kind}) AS Kind, Value AS Point,
    ${since} AS Since
  FROM ${rows} WHERE ${IS_HOST_METRIC_SQL} AND isFinite(Value) AND bitAnd(Flags, 1) = 0
) WHERE Host != '' GROUP BY ${KEYS}`;

/**
 * The points of infrastructure metrics without their attribute maps: a fleet's newest values and a device's curve over
 * a day are read from narrow columns.
 */
export const HOST_POINTS: Rollup = {
  name: 'host_points',
  columns: [
    ...ROLLUP_HEAD,
    { name: 'MetricName', type: LC },
    { name: 'TimeUnix', type: 'DateTime64(9)' },
    { name: 'Host', type: LC },
    { name: 'Agent', type: LC },
    { name: 'Device', type: LC },
    { name: 'Part', type: LC },
    { name: 'Series', type: 'UInt64' },
    { name: 'Kind', type: 'UInt8' },
    { name: 'Value', type: 'SimpleAggregateFunction(max, Float64)' },
    /** Of counters: since when they count, in nanoseconds. 0: not said, or a level, which counts nothing. */
    { name: 'SinceNs', type: 'SimpleAggregateFunction(max, Int64)' },
  ],
  sources: {
    otel_metrics_gauge: {
      stage: POINT_STAGES.gauge,
      when: IS_HOST_METRIC_SQL,
      select: pointsOf(String(POINT_KINDS.level), 'toInt64(0)'),
    },
    otel_metrics_sum: {
      stage: POINT_STAGES.sum,
      when: IS_HOST_METRIC_SQL,
      select: pointsOf(
        `multiIf(NOT IsMonotonic, ${POINT_KINDS.level}, AggregationTemporality = 1, ${POINT_KINDS.increase}, ${POINT_KINDS.counter})`,
        'if(IsMonotonic, toUnixTimestamp64Nano(StartTimeUnix), 0)',
      ),
    },
  },
};
