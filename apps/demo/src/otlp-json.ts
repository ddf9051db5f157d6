import {
  type Attributes,
  KIND,
  type LogEntry,
  type Scope,
  type Service,
  SEVERITY,
  type SpanRecord,
  type Value,
} from './telemetry.ts';

/** An OTLP/JSON `AnyValue`. */
export type AnyValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: AnyValue[] } }
  | { kvlistValue: { values: KeyValue[] } };

export interface KeyValue {
  key: string;
  value: AnyValue;
}

export function anyValue(value: Value): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  if (Array.isArray(value)) return { arrayValue: { values: (value as readonly Value[]).map(anyValue) } };
  return { kvlistValue: { values: keyValues(value as Attributes) } };
}

export function keyValues(attributes: Attributes | ReadonlyMap<string, Value>): KeyValue[] {
  const entries = attributes instanceof Map ? attributes.entries() : Object.entries(attributes);
  const list: KeyValue[] = [];
  for (const [key, value] of entries as Iterable<[string, Value | undefined]>) {
    if (value !== undefined) list.push({ key, value: anyValue(value) });
  }
  return list;
}

/** Milliseconds (with fractions) to the decimal text of nanoseconds. */
export function nanos(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1_000_000)));
}

/** Groups records by service, then by scope, in the order of first sight. */
function grouped<T extends { readonly service: Service; readonly scope: Scope }>(
  records: readonly T[],
): { service: Service; scopes: { scope: Scope; records: T[] }[] }[] {
  const services = new Map<Service, Map<string, { scope: Scope; records: T[] }>>();
  for (const record of records) {
    const scopes = services.get(record.service) ?? new Map<string, { scope: Scope; records: T[] }>();
    services.set(record.service, scopes);
    const key = `${record.scope.name}@${record.scope.version}`;
    const group = scopes.get(key) ?? { scope: record.scope, records: [] };
    scopes.set(key, group);
    group.records.push(record);
  }
  return [...services].map(([service, scopes]) => ({ service, scopes: [...scopes.values()] }));
}

export function resource(service: Service): { attributes: KeyValue[] } {
  const name = service.name === '' ? {} : { 'service.name': service.name };
  return { attributes: keyValues({ ...name, ...service.attributes }) };
}

/** The body of `POST /v1/traces`. Times are epoch milliseconds by now. */
export function tracesRequest(spans: readonly SpanRecord[]): object {
  return {
    resourceSpans: grouped(spans).map(({ service, scopes }) => ({
      resource: resource(service),
      scopeSpans: scopes.map(({ scope, records }) => ({
        scope,
        spans: records.map((span) => ({
          traceId: span.traceId,
          spanId: span.spanId,
          ...(span.parentSpanId === '' ? {} : { parentSpanId: span.parentSpanId }),
          flags: 257,
          name: span.name,
          kind: KIND[span.kind],
          startTimeUnixNano: nanos(span.startMs),
          endTimeUnixNano: nanos(span.endMs),
          attributes: keyValues(span.attributes),
          events: span.events.map((event) => ({
            name: event.name,
            timeUnixNano: nanos(event.atMs),
            attributes: keyValues(event.attributes),
          })),
          links: span.links.map((link) => ({
            traceId: link.traceId,
            spanId: link.spanId,
            attributes: keyValues(link.attributes),
          })),
          status:
            span.status === 0
              ? {}
              : { code: span.status, ...(span.statusMessage ? { message: span.statusMessage } : {}) },
        })),
      })),
    })),
  };
}

/** The body of `POST /v1/logs`. */
export function logsRequest(logs: readonly LogEntry[]): object {
  return {
    resourceLogs: grouped(logs).map(({ service, scopes }) => ({
      resource: resource(service),
      scopeLogs: scopes.map(({ scope, records }) => ({
        scope,
        logRecords: records.map((log) => ({
          timeUnixNano: nanos(log.atMs),
          observedTimeUnixNano: nanos(log.atMs + 1),
          severityNumber: SEVERITY[log.severity],
          severityText: log.severity.toUpperCase(),
          body: anyValue(log.body),
          attributes: keyValues(log.attributes),
          ...(log.eventName ? { eventName: log.eventName } : {}),
          ...(log.traceId ? { traceId: log.traceId, flags: 1 } : {}),
          ...(log.spanId ? { spanId: log.spanId } : {}),
        })),
      })),
    })),
  };
}
