import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { exponentialIndex } from './metrics/book.ts';
import { nanos } from './otlp-json.ts';
import { parseDuration, readOptions } from './options.ts';
import { Random } from './random.ts';
import { SCENARIOS } from './scenarios/index.ts';
import { NotTakenError, Sender } from './sender.ts';
import { type Batch, Simulation } from './simulation.ts';
import { Recorder } from './telemetry.ts';

const START_MS = Date.parse('2026-11-20T06:00:00Z');
const HOUR_MS = 3_600_000;

interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number };
  attributes: { key: string }[];
}

function hour(seed: string, stepMs = HOUR_MS): Batch[] {
  const simulation = new Simulation(new Random(seed), {
    startMs: START_MS,
    tracesPerSecond: 0.2,
    metricsEveryMs: 30_000,
  });
  const batches: Batch[] = [];
  for (let at = START_MS; at < START_MS + HOUR_MS; ) {
    at += stepMs;
    batches.push(...simulation.advanceTo(at));
  }
  return [...batches, ...simulation.flush(START_MS + HOUR_MS)];
}

const spansOf = (batches: readonly Batch[]): WireSpan[] =>
  batches
    .filter((batch) => batch.signal === 'traces')
    .flatMap(
      (batch) => (batch.body as { resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[] }).resourceSpans,
    )
    .flatMap((resource) => resource.scopeSpans)
    .flatMap((scope) => scope.spans);

test('the same seed tells the same story to the byte, another seed another one', { timeout: 30_000 }, () => {
  expect(JSON.stringify(hour('a'))).toBe(JSON.stringify(hour('a')));
  expect(JSON.stringify(hour('a'))).not.toBe(JSON.stringify(hour('b')));
});

test('the step width changes the batches, not the spans', () => {
  const byId = (spans: WireSpan[]) => spans.map((span) => `${span.spanId} ${span.startTimeUnixNano}`).sort();
  expect(byId(spansOf(hour('a', 60_000)))).toEqual(byId(spansOf(hour('a', 600_000))));
});

test('every span belongs to a tree, lies in the past and has a unique id', () => {
  const spans = spansOf(hour('tree'));
  expect(spans.length).toBeGreaterThan(1000);
  const ids = new Set(spans.map((span) => span.spanId));
  expect(ids.size).toBe(spans.length);
  const end = BigInt(START_MS + HOUR_MS) * 1_000_000n;
  for (const span of spans) {
    if (span.parentSpanId !== undefined) expect(ids).toContain(span.parentSpanId);
    expect(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano)).toBe(true);
    expect(BigInt(span.endTimeUnixNano) <= end).toBe(true);
  }
});

test('speaks every convention, fails now and then, and sends all kinds of metrics', () => {
  const batches = hour('mixture');
  const spans = spansOf(batches);
  const keys = new Set(spans.flatMap((span) => span.attributes.map(({ key }) => key)));
  for (const key of [
    'gen_ai.operation.name',
    'openinference.span.kind',
    'traceloop.span.kind',
    'ai.operationId',
    'langfuse.observation.type',
  ]) {
    expect(keys).toContain(key);
  }
  expect(spans.some((span) => span.status.code === 2)).toBe(true);
  const metrics = JSON.stringify(batches.filter((batch) => batch.signal === 'metrics'));
  for (const kind of [
    '"gauge"',
    '"sum"',
    '"histogram"',
    '"exponentialHistogram"',
    '"summary"',
    '"exemplars"',
  ]) {
    expect(metrics).toContain(kind);
  }
});

test('sends log records of every severity, with texts and structures, and exceptions that differ in details only', () => {
  const logs = hour('logs').filter((batch) => batch.signal === 'logs');
  const text = JSON.stringify(logs);
  for (const severity of ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR']) {
    expect(text).toContain(`"severityText":"${severity}"`);
  }
  expect(text).toContain('"body":{"kvlistValue"');
  expect(text).toContain('"body":{"stringValue"');
  const spans = JSON.stringify(hour('logs').filter((batch) => batch.signal === 'traces'));
  const messages = [...spans.matchAll(/"exception.message","value":\{"stringValue":"([^"]*)/g)].map(
    (match) => match[1] ?? '',
  );
  expect(new Set(messages).size).toBeGreaterThan(5);
  expect(spans).not.toMatch(/"exception.type","value":\{"stringValue":"\d+"/);
});

test.each(SCENARIOS.map((scenario) => [scenario.id, scenario] as const))(
  'scenario %s records a whole trace in good and in bad times',
  (_id, scenario) => {
    const random = new Random('scenario');
    const record = scenario.create(random);
    for (let turn = 0; turn < 30; turn++) {
      const rec = new Recorder(random.fork(turn), scenario.service, {
        slowdown: 1,
        errorRate: turn % 3 === 0 ? 0.5 : 0,
      });
      record(rec);
      expect(rec.current).toBeUndefined();
      expect(rec.spans.filter((span) => span.parentSpanId === '')).toHaveLength(1);
      // A slot without words would be visible as {slot}; JSON in attributes has quotes after the brace.
      const texts = rec.spans.flatMap((span) => [...span.attributes.values()]).join(' ');
      expect(texts).not.toMatch(/\{(item|city|person|amount|number|small|weekday|month)\}/);
    }
  },
);

test('an exponential bucket holds its upper bound', () => {
  expect(exponentialIndex(1, 3)).toBe(-1);
  expect(exponentialIndex(2, 3)).toBe(7);
  expect(exponentialIndex(2.01, 3)).toBe(8);
});

test('nanoseconds keep the fraction of a millisecond', () => {
  expect(nanos(1_700_000_000_123.5)).toBe('1700000000123500000');
});

test('options say what they take', () => {
  expect(parseDuration('1.5h', '--backfill')).toBe(5_400_000);
  expect(() => parseDuration('soon', '--backfill')).toThrow('--backfill takes a time');
  expect(() => readOptions(['--rate', '0'], 0)).toThrow('--rate takes a number');
  expect(() => readOptions(['--nonsense'], 0)).toThrow('nonsense');
  expect(readOptions(['--seed', 'x', '--traces', '3'], 0)).toMatchObject({ seed: 'x', traces: 3 });
});

test('the sender waits when asked to, drops what is refused, and counts both', async () => {
  const answers: [number, Record<string, string>, string][] = [
    [503, { 'retry-after': '0.05' }, '{}'],
    [429, { 'retry-after': '0.05' }, '{}'],
    [200, {}, '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too large"}}'],
    [401, {}, '{"message":"no key"}'],
  ];
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    request.resume().on('end', () => {
      const [status, headers, body] = answers.shift() ?? [500, {}, ''];
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const notices: string[] = [];
    const sender = new Sender({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      key: 'pk_x',
      signal: new AbortController().signal,
      notice: (text) => notices.push(text),
    });
    await sender.send({ signal: 'traces', body: {}, items: 10 });
    await sender.send({ signal: 'logs', body: {}, items: 4 });
    expect(sender.counts).toEqual({ traces: 8, logs: 0, metrics: 0, refused: 6, retries: 2 });
    expect(seen[0]).toBe('/v1/traces Bearer pk_x');
    expect(notices.at(-1)).toContain('--key');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('the sender of a run that ends by itself gives up where no platform answers', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const ending = new AbortController();
  const options = { endpoint: `http://127.0.0.1:${port}`, key: undefined, signal: ending.signal };
  const sender = new Sender({ ...options, notice: () => undefined, patienceMs: 20 });
  const sent = sender.send({ signal: 'traces', body: {}, items: 1 });
  await expect(sent).rejects.toThrow(NotTakenError);
  await expect(sent).rejects.toThrow(`No platform took the telemetry at ${options.endpoint}`);
});
