import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  AggregationType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { decodeLogs, decodeMetrics, decodeTraces, encodeExportResponse } from './index.ts';

const resource = resourceFromAttributes({ 'service.name': 'shop', 'host.cpus': 4, ratio: 0.5 });

/** What the SDK's own serializers make of one set of records must read the same from both encodings. */
describe('the OpenTelemetry SDK', () => {
  it('traces', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({
      resource,
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const tracer = provider.getTracer('scope', '1.2.3');
    const parent = tracer.startSpan('parent', { kind: SpanKind.SERVER, attributes: { 'http.route': '/a' } });
    const child = tracer.startSpan(
      'child ünï 🙂',
      {
        kind: SpanKind.CLIENT,
        attributes: { n: 5, big: 2 ** 40, f: 0.25, yes: true, list: ['a', 'b'], numbers: [1, 2.5] },
        links: [{ context: parent.spanContext(), attributes: { why: 'because' } }],
      },
      trace.setSpan(ROOT_CONTEXT, parent),
    );
    child.addEvent('token', { index: 1 });
    child.setStatus({ code: SpanStatusCode.ERROR, message: 'broken' });
    child.end();
    parent.end();
    const spans = exporter.getFinishedSpans();
    const [bytes, json] = [ProtobufTraceSerializer, JsonTraceSerializer].map((serializer) =>
      serializer.serializeRequest(spans),
    );
    const value = decodeTraces(bytes as Uint8Array, 'protobuf');
    expect(normal(decodeTraces(json as Uint8Array, 'json'))).toEqual(normal(value));
    const read = value.resourceSpans?.[0]?.scopeSpans?.[0]?.spans?.find((span) => span.name !== 'parent');
    expect(read).toMatchObject({
      traceId: child.spanContext().traceId,
      spanId: child.spanContext().spanId,
      parentSpanId: parent.spanContext().spanId,
      name: 'child ünï 🙂',
      kind: 3,
      status: { code: 2, message: 'broken' },
      links: [{ traceId: parent.spanContext().traceId, attributes: new Map([['why', 'because']]) }],
      events: [{ name: 'token', attributes: new Map([['index', 1]]) }],
    });
    expect(read?.attributes).toEqual(
      new Map<string, unknown>([
        ['n', 5],
        ['big', 2 ** 40],
        ['f', 0.25],
        ['yes', true],
        ['list', ['a', 'b']],
        ['numbers', [1, 2.5]],
      ]),
    );
    await provider.shutdown();
  });

  it('logs', async () => {
    const exporter = new InMemoryLogRecordExporter();
    const provider = new LoggerProvider({
      resource,
      processors: [new SimpleLogRecordProcessor({ exporter })],
    });
    const logger = provider.getLogger('scope');
    logger.emit({
      eventName: 'gen_ai.something',
      severityNumber: 9,
      severityText: 'INFO',
      body: { messages: [{ role: 'user', n: 1 }] },
      attributes: { nested: { a: { b: [1, 'x'] } }, bytes: new Uint8Array([1, 2, 3]) },
    });
    logger.emit({ body: 'text', timestamp: 1_700_000_000_000 });
    const records = exporter.getFinishedLogRecords();
    const value = decodeLogs(ProtobufLogsSerializer.serializeRequest(records) as Uint8Array, 'protobuf');
    const json = decodeLogs(JsonLogsSerializer.serializeRequest(records) as Uint8Array, 'json');
    expect(normal(json)).toEqual(normal(value));
    const [first, second] = value.resourceLogs?.[0]?.scopeLogs?.[0]?.logRecords ?? [];
    expect(first?.eventName).toBe('gen_ai.something');
    expect(first?.body).toEqual(
      new Map([
        [
          'messages',
          [
            new Map<string, unknown>([
              ['role', 'user'],
              ['n', 1],
            ]),
          ],
        ],
      ]),
    );
    expect(second?.timeUnixNano).toBe(1_700_000_000_000_000_000n);
    await provider.shutdown();
  });

  it('metrics', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
    const provider = new MeterProvider({
      resource,
      readers: [reader],
      views: [
        { instrumentName: 'exponential', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } },
      ],
    });
    const meter = provider.getMeter('scope');
    meter.createCounter('requests', { unit: '1' }).add(3, { route: '/a' });
    meter.createUpDownCounter('open').add(-2);
    meter.createGauge('temperature', { description: 'how warm' }).record(21.5);
    for (const value of [0.5, 20, 3000]) {
      meter.createHistogram('latency', { unit: 'ms' }).record(value);
      meter.createHistogram('exponential').record(value);
    }
    await reader.forceFlush();
    const [metrics] = exporter.getMetrics();
    if (metrics === undefined) throw new Error('the SDK exported nothing');
    const value = decodeMetrics(
      ProtobufMetricsSerializer.serializeRequest(metrics) as Uint8Array,
      'protobuf',
    );
    const json = decodeMetrics(JsonMetricsSerializer.serializeRequest(metrics) as Uint8Array, 'json');
    expect(normal(json)).toEqual(normal(value));
    const read = new Map(
      value.resourceMetrics?.[0]?.scopeMetrics?.[0]?.metrics?.map((metric) => [metric.name, metric]),
    );
    expect(read.get('requests')?.sum).toMatchObject({ isMonotonic: true, aggregationTemporality: 1 });
    expect(read.get('temperature')).toMatchObject({
      description: 'how warm',
      gauge: { dataPoints: [{ asDouble: 21.5 }] },
    });
    expect(read.get('latency')?.histogram?.dataPoints?.[0]).toMatchObject({
      count: 3n,
      sum: 3020.5,
      min: 0.5,
      max: 3000,
    });
    expect(read.get('exponential')?.exponentialHistogram?.dataPoints?.[0]).toMatchObject({ count: 3n });
    await provider.shutdown();
  });

  it('reads our answers', () => {
    const partial = { rejected: 3, message: 'three were bad' };
    const expected = { partialSuccess: { rejectedSpans: 3, errorMessage: 'three were bad' } };
    const asNumber = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('"3"', '3'));
    for (const [format, serializer] of [
      ['protobuf', ProtobufTraceSerializer],
      ['json', JsonTraceSerializer],
    ] as const) {
      const answer = encodeExportResponse('traces', format, partial);
      expect(asNumber(serializer.deserializeResponse(answer))).toEqual(expected);
    }
    expect(
      ProtobufLogsSerializer.deserializeResponse(encodeExportResponse('logs', 'protobuf', partial))
        .partialSuccess?.rejectedLogRecords,
    ).toBeDefined();
    expect(
      ProtobufMetricsSerializer.deserializeResponse(encodeExportResponse('metrics', 'protobuf', partial))
        .partialSuccess?.rejectedDataPoints,
    ).toBeDefined();
  });
});

/** Without what protobuf cannot say apart: zeros, empty texts and empty lists. */
function normal(value: unknown): unknown {
  if (value instanceof Map || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  const isDefault = (item: unknown): boolean =>
    item === 0 || item === 0n || item === '' || item === false || (Array.isArray(item) && item.length === 0);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => !isDefault(item) && !(item instanceof Map && item.size === 0))
      .map(([key, item]) => [key, normal(item)]),
  );
}
