import { CandelaError } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { createTelemetryQueries } from '../index.ts';

const TRACE = 77;
const chat = (messages: unknown) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.input.messages': typeof messages === 'string' ? messages : JSON.stringify(messages),
});

describe('search inside a trace', () => {
  let bench: QueryBench;
  beforeAll(async () => {
    bench = await openQueryBench();
    await bench.put([
      span(TRACE, 1, 0, { name: 'POST /refunds' }),
      span(TRACE, 2, 1, {
        parentSpanId: id(1, 16),
        attributes: chat([
          { role: 'user', parts: [{ type: 'text', content: 'Please say "Grüße" 100%_off' }] },
        ]),
      }),
      // As Python's json.dumps writes it.
      span(TRACE, 3, 2, {
        attributes: chat('[{"role":"user","parts":[{"type":"text","content":"viele Gr\\u00fc\\u00dfe"}]}]'),
      }),
      span(TRACE, 4, 3, { attributes: { 'db.statement': 'SELECT order FROM orders' } }),
      span(TRACE, 5, 4, {
        events: [{ name: 'exception', attributes: { 'exception.message': 'Refund window closed' } }],
      }),
      span(TRACE, 6, 5, { name: 'quiet' }),
      span(78, 9, 5, { name: 'refund of another trace' }),
    ]);
    await bench.put([span(TRACE, 7, 6, { name: 'refund elsewhere' })], { project: 'other' });
    await bench.putLogs([
      {
        timeUnixNano: BigInt(BASE_MS + 5) * 1_000_000n,
        traceId: id(TRACE, 32),
        spanId: id(6, 16),
        body: 'refund was posted late',
      },
    ]);
  });
  afterAll(() => bench.close());

  const find = async (q: string, project = 'default') => {
    const { hits } = await bench.queries.searchInTrace(contextOf(project), { traceId: id(TRACE, 32), q });
    return hits.map((hit) => `${Number.parseInt(hit.spanId, 16)} ${hit.where}`);
  };

  it('finds names, attributes, events, messages and log records, whatever their case', async () => {
    expect(await find('REFUND')).toEqual(['1 span', '5 span', '6 log']);
    expect(await find('orders select')).toEqual(['4 span']);
    expect(await find('"select orders"')).toEqual([]);
    expect(await find(id(4, 16))).toEqual(['4 span']);
  });

  it('finds what JSON escapes, and takes every sign literally', async () => {
    expect(await find('grüße')).toEqual(['2 span', '3 span']);
    expect(await find('GRÜSSE')).toEqual([]);
    expect(await find('100%_off')).toEqual(['2 span']);
    expect(await find('%')).toEqual(['2 span']);
    for (const hostile of ["'; DROP TABLE otel_traces --", '{p0:String}', '*', '(?i)']) {
      expect(await find(hostile)).toEqual([]);
    }
  });

  it('shows the text around', async () => {
    const { hits } = await bench.queries.searchInTrace(contextOf(), { traceId: id(TRACE, 32), q: 'window' });
    expect(hits[0]?.excerpt).toContain('Refund window closed');
  });

  it('tells the history that calls repeat from what is new in them', async () => {
    const message = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
    const call = (own: number, input: unknown[], output: string, parent = 200) =>
      span(79, own, own, {
        parentSpanId: id(parent, 16),
        attributes: {
          ...chat(input),
          'gen_ai.output.messages': JSON.stringify([message('assistant', output)]),
        },
      });
    const asked = message('user', 'Clean the disk');
    const said = message('assistant', 'I run rm -rf /tmp');
    const more = [asked, said, message('user', 'And now?')];
    await bench.put([
      span(79, 200, 0, { name: 'agent' }),
      call(201, [asked], 'I run rm -rf /tmp'),
      call(202, more, 'Done'),
      call(203, [...more, message('assistant', 'Done'), message('user', 'again: rm -rf')], 'Done again'),
      call(204, [...more, message('assistant', 'Done')], 'I run rm -rf /var'),
      // The same question to somebody else is asked anew.
      call(205, [asked], 'No'),
    ]);
    const marked = async (q: string) => {
      const { hits } = await bench.queries.searchInTrace(contextOf(), { traceId: id(79, 32), q });
      return hits.map(({ spanId, repeats }) => `${Number.parseInt(spanId, 16)}${repeats ? ' repeats' : ''}`);
    };
    expect(await marked('"rm -rf"')).toEqual(['201', '202 repeats', '203', '204']);
    expect(await marked('clean disk')).toEqual(['201', '202 repeats', '203 repeats', '204 repeats', '205']);
    // One word of the history, one of the answer: together they stand here only.
    expect(await marked('clean /var')).toEqual(['204']);
  });

  it('knows nothing of other projects', async () => {
    expect(await find('refund', 'other')).toEqual(['7 span']);
    await expect(find('refund', 'third')).rejects.toThrow(CandelaError);
  });

  it('asks for the bounds of the trace, then for spans and log records of that project and trace', async () => {
    const { store, statements } = recordStatements(bench.store);
    await createTelemetryQueries(store, LIMITS).searchInTrace(contextOf(), {
      traceId: id(TRACE, 32),
      q: 'a b',
    });
    expect(statements).toHaveLength(3);
    expect(statements[0]).toMatch(
      /AS Spans FROM otel_traces WHERE ProjectId = \{p0:String\} AND \(TraceId = \{p1:String\}\)$/,
    );
    expect(statements[1]).toMatch(
      /^SELECT SpanId, toValidUTF8\(substring\(.*FROM otel_traces WHERE ProjectId = \{p0:String\} AND \(TraceId = \{p1:String\}\) AND \(multiSearchAny\(.*, \{p2:Array\(String\)\}\) AND multiSearchAny\(.*, \{p3:Array\(String\)\}\)\) ORDER BY Timestamp, SpanId LIMIT 1 BY SpanId LIMIT 1001$/,
    );
    expect(statements[2]).toMatch(
      /FROM otel_logs WHERE ProjectId = \{p0:String\} AND \(Timestamp >= .* AND Timestamp < .*\) AND \(TraceId = \{p3:String\} AND SpanId != ''\) AND \(multiSearchAny/,
    );
  });

  const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 1_000) * 1_000_000n };

  it('shows a span that was sent without its end, and its end once that came', async () => {
    const start = BigInt(BASE_MS) * 1_000_000n;
    await bench.put([span(80, 20, 0), span(80, 21, 1, { endTimeUnixNano: 0, flags: 257 })]);
    const spans = async () => {
      const { data } = await bench.queries.trace(contextOf(), {
        traceId: id(80, 32),
        limit: 100,
        cursor: undefined,
      });
      return data.spans.map(({ unfinished, durationMs }) => [unfinished, durationMs]);
    };
    expect(await spans()).toEqual([
      [false, 5],
      [true, 0],
    ]);
    const ids = { traceId: id(80, 32), spanId: id(21, 16) };
    expect(await bench.queries.span(contextOf(), ids)).toMatchObject({ unfinished: true, flags: 257 });
    await bench.put([span(80, 21, 1, { endTimeUnixNano: start + 9_000_000n })]);
    expect(await spans()).toEqual([
      [false, 5],
      [false, 8],
    ]);
    expect(await bench.queries.span(contextOf(), ids)).toMatchObject({ unfinished: false, durationMs: 8 });
  });

  it('shows of several spans with one id the first, or the one with that start', async () => {
    await bench.put([span(82, 40, 0, { name: 'first' }), span(82, 40, 3, { name: 'second' })]);
    const nameOf = async (startMs?: number) =>
      (await bench.queries.span(contextOf(), { traceId: id(82, 32), spanId: id(40, 16), startMs })).name;
    expect(await nameOf()).toBe('first');
    expect(await nameOf(BASE_MS)).toBe('first');
    expect(await nameOf(BASE_MS + 3)).toBe('second');
    expect(await nameOf(BASE_MS + 1)).toBe('first');
  });

  it('shows a span once that got another name by its end, and two of one id that both ended', async () => {
    const ended = BigInt(BASE_MS) * 1_000_000n + 9_000_000n;
    await bench.put([
      span(81, 30, 0, { name: 'GET', endTimeUnixNano: 0 }),
      span(81, 31, 1, { name: 'client' }),
    ]);
    await bench.put([
      span(81, 30, 0, { name: 'GET /users/:id', endTimeUnixNano: ended }),
      span(81, 31, 1, { name: 'server', endTimeUnixNano: ended }),
    ]);
    const read = (limit: number, cursor?: string) =>
      bench.queries.trace(contextOf(), { traceId: id(81, 32), limit, cursor });
    const all = await read(100);
    expect(all.data.spans.map(({ name, unfinished }) => [name, unfinished])).toEqual([
      ['GET /users/:id', false],
      ['server', false],
      ['client', false],
    ]);
    expect([all.data.spanCount, all.nextCursor]).toEqual([3, null]);
    const first = await read(2);
    expect(first.data.spans.map(({ name }) => name)).toEqual(['GET /users/:id']);
    const rest = await read(2, first.nextCursor ?? undefined);
    expect(rest.data.spans.map(({ name }) => name)).toEqual(['server', 'client']);
    const figures = ({ spanCount, rootName, durationMs }: typeof all.data) => ({
      spanCount,
      rootName,
      durationMs,
    });
    expect(figures(all.data)).toEqual({ spanCount: 3, rootName: 'GET /users/:id', durationMs: 9 });
    expect(figures(first.data)).toEqual(figures(all.data));
    expect(figures(rest.data)).toEqual(figures(all.data));
    for (const sort of ['-start', '-duration', '-spanCount'] as const) {
      const input = { window, filter: undefined, limit: 50, cursor: undefined, sort };
      const { data } = await bench.queries.searchTraces(contextOf(), input);
      expect(
        data.find(({ traceId }) => traceId === id(81, 32)),
        sort,
      ).toMatchObject(figures(all.data));
    }
  });

  it.each([
    ['before', [0, 1]],
    ['after', [1, 0]],
  ] as const)('lists it once and with its outcome when the copy without an end came %s', async (_, order) => {
    const project = `copies-${order.join('')}`;
    const ended = BigInt(BASE_MS) * 1_000_000n + 9_000_000n;
    const copies = [
      span(90, 1, 0, { name: 'root', endTimeUnixNano: 0n }),
      span(90, 1, 0, { name: 'root', endTimeUnixNano: ended, status: { code: 2 } }),
    ];
    await bench.put([span(90, 2, 1, { name: 'child', parentSpanId: id(1, 16) })], { project });
    const context = contextOf(project);
    const input = { window, filter: undefined, limit: 50, cursor: undefined };
    const lists = async () => {
      const spans = await bench.queries.searchSpans(context, { ...input, sort: 'start' });
      const withField = await bench.queries.searchSpans(context, {
        ...input,
        sort: 'start',
        fields: ['kind'],
      });
      expect(withField.data.map(({ fields: _fields, ...row }) => row)).toEqual(spans.data);
      const byCost = await bench.queries.searchSpans(context, { ...input, sort: 'cost' });
      expect(byCost.data).toEqual(spans.data);
      const traces = await bench.queries.searchTraces(context, { ...input, sort: '-start' });
      return {
        spans: spans.data.map(({ name, unfinished, status }) => [name, unfinished, status]),
        trace: traces.data.map(({ unfinished, status }) => [unfinished, status]),
      };
    };
    for (const index of order) {
      const copy = copies[index];
      if (copy) await bench.put([copy], { project });
      if (index === 0 && order[0] === 0)
        expect(await lists()).toEqual({
          spans: [
            ['root', true, 'unset'],
            ['child', false, 'unset'],
          ],
          trace: [[true, 'ok']],
        });
    }
    expect(await lists()).toEqual({
      spans: [
        ['root', false, 'error'],
        ['child', false, 'unset'],
      ],
      trace: [[false, 'error']],
    });
  });

  it('pages past the copies of a span', async () => {
    const project = 'copies-paged';
    for (let copies = 0; copies < 3; copies += 1)
      await bench.put([span(91, 1, 0), span(91, 2, 1), span(91, 3, 2)], { project });
    for (const sort of ['start', '-start', 'duration'] as const) {
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const input = { window, filter: undefined, limit: 2, cursor, sort };
        const page = await bench.queries.searchSpans(contextOf(project), input);
        names.push(...page.data.map(({ name }) => name));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(names.sort()).toEqual(['span 1', 'span 2', 'span 3']);
    }
  });
});
