import { fail } from '@candela/kernel';
import {
  DEFAULT_LIMITS,
  encodeLogsRequest,
  encodeMetricsRequest,
  encodeTraceRequest,
  type LogRecord,
  type Metric,
  type Span,
} from '@candela/otlp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EncodeContext } from './context.ts';
import { readFacts } from './gen-ai-columns.ts';
import { createModelCallRegistry, encodeRequest } from './index.ts';
import { Outcome } from './outcome.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';
const START = 1_763_000_000_000_000_000n;

const context: EncodeContext = {
  projectId: 'p1',
  environment: undefined,
  defaultEnvironment: 'production',
  receivedAtMs: 1_763_000_002_345,
  retentionDays: 30,
  limits: DEFAULT_LIMITS,
};

const good: Span = {
  traceId: TRACE_ID,
  spanId: SPAN_ID,
  name: 'good',
  startTimeUnixNano: START,
  endTimeUnixNano: START + 5n,
};
const traces = (...spans: Span[]): Uint8Array =>
  encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const logs = (...logRecords: LogRecord[]): Uint8Array =>
  encodeLogsRequest({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
const metrics = (...list: Metric[]): Uint8Array =>
  encodeMetricsRequest({ resourceMetrics: [{ scopeMetrics: [{ metrics: list }] }] });
const encodeSpans = (...spans: Span[]) => encodeRequest('traces', 'protobuf', traces(...spans), context);

describe('validity', () => {
  it.each<[string, Partial<Span>, string]>([
    ['a trace id of 15 bytes', { traceId: TRACE_ID.slice(2) }, 'bad_trace_id'],
    ['no trace id', { traceId: '' }, 'bad_trace_id'],
    ['a trace id of zeros', { traceId: '0'.repeat(32) }, 'bad_trace_id'],
    ['a span id of 9 bytes', { spanId: `${SPAN_ID}00` }, 'bad_span_id'],
    ['a span id of zeros', { spanId: '0'.repeat(16) }, 'bad_span_id'],
    ['half a parent', { parentSpanId: 'abcd' }, 'bad_parent_span_id'],
    ['no start', { startTimeUnixNano: 0 }, 'no_start_time'],
    ['an end before the start', { endTimeUnixNano: START - 1n }, 'end_before_start'],
    ['an end before the start in the high half', { endTimeUnixNano: 1n }, 'end_before_start'],
    ['a start after 2262', { startTimeUnixNano: 1n << 63n, endTimeUnixNano: 1n << 63n }, 'time_out_of_range'],
    ['an end after 2262', { endTimeUnixNano: (1n << 64n) - 1n }, 'time_out_of_range'],
  ])('a span with %s is refused alone', (_name, fault, reason) => {
    const others = Array.from({ length: 999 }, () => good);
    const result = encodeSpans(
      ...others.slice(0, 500),
      { ...good, ...fault, name: 'the bad one' },
      ...others.slice(500),
    );
    expect(result).toMatchObject({ accepted: 999, rejected: 1, reasons: new Map([[reason, 1]]) });
    expect(result.blocks).toMatchObject([{ table: 'otel_traces', rows: 999 }]);
    expect(result.message).toMatch(/^1 of 1000 refused; the first is span "the bad one": .+\.$/);
  });

  it('the last nanosecond of the range is taken', () => {
    const last = (1n << 63n) - 1n;
    expect(encodeSpans({ ...good, startTimeUnixNano: last, endTimeUnixNano: last }).rejected).toBe(0);
  });

  it('all good says nothing; nothing at all is fine', () => {
    expect(encodeSpans(good)).toMatchObject({
      accepted: 1,
      rejected: 0,
      message: '',
      environments: ['production'],
    });
    for (const signal of ['traces', 'logs', 'metrics'] as const) {
      expect(encodeRequest(signal, 'protobuf', new Uint8Array(0), context)).toMatchObject({
        blocks: [],
        accepted: 0,
        rejected: 0,
        message: '',
      });
    }
  });

  it('all bad gives no block', () => {
    expect(encodeSpans({ ...good, traceId: '' })).toMatchObject({ blocks: [], accepted: 0, rejected: 1 });
  });

  it.each<[string, LogRecord, string]>([
    ['half a trace id', { traceId: 'abcd' }, 'bad_trace_id'],
    ['half a span id', { spanId: 'abcd' }, 'bad_span_id'],
    ['a time after 2262', { timeUnixNano: 1n << 63n }, 'time_out_of_range'],
    ['an observed time after 2262', { observedTimeUnixNano: 1n << 63n }, 'time_out_of_range'],
  ])('a log record with %s is refused alone', (_name, record, reason) => {
    const result = encodeRequest('logs', 'protobuf', logs({ body: 'a' }, record, { body: 'b' }), context);
    expect(result).toMatchObject({ accepted: 2, rejected: 1, reasons: new Map([[reason, 1]]) });
  });

  const point = { timeUnixNano: START };
  it.each<[string, Metric, string]>([
    ['no value', { gauge: { dataPoints: [point] } }, 'no_value'],
    [
      'a time after 2262',
      { sum: { dataPoints: [{ timeUnixNano: 1n << 63n, asInt: 1 }] } },
      'time_out_of_range',
    ],
    [
      'as many counts as bounds',
      { histogram: { dataPoints: [{ ...point, bucketCounts: [1n], explicitBounds: [1] }] } },
      'bad_buckets',
    ],
    [
      'bounds without counts',
      { histogram: { dataPoints: [{ ...point, explicitBounds: [1] }] } },
      'bad_buckets',
    ],
    [
      'a bound that is NaN',
      { histogram: { dataPoints: [{ ...point, bucketCounts: [1n, 2n], explicitBounds: [Number.NaN] }] } },
      'bad_bounds',
    ],
    [
      'falling bounds',
      { histogram: { dataPoints: [{ ...point, bucketCounts: [1n, 2n, 3n], explicitBounds: [2, 1] }] } },
      'bad_bounds',
    ],
    [
      'a quantile above 1',
      { summary: { dataPoints: [{ ...point, quantileValues: [{ quantile: 1.5, value: 1 }] }] } },
      'bad_quantiles',
    ],
  ])('a data point with %s is refused alone', (_name, metric, reason) => {
    const body = metrics(
      { name: 'ok', gauge: { dataPoints: [{ ...point, asDouble: 1 }] } },
      { name: 'bad', ...metric },
    );
    const result = encodeRequest('metrics', 'protobuf', body, context);
    expect(result).toMatchObject({ accepted: 1, rejected: 1, reasons: new Map([[reason, 1]]) });
    expect(result.message).toContain('data point of "bad"');
  });
});

describe('limits', () => {
  it('attributes, values and keys over the limit are dropped or cut, and said', () => {
    const attributes = new Map<string, string>();
    for (let index = 0; index < 1030; index++) attributes.set(`key ${index}`, 'v');
    const long = new Map([
      ['k'.repeat(600), 'v'],
      ['long', 'ü'.repeat(1 << 20)],
    ]);
    const result = encodeSpans({ ...good, attributes }, { ...good, attributes: long });
    expect(result.accepted).toBe(2);
    expect(result.adjusted).toEqual(
      new Map([
        ['attributes_dropped', 6],
        ['keys_cut', 1],
        ['values_cut', 1],
      ]),
    );
    expect(result.message).toContain('6 attributes over the limit');
    // 2 MiB came, 1 MiB is kept.
    expect(result.blocks[0]?.bytes.length).toBeLessThan((1 << 20) + 60_000);
  });

  it('cuts lists and bytes too', () => {
    const limits = { attributes: 10, valueBytes: 100, keyBytes: 20 };
    const attributes = { list: Array.from({ length: 50 }, () => 'abcdef'), bytes: new Uint8Array(200) };
    const result = encodeRequest('traces', 'protobuf', traces({ ...good, attributes }), {
      ...context,
      limits,
    });
    expect(result.adjusted).toEqual(new Map([['values_cut', 2]]));
  });

  it('names are cut at a character', () => {
    const result = encodeSpans({ ...good, name: `${'x'.repeat(2047)}🙂${'y'.repeat(5_000_000)}` });
    expect(result.adjusted).toEqual(new Map([['names_cut', 1]]));
    const text = Buffer.from(result.blocks[0]?.bytes ?? []).toString('latin1');
    // What follows the dictionary's last key is the number of rows, as 64 bits.
    expect(text).toContain(`${'x'.repeat(2047)}\u0001\u0000\u0000\u0000`);
  });

  it('a few bytes that unfold to very many rows or bytes are refused', () => {
    const refused = (signal: 'traces' | 'logs', body: Uint8Array): string => {
      try {
        encodeRequest(signal, 'protobuf', body, context);
      } catch (error) {
        expect(error).toMatchObject({ code: 'refused', retryable: false });
        return (error as Error).message;
      }
      return '';
    };
    // Two bytes each.
    const logRecords = Array.from({ length: (1 << 18) + 1 }, () => ({}));
    const many = encodeLogsRequest({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    expect(refused('logs', many)).toContain('records');
    // 2 MB of resource on each of 100 spans.
    const attributes = { a: 'x'.repeat(1 << 20), b: 'y'.repeat(1 << 20) };
    const spans = Array.from({ length: 100 }, () => good);
    const heavy = encodeTraceRequest({
      resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }],
    });
    expect(refused('traces', heavy)).toContain('repeated');
    expect(encodeSpans(good).blocks[0]?.rows).toBe(1);
  }, 30_000);

  it('a normaliser that fails costs the facts, not the record', () => {
    const outcome = new Outcome();
    const broken = (): never => {
      throw new TypeError('a bug');
    };
    expect(readFacts(broken, outcome)).toBeUndefined();
    expect(outcome.adjusted).toEqual(new Map([['facts_unread', 1]]));
    const undecodable = (): never => {
      throw fail('undecodable', { format: 'protobuf', detail: 'x' });
    };
    expect(() => readFacts(undecodable, outcome)).toThrow('could not be decoded');
  });

  it('an absurd token count is told to the sender', () => {
    const result = encodeSpans({
      ...good,
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 1e20 },
    });
    expect(result).toMatchObject({ accepted: 1, adjusted: new Map([['counts_rejected', 1]]) });
  });

  it('links without valid ids are left out, the span is kept', () => {
    const result = encodeSpans({
      ...good,
      links: [{ traceId: 'ab' }, { traceId: TRACE_ID, spanId: SPAN_ID }],
    });
    expect(result).toMatchObject({ accepted: 1, adjusted: new Map([['links_dropped', 1]]) });
  });

  it('100,000 attributes on one span and 100,000 new keys take linear time', () => {
    const wide = new Map(Array.from({ length: 100_000 }, (_, index) => [`key ${index}`, index]));
    const spans = Array.from({ length: 1000 }, (_, index) => ({
      ...good,
      attributes: new Map(Array.from({ length: 100 }, (_item, key) => [`${index} ${key}`, key])),
    }));
    const bodies = [traces({ ...good, attributes: wide }), traces(...spans)];
    // Quadratic would be minutes, beyond the time of a test.
    for (const body of bodies) encodeRequest('traces', 'protobuf', body, context);
    // The table of keys starts anew after such a request; what comes next is as before.
    expect(encodeSpans(good).blocks[0]?.bytes).toEqual(encodeSpans(good).blocks[0]?.bytes);
  }, 30_000);
});

describe('environment', () => {
  const seen = (attributes: Record<string, string>, environment?: string) =>
    encodeRequest(
      'traces',
      'protobuf',
      encodeTraceRequest({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [good] }] }] }),
      { ...context, environment },
    );

  it.each([
    [{}, undefined, 'production'],
    [{ 'deployment.environment': 'old' }, undefined, 'old'],
    [{ 'deployment.environment': 'old', 'deployment.environment.name': 'new' }, undefined, 'new'],
    [{ 'deployment.environment.name': 'new' }, 'header', 'header'],
    [{ 'deployment.environment.name': '' }, undefined, 'production'],
    [{ 'deployment.environment.name': ' Prod (EU) ' }, undefined, 'prod-eu'],
    [{ 'deployment.environment.name': '???' }, undefined, 'production'],
    [{ 'deployment.environment.name': 'x'.repeat(100) }, undefined, 'x'.repeat(63)],
  ])('%j with header %j is %j', (attributes, header, expected) => {
    expect(seen(attributes, header).environments).toEqual([expected]);
  });

  it('says when it changed a name', () => {
    expect(seen({ 'deployment.environment.name': 'Prod' }).adjusted).toEqual(
      new Map([['environments_renamed', 1]]),
    );
  });
});

describe('both encodings', () => {
  it('give identical blocks', () => {
    const span = {
      traceId: TRACE_ID.toUpperCase(),
      spanId: SPAN_ID,
      name: 'n',
      kind: 3,
      startTimeUnixNano: '1763000000000000001',
      endTimeUnixNano: '1763000000000000002',
      attributes: [
        { key: 'i', value: { intValue: '9007199254740993' } },
        { key: 'd', value: { doubleValue: 1 } },
        { key: 'l', value: { arrayValue: { values: [{ stringValue: 'a' }, { boolValue: true }] } } },
        { key: 'm', value: { kvlistValue: { values: [{ key: 'k', value: { bytesValue: 'AQI=' } }] } } },
        { key: 'n', value: {} },
        { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
        { key: 'gen_ai.input.messages', value: { stringValue: '[]' } },
      ],
      events: [{ timeUnixNano: '5', name: 'e', attributes: [] }],
      links: [{ traceId: TRACE_ID, spanId: SPAN_ID }],
      status: { code: 2, message: 'm' },
    };
    const json = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
    const protobuf = traces({
      ...span,
      attributes: new Map<string, never>([
        ['i', 9_007_199_254_740_993n],
        // A double that is integral cannot be told from an integer in JavaScript: 1 is written as one below.
        ['d', 1],
        ['l', ['a', true]],
        ['m', new Map([['k', Uint8Array.of(1, 2)]])],
        ['n', null],
        ['gen_ai.operation.name', 'chat'],
        ['gen_ai.input.messages', '[]'],
      ] as never),
      events: [{ timeUnixNano: 5n, name: 'e' }],
    });
    const [one] = encodeRequest('traces', 'json', json, context).blocks;
    const [other] = encodeRequest('traces', 'protobuf', protobuf, context).blocks;
    const types = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('latin1');
    expect(types(one?.bytes)).toBe(types(other?.bytes).replace('iijjnss', 'idjjnss'));
  });

  it('refuse what cannot be read', () => {
    for (const signal of ['traces', 'logs', 'metrics'] as const) {
      expect(() => encodeRequest(signal, 'protobuf', Buffer.from('0a05', 'hex'), context)).toThrow(
        expect.objectContaining({ code: 'undecodable' }),
      );
      expect(() => encodeRequest(signal, 'json', Buffer.from('{'), context)).toThrow(
        expect.objectContaining({ code: 'undecodable' }),
      );
    }
  });
});

describe('hostile bytes', () => {
  const bodies = {
    traces: traces(
      { ...good, attributes: { a: [1, new Map([['k', 'v']])], b: 'text', 'gen_ai.request.model': 'm' } },
      {
        ...good,
        events: [{ name: 'e', attributes: { x: 1 } }],
        links: [{ traceId: TRACE_ID, spanId: SPAN_ID }],
      },
    ),
    logs: logs({ body: new Map([['a', 1]]), attributes: { 'event.name': 'x' } }, { body: 'text' }),
    metrics: metrics(
      {
        name: 'h',
        histogram: {
          dataPoints: [{ bucketCounts: [1n, 2n], explicitBounds: [1], exemplars: [{ asInt: 1 }] }],
        },
      },
      {
        name: 'e',
        exponentialHistogram: { dataPoints: [{ scale: -1, positive: { bucketCounts: [300n] } }] },
      },
      { name: 's', summary: { dataPoints: [{ quantileValues: [{ quantile: 0.5, value: 1 }] }] } },
    ),
  };

  it('are encoded or refused, and leave nothing behind', () => {
    for (const signal of ['traces', 'logs', 'metrics'] as const) {
      const whole = bodies[signal];
      const before = encodeRequest(signal, 'protobuf', whole, context).blocks;
      const attempt = (bytes: Uint8Array): void => {
        try {
          encodeRequest(signal, 'protobuf', bytes, context);
        } catch (error) {
          expect(error).toMatchObject({ code: 'undecodable' });
        }
      };
      for (let cut = 0; cut < whole.length; cut++) attempt(whole.subarray(0, cut));
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 5 }),
          (changes) => {
            const bytes = new Uint8Array(whole);
            for (const [at, value] of changes) bytes[at % bytes.length] = value;
            attempt(bytes);
            expect(encodeRequest(signal, 'protobuf', whole, context).blocks).toEqual(before);
          },
        ),
        { numRuns: 500 },
      );
      fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), attempt));
      expect(encodeRequest(signal, 'protobuf', whole, context).blocks).toEqual(before);
    }
  });
});

describe('counting usage', () => {
  const span = (index: number, parent: number, attributes: Record<string, string | number>): Span => ({
    ...good,
    spanId: `aa0000000000000${index}`,
    ...(parent === 0 ? {} : { parentSpanId: `aa0000000000000${parent}` }),
    attributes,
  });
  const chat = (index: number, parent: number, changes: Record<string, string | number> = {}) =>
    span(index, parent, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      ...changes,
    });
  /** How many spans of a request count their usage. */
  const counting = (...spans: Span[]): number =>
    countsUsage(
      encodeRequest('traces', 'protobuf', traces(...spans), {
        ...context,
        modelCalls: createModelCallRegistry(),
      }).blocks[0]?.bytes,
      spans.length,
    );
  /** How many rows of a block of traces count their usage. */
  const countsUsage = (bytes: Uint8Array | undefined, rows: number): number => {
    const block = Buffer.from(bytes ?? []);
    const head = Buffer.from('\x0bCountsUsage\x05UInt8', 'latin1');
    const from = block.indexOf(head) + head.length;
    return block.subarray(from, from + rows).reduce((sum, one) => sum + one, 0);
  };

  it.each<[string, number, Span[]]>([
    ['a parent that a child repeats', 1, [chat(1, 0), chat(2, 1)]],
    [
      'a child that says nothing of its tokens',
      1,
      [chat(1, 0), chat(2, 1, { 'gen_ai.usage.input_tokens': 0, 'gen_ai.usage.output_tokens': 0 })],
    ],
    ['an embedding below a chat', 2, [chat(1, 0), chat(2, 1, { 'gen_ai.operation.name': 'embeddings' })]],
    ['a gateway', 1, [chat(1, 0), span(2, 1, { 'http.request.method': 'POST' }), chat(3, 2)]],
    [
      'a gateway that used more',
      2,
      [chat(1, 0), span(2, 1, {}), chat(3, 2, { 'gen_ai.usage.input_tokens': 1 })],
    ],
    [
      'a tool that asks a model',
      2,
      [
        chat(1, 0),
        span(2, 1, { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 't' }),
        chat(3, 2),
      ],
    ],
    [
      'an agent',
      2,
      [
        chat(1, 0),
        span(2, 1, { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'a' }),
        chat(3, 2),
      ],
    ],
    [
      'a call in between of which nobody knows the tokens',
      1,
      [chat(1, 0), span(2, 1, { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' }), chat(3, 2)],
    ],
  ])('%s: %i', (_name, calls, spans) => {
    expect(counting(...spans)).toBe(calls);
    expect(counting(...spans.toReversed())).toBe(calls);
  });

  it('a registry shared by workers remembers for all of them', () => {
    const modelCalls = createModelCallRegistry();
    const call = (spanId: string, parentSpanId?: string): Span => ({
      ...good,
      spanId,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': 5,
      },
    });
    const block = (span: Span, memory: SharedArrayBuffer) =>
      encodeRequest('traces', 'protobuf', traces(span), { ...context, modelCalls: memory }).blocks[0]?.bytes;
    const alone = block(call('aa00000000000001'), createModelCallRegistry());
    block(call('aa00000000000002', 'aa00000000000001'), modelCalls);
    // Another registry in between, as another worker with memory of its own would be.
    expect(block(call('aa00000000000001'), createModelCallRegistry())).toEqual(alone);
    expect(block(call('aa00000000000001'), modelCalls)).not.toEqual(alone);
  });
});
