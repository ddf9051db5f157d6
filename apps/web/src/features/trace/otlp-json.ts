import type { Attribute, SpanDetail } from '@candela/contract';

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const STATUSES = ['unset', 'ok', 'error'];

/** An OTLP/JSON trace request of one span, as any OpenTelemetry receiver takes it. */
export function otlpJson(detail: SpanDetail): string {
  const eventTime = (offsetMs: number) =>
    (BigInt(detail.startTimeUnixNano) + BigInt(Math.round(offsetMs * 1_000)) * 1_000n).toString();
  const span = {
    traceId: detail.traceId,
    spanId: detail.spanId,
    ...(detail.parentSpanId === null ? {} : { parentSpanId: detail.parentSpanId }),
    ...(detail.traceState === null ? {} : { traceState: detail.traceState }),
    flags: detail.flags,
    name: detail.name,
    kind: KINDS.indexOf(detail.kind),
    startTimeUnixNano: detail.startTimeUnixNano,
    ...(detail.unfinished ? {} : { endTimeUnixNano: detail.endTimeUnixNano }),
    attributes: detail.attributes.map(keyValue),
    events: detail.events.map((event) => ({
      name: event.name,
      timeUnixNano: eventTime(event.offsetMs),
      attributes: event.attributes.map(keyValue),
    })),
    links: detail.links.map((link) => ({
      traceId: link.traceId,
      spanId: link.spanId,
      ...(link.traceState === null ? {} : { traceState: link.traceState }),
      attributes: link.attributes.map(keyValue),
    })),
    status: {
      code: STATUSES.indexOf(detail.status),
      ...(detail.statusMessage === null ? {} : { message: detail.statusMessage }),
    },
  };
  const { name, version, attributes } = detail.scope;
  const scope = { name, version, attributes: attributes.map(keyValue) };
  return JSON.stringify(
    {
      resourceSpans: [
        { resource: { attributes: detail.resource.map(keyValue) }, scopeSpans: [{ scope, spans: [span] }] },
      ],
    },
    null,
    2,
  );
}

const keyValue = ({ key, type, value }: Attribute) => ({ key, value: anyValue(type, value) });

/** 64-bit integers are text in OTLP/JSON, so that no reader loses digits. */
function anyValue(type: Attribute['type'], value: unknown): object {
  switch (type) {
    case 'string':
      return { stringValue: String(value) };
    case 'int':
      return { intValue: String(value) };
    case 'double':
      return { doubleValue: value };
    case 'bool':
      return { boolValue: value };
    case 'bytes':
      return { bytesValue: value };
    case 'json':
      return jsonValue(value);
    case 'null':
      return {};
  }
}

function jsonValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(jsonValue) } };
  if (typeof value !== 'object' || value === null) return {};
  return {
    kvlistValue: { values: Object.entries(value).map(([key, entry]) => ({ key, value: jsonValue(entry) })) },
  };
}
