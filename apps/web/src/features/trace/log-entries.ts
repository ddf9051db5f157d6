import type { LogRow } from '@candela/contract';
import type { TraceSpan } from './trace-spans.ts';

/** A line of what was written while the trace ran: a log record, or a span that failed. */
export type LogEntry =
  | { readonly kind: 'log'; readonly key: string; readonly offsetMs: number; readonly log: LogRow }
  | { readonly kind: 'failure'; readonly key: string; readonly offsetMs: number; readonly span: TraceSpan };

/**
 * Log records and failures in the order of their time; a failure stands at the end of its span. `startMs` is the start
 * of the trace, milliseconds since the epoch.
 */
export function logEntries(
  logs: readonly LogRow[],
  spans: readonly TraceSpan[],
  startMs: number,
): LogEntry[] {
  const entries: LogEntry[] = logs.map((log) => ({
    kind: 'log',
    key: log.id,
    offsetMs: Date.parse(log.timestamp) - startMs,
    log,
  }));
  for (const span of spans) {
    if (!span.failed) continue;
    entries.push({
      kind: 'failure',
      key: `failure ${span.spanId}`,
      offsetMs: span.startMs + span.durationMs,
      span,
    });
  }
  return entries.sort((a, b) => a.offsetMs - b.offsetMs);
}

/** The span that a line belongs to, if any. */
export const spanIdOf = (entry: LogEntry): string | null =>
  entry.kind === 'log' ? entry.log.spanId : entry.span.spanId;
