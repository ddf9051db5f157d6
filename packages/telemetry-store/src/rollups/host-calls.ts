import { MODEL_SQL } from '../queries/core/gen-ai.ts';
import { HOST_SQL } from '../schema/host-points.ts';
import { COST_UNITS_SQL, ROLLUP_HEAD, ROLLUP_HEAD_SQL, type Rollup, startOf } from './rollup.ts';

const SUM = 'SimpleAggregateFunction(sum, UInt64)';
const LC = 'LowCardinality(String)';
const KEYS = `${ROLLUP_HEAD.map(({ name }) => name).join(', ')}, Bucket, Host, ServiceName, GenAiProvider, Model`;

/** Width of a bucket: fine enough to lie beside a utilisation curve of an hour. */
export const CALL_BUCKET_SECONDS = 60;
/** Neighbouring steps of the durations' scale differ by two percent, so that their middle is within one. */
export const CALL_DURATION_BASE = 1.02;
const STEP = `toUInt16(round(log(greatest(Duration, 1)) / ${Math.log(CALL_DURATION_BASE)}))`;

/** Operations that are one request to a model, in the spelling of the promoted column. */
const MODEL_CALLS = [
  'chat',
  'text_completion',
  'embeddings',
  'rerank',
  'image',
  'audio',
  'video',
  'translate',
  'moderation',
  'realtime',
];

/** Model calls made or served by the programs of a host, by minute and model. */
export const HOST_CALLS: Rollup = {
  name: 'host_calls',
  columns: [
    ...ROLLUP_HEAD,
    { name: 'Bucket', type: 'DateTime' },
    { name: 'Host', type: LC },
    { name: 'ServiceName', type: LC },
    { name: 'GenAiProvider', type: LC },
    { name: 'Model', type: LC },
    { name: 'Calls', type: SUM },
    { name: 'Errors', type: SUM },
    { name: 'Counting', type: SUM },
    { name: 'InTokens', type: SUM },
    { name: 'OutTokens', type: SUM },
    { name: 'Priced', type: SUM },
    { name: 'Cost', type: 'SimpleAggregateFunction(sum, Int64)' },
    /** How many durations lie on which step of a logarithmic scale. */
    { name: 'Durations', type: 'SimpleAggregateFunction(sumMap, Tuple(Array(UInt16), Array(UInt64)))' },
  ],
  sources: {
    otel_traces: (rows) => `
SELECT ${ROLLUP_HEAD_SQL}, ${startOf(CALL_BUCKET_SECONDS)} AS Bucket, ${HOST_SQL} AS Host, ServiceName, GenAiProvider,
  ${MODEL_SQL} AS Model, count() AS Calls, countIf(StatusCode = 'Error') AS Errors,
  countIf(CountsUsage = 1) AS Counting,
  sumIf(toUInt64(InputTokens) + CacheReadTokens + CacheWriteTokens, CountsUsage = 1) AS InTokens,
  sumIf(toUInt64(OutputTokens) + ReasoningTokens, CountsUsage = 1) AS OutTokens,
  countIf(CountsUsage = 1 AND isNotNull(CostUsd)) AS Priced, sumIf(${COST_UNITS_SQL}, CountsUsage = 1) AS Cost,
  sumMap([${STEP}], [toUInt64(1)]) AS Durations
FROM ${rows} WHERE GenAiOperation IN (${MODEL_CALLS.map((name) => `'${name}'`).join(', ')}) AND ${HOST_SQL} != ''
GROUP BY ${KEYS}`,
  },
};
