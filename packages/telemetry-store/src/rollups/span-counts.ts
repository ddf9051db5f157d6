import { ROLLUP_BUCKET_SECONDS, ROLLUP_HEAD, ROLLUP_HEAD_SQL, type Rollup, startOf } from './rollup.ts';

const SUM = 'SimpleAggregateFunction(sum, UInt64)';

/** The narrow columns of a span that charts and facets ask for, under the names they have there. */
const DIMENSIONS = [
  'ServiceName',
  'SpanName',
  'SpanKind',
  'StatusCode',
  'GenAiOperation',
  'GenAiProvider',
  'GenAiRequestModel',
  'GenAiResponseModel',
  'AgentName',
  'ToolName',
  'ErrorType',
];
const KEYS = `${ROLLUP_HEAD.map(({ name }) => name).join(', ')}, Bucket, ${DIMENSIONS.join(', ')}, Root`;

/** Spans by five minutes and by what they are: counts, time, and the usage that counts. */
export const SPAN_COUNTS: Rollup = {
  name: 'span_counts',
  columns: [
    ...ROLLUP_HEAD,
    { name: 'Bucket', type: 'DateTime' },
    ...DIMENSIONS.map((name) => ({ name, type: 'LowCardinality(String)' })),
    { name: 'Root', type: 'UInt8' },
    { name: 'Spans', type: SUM },
    { name: 'DurationNs', type: SUM },
    { name: 'Counting', type: SUM },
    { name: 'InputTokens', type: SUM },
    { name: 'CacheReadTokens', type: SUM },
    { name: 'CacheWriteTokens', type: SUM },
    { name: 'OutputTokens', type: SUM },
    { name: 'ReasoningTokens', type: SUM },
    { name: 'Priced', type: SUM },
    { name: 'CostUsd', type: 'SimpleAggregateFunction(sum, Float64)' },
  ],
  sources: {
    // The figures take other names inside, since an alias would hide the column it is made of.
    otel_traces: (rows) => `
SELECT * EXCEPT (SIn, SRead, SWrite, SOut, SReason, SCost), SIn AS InputTokens, SRead AS CacheReadTokens,
  SWrite AS CacheWriteTokens, SOut AS OutputTokens, SReason AS ReasoningTokens, SCost AS CostUsd
FROM (
  SELECT ${ROLLUP_HEAD_SQL}, ${startOf(ROLLUP_BUCKET_SECONDS)} AS Bucket, ${DIMENSIONS.join(', ')},
    ParentSpanId = '' AS Root, count() AS Spans, sum(Duration) AS DurationNs, sum(CountsUsage) AS Counting,
    sumIf(InputTokens, CountsUsage = 1) AS SIn, sumIf(CacheReadTokens, CountsUsage = 1) AS SRead,
    sumIf(CacheWriteTokens, CountsUsage = 1) AS SWrite, sumIf(OutputTokens, CountsUsage = 1) AS SOut,
    sumIf(ReasoningTokens, CountsUsage = 1) AS SReason,
    countIf(CountsUsage = 1 AND isNotNull(CostUsd)) AS Priced, sumIf(ifNull(CostUsd, 0), CountsUsage = 1) AS SCost
  FROM ${rows} GROUP BY ${KEYS}
)`,
  },
};
