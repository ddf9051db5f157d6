import { HIGHEST_FIGURES, HIGHEST_SQL } from './highest.ts';
import { figureOfGroup, ROLLUP_HEAD, type Rollup, startOf } from './rollup.ts';
import { SPAN_STAGE } from './span-stage.ts';
import { FAILED_HASHES, VALUE_HASHES, VALUE_HASHES_SQL } from './value-hashes.ts';

const SUM = 'SimpleAggregateFunction(sum, UInt64)';
const HEAD = ROLLUP_HEAD.map(({ name }) => name).join(', ');
const KEYS = `${HEAD}, Hour, TraceHash, TraceId`;

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
    ...VALUE_HASHES,
    ...HIGHEST_FIGURES.map(({ name, type }) => ({ name, type })),
    { name: FAILED_HASHES.name, type: FAILED_HASHES.type },
  ],
  sources: {
    otel_traces: {
      stage: SPAN_STAGE,
      select: (spans) => `
SELECT ${HEAD}, ${startOf(3_600, 'Ns')} AS Hour, cityHash64(TraceId) AS TraceHash, TraceId, min(Ns) AS FirstNs,
  max(Ns) AS LastNs, max(Ns + toInt64(Duration)) AS EndNs, count() AS Spans, sum(Failed) AS Errors,
  sum(UsedInput + UsedRead + UsedWrite + UsedOutput + UsedReasoning) AS Tokens, sum(UsedUnits) AS Cost,
  sum(HasCost) AS Priced, ${VALUE_HASHES_SQL},
  ${HIGHEST_SQL}, ${figureOfGroup(FAILED_HASHES, FAILED_HASHES)} AS ${FAILED_HASHES.name}
FROM ${spans} GROUP BY ${KEYS}`,
    },
  },
};
