import { LOG_STAGE } from './log-stage.ts';
import { ROLLUP_HEAD, type Rollup } from './rollup.ts';

const DIMENSIONS = ['ServiceName', 'SeverityNumber', 'SeverityText', 'EventName', 'ScopeName'];
const HEAD = ROLLUP_HEAD.map(({ name }) => name).join(', ');
const KEYS = `${HEAD}, Bucket, ${DIMENSIONS.join(', ')}`;

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
    otel_logs: {
      stage: LOG_STAGE,
      select: (logs) => `
SELECT ${HEAD}, FiveMinutes AS Bucket, ${DIMENSIONS.join(', ')}, count() AS Records
FROM ${logs} GROUP BY ${KEYS}`,
    },
  },
};
