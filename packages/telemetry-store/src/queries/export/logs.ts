import { rowReader } from '../core/row-shape.ts';
import { LOGS } from '../logs/log-fields.ts';
import { LOG_HASH } from '../logs/log-id.ts';
import { LOG_COLUMNS, type RawLogRow, toLogRow } from '../logs/log-row.ts';
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
  reader: rowReader<RawLogRow, object>({
    source: LOGS,
    columns: LOG_COLUMNS,
    ids: [`toString(${LOG_HASH})`],
    toRow: toLogRow,
  }),
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
