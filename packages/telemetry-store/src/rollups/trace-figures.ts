import { MODEL_SQL } from '../queries/core/gen-ai.ts';
import { COST_UNITS_SQL, ROLLUP_HEAD, ROLLUP_HEAD_SQL, type Rollup, startOf } from './rollup.ts';

const SUM = 'SimpleAggregateFunction(sum, UInt64)';
const TEXTS = 'SimpleAggregateFunction(groupUniqArrayArray, Array(String))';
const KEYS = `${ROLLUP_HEAD.map(({ name }) => name).join(', ')}, Hour, TraceHash, TraceId`;

/**
 * What lists of traces are sorted by, for the spans of a trace that began in the same hour. The hour is that of each
 * span, so that rows do not depend on which spans arrived together.
 */
export const TRACE_FIGURES: Rollup = {
  name: 'trace_figures',
  columns: [
    ...ROLLUP_HEAD,
    { name: 'Hour', type: 'DateTime' },
    /** Grouping millions of traces by a number costs a fraction of grouping them by their id. */
    { name: 'TraceHash', type: 'UInt64' },
    { name: 'TraceId', type: 'String' },
    { name: 'FirstNs', type: 'SimpleAggregateFunction(min, Int64)' },
    { name: 'LastNs', type: 'SimpleAggregateFunction(max, Int64)' },
    { name: 'EndNs', type: 'SimpleAggregateFunction(max, Int64)' },
    { name: 'Spans', type: SUM },
    { name: 'Errors', type: SUM },
    { name: 'Tokens', type: SUM },
    /** Ten decimals of a dollar: whole numbers add up to the same in any order. */
    { name: 'Cost', type: 'SimpleAggregateFunction(sum, Int64)' },
    { name: 'Priced', type: SUM },
    { name: 'Services', type: TEXTS },
    { name: 'Models', type: TEXTS },
    { name: 'Operations', type: TEXTS },
    { name: 'Agents', type: TEXTS },
  ],
  sources: {
    otel_traces: (rows) => `
SELECT ${ROLLUP_HEAD_SQL}, ${startOf(3_600)} AS Hour, cityHash64(TraceId) AS TraceHash, TraceId,
  min(toUnixTimestamp64Nano(Timestamp)) AS FirstNs, max(toUnixTimestamp64Nano(Timestamp)) AS LastNs,
  max(toUnixTimestamp64Nano(Timestamp) + toInt64(Duration)) AS EndNs, count() AS Spans,
  countIf(StatusCode = 'Error') AS Errors,
  sumIf(InputTokens + CacheReadTokens + CacheWriteTokens + OutputTokens + ReasoningTokens, CountsUsage = 1) AS Tokens,
  sumIf(${COST_UNITS_SQL}, CountsUsage = 1) AS Cost,
  countIf(CountsUsage = 1 AND isNotNull(CostUsd)) AS Priced,
  groupUniqArray(ServiceName) AS Services,
  groupUniqArrayIf(${MODEL_SQL}, ${MODEL_SQL} != '') AS Models,
  groupUniqArrayIf(GenAiOperation, GenAiOperation != '') AS Operations,
  groupUniqArrayIf(AgentName, AgentName != '') AS Agents
FROM ${rows} GROUP BY ${KEYS}`,
  },
};
