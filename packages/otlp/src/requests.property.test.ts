import type { Signal } from '@candela/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeLogs,
  decodeMetrics,
  decodeTraces,
  encodeLogsRequest,
  encodeMetricsRequest,
  encodeTraceRequest,
} from './index.ts';

/** Arbitrary requests as values, of every field. */
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const uint64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const int64 = fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });
const uint32 = fc.nat({ max: 0xffff_ffff });
const int32 = fc.integer();
const id = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString('hex'));
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.boolean(),
    fc.integer(),
    int64.filter((value) => value > 2n ** 53n || value < -(2n ** 53n)),
    fc.double({ noInteger: true }),
    fc.constant(null),
    fc.uint8Array({ maxLength: 4 }).map((value) => new Uint8Array(value)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(text, tie('value')), { maxLength: 3 }).map((pairs) => new Map(pairs)),
  ),
})) as { value: fc.Arbitrary<never> };
const attributes = fc
  .array(fc.tuple(text, anyValue), { minLength: 1, maxLength: 4 })
  .map((pairs) => new Map(pairs));
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] });
const many = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 });

const resource = some({ attributes, droppedAttributesCount: uint32 });
const scope = some({ name: text, version: text, attributes, droppedAttributesCount: uint32 });
const span = some({
  traceId: id(16),
  spanId: id(8),
  traceState: text,
  parentSpanId: id(8),
  flags: uint32,
  name: text,
  kind: int32,
  startTimeUnixNano: uint64,
  endTimeUnixNano: uint64,
  attributes,
  droppedAttributesCount: uint32,
  events: many(some({ timeUnixNano: uint64, name: text, attributes, droppedAttributesCount: uint32 })),
  droppedEventsCount: uint32,
  links: many(
    some({
      traceId: id(16),
      spanId: id(8),
      traceState: text,
      attributes,
      droppedAttributesCount: uint32,
      flags: uint32,
    }),
  ),
  droppedLinksCount: uint32,
  status: some({ message: text, code: int32 }),
});
const log = some({
  timeUnixNano: uint64,
  observedTimeUnixNano: uint64,
  severityNumber: int32,
  severityText: text,
  body: anyValue.filter((value) => value !== null),
  attributes,
  droppedAttributesCount: uint32,
  flags: uint32,
  traceId: id(16),
  spanId: id(8),
  eventName: text,
});
const double = fc.double({ noNaN: true });
const point = { attributes, startTimeUnixNano: uint64, timeUnixNano: uint64, flags: uint32 };
const exemplars = many(
  some({
    filteredAttributes: attributes,
    timeUnixNano: uint64,
    asDouble: double,
    spanId: id(8),
    traceId: id(16),
  }),
);
const numberPoint = fc.oneof(
  some({ ...point, exemplars, asDouble: double }),
  some({ ...point, exemplars, asInt: int64 }),
);
const buckets = some({ offset: int32, bucketCounts: many(uint64) });
const totals = { count: uint64, sum: double, min: double, max: double, exemplars };
const metric = fc
  .tuple(
    some({ name: text, description: text, unit: text }),
    fc.oneof(
      some({ gauge: some({ dataPoints: many(numberPoint) }) }),
      some({
        sum: some({
          dataPoints: many(numberPoint),
          aggregationTemporality: int32,
          isMonotonic: fc.boolean(),
        }),
      }),
      some({
        histogram: some({
          dataPoints: many(
            some({ ...point, ...totals, bucketCounts: many(uint64), explicitBounds: many(double) }),
          ),
          aggregationTemporality: int32,
        }),
      }),
      some({
        exponentialHistogram: some({
          dataPoints: many(
            some({
              ...point,
              ...totals,
              scale: int32,
              zeroCount: uint64,
              positive: buckets,
              negative: buckets,
              zeroThreshold: double,
            }),
          ),
          aggregationTemporality: int32,
        }),
      }),
      some({
        summary: some({
          dataPoints: many(
            some({
              ...point,
              count: uint64,
              sum: double,
              quantileValues: many(some({ quantile: double, value: double })),
            }),
          ),
        }),
      }),
    ),
  )
  .map(([head, data]) => ({ ...head, ...data }));
const requestOf = <T>(suffix: string, records: string, record: fc.Arbitrary<T>) =>
  some({
    [`resource${suffix}`]: many(
      some<Record<string, unknown>>({
        resource,
        schemaUrl: text,
        [`scope${suffix}`]: many(
          some<Record<string, unknown>>({ scope, schemaUrl: text, [records]: many(record) }),
        ),
      }),
    ),
  });

describe('every request', () => {
  it('comes back from protobuf as it was', () => {
    fc.assert(
      fc.property(requestOf('Spans', 'spans', span), (value) => {
        expect(decodeTraces(encodeTraceRequest(value), 'protobuf')).toEqual(value);
      }),
    );
    fc.assert(
      fc.property(requestOf('Logs', 'logRecords', log), (value) => {
        expect(decodeLogs(encodeLogsRequest(value), 'protobuf')).toEqual(value);
      }),
    );
    fc.assert(
      fc.property(requestOf('Metrics', 'metrics', metric), (value) => {
        expect(decodeMetrics(encodeMetricsRequest(value), 'protobuf')).toEqual(value);
      }),
    );
  });

  it('is read whole or refused as undecodable, whatever the bytes', () => {
    const decoders = { traces: decodeTraces, logs: decodeLogs, metrics: decodeMetrics };
    const attempt = (signal: Signal, bytes: Uint8Array, format: 'protobuf' | 'json'): void => {
      try {
        decoders[signal](bytes, format);
      } catch (error) {
        expect(error).toMatchObject({ code: 'undecodable' });
      }
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const signal of ['traces', 'logs', 'metrics'] as const) {
          attempt(signal, bytes, 'protobuf');
          attempt(signal, bytes, 'json');
        }
      }),
    );
    fc.assert(
      fc.property(fc.json(), (body) => {
        attempt('traces', Buffer.from(`{"resourceSpans":[${body}]}`), 'json');
      }),
    );
    fc.assert(
      fc.property(requestOf('Metrics', 'metrics', metric), fc.nat(), fc.nat(), (value, cut, flip) => {
        const bytes = encodeMetricsRequest(value);
        attempt('metrics', bytes.subarray(0, cut % (bytes.length + 1)), 'protobuf');
        if (bytes.length > 0) bytes[flip % bytes.length] = flip & 0xff;
        attempt('metrics', bytes, 'protobuf');
      }),
    );
  });
});
