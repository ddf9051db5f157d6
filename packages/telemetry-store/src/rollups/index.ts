import { ACTIVITY } from './activity.ts';
import { AGENT_FIGURES } from './agent-figures.ts';
import { EXCEPTION_GROUPS, EXCEPTIONS } from './exceptions.ts';
import { HOST_CALLS } from './host-calls.ts';
import { HOST_POINTS } from './host-points.ts';
import { LOG_COUNTS } from './log-counts.ts';
import { METRIC_SERIES } from './metric-series.ts';
import type { Rollup } from './rollup.ts';
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
];

/** The rollups made from rows of a table. */
export const rollupsOf = (table: string): readonly Rollup[] =>
  ROLLUPS.filter(({ sources }) => Object.hasOwn(sources, table));
