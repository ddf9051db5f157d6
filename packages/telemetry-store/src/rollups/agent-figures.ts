import { MODEL_SQL } from '../queries/core/gen-ai.ts';
import { AGENT_VERSION } from '../schema/expressions.ts';
import { ENDED } from '../schema/tables.ts';
import { WEIGHT_SQL } from '../schema/weight.ts';
import {
  COST_UNITS_SQL,
  ROLLUP_BUCKET_SECONDS,
  ROLLUP_HEAD,
  ROLLUP_HEAD_SQL,
  type Rollup,
  startOf,
} from './rollup.ts';

const SUM = 'SimpleAggregateFunction(sum, UInt64)';
const DIMENSIONS = [
  'AgentName',
  'AgentVersion',
  'GenAiOperation',
  'GenAiProvider',
  'Model',
  'ToolName',
  'ServiceName',
  'GenAiConvention',
  'ScopeName',
];
const KEYS = `${ROLLUP_HEAD.map(({ name }) => name).join(', ')}, Bucket, ${DIMENSIONS.join(', ')}`;
const NS = 'toUnixTimestamp64Nano(Timestamp)';

/** Neighbouring steps of the durations' scale differ by two percent, so that their middle is within one. */
export const DURATION_BASE = 1.02;
/** The step of a duration in nanoseconds. */
const STEP = `toUInt16(round(log(greatest(Duration, 1)) / ${Math.log(DURATION_BASE)}))`;

/** For the agent that a row names: also where the counted call is a repeat of it that names none. */
const COUNTS = 'CountsUsage IN (1, 4, 6)';

/** The spans that name an agent, by five minutes and by what they are. */
export const AGENT_FIGURES: Rollup = {
  name: 'agent_figures',
  columns: [
    ...ROLLUP_HEAD,
    { name: 'Bucket', type: 'DateTime' },
    ...DIMENSIONS.map((name) => ({ name, type: 'LowCardinality(String)' })),
    { name: 'FirstNs', type: 'SimpleAggregateFunction(min, Int64)' },
    { name: 'LastNs', type: 'SimpleAggregateFunction(max, Int64)' },
    { name: 'Spans', type: SUM },
    { name: 'Errors', type: SUM },
    { name: 'Counting', type: SUM },
    { name: 'InTokens', type: SUM },
    { name: 'OutTokens', type: SUM },
    { name: 'Priced', type: SUM },
    { name: 'Cost', type: 'SimpleAggregateFunction(sum, Int64)' },
    /** How many durations, of what has ended, lie on which step of a logarithmic scale. */
    { name: 'Durations', type: 'SimpleAggregateFunction(sumMap, Tuple(Array(UInt16), Array(UInt64)))' },
  ],
  sources: {
    // From the rows themselves: only spans of agents pay for the messages that a version is made of.
    otel_traces: {
      when: "AgentName != ''",
      select: (rows) => `
SELECT ${ROLLUP_HEAD_SQL}, ${startOf(ROLLUP_BUCKET_SECONDS)} AS Bucket, AgentName,
  toLowCardinality(${AGENT_VERSION}) AS AgentVersion, GenAiOperation, GenAiProvider, ${MODEL_SQL} AS Model, ToolName,
  ServiceName, GenAiConvention, ScopeName,
  min(${NS}) AS FirstNs, max(${NS}) AS LastNs, sum(${WEIGHT_SQL}) AS Spans, sumIf(${WEIGHT_SQL}, StatusCode = 'Error') AS Errors,
  sumIf(${WEIGHT_SQL}, ${COUNTS}) AS Counting,
  sumIf((toUInt64(InputTokens) + CacheReadTokens + CacheWriteTokens) * ${WEIGHT_SQL}, ${COUNTS}) AS InTokens,
  sumIf((toUInt64(OutputTokens) + ReasoningTokens) * ${WEIGHT_SQL}, ${COUNTS}) AS OutTokens,
  sumIf(${WEIGHT_SQL}, ${COUNTS} AND isNotNull(CostUsd)) AS Priced,
  sumIf(${COST_UNITS_SQL} * ${WEIGHT_SQL}, ${COUNTS}) AS Cost,
  sumMapIf([${STEP}], [${WEIGHT_SQL}], ${ENDED}) AS Durations
FROM ${rows} WHERE AgentName != '' GROUP BY ${KEYS}`,
    },
  },
};
