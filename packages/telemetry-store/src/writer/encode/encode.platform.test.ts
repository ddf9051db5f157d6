import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, type Signal } from '@candela/kernel';
import {
  DEFAULT_LIMITS,
  encodeLogsRequest,
  encodeMetricsRequest,
  encodeTraceRequest,
  type MetricsRequest,
  type Span,
} from '@candela/otlp';
import type { AttributeValue } from '@candela/semconv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTelemetryStore, type TelemetryStore } from '../../client/open.ts';
import type { EncodeContext } from './context.ts';
import { encodeRequest } from './index.ts';
import { newStoreIn } from '../../testing/migrated.ts';

/** What was encoded must come back from the engine as it was sent, column by column. */
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const START = 1_763_000_000_123_456_789n;
/** Now: the engine drops on arrival what is older than its retention. */
const RECEIVED = Date.now();

let dir: string;
let store: TelemetryStore;
let tokens = 0;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-encode-'));
  store = await openTelemetryStore({ kind: 'embedded', dataDir: newStoreIn(dir), logger: silentLogger });
});

afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const contextOf = (projectId: string): EncodeContext => ({
  projectId,
  environment: undefined,
  defaultEnvironment: 'production',
  receivedAtMs: RECEIVED,
  retentionDays: 30,
  limits: DEFAULT_LIMITS,
});

/** Encodes and inserts, each request under a project of its own so that tests do not see each other. */
async function put(signal: Signal, body: Uint8Array, projectId: string): Promise<void> {
  const { blocks } = encodeRequest(signal, 'protobuf', body, contextOf(projectId));
  for (const block of blocks) await store.insertNative(block.table, [block.bytes], `t${tokens++}`);
}

async function rowsOf(table: string, projectId: string, columns = '*'): Promise<Record<string, unknown>[]> {
  return await store.select<Record<string, unknown>>(
    `SELECT ${columns} FROM ${table} WHERE ProjectId = {project:String} ORDER BY ${table === 'otel_traces' ? 'SpanId' : '1'}`,
    { project: projectId },
  );
}

const spanRequest = (...spans: Span[]): Uint8Array =>
  encodeTraceRequest({
    resourceSpans: [
      {
        resource: { attributes: { 'service.name': 'shop', 'deployment.environment.name': 'staging' } },
        scopeSpans: [{ scope: { name: 'scope', version: '1.0', attributes: { s: 1 } }, spans }],
      },
    ],
  });

const spanId = (index: number): string => index.toString(16).padStart(16, '0');

describe('spans', () => {
  it('keep every field', async () => {
    await put(
      'traces',
      spanRequest({
        traceId: TRACE_ID,
        spanId: spanId(1),
        parentSpanId: spanId(9),
        traceState: 'a=1',
        flags: 257,
        name: 'GET /a',
        kind: 2,
        startTimeUnixNano: START,
        endTimeUnixNano: START + 4_999_999_999n,
        attributes: {
          'http.route': '/a',
          n: 200,
          'session.id': 's1',
          'user.id': 'u1',
          'error.type': 'timeout',
        },
        events: [
          { timeUnixNano: START + 1n, name: 'one', attributes: { e: true } },
          { timeUnixNano: START + 2n, name: 'two' },
        ],
        links: [{ traceId: TRACE_ID, spanId: spanId(5), traceState: 'b=2', attributes: { l: 0.5 } }],
        status: { code: 2, message: 'broken' },
      }),
      'every',
    );
    const [row] = await rowsOf(
      'otel_traces',
      'every',
      `*, toString(toUnixTimestamp64Nano(Timestamp)) AS nanos, toUnixTimestamp64Milli(ReceivedAt) AS received,
       arrayMap(time -> toString(toUnixTimestamp64Nano(time)), "Events.Timestamp") AS eventTimes`,
    );
    expect(row).toMatchObject({
      nanos: String(START),
      received: RECEIVED,
      eventTimes: [String(START + 1n), String(START + 2n)],
      TraceId: TRACE_ID,
      SpanId: spanId(1),
      ParentSpanId: spanId(9),
      TraceState: 'a=1',
      SpanName: 'GET /a',
      SpanKind: 'Server',
      ServiceName: 'shop',
      ResourceAttributes: { 'service.name': 'shop', 'deployment.environment.name': 'staging' },
      ScopeName: 'scope',
      ScopeVersion: '1.0',
      ScopeAttributes: { s: '1' },
      SpanAttributes: {
        'http.route': '/a',
        n: '200',
        'session.id': 's1',
        'user.id': 'u1',
        'error.type': 'timeout',
      },
      AttributeTypes: 'sisss',
      ContentAttributes: {},
      Duration: 4_999_999_999,
      StatusCode: 'Error',
      StatusMessage: 'broken',
      'Events.Name': ['one', 'two'],
      'Events.Attributes': [{ e: 'true' }, {}],
      'Links.TraceId': [TRACE_ID],
      'Links.SpanId': [spanId(5)],
      'Links.TraceState': ['b=2'],
      'Links.Attributes': [{ l: '0.5' }],
      ProjectId: 'every',
      Environment: 'staging',
      RetentionDays: 30,
      Flags: 257,
      SessionId: 's1',
      UserId: 'u1',
      ErrorType: 'timeout',
      CountsUsage: 0,
      CostUsd: null,
    });
  });

  it('keep hostile texts and numbers', async () => {
    const values: [string, AttributeValue, string][] = [
      ['__proto__', 'v', 'v'],
      ['constructor.prototype.x', 'v', 'v'],
      ['', 'empty key', 'empty key'],
      ['nul', 'a\u0000b', 'a\u0000b'],
      ['bidi', '\u202eabc', '\u202eabc'],
      ['emoji', '🙂'.repeat(30), '🙂'.repeat(30)],
      ['surrogate', '\ud800x', '\ufffdx'],
      ["quote'\\\n\t", `it's "so"\\\n`, `it's "so"\\\n`],
      ['big', 2n ** 63n - 1n, '9223372036854775807'],
      ['small', -(2n ** 63n), '-9223372036854775808'],
      ['past 2^53', 9_007_199_254_740_993n, '9007199254740993'],
      ['uint32', 4_294_967_295, '4294967295'],
      ['zero', 0, '0'],
      ['minus', -1, '-1'],
      ['nan', Number.NaN, 'NaN'],
      ['infinity', Number.NEGATIVE_INFINITY, '-Infinity'],
      ['double', 1.4e-7, '1.4e-7'],
      ['null', null, ''],
      ['bytes', Uint8Array.of(1, 2, 255), 'AQL/'],
      ['list', ['a', 1, null, 2n ** 60n, Number.NaN], '["a",1,null,1152921504606846976,"NaN"]'],
      [
        'map',
        new Map<string, AttributeValue>([['__proto__', [new Map([['k', true]])]]]),
        '{"__proto__":[{"k":true}]}',
      ],
      ['long', 'x'.repeat(100_000), 'x'.repeat(100_000)],
    ];
    const attributes = new Map(values.map(([key, value]) => [key, value]));
    const times = { startTimeUnixNano: START, endTimeUnixNano: START };
    await put(
      'traces',
      spanRequest({ traceId: TRACE_ID, spanId: spanId(1), ...times, attributes }),
      'hostile',
    );
    const [row] = await rowsOf(
      'otel_traces',
      'hostile',
      'mapKeys(SpanAttributes) AS keys, mapValues(SpanAttributes) AS values, AttributeTypes AS types',
    );
    expect(row?.['keys']).toEqual(values.map(([key]) => key));
    expect(row?.['values']).toEqual(values.map(([, , text]) => text));
    expect(row?.['types']).toBe('ssssssss' + 'iiiiii' + 'ddd' + 'nxjjs');
  });

  it('replace invalid UTF-8', async () => {
    const body = Buffer.from(
      spanRequest({
        traceId: TRACE_ID,
        spanId: spanId(1),
        startTimeUnixNano: START,
        endTimeUnixNano: START,
        name: 'NNNN',
        attributes: { KKKK: 'VVVV', long: `WWWW${'y'.repeat(200)}` },
      }),
    );
    for (const marker of ['NNNN', 'KKKK', 'VVVV', 'WWWW'])
      body.set([0xc3, 0x28, 0xff, 0x41], body.indexOf(marker));
    await put('traces', body, 'utf8');
    const [row] = await rowsOf('otel_traces', 'utf8');
    const replaced = '\ufffd(\ufffdA';
    expect(row).toMatchObject({
      SpanName: replaced,
      SpanAttributes: { [replaced]: replaced, long: replaced + 'y'.repeat(200) },
    });
  });

  it('have their duration across the 32-bit halves of a time', async () => {
    const durations = [0n, 1n, 0xffff_ffffn, 0x1_0000_0000n, 86_400_000_000_000n];
    const starts = [0x1878_0000_0000_0000n, 0x1878_0000_ffff_ffffn, 0x1878_0000_8000_0001n];
    const cases = starts.flatMap((start) => durations.map((duration) => ({ start, duration })));
    const spans = cases.map(({ start, duration }, index) => ({
      traceId: TRACE_ID,
      spanId: spanId(index + 1),
      startTimeUnixNano: start,
      endTimeUnixNano: start + duration,
    }));
    await put('traces', spanRequest(...spans), 'durations');
    const rows = await rowsOf('otel_traces', 'durations', 'toString(Duration) AS duration, SpanId');
    expect(rows.map((row) => row['duration'])).toEqual(cases.map(({ duration }) => String(duration)));
  });

  it('belong to one session and one user, whether they are calls of a model or not', async () => {
    const ids: [session: AttributeValue, user: AttributeValue, as: [string, string]][] = [
      ['  spaces ', ' ann ', ['spaces', 'ann']],
      [42, 7, ['42', '7']],
      ['s'.repeat(600), 'u'.repeat(600), ['s'.repeat(512), 'u'.repeat(512)]],
      ['\t', ' ', ['', '']],
    ];
    const spans = ids.flatMap(([session, user], index) =>
      [{}, { 'gen_ai.operation.name': 'chat' }].map(
        (more, kind): Span => ({
          traceId: TRACE_ID,
          spanId: spanId(100 + index * 2 + kind),
          name: 'a span',
          startTimeUnixNano: START,
          endTimeUnixNano: START + 1n,
          attributes: { 'session.id': session, 'user.id': user, ...more },
        }),
      ),
    );
    await put('traces', spanRequest(...spans), 'whose');
    const rows = await rowsOf('otel_traces', 'whose');
    expect(rows.map((row) => [row['SessionId'], row['UserId']])).toEqual(ids.flatMap(([, , as]) => [as, as]));
  });

  it('put content aside and count each model call once', async () => {
    const call = (index: number, parent: number): Span => ({
      traceId: TRACE_ID,
      spanId: spanId(index),
      ...(parent === 0 ? {} : { parentSpanId: spanId(parent) }),
      name: 'chat gpt-4o',
      startTimeUnixNano: START,
      endTimeUnixNano: START + 1n,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': 1000,
        'gen_ai.usage.output_tokens': 100,
        'gen_ai.input.messages': '[]',
        'gen_ai.conversation.id': 'c1',
      },
    });
    // The outer call comes first in this request; 3 is a call of its own.
    await put('traces', spanRequest(call(1, 0), call(2, 1), call(3, 0)), 'usage');
    // The child came in a request before its parent.
    await put('traces', spanRequest(call(5, 4)), 'usage');
    await put('traces', spanRequest(call(4, 0)), 'usage');
    const rows = await rowsOf('otel_traces', 'usage');
    expect(rows.map((row) => row['CountsUsage'])).toEqual([0, 1, 1, 0, 1]);
    for (const row of rows) {
      expect(row).toMatchObject({
        ContentAttributes: { 'gen_ai.input.messages': '[]' },
        AttributeTypes: 'sssiiss',
        GenAiOperation: 'chat',
        GenAiProvider: 'openai',
        GenAiRequestModel: 'gpt-4o',
        SessionId: 'c1',
        InputTokens: 1000,
        OutputTokens: 100,
      });
      expect(row['CostUsd']).toBeGreaterThan(0);
    }
    // The same ids in another project are another trace.
    await put('traces', spanRequest(call(4, 0)), 'usage-2');
    expect((await rowsOf('otel_traces', 'usage-2'))[0]?.['CountsUsage']).toBe(1);
  });

  it('that failed have the type of what was thrown last, where they name no error themselves', async () => {
    const thrown = (type: string) => ({
      timeUnixNano: START,
      name: 'exception',
      attributes: { 'exception.type': type },
    });
    const failed = { code: 2 } as const;
    const span = (index: number, more: Partial<Span>): Span => ({
      traceId: TRACE_ID,
      spanId: spanId(index),
      name: 'work',
      startTimeUnixNano: START,
      endTimeUnixNano: START + 1n,
      ...more,
    });
    await put(
      'traces',
      spanRequest(
        span(1, { status: failed, events: [thrown('KeyError'), thrown('ValueError')] }),
        span(2, { status: failed, events: [thrown('KeyError')], attributes: { 'error.type': 'timeout' } }),
        span(3, { events: [thrown('KeyError')] }),
        span(4, { status: failed }),
      ),
      'thrown',
    );
    const rows = await rowsOf('otel_traces', 'thrown', 'SpanId, ErrorType');
    expect(Object.fromEntries(rows.map(({ SpanId, ErrorType }) => [SpanId, ErrorType]))).toEqual({
      [spanId(1)]: 'ValueError',
      [spanId(2)]: 'timeout',
      [spanId(3)]: '',
      [spanId(4)]: '',
    });
  });

  it('are many: dictionaries of one, two and four bytes, and memory kept between blocks', async () => {
    const times = { startTimeUnixNano: START, endTimeUnixNano: START };
    for (const count of [1, 70_000, 300, 2]) {
      const spans = Array.from({ length: count }, (_, index) => ({
        traceId: TRACE_ID,
        spanId: spanId(index + 1),
        name: `name ${index}`,
        attributes: { [`key ${index}`]: `value ${index}`, same: 'same' },
        ...times,
      }));
      await put('traces', spanRequest(...spans), `many-${count}`);
      const [row] = await store.select<Record<string, unknown>>(
        `SELECT count() AS n, countIf(SpanName = concat('name ', toString(toUInt64(reinterpretAsUInt64(reverse(unhex(SpanId)))) - 1))
           AND SpanAttributes[concat('key ', substring(SpanName, 6))] = concat('value ', substring(SpanName, 6))
           AND SpanAttributes['same'] = 'same' AND ResourceAttributes['service.name'] = 'shop'
           AND ScopeAttributes['s'] = '1') AS right FROM otel_traces WHERE ProjectId = {project:String}`,
        { project: `many-${count}` },
      );
      expect([row?.['n'], row?.['right']]).toEqual([count, count]);
    }
  });
});

describe('logs', () => {
  it('keep every field and fill in missing times', async () => {
    const body = encodeLogsRequest({
      resourceLogs: [
        {
          resource: { attributes: { 'service.name': 'agent' } },
          schemaUrl: 'https://schema/r',
          scopeLogs: [
            {
              scope: { name: 'scope' },
              schemaUrl: 'https://schema/s',
              logRecords: [
                {
                  timeUnixNano: START,
                  observedTimeUnixNano: START + 1n,
                  severityNumber: 17,
                  severityText: 'ERROR',
                  body: 'it broke',
                  attributes: { a: 1 },
                  flags: 1,
                  traceId: TRACE_ID,
                  spanId: spanId(1),
                  eventName: 'e.1',
                },
                {
                  observedTimeUnixNano: START + 1n,
                  body: new Map([['k', 1]]),
                  attributes: { 'event.name': 'e.2' },
                },
                { body: 5 },
                {},
              ],
            },
          ],
        },
      ],
    });
    await put('logs', body, 'logs');
    const rows = await store.select<Record<string, unknown>>(
      `SELECT *, toString(toUnixTimestamp64Nano(Timestamp)) AS nanos, toString(toUnixTimestamp64Nano(ObservedTimestamp)) AS observed
       FROM otel_logs WHERE ProjectId = 'logs' ORDER BY Timestamp, Body`,
    );
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatchObject({
      nanos: String(START),
      observed: String(START + 1n),
      TraceId: TRACE_ID,
      SpanId: spanId(1),
      TraceFlags: 1,
      SeverityText: 'ERROR',
      SeverityNumber: 17,
      ServiceName: 'agent',
      Body: 'it broke',
      ResourceSchemaUrl: 'https://schema/r',
      ScopeSchemaUrl: 'https://schema/s',
      ScopeName: 'scope',
      LogAttributes: { a: '1' },
      AttributeTypes: 'i',
      EventName: 'e.1',
      Environment: 'production',
    });
    expect(rows[1]).toMatchObject({
      nanos: String(START + 1n),
      Body: '{"k":1}',
      EventName: 'e.2',
      TraceId: '',
    });
    const received = `${RECEIVED}000000`;
    expect(rows[2]).toMatchObject({ nanos: received, observed: received, Body: '' });
    expect(rows[3]).toMatchObject({ nanos: received, Body: '5' });
  });

  it('have the type of their error, or of what was thrown', async () => {
    const record = (body: string, attributes: Record<string, string>) => ({
      timeUnixNano: START,
      body,
      attributes,
    });
    const logRecords = [
      record('error', { 'error.type': 'timeout', 'exception.type': 'TimeoutError' }),
      record('thrown', { 'exception.type': 'ValueError' }),
      record('of a model', { 'gen_ai.operation.name': 'chat', 'exception.type': 'RateLimitError' }),
      record('neither', {}),
    ];
    await put('logs', encodeLogsRequest({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }), 'log errors');
    const rows = await rowsOf('otel_logs', 'log errors', 'Body, ErrorType');
    expect(Object.fromEntries(rows.map(({ Body, ErrorType }) => [Body, ErrorType]))).toEqual({
      error: 'timeout',
      thrown: 'ValueError',
      'of a model': 'RateLimitError',
      neither: '',
    });
  });
});

describe('metrics', () => {
  it('keep all five kinds', async () => {
    const point = { startTimeUnixNano: START - 1n, timeUnixNano: START, attributes: { p: 'q' }, flags: 0 };
    const exemplars = [
      {
        timeUnixNano: START,
        asDouble: 1.5,
        spanId: spanId(1),
        traceId: TRACE_ID,
        filteredAttributes: { f: 1 },
      },
      { timeUnixNano: START, asInt: -3n },
    ];
    const request: MetricsRequest = {
      resourceMetrics: [
        {
          resource: { attributes: { 'service.name': 'host' } },
          scopeMetrics: [
            {
              scope: { name: 'scope', version: '2', attributes: { s: 's' }, droppedAttributesCount: 3 },
              metrics: [
                {
                  name: 'g',
                  unit: 'C',
                  description: 'd',
                  gauge: { dataPoints: [{ ...point, asDouble: 21.5, exemplars }] },
                },
                { name: 'none', gauge: { dataPoints: [{ ...point, flags: 1 }] } },
                {
                  name: 's',
                  sum: {
                    dataPoints: [{ ...point, asInt: 7n }],
                    aggregationTemporality: 2,
                    isMonotonic: true,
                  },
                },
                {
                  name: 'h',
                  histogram: {
                    aggregationTemporality: 1,
                    dataPoints: [
                      {
                        ...point,
                        count: 3n,
                        sum: 6.5,
                        min: 1,
                        max: 4,
                        bucketCounts: [1n, 2n],
                        explicitBounds: [2],
                        exemplars,
                      },
                      { ...point, count: 2n ** 60n },
                      { ...point, count: 2n ** 61n, sum: Number.NEGATIVE_INFINITY },
                    ],
                  },
                },
                {
                  name: 'e',
                  exponentialHistogram: {
                    aggregationTemporality: 2,
                    dataPoints: [
                      {
                        ...point,
                        count: 9n,
                        sum: -1,
                        scale: -2,
                        zeroCount: 1n,
                        zeroThreshold: 0.25,
                        positive: { offset: -4, bucketCounts: [1n, 2n] },
                        negative: { offset: 3, bucketCounts: [5n] },
                        max: 0.5,
                      },
                      { ...point, count: 10n, zeroThreshold: -1 },
                      { ...point, count: 11n, sum: 0, zeroThreshold: Number.NaN },
                    ],
                  },
                },
                {
                  name: 'q',
                  summary: {
                    dataPoints: [
                      {
                        ...point,
                        count: 2n,
                        sum: 3,
                        quantileValues: [
                          { quantile: 0.5, value: 1 },
                          { quantile: 1, value: 2 },
                        ],
                      },
                    ],
                  },
                },
              ],
            },
          ],
        },
      ],
    };
    await put('metrics', encodeMetricsRequest(request), 'metrics');
    const of = (kind: string): Promise<Record<string, unknown>[]> =>
      store.select(
        `SELECT *, toString(toUnixTimestamp64Nano(TimeUnix)) AS nanos, toString(toUnixTimestamp64Nano(StartTimeUnix)) AS started${
          kind === 'summary'
            ? ''
            : ', arrayMap(time -> toString(toUnixTimestamp64Nano(time)), "Exemplars.TimeUnix") AS exemplarTimes'
        }
         FROM otel_metrics_${kind} WHERE ProjectId = 'metrics' ORDER BY MetricName, Count`.replace(
          /, Count/,
          kind === 'gauge' || kind === 'sum' ? '' : ', Count',
        ),
      );
    const identity = {
      nanos: String(START),
      started: String(START - 1n),
      ServiceName: 'host',
      ScopeName: 'scope',
      ScopeVersion: '2',
      ScopeAttributes: { s: 's' },
      ScopeDroppedAttrCount: 3,
      ResourceAttributes: { 'service.name': 'host' },
      Attributes: { p: 'q' },
    };
    const withExemplars = {
      exemplarTimes: [String(START), String(START)],
      'Exemplars.FilteredAttributes': [{ f: '1' }, {}],
      'Exemplars.Value': [1.5, -3],
      'Exemplars.SpanId': [spanId(1), ''],
      'Exemplars.TraceId': [TRACE_ID, ''],
    };
    expect(await of('gauge')).toMatchObject([
      {
        ...identity,
        ...withExemplars,
        MetricName: 'g',
        MetricUnit: 'C',
        MetricDescription: 'd',
        Value: 21.5,
      },
      { MetricName: 'none', Value: 0, Flags: 1 },
    ]);
    expect(await of('sum')).toMatchObject([
      {
        ...identity,
        MetricName: 's',
        Value: 7,
        AggregationTemporality: 2,
        IsMonotonic: true,
        'Exemplars.Value': [],
      },
    ]);
    expect(await of('histogram')).toMatchObject([
      {
        ...identity,
        ...withExemplars,
        Count: 3,
        Sum: 6.5,
        Min: 1,
        Max: 4,
        BucketCounts: [1, 2],
        ExplicitBounds: [2],
        AggregationTemporality: 1,
      },
      // Without a sum it is no number, which JSON writes as null.
      { Count: 2 ** 60, Sum: null, Min: null, Max: null, BucketCounts: [] },
      { Count: 2 ** 61 },
    ]);
    expect(await of('exponential_histogram')).toMatchObject([
      {
        ...identity,
        Count: 9,
        Sum: -1,
        Scale: -2,
        ZeroCount: 1,
        ZeroThreshold: 0.25,
        PositiveOffset: -4,
        PositiveBucketCounts: [1, 2],
        NegativeOffset: 3,
        NegativeBucketCounts: [5],
        Min: null,
        Max: 0.5,
      },
      { Count: 10, Sum: null, ZeroThreshold: 0 },
      { Count: 11, Sum: 0, ZeroThreshold: 0 },
    ]);
    expect(await of('summary')).toMatchObject([
      {
        ...identity,
        Count: 2,
        Sum: 3,
        'ValueAtQuantiles.Quantile': [0.5, 1],
        'ValueAtQuantiles.Value': [1, 2],
      },
    ]);
  });
});

it('blocks of one table join to one stream', async () => {
  const times = { startTimeUnixNano: START, endTimeUnixNano: START };
  const parts = [1, 2, 3].map((index) => {
    const body = spanRequest({ traceId: TRACE_ID, spanId: spanId(index), name: `n${index}`, ...times });
    return (
      encodeRequest('traces', 'protobuf', body, contextOf('joined')).blocks[0]?.bytes ?? new Uint8Array(0)
    );
  });
  await store.insertNative('otel_traces', [Buffer.concat(parts)], 'joined');
  const rows = await rowsOf('otel_traces', 'joined');
  expect(rows.map((row) => row['SpanName'])).toEqual(['n1', 'n2', 'n3']);
});
