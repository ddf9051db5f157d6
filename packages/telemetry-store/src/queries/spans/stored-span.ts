import type { AttributeReader, SpanEvent, SpanReader } from '@candela/semconv';
import { type StoredMap, toAttributeMap } from '../core/attributes.ts';

/** Columns from which a span can be read again as its sender wrote it. Maps as two arrays each. */
export const READER_COLUMNS = `SpanName, ScopeName, StatusCode, StatusMessage,
  toString(toUnixTimestamp64Nano(Timestamp)) AS StartNs, toString(Duration) AS DurationNs,
  mapKeys(SpanAttributes) AS AttributeKeys, mapValues(SpanAttributes) AS AttributeValues, AttributeTypes,
  mapKeys(ResourceAttributes) AS ResourceKeys, mapValues(ResourceAttributes) AS ResourceValues,
  Events.Name AS EventNames,
  arrayMap(t -> toString(toUnixTimestamp64Nano(t)), Events.Timestamp) AS EventTimes,
  arrayMap(m -> mapKeys(m), Events.Attributes) AS EventKeys,
  arrayMap(m -> mapValues(m), Events.Attributes) AS EventValues`;

export const CONTENT_COLUMNS =
  'mapKeys(ContentAttributes) AS ContentKeys, mapValues(ContentAttributes) AS ContentValues';

export interface StoredSpan {
  readonly SpanName: string;
  readonly ScopeName: string;
  readonly StatusCode: string;
  readonly StatusMessage: string;
  readonly StartNs: string;
  readonly DurationNs: string;
  readonly AttributeKeys: string[];
  readonly AttributeValues: string[];
  readonly AttributeTypes: string;
  readonly ResourceKeys: string[];
  readonly ResourceValues: string[];
  readonly EventNames: string[];
  readonly EventTimes: string[];
  readonly EventKeys: string[][];
  readonly EventValues: string[][];
  readonly ContentKeys: string[];
  readonly ContentValues: string[];
}

/** All attributes of a span: content came apart when it was stored and comes together here. */
export function allAttributes(span: StoredSpan): StoredMap {
  return {
    keys: [...span.AttributeKeys, ...span.ContentKeys],
    values: [...span.AttributeValues, ...span.ContentValues],
  };
}

export function eventMap(span: StoredSpan, index: number): StoredMap {
  return { keys: span.EventKeys[index] ?? [], values: span.EventValues[index] ?? [] };
}

/** The span as the GenAI conventions read it. */
export function spanReader(span: StoredSpan): SpanReader {
  const attributes: AttributeReader = toAttributeMap(allAttributes(span), span.AttributeTypes);
  const start = BigInt(span.StartNs);
  return {
    name: span.SpanName,
    scopeName: span.ScopeName,
    statusCode: span.StatusCode === 'Error' ? 2 : span.StatusCode === 'Ok' ? 1 : 0,
    statusMessage: span.StatusMessage,
    startTimeUnixNano: start,
    endTimeUnixNano: start + BigInt(span.DurationNs),
    attributes,
    resource: toAttributeMap({ keys: span.ResourceKeys, values: span.ResourceValues }),
    events: span.EventNames.map(
      (name, index): SpanEvent => ({
        name,
        timeUnixNano: BigInt(span.EventTimes[index] ?? '0'),
        attributes: toAttributeMap(eventMap(span, index)),
      }),
    ),
  };
}
