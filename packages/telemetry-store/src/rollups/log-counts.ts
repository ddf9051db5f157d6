import { ROLLUP_BUCKET_SECONDS, ROLLUP_HEAD, ROLLUP_HEAD_SQL, type Rollup, startOf } from './rollup.ts';

const DIMENSIONS = ['ServiceName', 'SeverityNumber', 'SeverityText', 'EventName', 'ScopeName'];
const KEYS = `${ROLLUP_HEAD.map(({ name }) => name).join(', ')}, Bucket, ${DIMENSIONS.join(', ')}`;

/** Log records by five minutes and by what they are. */
export const LOG_COUNTS: Rollup = {
  name: 'log_counts',
  columns: [
    ...ROLLUP_HEAD,
    { name: 'Bucket', type: 'DateTime' },
    { name: 'ServiceName', type: 'LowCardinality(String)' },
    { name: 'SeverityNumber', type: 'UInt8' },
    { name: 'SeverityText', type: 'LowCardinality(String)' },
    { name: 'EventName', type: 'LowCardinality(String)' },
    { name: 'ScopeName', type: 'LowCardinality(String)' },
    { name: 'Records', type: 'SimpleAggregateFunction(sum, UInt64)' },
  ],
  sources: {
    otel_logs: (rows) => `
SELECT ${ROLLUP_HEAD_SQL}, ${startOf(ROLLUP_BUCKET_SECONDS)} AS Bucket, ${DIMENSIONS.join(', ')},
  count() AS Records
FROM ${rows} GROUP BY ${KEYS}`,
  },
};
