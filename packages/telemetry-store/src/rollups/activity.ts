import {
  type Figure,
  figureOfGroup,
  figureOfRow,
  ROLLUP_HEAD,
  type Rollup,
  type RollupColumn,
} from './rollup.ts';
import { HIGHEST_FIGURES } from './highest.ts';
import { SPAN_STAGE } from './span-stage.ts';
import { FAILED_HASHES, VALUE_FIGURES } from './value-hashes.ts';

const SUM = 'SimpleAggregateFunction(sum, UInt64)';
const TEXTS = 'SimpleAggregateFunction(groupUniqArrayArray, Array(String))';
const HEAD = ROLLUP_HEAD.map(({ name }) => name).join(', ');
/** Spans that name a session or a user. */
const NAMED = "(SessionId != '' OR UserId != '')";

/** `OpeningNs` of rows without a span that carries messages. */
export const NO_OPENING = 9_223_372_036_854_775_807n;

const KEYS: readonly RollupColumn[] = [
  { name: 'Bucket', type: 'DateTime' },
  /** Grouping by numbers costs a fraction of grouping by ids. */
  { name: 'SessionHash', type: 'UInt64' },
  { name: 'UserHash', type: 'UInt64' },
  { name: 'SessionId', type: 'String' },
  { name: 'UserId', type: 'String' },
];

const FIGURES: readonly (RollupColumn & Figure)[] = [
  { name: 'FirstNs', type: 'SimpleAggregateFunction(min, Int64)', of: 'Ns' },
  { name: 'EndNs', type: 'SimpleAggregateFunction(max, Int64)', of: 'Ns + toInt64(Duration)' },
  {
    name: 'OpeningNs',
    type: 'SimpleAggregateFunction(min, Int64)',
    of: `if(HasContent, Ns, toInt64(${NO_OPENING}))`,
  },
  { name: 'Spans', type: SUM, of: 'Weight' },
  { name: 'Errors', type: SUM, of: 'Failed * Weight' },
  { name: 'Counting', type: SUM, of: 'NamedCounts * Weight' },
  { name: 'Input', type: SUM, of: 'NamedInput * Weight' },
  { name: 'CacheRead', type: SUM, of: 'NamedRead * Weight' },
  { name: 'CacheWrite', type: SUM, of: 'NamedWrite * Weight' },
  { name: 'Output', type: SUM, of: 'NamedOutput * Weight' },
  { name: 'Reasoning', type: SUM, of: 'NamedReasoning * Weight' },
  { name: 'Priced', type: SUM, of: 'NamedCost * Weight' },
  { name: 'Cost', type: 'SimpleAggregateFunction(sum, Int64)', of: 'NamedUnits * Weight' },
  /** Hashes of the traces: sets, so that a trace that comes in parts counts once. */
  {
    name: 'Traces',
    type: 'SimpleAggregateFunction(groupUniqArrayArray, Array(UInt64))',
    of: 'cityHash64(TraceId)',
  },
  { name: 'Models', type: TEXTS, of: 'Model', when: "Model != ''" },
  { name: 'Agents', type: TEXTS, of: 'AgentName', when: "AgentName != ''" },
  ...VALUE_FIGURES,
  ...HIGHEST_FIGURES,
  FAILED_HASHES,
];

/**
 * The spans that name a session or a user, by five minutes, session and user. Its table is sorted by session within six
 * hours, and what pages of sessions and of users read of it once more by session and by user: a column that they read is one
 * of that projection (migrations 28 and 21), or the engine has to read the table instead.
 */
export const ACTIVITY: Rollup = {
  name: 'session_figures',
  columns: [...ROLLUP_HEAD, ...KEYS, ...FIGURES.map(({ name, type }) => ({ name, type }))],
  sources: {
    otel_traces: {
      stage: SPAN_STAGE,
      when: NAMED,
      select: (spans) => `
SELECT ${HEAD}, FiveMinutes AS Bucket, cityHash64(SessionId) AS SessionHash, cityHash64(UserId) AS UserHash, SessionId, UserId,
  ${FIGURES.map((figure) => `${figureOfGroup(figure, figure)} AS ${figure.name}`).join(', ')}
FROM ${spans} WHERE ${NAMED} GROUP BY ${HEAD}, ${KEYS.map(({ name }) => name).join(', ')}`,
      // Spans have the hashes of their ids, too.
      alone: {
        when: "(SessionHash != cityHash64('') OR UserHash != cityHash64(''))",
        columns: {
          Bucket: 'FiveMinutes',
          ...Object.fromEntries(FIGURES.map((figure) => [figure.name, figureOfRow(figure, figure)])),
        },
      },
    },
  },
};
