import { MODEL_SQL } from '../queries/core/gen-ai.ts';
import {
  COST_UNITS_SQL,
  ROLLUP_BUCKET_SECONDS,
  ROLLUP_HEAD,
  ROLLUP_HEAD_SQL,
  type Rollup,
  startOf,
} from './rollup.ts';

const SUM = 'SimpleAggregateFunction(sum, UInt64)';
const TEXTS = 'SimpleAggregateFunction(groupUniqArrayArray, Array(String))';
const KEYS = `${ROLLUP_HEAD.map(({ name }) => name).join(', ')}, Bucket, SessionHash, UserHash, SessionId, UserId`;
const NS = 'toUnixTimestamp64Nano(Timestamp)';

/** `OpeningNs` of rows without a span that carries messages. */
export const NO_OPENING = 9_223_372_036_854_775_807n;

/** The spans that name a session or a user, by five minutes, session and user. */
export const ACTIVITY: Rollup = {
  name: 'activity',
  columns: [
    ...ROLLUP_HEAD,
    { name: 'Bucket', type: 'DateTime' },
    /** Grouping by numbers costs a fraction of grouping by ids. */
    { name: 'SessionHash', type: 'UInt64' },
    { name: 'UserHash', type: 'UInt64' },
    { name: 'SessionId', type: 'String' },
    { name: 'UserId', type: 'String' },
    { name: 'FirstNs', type: 'SimpleAggregateFunction(min, Int64)' },
    { name: 'EndNs', type: 'SimpleAggregateFunction(max, Int64)' },
    { name: 'OpeningNs', type: 'SimpleAggregateFunction(min, Int64)' },
    { name: 'Spans', type: SUM },
    { name: 'Errors', type: SUM },
    { name: 'Counting', type: SUM },
    { name: 'Input', type: SUM },
    { name: 'CacheRead', type: SUM },
    { name: 'CacheWrite', type: SUM },
    { name: 'Output', type: SUM },
    { name: 'Reasoning', type: SUM },
    { name: 'Priced', type: SUM },
    { name: 'Cost', type: 'SimpleAggregateFunction(sum, Int64)' },
    /** Hashes of the traces: sets, so that a trace that comes in parts counts once. */
    { name: 'Traces', type: 'SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64))' },
    { name: 'Models', type: TEXTS },
    { name: 'Agents', type: TEXTS },
  ],
  sources: {
    otel_traces: (rows) => `
SELECT ${ROLLUP_HEAD_SQL}, ${startOf(ROLLUP_BUCKET_SECONDS)} AS Bucket, cityHash64(SessionId) AS SessionHash,
  cityHash64(UserId) AS UserHash, SessionId, UserId,
  min(${NS}) AS FirstNs, max(${NS} + toInt64(Duration)) AS EndNs,
  min(if(empty(mapKeys(ContentAttributes)), toInt64(${NO_OPENING}), ${NS})) AS OpeningNs,
  count() AS Spans, countIf(StatusCode = 'Error') AS Errors, countIf(CountsUsage = 1) AS Counting,
  sumIf(InputTokens, CountsUsage = 1) AS Input, sumIf(CacheReadTokens, CountsUsage = 1) AS CacheRead,
  sumIf(CacheWriteTokens, CountsUsage = 1) AS CacheWrite, sumIf(OutputTokens, CountsUsage = 1) AS Output,
  sumIf(ReasoningTokens, CountsUsage = 1) AS Reasoning,
  countIf(CountsUsage = 1 AND isNotNull(CostUsd)) AS Priced, sumIf(${COST_UNITS_SQL}, CountsUsage = 1) AS Cost,
  groupUniqArray(cityHash64(TraceId)) AS Traces,
  groupUniqArrayIf(${MODEL_SQL}, ${MODEL_SQL} != '') AS Models,
  groupUniqArrayIf(AgentName, AgentName != '') AS Agents
FROM ${rows} WHERE SessionId != '' OR UserId != '' GROUP BY ${KEYS}`,
  },
};
