import type { SpanDetail } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import { type LogReader, type PriceCorrection, readConversation } from '@candela/semconv';
import { UNFINISHED_FLAG } from '../../schema/tables.ts';
import { toAttributes } from '../core/attributes.ts';
import { priceCorrectionsOf } from '../core/prices.ts';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { costOriginOf } from './cost-origin.ts';
import { readSpanLogs } from './span-logs.ts';
import { iso, ms, orNull, type RawSpan, SPAN_COLUMNS, toSpanRow } from './span-row.ts';
import {
  allAttributes,
  CONTENT_COLUMNS,
  eventMap,
  READER_COLUMNS,
  spanReader,
  type StoredSpan,
} from './stored-span.ts';
import { SPANS } from './span-fields.ts';
import { UNFINISHED } from './trace-totals.ts';

interface WholeSpan extends RawSpan, StoredSpan {
  readonly StartNs: string;
  readonly DurationNs: string;
  readonly SpanName: string;
  readonly StatusCode: string;
  readonly StatusMessage: string;
  readonly TraceState: string;
  readonly Flags: number;
  readonly ScopeVersion: string;
  readonly ScopeKeys: string[];
  readonly ScopeValues: string[];
  readonly LinkTraceIds: string[];
  readonly LinkSpanIds: string[];
  readonly LinkStates: string[];
  readonly LinkKeys: string[][];
  readonly LinkValues: string[][];
  readonly InputTokens: number;
  readonly CacheReadTokens: number;
  readonly CacheWriteTokens: number;
  readonly OutputTokens: number;
  readonly ReasoningTokens: number;
  readonly EmitterCostUsd: number | null;
  readonly GenAiRequestModel: string;
  readonly GenAiResponseModel: string;
  readonly GenAiConvention: string;
  readonly ResponseId: string;
  readonly WorkflowName: string;
  readonly PromptName: string;
  readonly PromptVersion: string;
  readonly FinishReason: string;
}

const READER_ONLY = READER_COLUMNS.replace(/^[\s\S]*?AS DurationNs,/, 'ScopeName,');

const DETAIL_COLUMNS = `${SPAN_COLUMNS}, StatusMessage, ${READER_ONLY}, ${CONTENT_COLUMNS},
  TraceState, Flags, ScopeVersion, mapKeys(ScopeAttributes) AS ScopeKeys, mapValues(ScopeAttributes) AS ScopeValues,
  Links.TraceId AS LinkTraceIds, Links.SpanId AS LinkSpanIds, Links.TraceState AS LinkStates,
  arrayMap(m -> mapKeys(m), Links.Attributes) AS LinkKeys, arrayMap(m -> mapValues(m), Links.Attributes) AS LinkValues,
  InputTokens, CacheReadTokens, CacheWriteTokens, OutputTokens, ReasoningTokens, EmitterCostUsd,
  GenAiRequestModel, GenAiResponseModel, GenAiConvention, ResponseId, WorkflowName, PromptName, PromptVersion,
  FinishReason`;

export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
  /** Spans may share an id: when the one that is meant began. */
  readonly startMs?: number | undefined;
}

/** One span whole. @throws not_found, also for a span of another project */
export async function readSpan(runner: Runner, context: RequestContext, ids: SpanIds): Promise<SpanDetail> {
  const scope = Scope.of(context, SPANS);
  const own = scope.and(
    `TraceId = ${scope.params.bind(ids.traceId.toLowerCase(), 'String')} AND SpanId = ${scope.params.bind(
      ids.spanId.toLowerCase(),
      'String',
    )}`,
  );
  const meant =
    ids.startMs === undefined
      ? ''
      : `toUnixTimestamp64Milli(Timestamp) != ${scope.params.bind(ids.startMs, 'Int64')}, `;
  // As lists of spans have it: of one that was sent while it ran, too, the one with its end.
  const [raw] = await runner.run<WholeSpan>(
    own,
    `SELECT ${DETAIL_COLUMNS} ${own.from} ORDER BY ${meant}Timestamp, ${UNFINISHED}, Duration DESC LIMIT 1`,
  );
  if (raw === undefined) throw fail('not_found', { what: 'The span' });
  return toDetail(
    raw,
    raw.GenAiConvention === '' ? [] : await logsOf(runner, context, raw),
    priceCorrectionsOf(context.projectId),
  );
}

function logsOf(runner: Runner, context: RequestContext, raw: WholeSpan): Promise<LogReader[]> {
  const from = BigInt(raw.StartNs);
  const during = { from, to: from + BigInt(raw.DurationNs) };
  return readSpanLogs(runner, context, { traceId: raw.TraceId, spanId: raw.SpanId, during });
}

function toDetail(
  raw: WholeSpan,
  logs: readonly LogReader[],
  corrections: readonly PriceCorrection[],
): SpanDetail {
  const row = toSpanRow(raw);
  const start = BigInt(raw.StartNs);
  const hasUsage = row.inputTokens !== null;
  const reader = spanReader(raw);
  return {
    ...row,
    statusMessage: orNull(raw.StatusMessage),
    startTimeUnixNano: raw.StartNs,
    endTimeUnixNano: (start + BigInt(raw.DurationNs)).toString(),
    traceState: orNull(raw.TraceState),
    flags: raw.Flags & ~UNFINISHED_FLAG,
    usage: hasUsage
      ? {
          input: raw.InputTokens,
          cacheRead: raw.CacheReadTokens,
          cacheWrite: raw.CacheWriteTokens,
          output: raw.OutputTokens,
          reasoning: raw.ReasoningTokens,
        }
      : null,
    emitterCostUsd: raw.EmitterCostUsd,
    costOrigin: costOriginOf(
      reader,
      { costUsd: row.costUsd, emitterCostUsd: raw.EmitterCostUsd },
      corrections,
    ),
    requestModel: orNull(raw.GenAiRequestModel),
    responseModel: orNull(raw.GenAiResponseModel),
    responseId: orNull(raw.ResponseId),
    workflow: orNull(raw.WorkflowName),
    promptName: orNull(raw.PromptName),
    promptVersion: orNull(raw.PromptVersion),
    finishReason: orNull(raw.FinishReason),
    convention: orNull(raw.GenAiConvention),
    scope: {
      name: raw.ScopeName,
      version: raw.ScopeVersion,
      attributes: toAttributes({ keys: raw.ScopeKeys, values: raw.ScopeValues }),
    },
    resource: toAttributes({ keys: raw.ResourceKeys, values: raw.ResourceValues }),
    attributes: toAttributes(allAttributes(raw), raw.AttributeTypes),
    events: raw.EventNames.map((name, index) => {
      const time = BigInt(raw.EventTimes[index] ?? raw.StartNs);
      return {
        name,
        time: iso(time),
        offsetMs: ms(time - start),
        attributes: toAttributes(eventMap(raw, index)),
      };
    }),
    links: raw.LinkTraceIds.map((traceId, index) => ({
      traceId,
      spanId: raw.LinkSpanIds[index] ?? '',
      traceState: orNull(raw.LinkStates[index] ?? ''),
      attributes: toAttributes({ keys: raw.LinkKeys[index] ?? [], values: raw.LinkValues[index] ?? [] }),
    })),
    conversation: readConversation(reader, logs),
  };
}
