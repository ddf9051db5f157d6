import { type Filter, parseFilterOrFail } from '@candela/contract';
import { CandelaError } from '@candela/kernel';
import { DEFAULT_LIMITS, encodeTraceRequest, type LogRecord } from '@candela/otlp';
import type { AttributeValue } from '@candela/semconv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createModelCallRegistry, encodeRequest } from '../../writer/encode/index.ts';
import { createTelemetryQueries, type Page, type SearchInput, type Window } from '../index.ts';
import {
  BASE_MS,
  contextOf,
  id,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from '../core/testing.ts';

const context = contextOf();
const nanos = (ms: number) => BigInt(ms) * 1_000_000n;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ALL: Window = { from: nanos(BASE_MS - 40 * DAY), to: nanos(BASE_MS + DAY) };

let bench: QueryBench;
beforeAll(async () => {
  bench = await openQueryBench();
});
afterAll(() => bench.close());

function input<Sort extends string>(
  sort: Sort,
  changes: Partial<SearchInput<Sort>> & { q?: string } = {},
): SearchInput<Sort> {
  const { q, ...rest } = changes;
  const filter: Filter | undefined = q === undefined ? undefined : parseFilterOrFail(q, 'spans');
  return { window: ALL, filter, sort, limit: 50, cursor: undefined, ...rest };
}

/** All pages of a list, and how many there were. */
async function everyPage<T>(page: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 200; pages++) {
    const { data, nextCursor } = await page(cursor);
    rows.push(...data);
    if (nextCursor === null) return rows;
    expect(data.length).toBeGreaterThan(0);
    cursor = nextCursor;
  }
  throw new Error('the pages never end');
}

const matchingSpans = async (q: string, project = 'default') => {
  const { data } = await bench.queries.searchSpans(contextOf(project), input('start', { q, limit: 500 }));
  return data.map((row) => row.name);
};

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (error instanceof CandelaError) return error.code;
    throw error;
  }
}

const chat = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.response.model': 'gpt-4o-2024-08-06',
  'gen_ai.usage.input_tokens': 100,
  'gen_ai.usage.output_tokens': 20,
  'gen_ai.conversation.id': 'session-1',
  'gen_ai.input.messages': JSON.stringify([
    { role: 'user', parts: [{ type: 'text', content: 'Please refund my order' }] },
  ]),
  'gen_ai.output.messages': JSON.stringify([
    {
      role: 'assistant',
      parts: [{ type: 'text', content: 'The Amount is on its way' }],
      finish_reason: 'stop',
    },
  ]),
};

describe('a trace of a model call', () => {
  const trace = id(0x100, 32);
  beforeAll(() =>
    bench.put([
      span(0x100, 1, 0, { name: 'POST /chat', attributes: { 'http.route': '/chat', n: 5 } }),
      span(0x100, 2, 1, { parentSpanId: id(1, 16), kind: 3, name: 'chat gpt-4o', attributes: chat }),
      span(0x100, 3, 2, {
        parentSpanId: id(1, 16),
        name: 'save',
        status: { code: 2, message: 'disk full' },
        endTimeUnixNano: nanos(BASE_MS + 500),
      }),
    ]),
  );

  it('is one row of the search', async () => {
    const { data } = await bench.queries.searchTraces(context, input('-start', { q: `trace:${trace}` }));
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      traceId: trace,
      rootName: 'POST /chat',
      rootService: 'shop',
      environment: 'production',
      startTime: new Date(BASE_MS).toISOString(),
      durationMs: 500,
      spanCount: 3,
      errorCount: 1,
      status: 'ok',
      models: ['gpt-4o-2024-08-06'],
      inputTokens: 100,
      outputTokens: 20,
      sessionId: 'session-1',
      userId: null,
      preview: { input: 'Please refund my order', output: 'The Amount is on its way' },
    });
    expect(data[0]?.costUsd).toBeGreaterThan(0);
  });

  it('is read by its id, whatever the case of the digits', async () => {
    const { data, nextCursor } = await bench.queries.trace(context, {
      traceId: trace.toUpperCase(),
      limit: 5_000,
      cursor: undefined,
    });
    expect(nextCursor).toBeNull();
    expect(data).toMatchObject({
      spanCount: 3,
      errorCount: 1,
      truncated: false,
      services: ['shop'],
      inputTokens: 100,
    });
    expect(data.spans.map((one) => [one.name, one.offsetMs, one.parentSpanId])).toEqual([
      ['POST /chat', 0, null],
      ['chat gpt-4o', 1, id(1, 16)],
      ['save', 2, id(1, 16)],
    ]);
    expect(data.spans[1]).toMatchObject({
      model: 'gpt-4o-2024-08-06',
      inputTokens: 100,
      countsUsage: true,
      kind: 'client',
    });
    expect(data.spans[0]).toMatchObject({ inputTokens: null, costUsd: null, model: null });
    expect(data.spans[2]).toMatchObject({ status: 'error', statusMessage: 'disk full' });
  });

  it('shows a span whole, its conversation normalised', async () => {
    const detail = await bench.queries.span(context, { traceId: trace, spanId: id(2, 16) });
    const keys = detail.attributes.map((one) => one.key);
    expect(keys.toSorted()).toEqual(Object.keys(chat).toSorted());
    expect(detail.attributes.find((one) => one.key === 'gen_ai.usage.input_tokens')).toEqual({
      key: 'gen_ai.usage.input_tokens',
      type: 'int',
      value: 100,
    });
    expect(detail.conversation.input).toMatchObject([
      { role: 'user', parts: [{ type: 'text', text: 'Please refund my order' }] },
    ]);
    expect(detail.conversation.output).toMatchObject([
      { role: 'assistant', parts: [{ type: 'text', text: 'The Amount is on its way' }] },
    ]);
    expect(detail.usage).toEqual({ input: 100, cacheRead: 0, cacheWrite: 0, output: 20, reasoning: 0 });
    expect(detail.resource).toEqual([{ key: 'service.name', type: 'string', value: 'shop' }]);
  });

  it('shows messages that came as log records beside the span', async () => {
    const traceId = id(0x110, 32);
    const bare = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o',
    };
    const spans = [
      span(0x110, 0x111, 0, { name: 'POST /chat' }),
      span(0x110, 0x112, 1, { parentSpanId: id(0x111, 16), name: 'chat', attributes: bare }),
    ];
    const log = (
      atMs: number,
      eventName: string,
      body: Readonly<Record<string, AttributeValue>>,
      own = 0x112,
    ): LogRecord => ({
      timeUnixNano: nanos(BASE_MS + atMs),
      traceId,
      spanId: id(own, 16),
      attributes: { 'gen_ai.system': 'openai', 'event.name': eventName },
      body: new Map(Object.entries(body)),
    });
    const message = new Map([
      ['role', 'assistant'],
      ['content', 'It is'],
    ]);
    const reply = { finish_reason: 'stop', message };
    const records = [
      log(3, 'gen_ai.choice', reply),
      log(2, 'gen_ai.user.message', { content: 'Is it?' }),
      log(2, 'app.note', { content: 'not a message' }),
      log(2, 'gen_ai.user.message', { content: 'of another span' }, 0x999),
      log(2 * DAY, 'gen_ai.user.message', { content: 'days later' }),
    ];
    const project = 'messages-in-logs';
    await bench.put(spans, { project });
    await bench.putLogs(records, { project });
    await bench.putLogs([log(2, 'gen_ai.user.message', { content: 'of a stranger' })], { project: 'other' });
    const { conversation } = await bench.queries.span(contextOf(project), { traceId, spanId: id(0x112, 16) });
    expect(conversation.input).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'Is it?' }] }]);
    expect(conversation.output).toEqual([
      { role: 'assistant', finishReason: 'stop', parts: [{ type: 'text', text: 'It is' }] },
    ]);
    const { data } = await bench.queries.searchTraces(contextOf(project), input('-start'));
    expect(data[0]?.preview).toEqual({ input: expect.stringMatching(/Is it|another/), output: 'It is' });
    // No span tells when; asked for after the rows, the records beside the spans are found by the time of the trace.
    expect(data[0]?.openingNs).toBeNull();
    const during = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 1_000) * 1_000_000n };
    const later = await bench.queries.tracePreviews(contextOf(project), [
      { traceId, openingNs: null, during },
    ]);
    expect([...later]).toEqual([[traceId, data[0]?.preview]]);
  });

  it('counts the usage of a call once, also when the parent that repeats it arrived first', async () => {
    const project = 'repeats';
    const traceId = id(0x120, 32);
    await bench.put([span(0x120, 0x121, 0, { name: 'wrapper', attributes: chat })], { project });
    const parentSpanId = id(0x121, 16);
    await bench.put([span(0x120, 0x122, 1, { name: 'call', parentSpanId, attributes: chat })], { project });
    const read = (limit: number) =>
      bench.queries.trace(contextOf(project), { traceId, limit, cursor: undefined });
    const whole = (await read(10)).data;
    expect(whole).toMatchObject({ inputTokens: 100, outputTokens: 20 });
    expect(whole.spans.map((one) => one.countsUsage)).toEqual([true, false]);
    expect(whole.costUsd).toBe(whole.spans[0]?.costUsd);
    const paged = (await read(1)).data;
    expect(paged).toMatchObject({ inputTokens: 100, outputTokens: 20, costUsd: whole.costUsd, spanCount: 2 });
    const { roots } = await bench.queries.hierarchy(contextOf(project), parentSpanId);
    expect(roots[0]?.countsUsage).toBe(true);
  });

  it('counts the usage of a call once where its parent was forgotten, in lists of traces too', async () => {
    const project = 'restarted';
    await bench.put([span(0x150, 0x151, 0, { name: 'wrapper', attributes: chat })], { project });
    // As after a restart: what was decided of earlier calls is not known any more.
    encodeRequest('traces', 'protobuf', encodeTraceRequest({ resourceSpans: [] }), {
      projectId: project,
      environment: undefined,
      defaultEnvironment: 'production',
      receivedAtMs: Date.now(),
      retentionDays: 30,
      limits: DEFAULT_LIMITS,
      modelCalls: createModelCallRegistry(),
    });
    const parentSpanId = id(0x151, 16);
    await bench.put([span(0x150, 0x152, 1, { name: 'call', parentSpanId, attributes: chat })], { project });
    const read = async (limit: number) =>
      (await bench.queries.trace(contextOf(project), { traceId: id(0x150, 32), limit, cursor: undefined }))
        .data;
    const whole = await read(10);
    expect(whole.spans.map((one) => one.countsUsage)).toEqual([false, true]);
    const once = { inputTokens: 100, outputTokens: 20, costUsd: whole.costUsd, spanCount: 2 };
    expect(whole).toMatchObject(once);
    expect(await read(1)).toMatchObject(once);
    for (const sort of ['-start', '-tokens'] as const) {
      const { data } = await bench.queries.searchTraces(contextOf(project), input(sort));
      expect(data[0], sort).toMatchObject(once);
    }
  });

  it('leaves a parent its usage where a child has none, or one of another kind, in lists of traces too', async () => {
    const project = 'apart';
    const parentSpanId = id(0x171, 16);
    const none = { ...chat, 'gen_ai.usage.input_tokens': 0, 'gen_ai.usage.output_tokens': 0 };
    const embeddings = { ...chat, 'gen_ai.operation.name': 'embeddings', 'gen_ai.usage.output_tokens': 0 };
    // The first child came before its parent, so that it counts as a call.
    await bench.put([span(0x170, 0x172, 1, { name: 'empty', parentSpanId, attributes: none })], { project });
    await bench.put([span(0x170, 0x171, 0, { name: 'wrapper', attributes: chat })], { project });
    await bench.put([span(0x170, 0x173, 2, { name: 'embed', parentSpanId, attributes: embeddings })], {
      project,
    });
    // With a span that is there twice the list reads the trace once more.
    for (const sentAgain of [false, true]) {
      if (sentAgain) {
        const parent = span(0x170, 0x171, 0, { name: 'wrapper', attributes: chat });
        await bench.put([parent], { project });
      }
      const read = async (limit: number) =>
        (await bench.queries.trace(contextOf(project), { traceId: id(0x170, 32), limit, cursor: undefined }))
          .data;
      const whole = await read(10);
      expect(whole.spans.map((one) => one.countsUsage)).toEqual([true, true, true]);
      const all = { inputTokens: 200, outputTokens: 20 };
      expect(whole).toMatchObject(all);
      expect(await read(1)).toMatchObject(all);
      const { data } = await bench.queries.searchTraces(contextOf(project), input('-start'));
      expect(data[0]).toMatchObject(all);
    }
  });

  it('counts a span once that was stored twice, in every list of traces as on its page', async () => {
    const project = 'copies';
    const mine = contextOf(project);
    const root = span(0x130, 0x131, 0, { name: 'root', endTimeUnixNano: nanos(BASE_MS + 900) });
    const parentSpanId = id(0x131, 16);
    const call = span(0x130, 0x132, 1, { name: 'call', parentSpanId, attributes: chat });
    const failed = span(0x130, 0x133, 2, { name: 'save', parentSpanId, status: { code: 2 } });
    // Sent while it ran, then all at its end, and once more in a retry that came too late to be known as one.
    await bench.put([{ ...root, endTimeUnixNano: 0n }], { project });
    for (let sent = 0; sent < 2; sent++) await bench.put([root, call, failed], { project });
    await bench.put([span(0x140, 0x141, 5, { name: 'another' })], { project });
    const read = async (limit: number) =>
      (await bench.queries.trace(mine, { traceId: id(0x130, 32), limit, cursor: undefined })).data;
    const figures = { spanCount: 3, errorCount: 1, inputTokens: 100, outputTokens: 20, durationMs: 900 };
    const whole = await read(10);
    expect(whole).toMatchObject(figures);
    expect(await read(1)).toMatchObject({ ...figures, costUsd: whole.costUsd });
    for (const sort of ['-start', 'start', '-duration', '-cost', 'tokens', '-spanCount'] as const) {
      const { data } = await bench.queries.searchTraces(mine, input(sort));
      const row = data.find(({ traceId }) => traceId === id(0x130, 32));
      expect(row, sort).toMatchObject({
        ...figures,
        costUsd: whole.costUsd,
        unfinished: false,
        rootName: 'root',
      });
      expect(data.find(({ rootName }) => rootName === 'another')?.spanCount, sort).toBe(1);
    }
  });

  it.each([
    ['service:shop', 3],
    ['service:(shop or x)', 3],
    ['service:SHOP', 0],
    ['service:sho*', 3],
    ['service:SHO*', 3],
    ['service:*h*', 3],
    ['service:s*p', 3],
    ['service:s_op', 0],
    ['service:s*_*p', 0],
    ['name:"POST /chat"', 1],
    ['-name:"POST /chat"', 2],
    ['status:error', 1],
    ['-status:error', 2],
    ['kind:client', 1],
    ['duration>=498ms', 1],
    ['duration:4ms..6ms', 2],
    ['root:true', 1],
    ['root:false', 2],
    ['model:gpt-4o', 0],
    ['model:gpt-4o*', 1],
    ['model:gpt-4o-2024-08-06', 1],
    ['-model:gpt-4o-2024-08-06', 2],
    ['request_model:gpt-4o', 1],
    ['-request_model:gpt-4o', 2],
    ['model:*', 1],
    ['-model:*', 2],
    ['provider:openai operation:chat session:session-1', 1],
    ['input_tokens>99 output_tokens:20', 1],
    ['input_tokens:(100 or 7)', 1],
    ['input_tokens<1000', 1],
    ['input_tokens>=0', 1],
    ['-input_tokens<1000', 2],
    ['output_tokens:0..5', 0],
    ['output_tokens:*', 1],
    ['cost>0', 1],
    ['-cost>0', 2],
    ['cost:*', 1],
    ['attributes.http.route:/chat', 1],
    ['-attributes.http.route:/chat', 2],
    ['attributes.http.route:(/chat or /x)', 1],
    ['attributes.http.route:*', 1],
    ['attributes.n>4 attributes.n<=5', 1],
    ['-attributes.n>4', 2],
    ['attributes.n:5', 1],
    ['attributes.gen_ai.input.messages:*refund*', 1],
    ['resource.service.name:shop', 3],
    ['scope_name:test', 3],
    ['prompt:refund', 1],
    ['prompt:"ORDER refund"', 1],
    ['prompt:refun', 0],
    ['completion:refund', 0],
    ['completion:amount', 1],
    ['refund', 1],
    ['"disk full"', 1],
    ['gpt', 1],
    ['prompt:*efun*', 1],
    ['prompt:*', 1],
    ['status_message:*full*', 1],
    ['span:0000000000000002', 1],
    ['not (kind:client or status:error)', 1],
  ])('%s matches %i of its spans', async (q, count) => {
    expect(await matchingSpans(`trace:${trace} (${q})`)).toHaveLength(count);
  });

  it('is found when any of its spans matches', async () => {
    const { data } = await bench.queries.searchTraces(context, input('-start', { q: 'completion:amount' }));
    expect(data.map((row) => row.traceId)).toContain(trace);
    expect(data[0]?.spanCount).toBe(3);
  });
});

describe('hostile content', () => {
  const VALUES = [
    "' OR 1=1 --",
    '"; DROP TABLE otel_traces; --',
    'a\\b\\',
    'per%cent_under*star',
    '{p0:String}',
    '`tick` $1 ${x}',
    'tab\tline\nreturn\r',
    'nul\0inside',
    'ünïcödé 🕯️ \u202Ertl',
    '<img src=x onerror=alert(1)>',
    '__proto__',
    '',
  ];

  beforeAll(() =>
    bench.put(
      VALUES.map((value, index) =>
        span(0x200, 0x200 + index, index, {
          name: `hostile ${index}`,
          attributes: new Map([
            ['evil', value],
            [`key ${value}`, 'x'],
          ]),
        }),
      ),
    ),
  );

  it.each(VALUES.map((value, index) => [index, value] as const))(
    'value %i finds itself and nothing else',
    async (index, value) => {
      const search = async (filter: Filter) => {
        const { data } = await bench.queries.searchSpans(context, input('start', { filter }));
        return data.map((row) => row.name);
      };
      const own = [`hostile ${index}`];
      expect(await search({ field: 'attributes.evil', op: '=', value })).toEqual(own);
      expect(await search({ field: 'attributes.evil', op: 'in', value: [value] })).toEqual(own);
      expect(await search({ field: `attributes.key ${value}`, op: '=', value: 'x' })).toEqual(own);
      expect(await search({ field: `attributes.key ${value}`, op: 'exists' })).toEqual(own);
      if (value !== '')
        expect(await search({ field: 'attributes.evil', op: 'contains', value })).toEqual(own);
    },
  );

  it.each(['Zoltán', 'größe', '日本語', '🕯️', 'naïve Zoltán', '->'])('finds the words %s', async (words) => {
    await bench.put([
      span(0x202, 0x202, 0, {
        name: 'foreign',
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.prompt': `a->b größe naïve Zoltán 日本語 🕯️ end`,
        },
      }),
    ]);
    const { data } = await bench.queries.searchSpans(
      context,
      input('start', { filter: { field: 'text', op: 'matches', value: words } }),
    );
    expect(data.map((row) => row.name)).toContain('foreign');
    expect(data.map((row) => row.name)).not.toContain('hostile 0');
  });

  it('keeps any attribute key as a key', async () => {
    const attributes = new Map<string, string | number | boolean | bigint | (string | number)[]>([
      ['__proto__', 'a'],
      ['constructor.prototype.polluted', 'b'],
      ['toString', 'c'],
      ['', 'd'],
      ['1', 'one'],
      ['0', 'zero'],
      ['big', 9_007_199_254_740_993n],
      ['half', 0.5],
      ['yes', true],
      ['list', ['x', 1]],
    ]);
    await bench.put([span(0x201, 0x201, 0, { attributes })]);
    const detail = await bench.queries.span(context, { traceId: id(0x201, 32), spanId: id(0x201, 16) });
    const byKey = new Map(detail.attributes.map((one) => [one.key, one]));
    expect(byKey.get('__proto__')?.value).toBe('a');
    expect(byKey.get('toString')?.value).toBe('c');
    expect(byKey.get('')?.value).toBe('d');
    expect(byKey.get('big')).toEqual({ key: 'big', type: 'int', value: '9007199254740993' });
    expect(byKey.get('half')).toEqual({ key: 'half', type: 'double', value: 0.5 });
    expect(byKey.get('yes')).toEqual({ key: 'yes', type: 'bool', value: true });
    expect(byKey.get('list')).toEqual({ key: 'list', type: 'json', value: ['x', 1] });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(await matchingSpans('attributes.__proto__:a')).toEqual(['span 513']);
  });
});

describe('fields besides the own of a span', () => {
  const hostile = `it's, "a" key\\ {p0:String}`;
  beforeAll(() =>
    bench.put(
      [
        span(0x900, 1, 0, {
          name: 'a',
          attributes: { [hostile]: 'x', 'http.route': '/pay', n: 5, empty: '' },
        }),
        span(0x900, 2, 1, { name: 'b', attributes: { ...chat, long: 'é'.repeat(2_000) } }),
      ],
      { project: 'columns', resource: { 'host.name': 'node-1' } },
    ),
  );
  const own = contextOf('columns');

  it('come in the order asked for, cut to a cell, null where there is none', async () => {
    const { store, statements } = recordStatements(bench.store);
    const fields = [
      `attributes.${hostile}`,
      'attributes.http.route',
      'attributes.n',
      'attributes.empty',
      'attributes.long',
      'attributes.gen_ai.input.messages',
      'resource.host.name',
      'scope.nothing',
      'operation',
    ];
    const { data } = await createTelemetryQueries(store, LIMITS).searchSpans(own, {
      ...input('start'),
      fields,
    });
    expect(data.map((row) => row.fields)).toEqual([
      ['x', '/pay', '5', '', null, null, 'node-1', null, null],
      [
        null,
        null,
        null,
        null,
        'é'.repeat(300),
        expect.stringContaining('Please refund my order'),
        'node-1',
        null,
        'chat',
      ],
    ]);
    // Which rows is found by narrow columns; the maps are read for these rows by their ids.
    expect(statements.slice(0, -1).join(' ')).not.toContain('Attributes');
    expect(statements.at(-1)).toMatch(
      /SpanAttributes\.values\[.* WHERE ProjectId = .*TraceId IN .* AND SpanId IN /s,
    );
    for (const statement of statements) expect(statement).not.toContain("it's");
  });

  it('are none when none are asked for, and refused when they are no fields', async () => {
    const { data } = await bench.queries.searchSpans(own, input('start'));
    expect(data[0]).not.toHaveProperty('fields');
    const ask = (field: string) =>
      codeOf(bench.queries.searchSpans(own, { ...input('start'), fields: [field] }));
    expect(await ask('nonsense')).toBe('bad_query');
    expect(await ask('severity')).toBe('bad_query');
    expect(await ask('prompt')).toBe('bad_query');
    const other = await bench.queries.searchSpans(contextOf('nobody'), {
      ...input('start'),
      fields: ['attributes.http.route'],
    });
    expect(other.data).toEqual([]);
  });
});

describe('tenants', () => {
  beforeAll(async () => {
    await bench.put([span(0x300, 0x300, 0, { name: 'mine' })], { project: 'a', environment: 'staging' });
    await bench.put([span(0x301, 0x301, 0, { name: 'theirs', attributes: { secret: 'sentinel' } })], {
      project: 'b',
      service: 'sentinel-service',
    });
  });

  it('never see each other in any query', async () => {
    const a = contextOf('a');
    const traceId = id(0x301, 32);
    const spanId = id(0x301, 16);
    const answers = [
      await bench.queries.searchTraces(a, input('-start')),
      await bench.queries.searchTraces(a, input('-duration')),
      await bench.queries.searchTraces(
        a,
        input('-start', { q: `trace:${traceId} or attributes.secret:* or -name:x` }),
      ),
      await bench.queries.searchSpans(a, input('-start', { q: 'not name:x' })),
      await bench.queries.aggregate(a, {
        window: ALL,
        filter: parseFilterOrFail('name:x or -name:x'),
        groupBy: ['service', 'attributes.secret'],
        measures: ['count'],
        bucketSeconds: undefined,
        limit: 50,
      }),
      await bench.queries.facets(a, {
        window: ALL,
        filter: undefined,
        fields: ['service', 'name'],
        limit: 50,
      }),
    ];
    expect(JSON.stringify(answers)).toContain('mine');
    expect(JSON.stringify(answers)).not.toMatch(/sentinel|theirs|0301/);
    expect(await codeOf(bench.queries.trace(a, { traceId, limit: 10, cursor: undefined }))).toBe('not_found');
    expect(await codeOf(bench.queries.span(a, { traceId, spanId }))).toBe('not_found');
    expect(await codeOf(bench.queries.hierarchy(a, spanId))).toBe('not_found');
    expect(await bench.queries.environments('a')).toEqual(['staging']);
  });

  it('see one environment when they name it', async () => {
    const of = async (environment?: string) =>
      (await bench.queries.searchSpans(contextOf('a', environment), input('-start'))).data.length;
    expect([await of(), await of('staging'), await of('production')]).toEqual([1, 1, 0]);
  });
});

describe('pages', () => {
  const project = 'pages';
  const mine = contextOf(project);
  const TRACES = 120;

  beforeAll(async () => {
    // Starts spread over weeks, some at the same instant; half of the traces go on into later days.
    const spans = Array.from({ length: TRACES }, (_, index) => {
      const at = Math.floor(index / 2) ** 2 * -700_000;
      const own = 0x10_000 + index * 4;
      const long = index % 2 === 0;
      return [
        span(0x1000 + index, own, at, { name: 'root', endTimeUnixNano: nanos(BASE_MS + at + 100 + index) }),
        span(0x1000 + index, own + 1, at + (long ? 9 * HOUR : 1), {
          name: index % 3 === 0 ? 'third' : 'child',
          parentSpanId: id(own, 16),
        }),
        ...(long ? [span(0x1000 + index, own + 2, at + 20, { name: 'mid', parentSpanId: id(own, 16) })] : []),
      ];
    }).flat();
    await bench.put(spans, { project });
  });

  it.each([
    '-start',
    'start',
    '-duration',
    'duration',
    '-spanCount',
    'spanCount',
    '-cost',
    '-tokens',
  ] as const)('of traces sorted by %s hold every trace once and in order', async (sort) => {
    const rows = await everyPage((cursor) =>
      bench.queries.searchTraces(mine, input(sort, { limit: 7, cursor })),
    );
    expect(new Set(rows.map((row) => row.traceId)).size).toBe(TRACES);
    expect(rows).toHaveLength(TRACES);
    const values = rows.map((row) =>
      sort.endsWith('start')
        ? Date.parse(row.startTime)
        : sort.endsWith('duration')
          ? row.durationMs
          : row.spanCount,
    );
    if (!/cost|tokens/.test(sort)) {
      expect(values).toEqual(values.toSorted((x, y) => (sort.startsWith('-') ? y - x : x - y)));
    }
  });

  it.each(['-start', 'start'] as const)('of filtered traces (%s) hold every match once', async (sort) => {
    const rows = await everyPage((cursor) =>
      bench.queries.searchTraces(mine, input(sort, { limit: 5, cursor, q: 'name:third or name:mid' })),
    );
    const expected = Array.from({ length: TRACES }, (_, index) => index).filter(
      (index) => index % 3 === 0 || index % 2 === 0,
    );
    expect(rows.map((row) => row.traceId).toSorted()).toEqual(
      expected.map((index) => id(0x1000 + index, 32)).toSorted(),
    );
  });

  it.each(['-start', 'start', '-duration', '-tokens'] as const)(
    'of spans sorted by %s hold every span once',
    async (sort) => {
      const rows = await everyPage((cursor) =>
        bench.queries.searchSpans(mine, input(sort, { limit: 37, cursor })),
      );
      expect(rows).toHaveLength(TRACES * 2 + TRACES / 2);
      expect(new Set(rows.map((row) => row.spanId)).size).toBe(rows.length);
    },
  );

  it('stay as they were while newer traces arrive', async () => {
    const first = await bench.queries.searchTraces(mine, input('-start', { limit: 10 }));
    await bench.put([span(0x1fff, 0x1fff, 1_000)], { project });
    const second = await bench.queries.searchTraces(
      mine,
      input('-start', { limit: 10, cursor: first.nextCursor ?? '' }),
    );
    const seen = [...first.data, ...second.data].map((row) => row.traceId);
    expect(new Set(seen).size).toBe(20);
    expect(seen).not.toContain(id(0x1fff, 32));
  });

  it('refuse cursors of other lists and damaged ones', async () => {
    const { nextCursor } = await bench.queries.searchTraces(mine, input('-start', { limit: 2 }));
    const search = (cursor: string) =>
      codeOf(bench.queries.searchTraces(mine, input('-duration', { cursor })));
    expect(await search(nextCursor ?? '')).toBe('bad_query');
    for (const forged of ['', 'x', '####', Buffer.from('[]').toString('base64url')]) {
      expect(await search(forged)).toBe('bad_query');
    }
    const own = await bench.queries.searchTraces(mine, input('-duration', { limit: 2 }));
    const [list, from, to] = JSON.parse(
      Buffer.from(own.nextCursor ?? '', 'base64url').toString(),
    ) as string[];
    const wild = [list, from, to, "1') OR 1=1 --", 'x'];
    expect(await search(Buffer.from(JSON.stringify(wild)).toString('base64url'))).toBe('bad_query');
  });

  it('refuse cursors of another filter, environment, project or trace', async () => {
    const spans = await bench.queries.searchSpans(mine, input('-start', { limit: 2 }));
    const traces = await bench.queries.searchTraces(mine, input('-duration', { limit: 2 }));
    const more = { limit: 2, cursor: spans.nextCursor ?? '' };
    expect((await bench.queries.searchSpans(mine, input('-start', more))).data).toHaveLength(2);
    expect(await codeOf(bench.queries.searchSpans(mine, input('-start', { ...more, q: 'name:mid' })))).toBe(
      'bad_query',
    );
    expect(
      await codeOf(bench.queries.searchSpans({ ...mine, environment: 'x' }, input('-start', more))),
    ).toBe('bad_query');
    expect(await codeOf(bench.queries.searchSpans(contextOf('other'), input('-start', more)))).toBe(
      'bad_query',
    );
    const cursor = traces.nextCursor ?? '';
    expect(
      await codeOf(bench.queries.searchTraces(mine, input('-duration', { limit: 2, cursor, q: 'name:mid' }))),
    ).toBe('bad_query');
  });

  it('of one large trace come in order and complete', async () => {
    const count = 230;
    await bench.put(
      Array.from({ length: count }, (_, index) =>
        span(
          0x2000,
          0x20_000 + index,
          Math.floor(index / 3),
          index === 0 ? {} : { parentSpanId: id(0x20_000, 16) },
        ),
      ),
      { project },
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data, nextCursor } = await bench.queries.trace(mine, {
        traceId: id(0x2000, 32),
        limit: 50,
        cursor,
      });
      expect(data.spanCount).toBe(count);
      expect(data.truncated).toBe(true);
      seen.push(...data.spans.map((one) => one.spanId));
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(count);
    expect(new Set(seen).size).toBe(count);
  });

  it('of a large trace sort its spans for the figures only where something was sent twice', async () => {
    const spans = Array.from({ length: 12 }, (_, index) => span(0x2001, 0x30_000 + index, index));
    await bench.put(spans, { project });
    const pages = async () => {
      const seen: { spanCount: number; sorts: number; checks: number }[] = [];
      let cursor: string | undefined;
      do {
        const { store, statements } = recordStatements(bench.store);
        const queries = createTelemetryQueries(store, LIMITS);
        const page = await queries.trace(mine, { traceId: id(0x2001, 32), limit: 7, cursor });
        const count = (part: string) => statements.filter((sql) => sql.includes(part)).length;
        seen.push({
          spanCount: page.data.spanCount,
          sorts: count('LIMIT 1 BY'),
          checks: count('AS Repeats'),
        });
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return seen;
    };
    expect(await pages()).toEqual([
      { spanCount: 12, sorts: 1, checks: 1 },
      { spanCount: 12, sorts: 1, checks: 0 },
    ]);
    await bench.put(spans.slice(0, 1), { project });
    expect(await pages()).toEqual([
      { spanCount: 12, sorts: 2, checks: 1 },
      { spanCount: 12, sorts: 2, checks: 0 },
    ]);
  });
});

describe('trees', () => {
  const project = 'trees';
  const mine = contextOf(project);
  const shape = (nodes: readonly { name: string; children: readonly unknown[] }[]): unknown =>
    nodes.map((node) => [node.name, shape(node.children as typeof nodes)]);

  it('keep several roots and orphans, and break circles', async () => {
    await bench.put(
      [
        span(0x400, 0x401, 0, { name: 'root 1' }),
        span(0x400, 0x402, 1, { name: 'child', parentSpanId: id(0x401, 16) }),
        span(0x400, 0x403, 2, { name: 'root 2' }),
        span(0x400, 0x404, 3, { name: 'orphan', parentSpanId: id(0xdead, 16) }),
        span(0x400, 0x405, 4, { name: 'below orphan', parentSpanId: id(0x404, 16) }),
        span(0x400, 0x406, 5, { name: 'circle a', parentSpanId: id(0x407, 16) }),
        span(0x400, 0x407, 6, { name: 'circle b', parentSpanId: id(0x406, 16) }),
        span(0x400, 0x408, 7, { name: 'own parent', parentSpanId: id(0x408, 16) }),
        span(0x400, 0x409, 8, { name: 'off circle', parentSpanId: id(0x407, 16) }),
      ],
      { project },
    );
    const tree = await bench.queries.hierarchy(mine, id(0x405, 16));
    expect(tree.traceId).toBe(id(0x400, 32));
    expect(tree.orphans).toBe(1);
    expect(shape(tree.roots)).toEqual([
      ['root 1', [['child', []]]],
      ['root 2', []],
      ['orphan', [['below orphan', []]]],
      ['circle a', [['circle b', [['off circle', []]]]]],
      ['own parent', []],
    ]);
  });

  it('have the span that was asked for and those above it, also in a trace of more than 5,000', async () => {
    const [trace, root, middle, last] = [0x430, 0x100_000, 0x110_000, 0x110_001];
    const siblings = Array.from({ length: 5_100 }, (_, n) =>
      span(trace, root + 1 + n, 1 + n, { name: 'sibling', parentSpanId: id(root, 16) }),
    );
    const below = { parentSpanId: id(middle, 16) };
    await bench.put(
      [
        span(trace, root, 0, { name: 'root' }),
        ...siblings,
        span(trace, middle, 9_000, { name: 'middle', parentSpanId: id(root, 16) }),
        // Its clock is behind.
        span(trace, last, 8_999, { name: 'last', ...below }),
        span(trace, last + 1, 9_001, { name: 'beside', ...below }),
      ],
      { project },
    );
    const tree = await bench.queries.hierarchy(mine, id(last, 16));
    expect(tree).toMatchObject({ truncated: true, orphans: 0 });
    expect(tree.roots).toHaveLength(1);
    const { children = [] } = tree.roots[0] ?? {};
    expect(children).toHaveLength(5_000);
    expect(shape(children.slice(-2))).toEqual([
      ['sibling', []],
      ['middle', [['last', []]]],
    ]);
  });

  it('show a trace without a root by its earliest span', async () => {
    await bench.put([span(0x410, 0x411, 0, { name: 'headless', parentSpanId: id(0xbeef, 16) })], { project });
    const { data } = await bench.queries.searchTraces(mine, input('-start', { q: `trace:${id(0x410, 32)}` }));
    expect(data[0]).toMatchObject({ rootName: 'headless', spanCount: 1 });
  });

  it('show a span that was stored twice once', async () => {
    const twice = span(0x420, 0x421, 0, { name: 'twice' });
    await bench.put([twice], { project });
    await bench.put([twice], { project });
    const { data } = await bench.queries.trace(mine, {
      traceId: id(0x420, 32),
      limit: 10,
      cursor: undefined,
    });
    expect(data.spans).toHaveLength(1);
  });
});

describe('figures', () => {
  const project = 'figures';
  const mine = contextOf(project);
  const window: Window = { from: nanos(BASE_MS), to: nanos(BASE_MS + HOUR) };

  beforeAll(async () => {
    const spans = Array.from({ length: 60 }, (_, index) =>
      span(0x500 + index, 0x500 + index, index * 60_000, {
        name: index % 4 === 0 ? 'slow' : 'fast',
        status: { code: index % 10 === 0 ? 2 : 0 },
      }),
    );
    await bench.put(spans, { project, service: 'one' });
    await bench.put([span(0x600, 0x600, 1_000, { attributes: chat })], { project, service: 'two' });
  });

  const base = { window, filter: undefined, groupBy: [], bucketSeconds: undefined, limit: 50 } as const;

  it('count by time', async () => {
    const result = await bench.queries.aggregate(mine, {
      ...base,
      measures: ['count', 'errors'],
      bucketSeconds: 600,
    });
    expect(result.bucketSeconds).toBe(600);
    expect(result.rows).toHaveLength(6);
    expect(result.rows[0]).toEqual({
      time: new Date(BASE_MS).toISOString(),
      group: [],
      values: [11, 1],
      previous: null,
    });
    expect(result.rows.reduce((sum, row) => sum + (row.values[0] ?? 0), 0)).toBe(61);
  });

  it('choose a width of about sixty buckets', async () => {
    const result = await bench.queries.aggregate(mine, {
      ...base,
      measures: ['count'],
      bucketSeconds: 'auto',
    });
    expect(result.bucketSeconds).toBe(60);
  });

  it('group, the largest first, and say how many there are', async () => {
    const result = await bench.queries.aggregate(mine, {
      ...base,
      groupBy: ['service', 'name'],
      measures: ['count', 'input_tokens', 'cost'],
      limit: 2,
    });
    expect(result.groups).toBe(3);
    expect(result.rows.map((row) => [row.group, row.values[0]])).toEqual([
      [['one', 'fast'], 45],
      [['one', 'slow'], 15],
    ]);
  });

  it('group by time and fields at once', async () => {
    const result = await bench.queries.aggregate(mine, {
      ...base,
      groupBy: ['name'],
      measures: ['count'],
      bucketSeconds: 1_800,
      limit: 1,
    });
    expect(result.rows.map((row) => [row.group, row.values])).toEqual([
      [['fast'], [22]],
      [['fast'], [23]],
    ]);
  });

  it('refuse more buckets than anyone can look at', async () => {
    const work = bench.queries.aggregate(mine, { ...base, measures: ['count'], bucketSeconds: 1 });
    expect(await codeOf(work)).toBe('bad_query');
  });

  it('give the values of one field alone', async () => {
    const { data: facets } = await bench.queries.facets(mine, {
      window,
      filter: parseFilterOrFail('service:one'),
      fields: ['name'],
      limit: 5,
    });
    const values = [
      { value: 'fast', count: 45 },
      { value: 'slow', count: 15 },
    ];
    expect(facets).toEqual([{ field: 'name', values, more: false }]);
  });

  it.each([undefined, parseFilterOrFail('duration>0')])(
    'give the values of each field (filter %#)',
    async (filter) => {
      const { data: facets } = await bench.queries.facets(mine, {
        window,
        filter,
        fields: ['service', 'status', 'model', 'agent'],
        limit: 1,
      });
      expect(facets).toEqual([
        { field: 'service', values: [{ value: 'one', count: 60 }], more: true },
        { field: 'status', values: [{ value: 'unset', count: 55 }], more: true },
        { field: 'model', values: [{ value: 'gpt-4o-2024-08-06', count: 1 }], more: false },
        { field: 'agent', values: [], more: false },
      ]);
    },
  );
});

describe('bounds', () => {
  it('a query that would read too much is refused', async () => {
    const narrow = createTelemetryQueries(bench.store, { ...LIMITS, maxRowsToRead: 10 });
    expect(await codeOf(narrow.searchSpans(context, input('-duration')))).toBe('query_too_expensive');
    expect(await codeOf(narrow.searchTraces(context, input('-duration')))).toBe('query_too_expensive');
    await expect(narrow.searchSpans(context, input('-duration'))).rejects.toThrow('rows (limit 10)');
  });

  it('a query nobody waits for is given up', async () => {
    const gone = new AbortController();
    gone.abort();
    await expect(bench.queries.searchTraces(context, input('-start'), gone.signal)).rejects.toThrow();
  });
});
