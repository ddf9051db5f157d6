import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { encodeLogsRequest, encodeMetricsRequest } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JSON_TYPE, post, TRACE_METHOD } from './testing/client.ts';
import { API_KEY, type Receivers, openReceivers } from './testing/harness.ts';
import { traceBody, traceIdOf } from './testing/spans.ts';

const LOGS_METHOD = '/opentelemetry.proto.collector.logs.v1.LogsService/Export';
const METRICS_METHOD = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';
const GZIP = 2;

let receivers: Receivers;
beforeAll(async () => {
  const kept = (days: number, own: [string, number][] = []) => ({ days, projects: new Map(own) });
  const retention = { traces: kept(30), logs: kept(20, [['default', 7]]), metrics: kept(90, [['other', 1]]) };
  receivers = await openReceivers({ ingest: { retention } });
});
afterAll(() => receivers.close());

const now = (): bigint => BigInt(Date.now()) * 1_000_000n;

const logs = (name: string, count: number): Uint8Array =>
  encodeLogsRequest({
    resourceLogs: [
      {
        resource: { attributes: { 'service.name': name } },
        scopeLogs: [
          {
            scope: { name: 'test' },
            logRecords: Array.from({ length: count }, (_, index) => ({
              timeUnixNano: now(),
              observedTimeUnixNano: now(),
              severityNumber: 9,
              severityText: 'INFO',
              body: `line ${index}`,
            })),
          },
        ],
      },
    ],
  });

const metrics = (name: string): Uint8Array => {
  const point = { timeUnixNano: now(), startTimeUnixNano: now() - 1_000n };
  return encodeMetricsRequest({
    resourceMetrics: [
      {
        resource: { attributes: { 'service.name': name } },
        scopeMetrics: [
          {
            scope: { name: 'test' },
            metrics: [
              { name: 'gauge', gauge: { dataPoints: [{ ...point, asDouble: 1.5 }] } },
              {
                name: 'sum',
                sum: { dataPoints: [{ ...point, asInt: 7 }], aggregationTemporality: 2, isMonotonic: true },
              },
              {
                name: 'histogram',
                histogram: {
                  dataPoints: [{ ...point, count: 3, sum: 6, bucketCounts: [1, 2], explicitBounds: [2] }],
                  aggregationTemporality: 1,
                },
              },
              {
                name: 'summary',
                summary: { dataPoints: [{ ...point, count: 1, sum: 2, quantileValues: [] }] },
              },
              {
                name: 'exponential',
                exponentialHistogram: {
                  dataPoints: [
                    {
                      ...point,
                      count: 2,
                      sum: 3,
                      scale: 1,
                      zeroCount: 0,
                      positive: { offset: 0, bucketCounts: [2] },
                    },
                  ],
                  aggregationTemporality: 2,
                },
              },
            ],
          },
        ],
      },
    ],
  });
};

const METRIC_TABLES = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'].map(
  (kind) => `otel_metrics_${kind}`,
);

async function count(table: string, service: string): Promise<number> {
  const [row] = await receivers.rows<{ n: string }>(
    `SELECT count() AS n FROM ${table} WHERE ServiceName = {service:String}`,
    {
      service,
    },
  );
  return Number(row?.n);
}

describe('the three signals', () => {
  it('logs and all five kinds of metrics over HTTP', async () => {
    expect((await post(receivers.port, logs('http logs', 25), { path: '/v1/logs' })).status).toBe(200);
    expect((await post(receivers.port, metrics('http metrics'), { path: '/v1/metrics' })).status).toBe(200);
    expect(await count('otel_logs', 'http logs')).toBe(25);
    for (const table of METRIC_TABLES)
      expect([table, await count(table, 'http metrics')]).toEqual([table, 1]);
  });

  it('JSON logs', async () => {
    const body = JSON.stringify({
      resourceLogs: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'json logs' } }] },
          scopeLogs: [
            {
              logRecords: [
                { timeUnixNano: String(now()), body: { stringValue: 'hello' }, severityNumber: 17 },
              ],
            },
          ],
        },
      ],
    });
    expect((await post(receivers.port, body, { path: '/v1/logs', type: JSON_TYPE })).status).toBe(200);
    expect(await count('otel_logs', 'json logs')).toBe(1);
  });
});

describe('retention', () => {
  it.each([
    ['otel_logs', '/v1/logs', () => logs('kept', 1), 7],
    ['otel_metrics_sum', '/v1/metrics', () => metrics('kept'), 90],
  ] as const)('of %s is that of its signal and project', async (table, path, body, days) => {
    expect((await post(receivers.port, body(), { path })).status).toBe(200);
    const rows = await receivers.rows<{ RetentionDays: number }>(
      `SELECT DISTINCT RetentionDays FROM ${table} WHERE ServiceName = 'kept'`,
    );
    expect(rows).toEqual([{ RetentionDays: days }]);
  });
});

describe('a real gRPC client', () => {
  const call = (
    client: Client,
    method: string,
    body: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Buffer | ServiceError> =>
    new Promise((resolve) => {
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
      client.makeUnaryRequest(
        method,
        (bytes: Uint8Array) => Buffer.from(bytes),
        (bytes) => bytes,
        body,
        metadata,
        { deadline: Date.now() + 20_000 },
        (error, value) => resolve(error ?? value ?? Buffer.alloc(0)),
      );
    });

  async function withClient(work: (client: Client) => Promise<void>, compressed = false): Promise<void> {
    const client = new Client(`127.0.0.1:${receivers.grpcPort}`, credentials.createInsecure(), {
      'grpc.max_send_message_length': -1,
      ...(compressed ? { 'grpc.default_compression_algorithm': GZIP } : {}),
    });
    try {
      await work(client);
    } finally {
      client.close();
    }
  }

  it.each([false, true])('all three services, gzip %s, many calls at once', async (compressed) => {
    await withClient(async (client) => {
      const name = `grpc ${compressed}`;
      const answers = await Promise.all([
        ...Array.from({ length: 40 }, (_, n) => call(client, TRACE_METHOD, traceBody(`${name} ${n}`, 50))),
        call(client, LOGS_METHOD, logs(name, 10)),
        call(client, METRICS_METHOD, metrics(name)),
      ]);
      expect(answers.filter((answer) => answer instanceof Error)).toEqual([]);
      expect(await count('otel_logs', name)).toBe(10);
      expect(await count('otel_metrics_sum', name)).toBe(1);
      const [row] = await receivers.rows<{ n: string }>(
        'SELECT count() AS n FROM otel_traces WHERE TraceId = {id:String}',
        {
          id: traceIdOf(`${name} 39`),
        },
      );
      expect(Number(row?.n)).toBe(50);
    }, compressed);
  });

  it('a large message (8 MB) and one over the limit', async () => {
    await withClient(async (client) => {
      const large = traceBody('large', 60_000);
      expect(large.byteLength).toBeGreaterThan(5_000_000);
      expect(await call(client, TRACE_METHOD, large)).toBeInstanceOf(Buffer);
      const over = (await call(client, TRACE_METHOD, Buffer.alloc(17 * 1024 * 1024))) as ServiceError;
      expect(over.code).toBe(status.RESOURCE_EXHAUSTED);
      expect(over.metadata.get('grpc-status-details-bin')).toHaveLength(1);
      // The connection lives on.
      expect(await call(client, TRACE_METHOD, traceBody('after the large one'))).toBeInstanceOf(Buffer);
    });
  });

  it('sees its errors with code, sentence and details', async () => {
    await withClient(async (client) => {
      const wrong = (await call(client, TRACE_METHOD, traceBody('x'), {
        authorization: 'Bearer no',
      })) as ServiceError;
      expect(wrong).toMatchObject({
        code: status.UNAUTHENTICATED,
        details: expect.stringContaining('API key'),
      });
      const bad = (await call(client, TRACE_METHOD, Buffer.from('rubbish'))) as ServiceError;
      expect(bad.code).toBe(status.INVALID_ARGUMENT);
      const none = (await call(client, '/grpc.health.v1.Health/Check', Buffer.alloc(0))) as ServiceError;
      expect(none.code).toBe(status.UNIMPLEMENTED);
      const good = await call(client, TRACE_METHOD, traceBody('with key'), {
        authorization: `Bearer ${API_KEY}`,
      });
      expect(good).toBeInstanceOf(Buffer);
    });
  });
});
