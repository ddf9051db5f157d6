import { createHash } from 'node:crypto';
import { encodeTraceRequest, type Span, type TraceRequest } from '@candela/otlp';

/** A 32-digit trace id made from a name. */
export const traceIdOf = (name: string): string =>
  createHash('sha256').update(name).digest('hex').slice(0, 32);
export const spanIdOf = (name: string): string =>
  createHash('sha256').update(`s${name}`).digest('hex').slice(0, 16);

/** One plain span of `trace`, valid unless `changes` break it. */
export function span(trace: string, name: string, changes: Partial<Span> = {}): Span {
  const start = BigInt(Date.now()) * 1_000_000n;
  return {
    traceId: traceIdOf(trace),
    spanId: spanIdOf(`${trace}/${name}`),
    name,
    kind: 2,
    startTimeUnixNano: start,
    endTimeUnixNano: start + 1_500_000n,
    attributes: { 'http.route': '/pay', 'http.status_code': 200 },
    ...changes,
  };
}

export function traceRequest(spans: readonly Span[], service = 'shop'): TraceRequest {
  return {
    resourceSpans: [
      {
        resource: { attributes: { 'service.name': service } },
        scopeSpans: [{ scope: { name: 'test', version: '1' }, spans }],
      },
    ],
  };
}

/** A protobuf request of `count` spans in the trace `name`. */
export function traceBody(name: string, count = 1): Uint8Array {
  return encodeTraceRequest(
    traceRequest(Array.from({ length: count }, (_, index) => span(name, `span ${index}`))),
  );
}
