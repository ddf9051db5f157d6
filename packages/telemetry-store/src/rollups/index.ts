import { ACTIVITY } from './activity.ts';
import { AGENT_FIGURES } from './agent-figures.ts';
import { LOG_COUNTS } from './log-counts.ts';
import type { Rollup } from './rollup.ts';
import { SPAN_COUNTS } from './span-counts.ts';
import { TRACE_FIGURES } from './trace-figures.ts';

/** Every rollup; the explicit registry. */
export const ROLLUPS: readonly Rollup[] = [SPAN_COUNTS, TRACE_FIGURES, LOG_COUNTS, ACTIVITY, AGENT_FIGURES];

/** The rollups made from rows of a table. */
export const rollupsOf = (table: string): readonly Rollup[] =>
  ROLLUPS.filter(({ sources }) => Object.hasOwn(sources, table));
