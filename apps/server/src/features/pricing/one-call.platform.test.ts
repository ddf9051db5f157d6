/** One call counts once, and the same everywhere: bodies of SDKs through the real receiver, read by the routes of the pages. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import { newStoreIn } from '@candela/telemetry-store/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { createMetrics } from '../../metrics.ts';
import { type Platform, startPlatform } from '../../platform.ts';

const CASES = join(import.meta.dirname, '../../../../../packages/semconv/src/conventions/fixtures/cases');

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}
interface Body {
  resourceSpans: { resource?: unknown; scopeSpans: { scope?: unknown; spans: Span[] }[] }[];
}

let dir: string;
let platform: Platform;
const now = BigInt(Date.now()) * 1_000_000n;

/** A body of the cases, moved to now, as a trace of its own. */
function bodyOf(name: string, marks: string): Body {
  const text = readFileSync(join(CASES, `${name}.json`), 'utf8').replaceAll('sess-c197d2', `sess-${marks}`);
  const body = JSON.parse(text.replaceAll('msg_', `msg_${marks}_`)) as Body;
  const spans = body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const least = spans.reduce(
    (low, { startTimeUnixNano: at }) => (BigInt(at) < low ? BigInt(at) : low),
    1n << 63n,
  );
  const trace = Buffer.from(marks.padEnd(16, 'x')).toString('hex');
  for (const span of spans) {
    span.traceId = trace;
    span.startTimeUnixNano = String(BigInt(span.startTimeUnixNano) - least + now - 60_000_000_000n);
    span.endTimeUnixNano = String(BigInt(span.endTimeUnixNano) - least + now - 60_000_000_000n);
  }
  return body;
}

/** The spans of a body, each in a body of its own, those that end first before the others. */
const oneByOne = (body: Body): Body[] =>
  body.resourceSpans
    .flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ scope, spans }) =>
        spans.map((span) => ({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }] })),
      ),
    )
    .toSorted((a, b) => (ended(a) < ended(b) ? -1 : 1));
const ended = (body: Body): bigint =>
  BigInt(body.resourceSpans[0]?.scopeSpans[0]?.spans[0]?.endTimeUnixNano ?? '0');

async function send(bodies: readonly Body[]): Promise<void> {
  for (const body of bodies) {
    const answer = await fetch(`${platform.otlpHttp}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
  }
}

async function until(trace: string, spans: number): Promise<void> {
  for (let turn = 0; turn < 300; turn++) {
    const rows = await platform.store.select<{ n: string }>(
      'SELECT toString(count()) AS n FROM otel_traces WHERE TraceId = {trace:String}',
      { trace },
    );
    if (Number(rows[0]?.n) >= spans) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new RangeError(`trace ${trace} never had ${spans} spans`);
}

async function get(path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${platform.http}/api/telemetry/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
  return answer.json();
}

/** The row of a list that names something. */
function rowOf(answer: unknown, name: string): unknown {
  const { data } = answer as { data: unknown[] | Record<string, unknown> };
  const rows = Array.isArray(data) ? data : Object.values(data).find(Array.isArray);
  return (rows as unknown[]).find((row) => JSON.stringify(row).includes(`"${name}"`));
}

/** The first number of that name (null is none), wherever it stands in an answer. */
function figure(answer: unknown, name: string): unknown {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const own = Array.isArray(answer) ? undefined : (answer as Record<string, unknown>)[name];
  if (own !== undefined && own !== null) return own;
  for (const value of Object.values(answer)) {
    const found = figure(value, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'candela-one-call-'));
  newStoreIn(join(dir, 'telemetry'));
  const config = readConfig({
    PLATFORM_DATA_DIR: dir,
    PLATFORM_PORT: '0',
    PLATFORM_OTLP_HTTP_PORT: '0',
    PLATFORM_OTLP_GRPC_PORT: '0',
    PLATFORM_MIN_FREE_DISK_PERCENT: '0',
  });
  platform = await startPlatform(config, { logger: silentLogger, metrics: createMetrics() });
});
afterAll(async () => {
  await platform.stop();
  await rm(dir, { recursive: true, force: true });
});

describe.each([
  ['langfuse-user-cost', 1, 'person'],
  ['openrouter-cost-unknown-model', 0.0123, 'sender'],
] as const)('a cost that the sender tells: %s', (name, costUsd, kind) => {
  it('counts, and says whose it is', async () => {
    const body = bodyOf(name, name.slice(0, 8));
    const [span] = body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    const { traceId = '', spanId = '' } = span ?? {};
    await send([body]);
    await until(traceId, 1);
    expect(figure(await get(`traces/${traceId}`), 'costUsd')).toBeCloseTo(costUsd, 10);
    expect(await get(`traces/${traceId}/spans/${spanId}`)).toMatchObject({
      data: { costUsd, costOrigin: { kind } },
    });
  });
});

describe.each([
  ['together', 'tog'],
  ['in a request each', 'one'],
] as const)('a call that the vendor\u2019s own SDK tells again, %s', (way, marks) => {
  const bodies = (name: string) =>
    way === 'together' ? [bodyOf(name, marks)] : oneByOne(bodyOf(name, marks));

  it('costs the same on its trace, its session, its user and its agent', async () => {
    const sent = bodies('session-loses-cost');
    const [session, trace] = [`sess-${marks}`, Buffer.from(marks.padEnd(16, 'x')).toString('hex')];
    await send(sent);
    await until(trace, 2);
    // Rollups follow the rows that they are made of.
    await expect
      .poll(async () => rowOf(await get('users'), `u-${session}`), { timeout: 20_000 })
      .toBeDefined();
    const answers = {
      trace: await get(`traces/${trace}`),
      traces: rowOf(await get('traces/search', { q: `trace_id:${trace}` }), trace),
      sessions: rowOf(await get('sessions'), session),
      session: await get(`sessions/${session}`),
      users: rowOf(await get('users'), `u-${session}`),
      agents: rowOf(await get('agents'), `helper_${session}`),
    };
    for (const [where, answer] of Object.entries(answers))
      expect(figure(answer, 'costUsd'), where).toBeCloseTo(0.0075, 10);
  });

  it('siblings of one response count once', async () => {
    const sent = bodies('same-response-id-siblings').map(
      (body) =>
        JSON.parse(
          JSON.stringify(body).replaceAll(
            Buffer.from(marks.padEnd(16, 'x')).toString('hex'),
            Buffer.from(`sib${marks}`.padEnd(16, 'x')).toString('hex'),
          ),
        ) as Body,
    );
    const trace = Buffer.from(`sib${marks}`.padEnd(16, 'x')).toString('hex');
    await send(sent);
    await until(trace, 3);
    expect(figure(await get(`traces/${trace}`), 'inputTokens')).toBe(100);
  });

  it('a response that another trace tells again counts once, in all lists and charts', async () => {
    const [session, agent] = [`acr-${marks}`, `guide-${marks}`];
    const [first, second] = ['f', 's'].map((which) =>
      Buffer.from(`acr${marks}${which}`.padEnd(16, 'x')).toString('hex'),
    ) as [string, string];
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const count = (key: string, intValue: string) => ({ key, value: { intValue } });
    const call = (traceId: string, attributes: readonly object[]) => ({
      traceId,
      spanId: traceId.slice(-17, -1),
      name: 'chat gpt-4o-mini',
      startTimeUnixNano: String(now - 60_000_000_000n),
      endTimeUnixNano: String(now - 59_000_000_000n),
      attributes: [
        text('gen_ai.operation.name', 'chat'),
        text('gen_ai.provider.name', 'openai'),
        text('gen_ai.request.model', 'gpt-4o-mini'),
        text('gen_ai.response.id', `chatcmpl-${session}`),
        count('gen_ai.usage.input_tokens', '1000'),
        count('gen_ai.usage.output_tokens', '500'),
        ...attributes,
      ],
    });
    const who = [
      text('session.id', session),
      text('user.id', `u-${session}`),
      text('gen_ai.agent.name', agent),
    ];
    const service = { attributes: [text('service.name', session)] };
    const scoped = (scope: string, span: Span) => ({ scope: { name: scope }, spans: [span] });
    const told = [scoped('instrumentation', call(first, who)), scoped('vendor', call(second, []))];
    await send(
      way === 'together'
        ? [{ resourceSpans: [{ resource: service, scopeSpans: told }] }]
        : told.map((one) => ({ resourceSpans: [{ resource: service, scopeSpans: [one] }] })),
    );
    for (const trace of [first, second]) await until(trace, 1);
    await expect
      .poll(async () => rowOf(await get('users'), `u-${session}`), { timeout: 20_000 })
      .toBeDefined();
    const cost = (1_000 * 0.15 + 500 * 0.6) / 1e6;
    // On their pages and in the list; a span by itself still says what it used.
    const totals = await Promise.all(
      [first, second].map(async (trace) => {
        const { data } = (await get(`traces/${trace}`)) as { data: { inputTokens: number | null } };
        const row = rowOf(await get('traces/search', { q: `trace_id:${trace}` }), trace);
        return [data.inputTokens ?? 0, (row as { inputTokens: number | null }).inputTokens ?? 0];
      }),
    );
    expect(totals.toSorted()).toEqual([
      [0, 0],
      [1_000, 1_000],
    ]);
    const window = { from: new Date(Date.now() - 600_000).toISOString(), to: new Date().toISOString() };
    const chart = await get('aggregate', {
      ...window,
      q: `service:${session}`,
      measures: ['count', 'model_calls', 'input_tokens', 'output_tokens', 'cost'],
    });
    expect(chart).toMatchObject({
      data: { rows: [{ values: [2, 1, 1_000, 500, expect.closeTo(cost, 10)] }] },
    });
    const answers = {
      sessions: rowOf(await get('sessions'), session),
      session: await get(`sessions/${session}`),
      users: rowOf(await get('users'), `u-${session}`),
      agents: rowOf(await get('agents'), agent),
    };
    for (const [where, answer] of Object.entries(answers))
      expect(figure(answer, 'costUsd'), where).toBeCloseTo(cost, 10);
  });
});
