import type { TraceRow } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { NO_PREVIEW, type Preview, previews } from './preview.ts';
import type { Runner } from '../core/run.ts';
import { type RawSpeaker, SPEAKER_COLUMNS } from './speaker.ts';
import { iso, ms, orNull } from './span-row.ts';
import { INPUT_TOKENS_SQL, MODEL_SQL, OUTPUT_TOKENS_SQL } from '../core/gen-ai.ts';

export interface RawTotals extends RawSpeaker {
  readonly StartNs: string;
  readonly EndNs: string;
  readonly Spans: number;
  readonly Errors: number;
  readonly RootName: string;
  readonly RootService: string;
  readonly RootStatus: string;
  readonly RootEnvironment: string;
  readonly Services: string[];
  readonly Models: string[];
  readonly Counting: number;
  readonly Input: number;
  readonly Output: number;
  readonly Cost: number | null;
  readonly Session: string;
  readonly User: string;
}

/** The root is the earliest span without a parent, or the earliest of all when no such span arrived. */
const ROOT = "tuple(ParentSpanId != '', Timestamp, SpanId)";
/** Figures of whole traces. Usage is summed over the spans that count it, so that parents add nothing. */
export const TRACE_TOTALS = `TraceId,
  toString(toUnixTimestamp64Nano(min(Timestamp))) AS StartNs,
  toString(max(toUnixTimestamp64Nano(Timestamp) + toInt64(Duration))) AS EndNs,
  count() AS Spans, countIf(StatusCode = 'Error') AS Errors,
  argMin(SpanName, ${ROOT}) AS RootName, argMin(ServiceName, ${ROOT}) AS RootService,
  argMin(StatusCode, ${ROOT}) AS RootStatus, argMin(Environment, ${ROOT}) AS RootEnvironment,
  arraySort(groupUniqArray(20)(ServiceName)) AS Services,
  arraySort(groupUniqArrayIf(20)(${MODEL_SQL}, ${MODEL_SQL} != '')) AS Models,
  countIf(CountsUsage = 1) AS Counting,
  sumIf(${INPUT_TOKENS_SQL}, CountsUsage = 1) AS Input, sumIf(${OUTPUT_TOKENS_SQL}, CountsUsage = 1) AS Output,
  sumIf(CostUsd, CountsUsage = 1) AS Cost,
  argMinIf(SessionId, Timestamp, SessionId != '') AS Session, argMinIf(UserId, Timestamp, UserId != '') AS User,
  ${SPEAKER_COLUMNS}`;

/** The rows of a page of traces, with their previews where `known` has those that need not be read again. */
export async function toTraceRows(
  runner: Runner,
  context: RequestContext,
  totals: readonly RawTotals[],
  known: ReadonlyMap<string, Preview> | undefined,
): Promise<TraceRow[]> {
  if (known === undefined) return totals.map((raw) => toTraceRow(raw, NO_PREVIEW));
  const others = totals.filter((raw) => !known.has(raw.TraceId));
  const shown = new Map([...known, ...(await previews(runner, context, others))]);
  return totals.map((raw) => toTraceRow(raw, shown.get(raw.TraceId) ?? NO_PREVIEW));
}

/** Tokens and cost of a trace: null when no span reported any. */
export function usageOf(
  raw: Pick<RawTotals, 'Counting' | 'Input' | 'Output' | 'Cost'>,
): Pick<TraceRow, 'inputTokens' | 'outputTokens' | 'costUsd'> {
  const reported = raw.Counting > 0;
  return {
    inputTokens: reported ? raw.Input : null,
    outputTokens: reported ? raw.Output : null,
    costUsd: raw.Cost,
  };
}

function toTraceRow(raw: RawTotals, preview: TraceRow['preview']): TraceRow {
  const start = BigInt(raw.StartNs);
  return {
    traceId: raw.TraceId,
    rootName: raw.RootName,
    rootService: raw.RootService,
    environment: raw.RootEnvironment,
    startTime: iso(start),
    durationMs: ms(BigInt(raw.EndNs) - start),
    spanCount: raw.Spans,
    errorCount: raw.Errors,
    status: raw.RootStatus === 'Error' ? 'error' : 'ok',
    models: raw.Models,
    ...usageOf(raw),
    sessionId: orNull(raw.Session),
    userId: orNull(raw.User),
    openingNs: raw.SpeakerId === '' ? null : raw.SpeakerNs,
    preview,
  };
}
