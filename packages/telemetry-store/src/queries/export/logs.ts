import { STORED } from '../logs/log-order.ts';
import type { RawLogRow } from '../logs/log-row.ts';
import { LOG_SHAPE } from '../logs/log-shape.ts';
import type { ExportSource, RawMaps } from './export-source.ts';
import { otlpAttributes } from './otlp-values.ts';

interface RawExport extends RawLogRow, RawMaps {
  readonly WholeBody: string;
  readonly SeverityNumber: number;
  readonly TraceFlags: number;
  readonly ResourceSchemaUrl: string;
  readonly ScopeSchemaUrl: string;
}

export const LOG_EXPORT: ExportSource<RawExport> = {
  reader: LOG_SHAPE,
  // As the list has them: lines of one moment in the order in which they were sent.
  place: [
    { sql: 'toUnixTimestamp64Nano(ObservedTimestamp)', type: 'Int64' },
    { sql: 'toUnixTimestamp64Milli(ReceivedAt)', type: 'Int64' },
  ],
  stored: STORED,
  columns: `Body AS WholeBody, SeverityNumber, TraceFlags, ResourceSchemaUrl, ScopeSchemaUrl,
    mapKeys(LogAttributes) AS AttributeKeys, mapValues(LogAttributes) AS AttributeValues, AttributeTypes,
    mapKeys(ResourceAttributes) AS ResourceKeys, mapValues(ResourceAttributes) AS ResourceValues, ScopeVersion,
    mapKeys(ScopeAttributes) AS ScopeKeys, mapValues(ScopeAttributes) AS ScopeValues`,
  whole(row, raw) {
    const { bodyTruncated: _, ...rest } = row as Record<string, unknown>;
    return { ...rest, body: raw.WholeBody, scopeVersion: raw.ScopeVersion };
  },
  lists: { resources: 'resourceLogs', scopes: 'scopeLogs', records: 'logRecords' },
  toOtlp: (raw) => ({
    resourceKey: JSON.stringify([raw.ResourceSchemaUrl, raw.ResourceKeys, raw.ResourceValues]),
    scopeKey: JSON.stringify([
      raw.ScopeSchemaUrl,
      raw.ScopeName,
      raw.ScopeVersion,
      raw.ScopeKeys,
      raw.ScopeValues,
    ]),
    resource: { attributes: otlpAttributes({ keys: raw.ResourceKeys, values: raw.ResourceValues }) },
    scope: {
      name: raw.ScopeName,
      version: raw.ScopeVersion,
      attributes: otlpAttributes({ keys: raw.ScopeKeys, values: raw.ScopeValues }),
    },
    resourceSchemaUrl: raw.ResourceSchemaUrl,
    scopeSchemaUrl: raw.ScopeSchemaUrl,
    record: {
      timeUnixNano: raw.TimeNs,
      observedTimeUnixNano: raw.ObservedNs,
      severityNumber: raw.SeverityNumber,
      severityText: raw.SeverityText,
      // What was no text is kept as its JSON, and is stored as the same text again.
      body: { stringValue: raw.WholeBody },
      attributes: otlpAttributes(
        { keys: raw.AttributeKeys, values: raw.AttributeValues },
        raw.AttributeTypes,
      ),
      flags: raw.TraceFlags,
      traceId: raw.TraceId,
      spanId: raw.SpanId,
      eventName: raw.EventName,
    },
  }),
};
