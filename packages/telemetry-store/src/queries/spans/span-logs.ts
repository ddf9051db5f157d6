import type { RequestContext } from '@candela/kernel';
import { type LogReader, MESSAGE_LOG_PREFIX } from '@candela/semconv';
import { toAttributeMap } from '../core/attributes.ts';
import type { Runner } from '../core/run.ts';
import { Scope, type Window } from '../core/scope.ts';
import { LOGS } from '../logs/log-fields.ts';

/** Messages of one call; a conversation is cut at as many. */
const MAX_RECORDS = 2_000;
const MAX_SHORT_RECORDS = 8;
const MAX_SHORT_BYTES = 12_288;
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

const COLUMNS = `EventName, ScopeName, Body, mapKeys(LogAttributes) AS AttributeKeys,
  mapValues(LogAttributes) AS AttributeValues, AttributeTypes`;

/**
 * The GenAI log records that name a span, oldest first: instrumentations that keep messages off their spans send them
 * so. Looked for from an hour before the span to a day after it, when scores may still come.
 */
export async function readSpanLogs(
  runner: Runner,
  context: RequestContext,
  span: { traceId: string; spanId: string; during: Window },
): Promise<LogReader[]> {
  const open = genAiLogs(context, span.during);
  const { params } = open;
  const scope = open.and(
    `TraceId = ${params.bind(span.traceId, 'String')} AND SpanId = ${params.bind(span.spanId, 'String')}`,
  );
  const rows = await runner.run<RawLog>(
    scope,
    `SELECT ${COLUMNS} ${scope.from} ORDER BY Timestamp, ObservedTimestamp LIMIT ${MAX_RECORDS}`,
  );
  return rows.map(toReader);
}

/** Of several spans at once: records of each, and bytes of one that are read for a line of text. */
const MAX_RECORDS_OF_EACH = 200;
const MAX_RECORD_BYTES = 262_144;

/** The GenAI log records that name one of these spans (`trace id-span id`), by that key, oldest first. */
export async function readSpansLogs(
  runner: Runner,
  context: RequestContext,
  of: { readonly spans: readonly string[]; readonly traceIds: readonly string[]; readonly during: Window },
): Promise<Map<string, LogReader[]>> {
  if (of.spans.length === 0) return new Map();
  const open = genAiLogs(context, of.during);
  const { params } = open;
  const scope = open
    .and(`TraceId IN ${params.bind([...new Set(of.traceIds)], 'Array(String)')}`)
    .and(`concat(TraceId, '-', SpanId) IN ${params.bind(of.spans, 'Array(String)')}`)
    .and(
      `length(Body) + arraySum(arrayMap(v -> length(v), mapValues(LogAttributes))) <= ${MAX_RECORD_BYTES}`,
    );
  const rows = await runner.run<RawLog & { Key: string }>(
    scope,
    `SELECT concat(TraceId, '-', SpanId) AS Key, ${COLUMNS} ${scope.from}
     ORDER BY Timestamp, ObservedTimestamp LIMIT ${MAX_RECORDS_OF_EACH} BY TraceId, SpanId LIMIT ${MAX_RECORDS}`,
  );
  const bySpan = new Map<string, LogReader[]>();
  for (const row of rows) {
    const logs = bySpan.get(row.Key);
    if (logs === undefined) bySpan.set(row.Key, [toReader(row)]);
    else logs.push(toReader(row));
  }
  return bySpan;
}

/** The first short GenAI log records of each of these traces, oldest first: enough for a line of text. */
export async function readTraceLogs(
  runner: Runner,
  context: RequestContext,
  traces: { traceIds: readonly string[]; during: Window },
): Promise<Map<string, LogReader[]>> {
  const open = genAiLogs(context, traces.during);
  const { params } = open;
  const scope = open
    .and(`TraceId IN ${params.bind(traces.traceIds, 'Array(String)')}`)
    .and(`length(Body) + arraySum(arrayMap(v -> length(v), mapValues(LogAttributes))) <= ${MAX_SHORT_BYTES}`);
  const rows = await runner.run<RawLog & { TraceId: string }>(
    scope,
    `SELECT TraceId, ${COLUMNS} ${scope.from}
     ORDER BY Timestamp, ObservedTimestamp LIMIT ${MAX_SHORT_RECORDS} BY TraceId`,
  );
  const byTrace = new Map<string, LogReader[]>();
  for (const row of rows) {
    const logs = byTrace.get(row.TraceId);
    if (logs === undefined) byTrace.set(row.TraceId, [toReader(row)]);
    else logs.push(toReader(row));
  }
  return byTrace;
}

function genAiLogs(context: RequestContext, { from, to }: Window): Scope {
  const near = { from: from > HOUR ? from - HOUR : 0n, to: to < LAST_NANOS - DAY ? to + DAY : LAST_NANOS };
  const open = Scope.of(context, LOGS).during(near);
  const prefix = open.params.bind(MESSAGE_LOG_PREFIX, 'String');
  return open.and(`startsWith(EventName, ${prefix}) OR startsWith(Body, ${prefix})`);
}

function toReader(raw: RawLog): LogReader {
  return {
    eventName: raw.EventName,
    scopeName: raw.ScopeName,
    body: raw.Body === '' ? undefined : raw.Body,
    attributes: toAttributeMap({ keys: raw.AttributeKeys, values: raw.AttributeValues }, raw.AttributeTypes),
    resource: new Map(),
  };
}
