import { UNFINISHED_FLAG } from '../../schema/tables.ts';
import { rowReader } from '../core/row-shape.ts';
import { SPANS } from '../spans/span-fields.ts';
import { orNull, type RawSpan, SPAN_COLUMNS, toSpanRow } from '../spans/span-row.ts';
import type { ExportSource, RawMaps } from './export-source.ts';
import { otlpAttributes } from './otlp-values.ts';

interface RawExport extends RawSpan, RawMaps {
  readonly StatusMessage: string;
  readonly TraceState: string;
  readonly SpanFlags: number;
  readonly EventNames: string[];
  readonly EventTimes: string[];
  readonly EventKeys: string[][];
  readonly EventValues: string[][];
  readonly LinkTraceIds: string[];
  readonly LinkSpanIds: string[];
  readonly LinkStates: string[];
  readonly LinkKeys: string[][];
  readonly LinkValues: string[][];
}

const KINDS = ['Unspecified', 'Internal', 'Server', 'Client', 'Producer', 'Consumer'];
const STATUSES = ['Unset', 'Ok', 'Error'];

export const SPAN_EXPORT: ExportSource<RawExport> = {
  reader: rowReader<RawSpan, object>({
    source: SPANS,
    columns: SPAN_COLUMNS,
    ids: ['TraceId', 'SpanId'],
    toRow: toSpanRow,
  }),
  place: [
    { sql: 'TraceId', type: 'String' },
    { sql: 'SpanId', type: 'String' },
  ],
  columns: `arrayConcat(mapKeys(SpanAttributes), mapKeys(ContentAttributes)) AS AttributeKeys,
    arrayConcat(mapValues(SpanAttributes), mapValues(ContentAttributes)) AS AttributeValues, AttributeTypes,
    mapKeys(ResourceAttributes) AS ResourceKeys, mapValues(ResourceAttributes) AS ResourceValues,
    ScopeName, ScopeVersion, mapKeys(ScopeAttributes) AS ScopeKeys, mapValues(ScopeAttributes) AS ScopeValues,
    StatusMessage, TraceState, Flags AS SpanFlags, Events.Name AS EventNames,
    arrayMap(t -> toString(toUnixTimestamp64Nano(t)), Events.Timestamp) AS EventTimes,
    arrayMap(m -> mapKeys(m), Events.Attributes) AS EventKeys,
    arrayMap(m -> mapValues(m), Events.Attributes) AS EventValues,
    Links.TraceId AS LinkTraceIds, Links.SpanId AS LinkSpanIds, Links.TraceState AS LinkStates,
    arrayMap(m -> mapKeys(m), Links.Attributes) AS LinkKeys,
    arrayMap(m -> mapValues(m), Links.Attributes) AS LinkValues`,
  whole: (row, raw) => ({
    ...row,
    statusMessage: orNull(raw.StatusMessage),
    startTimeUnixNano: raw.StartNs,
    endTimeUnixNano: isUnfinished(raw) ? null : endNsOf(raw),
    traceState: orNull(raw.TraceState),
    flags: flagsOf(raw),
    scopeName: raw.ScopeName,
    scopeVersion: raw.ScopeVersion,
    events: raw.EventNames.map((name, index) => ({
      name,
      timeUnixNano: raw.EventTimes[index] ?? '',
      attributes: textObject(raw.EventKeys[index], raw.EventValues[index]),
    })),
    links: raw.LinkTraceIds.map((traceId, index) => ({
      traceId,
      spanId: raw.LinkSpanIds[index] ?? '',
      traceState: orNull(raw.LinkStates[index] ?? ''),
      attributes: textObject(raw.LinkKeys[index], raw.LinkValues[index]),
    })),
  }),
  lists: { resources: 'resourceSpans', scopes: 'scopeSpans', records: 'spans' },
  toOtlp: (raw) => ({
    resourceKey: JSON.stringify([raw.ResourceKeys, raw.ResourceValues]),
    scopeKey: JSON.stringify([raw.ScopeName, raw.ScopeVersion, raw.ScopeKeys, raw.ScopeValues]),
    resource: {
      attributes: otlpAttributes({ keys: raw.ResourceKeys, values: raw.ResourceValues }),
    },
    scope: {
      name: raw.ScopeName,
      version: raw.ScopeVersion,
      attributes: otlpAttributes({ keys: raw.ScopeKeys, values: raw.ScopeValues }),
    },
    resourceSchemaUrl: '',
    scopeSchemaUrl: '',
    record: {
      traceId: raw.TraceId,
      spanId: raw.SpanId,
      parentSpanId: raw.ParentSpanId,
      traceState: raw.TraceState,
      flags: flagsOf(raw),
      name: raw.SpanName,
      kind: Math.max(0, KINDS.indexOf(raw.SpanKind)),
      startTimeUnixNano: raw.StartNs,
      endTimeUnixNano: isUnfinished(raw) ? '0' : endNsOf(raw),
      attributes: otlpAttributes(
        { keys: raw.AttributeKeys, values: raw.AttributeValues },
        raw.AttributeTypes,
      ),
      events: raw.EventNames.map((name, index) => ({
        timeUnixNano: raw.EventTimes[index] ?? '0',
        name,
        attributes: otlpAttributes({
          keys: raw.EventKeys[index] ?? [],
          values: raw.EventValues[index] ?? [],
        }),
      })),
      links: raw.LinkTraceIds.map((traceId, index) => ({
        traceId,
        spanId: raw.LinkSpanIds[index] ?? '',
        traceState: raw.LinkStates[index] ?? '',
        attributes: otlpAttributes({
          keys: raw.LinkKeys[index] ?? [],
          values: raw.LinkValues[index] ?? [],
        }),
      })),
      status: { code: Math.max(0, STATUSES.indexOf(raw.StatusCode)), message: raw.StatusMessage },
    },
  }),
};

const isUnfinished = (raw: RawExport): boolean => raw.Unfinished === 1;
const endNsOf = (raw: RawExport): string => (BigInt(raw.StartNs) + BigInt(raw.DurationNs)).toString();
/** As they were sent, without our own bit. */
const flagsOf = (raw: RawExport): number => (raw.SpanFlags & ~UNFINISHED_FLAG) >>> 0;

/** Texts by key; of a key that occurs twice the last. */
const textObject = (keys: readonly string[] = [], values: readonly string[] = []): object =>
  Object.fromEntries(keys.map((key, index) => [key, values[index] ?? '']));
