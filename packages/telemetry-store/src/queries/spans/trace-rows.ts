import type { TraceRow } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { NO_PREVIEW, type Preview, previews } from './preview.ts';
import type { Runner } from '../core/run.ts';
import { iso, ms, orNull } from './span-row.ts';
import type { RawTotals } from './trace-totals.ts';

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
    unfinished: raw.RootUnfinished === 1,
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
