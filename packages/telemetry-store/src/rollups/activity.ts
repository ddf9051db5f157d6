import { ROLLUP_HEAD, type Rollup } from './rollup.ts';
import { SPAN_STAGE } from './span-stage.ts';
import { VALUE_HASHES, VALUE_HASHES_SQL } from './value-hashes.ts';

const SUM = 'SimpleAggregateFunction(sum, UInt64)';
const TEXTS = 'SimpleAggregateFunction(groupUniqArrayArray, Array(String))';
const HEAD = ROLLUP_HEAD.map(({ name }) => name).join(', ');
const KEYS = `${HEAD}, Bucket, SessionHash, UserHash, SessionId, UserId`;
/** Spans that name a session or a user. */
const NAMED = "(SessionId != '' OR UserId != '')";

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
    ...VALUE_HASHES,
  ],
  sources: {
    otel_traces: {
      stage: SPAN_STAGE,
      when: NAMED,
      select: (spans) => `
SELECT ${HEAD}, FiveMinutes AS Bucket, cityHash64(SessionId) AS SessionHash, cityHash64(UserId) AS UserHash, SessionId,
  UserId, min(Ns) AS FirstNs, max(Ns + toInt64(Duration)) AS EndNs,
  min(if(HasContent, Ns, toInt64(${NO_OPENING}))) AS OpeningNs, count() AS Spans, sum(Failed) AS Errors,
  sum(Counts) AS Counting, sum(UsedInput) AS Input, sum(UsedRead) AS CacheRead, sum(UsedWrite) AS CacheWrite,
  sum(UsedOutput) AS Output, sum(UsedReasoning) AS Reasoning, sum(HasCost) AS Priced, sum(UsedUnits) AS Cost,
  groupUniqArray(cityHash64(TraceId)) AS Traces, groupUniqArrayIf(Model, Model != '') AS Models,
  groupUniqArrayIf(AgentName, AgentName != '') AS Agents, ${VALUE_HASHES_SQL}
FROM ${spans} WHERE ${NAMED} GROUP BY ${KEYS}`,
    },
  },
};
