import { MODEL_OPERATIONS } from '@candela/semconv';
import { ROLLUP_HEAD, type Rollup, startOf } from './rollup.ts';
import { SPAN_STAGE } from './span-stage.ts';

const SUM = 'SimpleAggregateFunction(sum, UInt64)';
const LC = 'LowCardinality(String)';
const HEAD = ROLLUP_HEAD.map(({ name }) => name).join(', ');
const KEYS = `${HEAD}, Bucket, Host, ServiceName, GenAiProvider, Model`;

/** Width of a bucket: fine enough to lie beside a utilisation curve of an hour. */
export const CALL_BUCKET_SECONDS = 60;
/** Neighbouring steps of the durations' scale differ by two percent, so that their middle is within one. */
export const CALL_DURATION_BASE = 1.02;
const STEP = `toUInt16(round(log(greatest(Duration, 1)) / ${Math.log(CALL_DURATION_BASE)}))`;

const IS_CALL = `(Host != '' AND GenAiOperation IN (${MODEL_OPERATIONS.map((name) => `'${name}'`).join(', ')}))`;

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
    /** How many durations, of what has ended, lie on which step of a logarithmic scale. */
    { name: 'Durations', type: 'SimpleAggregateFunction(sumMap, Tuple(Array(UInt16), Array(UInt64)))' },
  ],
  sources: {
    otel_traces: {
      stage: SPAN_STAGE,
      when: IS_CALL,
      select: (spans) => `
SELECT ${HEAD}, ${startOf(CALL_BUCKET_SECONDS, 'Ns')} AS Bucket, Host, ServiceName, GenAiProvider, Model,
  sum(Weight) AS Calls, sum(Failed * Weight) AS Errors, sum(Counts * Weight) AS Counting,
  sum((UsedInput + UsedRead + UsedWrite) * Weight) AS InTokens,
  sum((UsedOutput + UsedReasoning) * Weight) AS OutTokens, sum(HasCost * Weight) AS Priced, sum(UsedUnits * Weight) AS Cost,
  sumMapIf([${STEP}], [Weight], Ended) AS Durations
FROM ${spans} WHERE ${IS_CALL} GROUP BY ${KEYS}`,
    },
  },
};
