import { LOG_LIMITS, type LogRow, SEVERITIES } from '@candela/contract';
import { LOG_SEVERITY } from '../../schema/expressions.ts';
import { iso, orNull } from '../spans/span-row.ts';
import { encodeLogId, LOG_HASH } from './log-id.ts';

/** Columns of a row of a list. Times and hashes travel as text, they do not fit a double. */
export const LOG_COLUMNS = `toString(toUnixTimestamp64Nano(Timestamp)) AS TimeNs,
  toString(toUnixTimestamp64Nano(ObservedTimestamp)) AS ObservedNs,
  toString(toUnixTimestamp64Milli(ReceivedAt)) AS ReceivedMs, toString(${LOG_HASH}) AS Hash,
  ${LOG_SEVERITY} AS Severity, SeverityText, ServiceName, Environment,
  substringUTF8(Body, 1, ${LOG_LIMITS.rowBody}) AS Start, length(Body) > length(Start) AS Cut,
  TraceId, SpanId, EventName, ScopeName`;

export interface RawLogRow {
  readonly TimeNs: string;
  readonly ObservedNs: string;
  readonly ReceivedMs: string;
  readonly Hash: string;
  readonly Severity: number;
  readonly SeverityText: string;
  readonly ServiceName: string;
  readonly Environment: string;
  readonly Start: string;
  readonly Cut: number;
  readonly TraceId: string;
  readonly SpanId: string;
  readonly EventName: string;
  readonly ScopeName: string;
}

/** @param place among records that are the same in every respect; 0 for the first */
export function toLogRow(raw: RawLogRow, place = 0): LogRow {
  const ns = BigInt(raw.TimeNs);
  return {
    id: encodeLogId({ ns, hash: BigInt(raw.Hash), place }),
    timestamp: iso(ns),
    timeUnixNano: raw.TimeNs,
    severity: SEVERITIES[raw.Severity] ?? 'unset',
    severityText: orNull(raw.SeverityText),
    service: raw.ServiceName,
    environment: raw.Environment,
    body: raw.Start,
    bodyTruncated: raw.Cut === 1,
    traceId: orNull(raw.TraceId),
    spanId: orNull(raw.SpanId),
    eventName: orNull(raw.EventName),
    scopeName: raw.ScopeName,
  };
}
