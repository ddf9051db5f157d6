import { ROLLUP_HEAD, type Rollup } from './rollup.ts';
import { SPAN_STAGE } from './span-stage.ts';

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
const HEAD = ROLLUP_HEAD.map(({ name }) => name).join(', ');
const KEYS = `${HEAD}, Bucket, ${DIMENSIONS.join(', ')}, Root`;

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
    otel_traces: {
      stage: SPAN_STAGE,
      select: (spans) => `
SELECT ${HEAD}, FiveMinutes AS Bucket, ${DIMENSIONS.join(', ')}, Root, sum(Weight) AS Spans, sum(Duration * Weight) AS DurationNs,
  sum(Counts * Weight) AS Counting, sum(UsedInput * Weight) AS InputTokens, sum(UsedRead * Weight) AS CacheReadTokens,
  sum(UsedWrite * Weight) AS CacheWriteTokens, sum(UsedOutput * Weight) AS OutputTokens,
  sum(UsedReasoning * Weight) AS ReasoningTokens, sum(HasCost * Weight) AS Priced, sum(UsedCost * Weight) AS CostUsd
FROM ${spans} GROUP BY ${KEYS}`,
    },
  },
};
