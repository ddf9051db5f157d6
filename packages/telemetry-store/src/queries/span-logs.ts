import type { RequestContext } from '@candela/kernel';
import { type LogReader, MESSAGE_LOG_PREFIX } from '@candela/semconv';
import { toAttributeMap } from './attributes.ts';
import type { Runner } from './run.ts';
import { SpanScope, type Window } from './scope.ts';

/** Messages of one call; a conversation is cut at as many. */
const MAX_RECORDS = 2_000;
const HOUR = 3_600_000_000_000n;
const DAY = 24n * HOUR;
const LAST_NANOS = 2n ** 63n - 1n;

interface RawLog {
  readonly EventName: string;
  readonly ScopeName: string;
  readonly Body: string;
  readonly AttributeKeys: string[];
  readonly AttributeValues: string[];
  readonly AttributeTypes: string;
}

/**
 * The GenAI log records that name a span, oldest first: instrumentations that keep messages off their spans send them
 * so. Looked for from an hour before the span to a day after it, when scores may still come.
 */
export async function readSpanLogs(
  runner: Runner,
  context: RequestContext,
  span: { traceId: string; spanId: string; during: Window },
): Promise<LogReader[]> {
  const { from, to } = span.during;
  const near = { from: from > HOUR ? from - HOUR : 0n, to: to < LAST_NANOS - DAY ? to + DAY : LAST_NANOS };
  const open = SpanScope.of(context, 'otel_logs').during(near);
  const { params } = open;
  const prefix = params.bind(MESSAGE_LOG_PREFIX, 'String');
  const scope = open
    .and(
      `TraceId = ${params.bind(span.traceId, 'String')} AND SpanId = ${params.bind(span.spanId, 'String')}`,
    )
    .and(`startsWith(EventName, ${prefix}) OR startsWith(Body, ${prefix})`);
  const rows = await runner.run<RawLog>(
    scope,
    `SELECT EventName, ScopeName, Body, mapKeys(LogAttributes) AS AttributeKeys,
       mapValues(LogAttributes) AS AttributeValues, AttributeTypes ${scope.from}
     ORDER BY Timestamp, ObservedTimestamp LIMIT ${MAX_RECORDS}`,
  );
  return rows.map((raw) => ({
    eventName: raw.EventName,
    scopeName: raw.ScopeName,
    body: raw.Body === '' ? undefined : raw.Body,
    attributes: toAttributeMap({ keys: raw.AttributeKeys, values: raw.AttributeValues }, raw.AttributeTypes),
    resource: new Map(),
  }));
}
