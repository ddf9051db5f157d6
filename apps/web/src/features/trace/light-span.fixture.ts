import type { LightSpan } from '@candela/contract';
import type { ReadingKind } from '../../lib/span-kind.ts';
import type { TraceSpan } from './trace-spans.ts';

/** A span for tests: named like its id, one millisecond long. */
export function testSpan(
  spanId: string,
  parentSpanId: string,
  reading: ReadingKind,
  startMs: number,
  more: Partial<LightSpan> = {},
): TraceSpan {
  const light: LightSpan = {
    spanId,
    parentSpanId: parentSpanId === '' ? null : parentSpanId,
    name: spanId,
    kind: 'internal',
    service: 's',
    environment: 'production',
    startTime: '2026-11-20T10:00:00.000Z',
    offsetMs: startMs,
    durationMs: 1,
    unfinished: false,
    status: 'unset',
    statusMessage: null,
    operation: null,
    provider: null,
    model: null,
    agent: null,
    tool: null,
    inputTokens: null,
    outputTokens: null,
    costUsd: null,
    countsUsage: false,
    timeToFirstTokenMs: null,
    errorType: null,
    sessionId: null,
    userId: null,
    ...more,
  };
  const failed = light.status === 'error';
  return { spanId, parentSpanId, startMs, durationMs: light.durationMs, failed, light, reading };
}
