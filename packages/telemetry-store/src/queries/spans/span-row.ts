import { type LightSpan, SPAN_LIMITS, type SpanRow } from '@candela/contract';
import { UNFINISHED_FLAG } from '../../schema/tables.ts';
import { INPUT_TOKENS_SQL, MODEL_SQL, OUTPUT_TOKENS_SQL } from '../core/gen-ai.ts';

/** Columns of every view of a span: narrow ones only. Times travel as text, they do not fit a double. */
export const SPAN_COLUMNS = `TraceId, SpanId, ParentSpanId, SpanName, SpanKind, ServiceName, Environment,
  toString(toUnixTimestamp64Nano(Timestamp)) AS StartNs, toString(Duration) AS DurationNs, StatusCode,
  substringUTF8(StatusMessage, 1, ${SPAN_LIMITS.rowMessage}) AS MessageStart,
  GenAiOperation, GenAiProvider, ${MODEL_SQL} AS Model, AgentName, ToolName, ErrorType, SessionId, UserId,
  ${INPUT_TOKENS_SQL} AS Input, ${OUTPUT_TOKENS_SQL} AS Output, CountsUsage, CostUsd, TimeToFirstTokenMs,
  Flags >= ${UNFINISHED_FLAG} AS Unfinished`;

export interface RawSpan {
  readonly TraceId: string;
  readonly SpanId: string;
  readonly ParentSpanId: string;
  readonly SpanName: string;
  readonly SpanKind: string;
  readonly ServiceName: string;
  readonly Environment: string;
  readonly StartNs: string;
  readonly DurationNs: string;
  readonly StatusCode: string;
  readonly MessageStart: string;
  readonly GenAiOperation: string;
  readonly GenAiProvider: string;
  readonly Model: string;
  readonly AgentName: string;
  readonly ToolName: string;
  readonly ErrorType: string;
  readonly SessionId: string;
  readonly UserId: string;
  readonly Input: number;
  readonly Output: number;
  readonly CountsUsage: number;
  readonly CostUsd: number | null;
  readonly TimeToFirstTokenMs: number | null;
  readonly Unfinished: number;
}

/** ISO 8601 with milliseconds. */
export function iso(nanos: bigint): string {
  return new Date(Number(nanos / 1_000_000n)).toISOString();
}

/** Milliseconds with fractions, to the microsecond. */
export function ms(nanos: bigint): number {
  return Number(nanos / 1_000n) / 1_000;
}

/** Empty text is how a column says "not given". */
export const orNull = (text: string): string | null => (text === '' ? null : text);

const KINDS = ['internal', 'server', 'client', 'producer', 'consumer'] as const;

function kindOf(stored: string): SpanRow['kind'] {
  const lower = stored.toLowerCase();
  return KINDS.find((kind) => kind === lower) ?? 'unspecified';
}

function statusOf(stored: string): SpanRow['status'] {
  if (stored === 'Error') return 'error';
  return stored === 'Ok' ? 'ok' : 'unset';
}

export function toSpanRow(raw: RawSpan): SpanRow {
  const usage = raw.CountsUsage === 1 || raw.Input > 0 || raw.Output > 0;
  return {
    traceId: raw.TraceId,
    spanId: raw.SpanId,
    parentSpanId: orNull(raw.ParentSpanId),
    name: raw.SpanName,
    kind: kindOf(raw.SpanKind),
    service: raw.ServiceName,
    environment: raw.Environment,
    startTime: iso(BigInt(raw.StartNs)),
    durationMs: ms(BigInt(raw.DurationNs)),
    unfinished: raw.Unfinished === 1,
    status: statusOf(raw.StatusCode),
    statusMessage: orNull(raw.MessageStart),
    operation: orNull(raw.GenAiOperation),
    provider: orNull(raw.GenAiProvider),
    model: orNull(raw.Model),
    agent: orNull(raw.AgentName),
    tool: orNull(raw.ToolName),
    inputTokens: usage ? raw.Input : null,
    outputTokens: usage ? raw.Output : null,
    costUsd: raw.CostUsd,
    countsUsage: raw.CountsUsage === 1,
    timeToFirstTokenMs: raw.TimeToFirstTokenMs,
    errorType: orNull(raw.ErrorType),
    sessionId: orNull(raw.SessionId),
    userId: orNull(raw.UserId),
  };
}

export function toLightSpan(raw: RawSpan, traceStart: bigint): LightSpan {
  const { traceId: _, ...summary } = toSpanRow(raw);
  return { ...summary, offsetMs: ms(BigInt(raw.StartNs) - traceStart) };
}
