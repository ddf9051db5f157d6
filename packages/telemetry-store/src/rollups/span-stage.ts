import { MODEL_SQL } from '../queries/core/gen-ai.ts';
import { HOST_SQL } from '../schema/host-points.ts';
import { ENDED } from '../schema/tables.ts';
import { WEIGHT_SQL } from '../schema/weight.ts';
import { HIGHEST_STAGED } from './highest.ts';
import { COST_UNITS_SQL, ROLLUP_BUCKET_SECONDS, ROLLUP_HEAD_SQL, type Stage, startOf } from './rollup.ts';

/** A span that something was thrown on: see {@link EXCEPTIONS_ON_SPAN}. */
const THROWN_ON_SPAN = `(has(Events.Name, 'exception')
  OR (StatusCode = 'Error' AND ErrorType != '' AND NOT match(ErrorType, '^[0-9]+$')))`;

/**
 * Events called `exception`, each as (time, type, message, stack trace, escaped, source). A failed span without one that
 * names its type of error is one too (source `status`), unless that type is a number: the status code of an answer is
 * no exception.
 */
const EXCEPTIONS_ON_SPAN = `if(Thrown, if(has(Events.Name, 'exception'),
    arrayMap(e -> (e.1, e.3['exception.type'], e.3['exception.message'], e.3['exception.stacktrace'],
        lower(e.3['exception.escaped']) = 'true', 'event'),
      arrayFilter(e -> e.2 = 'exception', arrayZip(Events.Timestamp, Events.Name, Events.Attributes))),
    [(Timestamp, toString(ErrorType), StatusMessage, '', false, 'status')]), [])`;

/** A span with scores as events on it. */
const SCORED_ON_SPAN = "has(Events.Name, 'gen_ai.evaluation.result')";

/** These events, each as (time, attributes). */
const SCORES_ON_SPAN = `if(Scored, arrayMap(e -> (e.1, e.3),
    arrayFilter(e -> e.2 = 'gen_ai.evaluation.result', arrayZip(Events.Timestamp, Events.Name, Events.Attributes))), [])`;

const used = (column: string): string => `if(CountsUsage = 1, ${column}, 0)`;
/** For the session and the user that a row names: also where the counted call is a repeat of it that names neither. */
const COUNTS_NAMED = 'CountsUsage IN (1, 2, 6)';
const named = (column: string): string => `if(${COUNTS_NAMED}, ${column}, 0)`;

/** Spans as rollups count them. `Used...` is nothing where the span's usage is counted elsewhere. */
const COLUMNS = {
  Weight: WEIGHT_SQL,
  Ns: 'toUnixTimestamp64Nano(Timestamp)',
  FiveMinutes: startOf(ROLLUP_BUCKET_SECONDS),
  Duration: 'Duration',
  Ended: ENDED,
  TraceId: 'TraceId',
  SpanId: 'SpanId',
  SpanName: 'SpanName',
  SpanKind: 'SpanKind',
  ServiceName: 'ServiceName',
  ScopeName: 'ScopeName',
  StatusCode: 'StatusCode',
  Failed: "CAST(StatusCode = 'Error' AS UInt8)",
  Root: "ParentSpanId = ''",
  GenAiConvention: 'GenAiConvention',
  GenAiOperation: 'GenAiOperation',
  GenAiProvider: 'GenAiProvider',
  GenAiRequestModel: 'GenAiRequestModel',
  GenAiResponseModel: 'GenAiResponseModel',
  Model: MODEL_SQL,
  SessionId: 'SessionId',
  UserId: 'UserId',
  AgentName: 'AgentName',
  ToolName: 'ToolName',
  ErrorType: 'ErrorType',
  Host: HOST_SQL,
  HasContent: 'ContentAttributes.size0 != 0',
  Thrown: THROWN_ON_SPAN,
  Exceptions: EXCEPTIONS_ON_SPAN,
  Scored: SCORED_ON_SPAN,
  ScoreEvents: SCORES_ON_SPAN,
  ThrowerVersion: "if(Thrown, ResourceAttributes['service.version'], '')",
  Counts: 'CountsUsage = 1',
  UsedInput: used('InputTokens'),
  UsedRead: used('CacheReadTokens'),
  UsedWrite: used('CacheWriteTokens'),
  UsedOutput: used('OutputTokens'),
  UsedReasoning: used('ReasoningTokens'),
  HasCost: 'Counts AND isNotNull(CostUsd)',
  UsedCost: used('ifNull(CostUsd, 0)'),
  UsedUnits: used(COST_UNITS_SQL),
  NamedCounts: COUNTS_NAMED,
  NamedInput: named('InputTokens'),
  NamedRead: named('CacheReadTokens'),
  NamedWrite: named('CacheWriteTokens'),
  NamedOutput: named('OutputTokens'),
  NamedReasoning: named('ReasoningTokens'),
  NamedCost: `${COUNTS_NAMED} AND isNotNull(CostUsd)`,
  NamedUnits: named(COST_UNITS_SQL),
  ...HIGHEST_STAGED,
} as const;

export const SPAN_STAGE: Stage = {
  name: 'staged_spans',
  columns: COLUMNS,
  select: (rows) => `
SELECT ${ROLLUP_HEAD_SQL},
  ${Object.entries(COLUMNS)
    .map(([name, sql]) => (name === sql ? name : `${sql} AS ${name}`))
    .join(', ')}
FROM ${rows}`,
};
