import { randomBytes } from 'node:crypto';

/** A span as the tests write it; times in milliseconds after the start of its trace. */
export interface SeedSpan {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startMs?: number;
  readonly durationMs?: number;
  /** Sent while it runs: without an end. */
  readonly unfinished?: boolean;
  /** OTLP numbers: 1 internal, 2 server, 3 client. */
  readonly kind?: number;
  readonly failed?: string;
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
  readonly events?: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, string>>;
  }[];
}

export interface SeedTrace {
  readonly traceId: string;
  readonly service: string;
  /** More attributes of the resource: `host.name`. */
  readonly resource?: Readonly<Record<string, string>>;
  readonly environment?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly spans: readonly SeedSpan[];
}

export const newTraceId = (): string => randomBytes(16).toString('hex');
export const newSpanId = (): string => randomBytes(8).toString('hex');

/** Sends the trace by OTLP/JSON, in batches, with that key, and fails unless every span was accepted. */
export async function sendTrace(otlpHttp: string, trace: SeedTrace, key?: string): Promise<void> {
  for (let at = 0; at < trace.spans.length; at += 2_000) {
    const response = await fetch(`${otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(requestOf(trace, trace.spans.slice(at, at + 2_000))),
    });
    const answer = await response.text();
    if (!response.ok || /rejectedSpans":"?[1-9]/.test(answer))
      throw new Error(`OTLP answered ${response.status}: ${answer}`);
  }
}

/** A log record of a span, some milliseconds after the start of its trace. */
export interface SeedLog {
  readonly spanId: string;
  /** OTLP severity number. */
  readonly severity: number;
  readonly body: string;
  readonly afterMs: number;
}

/** Sends log records of a trace by OTLP/JSON. */
export async function sendLogs(otlpHttp: string, trace: SeedTrace, logs: readonly SeedLog[]): Promise<void> {
  const resource = { attributes: attributesOf({ 'service.name': trace.service }) };
  const logRecords = logs.map((log) => ({
    timeUnixNano: nanos(trace.startedAt + log.afterMs),
    severityNumber: log.severity,
    body: { stringValue: log.body },
    traceId: trace.traceId,
    spanId: log.spanId,
  }));
  const response = await fetch(`${otlpHttp}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }),
  });
  if (!response.ok) throw new Error(`OTLP answered ${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}

/** A log record as the tests write it. */
export interface SeedRecord {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly body: string | Readonly<Record<string, string | number>>;
  /** OTLP severity number; absent: none. */
  readonly severity?: number;
  readonly severityText?: string;
  readonly eventName?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
}

/** Sends log records of one service instance by OTLP/JSON, oldest first as given. */
export async function sendRecords(
  otlpHttp: string,
  resource: { readonly service: string; readonly instance?: string; readonly environment?: string },
  records: readonly SeedRecord[],
): Promise<void> {
  const attributes = attributesOf({
    'service.name': resource.service,
    'service.instance.id': resource.instance ?? `${resource.service}-1`,
    'deployment.environment.name': resource.environment ?? 'production',
  });
  const logRecords = records.map((record) => ({
    timeUnixNano: nanos(record.at),
    body:
      typeof record.body === 'string'
        ? { stringValue: record.body }
        : { kvlistValue: { values: attributesOf(record.body) } },
    attributes: attributesOf(record.attributes ?? {}),
    ...(record.severity === undefined ? {} : { severityNumber: record.severity }),
    ...(record.severityText === undefined ? {} : { severityText: record.severityText }),
    ...(record.eventName === undefined ? {} : { eventName: record.eventName }),
    ...(record.traceId === undefined ? {} : { traceId: record.traceId }),
    ...(record.spanId === undefined ? {} : { spanId: record.spanId }),
  }));
  const response = await fetch(`${otlpHttp}/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords }] }] }),
  });
  const answer = await response.text();
  if (!response.ok || /rejectedLogRecords":"?[1-9]/.test(answer)) {
    throw new Error(`OTLP answered ${response.status}: ${answer}`);
  }
}

function requestOf(trace: SeedTrace, spans: readonly SeedSpan[]) {
  const resource = {
    'service.name': trace.service,
    'deployment.environment.name': trace.environment ?? 'production',
    ...trace.resource,
  };
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [
          { scope: { name: 'e2e', version: '1' }, spans: spans.map((span) => spanOf(trace, span)) },
        ],
      },
    ],
  };
}

function spanOf(trace: SeedTrace, span: SeedSpan) {
  const startMs = trace.startedAt + (span.startMs ?? 0);
  const endMs = startMs + (span.durationMs ?? 1);
  return {
    traceId: trace.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: span.kind ?? 1,
    startTimeUnixNano: nanos(startMs),
    ...(span.unfinished === true ? {} : { endTimeUnixNano: nanos(endMs) }),
    attributes: attributesOf(span.attributes ?? {}),
    events: (span.events ?? []).map((event) => ({
      name: event.name,
      timeUnixNano: nanos(endMs),
      attributes: attributesOf(event.attributes),
    })),
    status: span.failed === undefined ? {} : { code: 2, message: span.failed },
  };
}

const nanos = (ms: number): string => (BigInt(Math.round(ms * 1_000)) * 1_000n).toString();

function attributesOf(values: Readonly<Record<string, string | number | boolean>>) {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : Number.isInteger(value)
            ? { intValue: String(value) }
            : { doubleValue: value },
  }));
}

/** A point of a metric; exactly one of value (gauge, counter) and buckets (histogram). */
export interface SeedPoint {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly value?: number;
  /** Of a histogram; default 0. */
  readonly sum?: number;
  readonly buckets?: readonly number[];
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
  /** A measurement of that trace. */
  readonly exemplar?: { readonly value: number; readonly traceId: string; readonly spanId: string };
}

export interface SeedMetric {
  readonly name: string;
  readonly kind: 'gauge' | 'counter' | 'histogram';
  readonly unit?: string;
  readonly description?: string;
  readonly service?: string;
  /** More attributes of the resource: `host.name`. */
  readonly resource?: Readonly<Record<string, string>>;
  /** Since when counters and histograms count. */
  readonly startedAt?: number;
  /** Upper bounds of a histogram's buckets. */
  readonly bounds?: readonly number[];
  readonly points: readonly SeedPoint[];
}

/** Sends cumulative metrics by OTLP/JSON and fails unless every point was accepted. */
export async function sendMetrics(otlpHttp: string, ...metrics: readonly SeedMetric[]): Promise<void> {
  const body = {
    resourceMetrics: metrics.map((metric) => ({
      resource: {
        attributes: attributesOf({ 'service.name': metric.service ?? 'shop', ...metric.resource }),
      },
      scopeMetrics: [{ scope: { name: 'e2e', version: '1' }, metrics: [metricOf(metric)] }],
    })),
  };
  const response = await fetch(`${otlpHttp}/v1/metrics`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  if (!response.ok || /rejectedDataPoints":"?[1-9]/.test(answer))
    throw new Error(`OTLP answered ${response.status}: ${answer}`);
}

function metricOf(metric: SeedMetric) {
  const dataPoints = metric.points.map((point) => ({
    attributes: attributesOf(point.attributes ?? {}),
    timeUnixNano: nanos(point.at),
    ...(metric.startedAt === undefined ? {} : { startTimeUnixNano: nanos(metric.startedAt) }),
    ...(point.buckets === undefined
      ? { asDouble: point.value ?? 0 }
      : {
          count: String(point.buckets.reduce((all, count) => all + count, 0)),
          sum: point.sum ?? 0,
          bucketCounts: point.buckets.map(String),
          explicitBounds: metric.bounds,
        }),
    ...(point.exemplar === undefined
      ? {}
      : {
          exemplars: [
            {
              timeUnixNano: nanos(point.at - 1_000),
              asDouble: point.exemplar.value,
              traceId: point.exemplar.traceId,
              spanId: point.exemplar.spanId,
            },
          ],
        }),
  }));
  const { name, unit, description } = metric;
  const head = { name, unit, description };
  if (metric.kind === 'gauge') return { ...head, gauge: { dataPoints } };
  return metric.kind === 'counter'
    ? { ...head, sum: { dataPoints, aggregationTemporality: 2, isMonotonic: true } }
    : { ...head, histogram: { dataPoints, aggregationTemporality: 2 } };
}
