import { ACTIVITY } from './activity.ts';
import { AGENT_FIGURES } from './agent-figures.ts';
import { EXCEPTION_GROUPS, EXCEPTIONS } from './exceptions.ts';
import { HOST_CALLS } from './host-calls.ts';
import { HOST_POINTS } from './host-points.ts';
import { LOG_COUNTS } from './log-counts.ts';
import { METRIC_SERIES } from './metric-series.ts';
import { LOG_STAGE } from './log-stage.ts';
import { POINT_STAGES } from './point-stage.ts';
import type { Rollup, Stage } from './rollup.ts';
import { SCORES } from './scores.ts';
import { SPAN_STAGE } from './span-stage.ts';
import { SPAN_COUNTS } from './span-counts.ts';
import { TRACE_FIGURES } from './trace-figures.ts';

/** Every rollup; the explicit registry. */
export const ROLLUPS: readonly Rollup[] = [
  SPAN_COUNTS,
  TRACE_FIGURES,
  LOG_COUNTS,
  EXCEPTIONS,
  EXCEPTION_GROUPS,
  ACTIVITY,
  AGENT_FIGURES,
  HOST_POINTS,
  HOST_CALLS,
  METRIC_SERIES,
  SCORES,
];

/** The rollups made from rows of a table. */
export const rollupsOf = (table: string): readonly Rollup[] =>
  ROLLUPS.filter(({ sources }) => Object.hasOwn(sources, table));

/** By table: what its rollups' conditions are asked of, and most of them read. */
export const COMMON_STAGES: ReadonlyMap<string, Stage> = new Map([
  ['otel_traces', SPAN_STAGE],
  ['otel_logs', LOG_STAGE],
  ['otel_metrics_gauge', POINT_STAGES.gauge],
  ['otel_metrics_sum', POINT_STAGES.sum],
]);
