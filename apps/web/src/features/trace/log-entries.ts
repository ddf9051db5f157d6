import type { LogRow } from '@candela/contract';
import type { TraceException } from '../../api/trace.ts';
import type { TraceSpan } from './trace-spans.ts';

/** A line of what was written while the trace ran: a log record, a span that failed, an exception it survived. */
export type LogEntry =
  | { readonly kind: 'log'; readonly key: string; readonly offsetMs: number; readonly log: LogRow }
  | { readonly kind: 'failure'; readonly key: string; readonly offsetMs: number; readonly span: TraceSpan }
  | {
      readonly kind: 'exception';
      readonly key: string;
      readonly offsetMs: number;
      readonly exception: TraceException;
    };

/**
 * Log records, failures and exceptions in the order of their time; a failure stands at the end of its span. Exceptions
 * that were logged, and those of spans that failed, are there as such already. `startMs` is the start of the trace,
 * milliseconds since the epoch.
 */
export function logEntries(
  logs: readonly LogRow[],
  spans: readonly TraceSpan[],
  startMs: number,
  exceptions: readonly TraceException[] = [],
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
      // Spans may share an id.
      key: `failure ${span.spanId} ${span.light.startTime}`,
      offsetMs: span.startMs + span.durationMs,
      span,
    });
  }
  const failed = new Set(spans.filter((span) => span.failed).map((span) => span.spanId));
  for (const exception of exceptions) {
    if (exception.source !== 'event' || failed.has(exception.spanId ?? '')) continue;
    entries.push({
      kind: 'exception',
      key: `exception ${exception.id}`,
      offsetMs: Date.parse(exception.timestamp) - startMs,
      exception,
    });
  }
  return entries.sort((a, b) => a.offsetMs - b.offsetMs);
}

/** The span that a line belongs to, if any. */
export function spanIdOf(entry: LogEntry): string | null {
  if (entry.kind === 'log') return entry.log.spanId;
  return entry.kind === 'failure' ? entry.span.spanId : entry.exception.spanId;
}
