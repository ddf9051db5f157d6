import { MODEL_SQL } from '../queries/core/gen-ai.ts';
import { HOST_SQL } from '../schema/host-points.ts';
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

const used = (column: string): string => `if(CountsUsage = 1, ${column}, 0)`;

/** Spans as rollups count them. `Used...` is nothing where the span's usage is counted elsewhere. */
export const SPAN_STAGE: Stage = {
  name: 'staged_spans',
  select: (rows) => `
SELECT ${ROLLUP_HEAD_SQL}, toUnixTimestamp64Nano(Timestamp) AS Ns, ${startOf(ROLLUP_BUCKET_SECONDS)} AS FiveMinutes, Duration,
  TraceId, SpanId, SpanName, SpanKind, ServiceName, ScopeName, StatusCode, CAST(StatusCode = 'Error' AS UInt8) AS Failed,
  ParentSpanId = '' AS Root, GenAiConvention, GenAiOperation, GenAiProvider, GenAiRequestModel, GenAiResponseModel,
  ${MODEL_SQL} AS Model, SessionId, UserId, AgentName, ToolName, ErrorType, ${HOST_SQL} AS Host,
  notEmpty(mapKeys(ContentAttributes)) AS HasContent, ${THROWN_ON_SPAN} AS Thrown, ${EXCEPTIONS_ON_SPAN} AS Exceptions,
  if(Thrown, ResourceAttributes['service.version'], '') AS ThrowerVersion, CountsUsage = 1 AS Counts,
  ${used('InputTokens')} AS UsedInput, ${used('CacheReadTokens')} AS UsedRead, ${used('CacheWriteTokens')} AS UsedWrite,
  ${used('OutputTokens')} AS UsedOutput, ${used('ReasoningTokens')} AS UsedReasoning,
  Counts AND isNotNull(CostUsd) AS HasCost, ${used('ifNull(CostUsd, 0)')} AS UsedCost,
  ${used(COST_UNITS_SQL)} AS UsedUnits
FROM ${rows}`,
};
