import { type Filter, parseFilterOrFail, type TraceRow, type TraceSort } from '@candela/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Window } from '../core/scope.ts';
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
import { createTelemetryQueries, type ListedTrace } from '../index.ts';

const HOUR = 3_600_000;
const context = contextOf();
let bench: QueryBench;

beforeAll(async () => {
  bench = await openQueryBench();
  let seed = 7;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const attributes = () => ({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': random() < 0.3 ? 'anthropic' : 'openai',
    'gen_ai.request.model': random() < 0.5 ? 'gpt-4o' : 'gpt-4o-mini',
    'gen_ai.usage.input_tokens': Math.floor(random() * 1_000),
    ...(random() < 0.5 ? { 'gen_ai.usage.output_tokens': Math.floor(random() * 500) } : {}),
  });
  for (const service of ['shop', 'chat', 'mail']) {
    // Traces of a few spans over up to two hours, in several requests, so that hours and inserts cut through them.
    const spans = Array.from({ length: 150 }, (_, n) => {
      const trace = 1 + Math.floor(random() * 50);
      return span(trace, n + 1, trace * 180_000 + random() * 1.5 * HOUR, {
        endTimeUnixNano:
          BigInt(BASE_MS + trace * 180_000) * 1_000_000n +
          BigInt(Math.floor(random() * 3 * HOUR)) * 1_000_000n +
          6_000_000_000_000n,
        status: { code: random() < 0.1 ? 2 : 0 },
        attributes: attributes(),
      });
    });
    for (let at = 0; at < spans.length; at += 50) await bench.put(spans.slice(at, at + 50), { service });
    // Traces of one row.
    const alone = Array.from({ length: 30 }, (_, n) => {
      const start = Math.floor(random() * 3 * HOUR);
      return span((service.length << 12) + (service.charCodeAt(0) << 16) + n, 1, start, {
        endTimeUnixNano: BigInt(BASE_MS + start + Math.floor(random() * 5 * HOUR)) * 1_000_000n,
        status: { code: random() < 0.3 ? 2 : 0 },
        attributes: attributes(),
      });
    });
    await bench.put(alone, { service });
  }
});
afterAll(() => bench.close());

const page =
  (window: Window, sort: TraceSort, filter: Filter | undefined, limit = 7) =>
  async (queries = bench.queries): Promise<TraceRow[]> => {
    const rows: TraceRow[] = [];
    let cursor: string | undefined;
    do {
      const { data, nextCursor } = await queries.searchTraces(context, {
        window,
        filter,
        sort,
        limit,
        cursor,
      });
      rows.push(...data);
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    return rows;
  };

const listed = (window: Window) =>
  ({ window, filter: undefined, sort: '-duration', limit: 100, cursor: undefined }) as const;

/** A row as its preview is asked for. */
const asListed = (row: TraceRow): ListedTrace => ({
  traceId: row.traceId,
  openingNs: row.openingNs === null ? null : BigInt(row.openingNs),
  during: {
    from: BigInt(Date.parse(row.startTime)) * 1_000_000n,
    to: BigInt(Date.parse(row.startTime) + Math.ceil(row.durationMs) + 1) * 1_000_000n,
  },
});

const FIGURE: Readonly<Record<string, (row: TraceRow) => number>> = {
  duration: (row) => row.durationMs,
  spanCount: (row) => row.spanCount,
  tokens: (row) => (row.inputTokens ?? 0) + (row.outputTokens ?? 0),
  cost: (row) => row.costUsd ?? -1,
};

describe('traces in the order of a figure', () => {
  it('are those with a matching span in the window, in order, whatever is asked', {
    timeout: 300_000,
  }, async () => {
    const { queries } = bench;
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(fc.integer({ min: -30, max: 240 }), fc.integer({ min: 5, max: 720 })),
        fc.constantFrom('-duration', 'duration', '-spanCount', 'spanCount', '-tokens', '-cost'),
        fc.constantFrom(
          undefined,
          'service:chat',
          'model:gpt-4o',
          'provider:anthropic',
          'provider:anthropic status:error',
          'status:error',
          'service:chat status:error',
          'service:chat model:gpt-4o status:error',
          'service:chat model:gpt-4o',
          'status:error (provider:anthropic or service:shop)',
          'status:error (provider:anthropic or kind:server)',
          'status:error status:error',
          'status:error duration>1h provider:openai',
          'status:error or service:mail',
          '-service:chat status:error',
          'duration>1h',
          'duration>=3h or cost>0.0025',
          'duration:4h..5h service:shop',
          'duration>0ms -service:chat',
          'kind:server',
          '-service:chat',
          '-service:chat -service:mail',
          '-status:error input_tokens<100',
          'name:"span 3"',
          'name:"span 1" status:error',
          'name:"span 120"',
          'status:error (name:"span 120" or name:"span 1")',
          'name:*9',
          'name:"span 1*"',
          'service:*ha* status:error',
          'status:error (service:sh* or provider:*ropic)',
          'model:nobody*',
          'service:/^(chat|mail)$/ name:*7',
          'service:(chat or shop)',
          '-service:c*',
          'input_tokens<5',
          'input_tokens>900',
          'input_tokens:100..120',
          'output_tokens>=490',
          'output_tokens:0',
          'cost>0.0029',
        ),
        async ([from, minutes], sort, q) => {
          const window = {
            from: BigInt(BASE_MS + from * 60_000) * 1_000_000n,
            to: BigInt(BASE_MS + (from + minutes) * 60_000) * 1_000_000n,
          };
          const filter = q === undefined ? undefined : parseFilterOrFail(q);
          const rows = await page(window, sort, filter)(queries);
          const wanted = new Set((await page(window, '-start', filter, 500)()).map((row) => row.traceId));
          expect(new Set(rows.map((row) => row.traceId))).toEqual(wanted);
          expect(rows).toHaveLength(wanted.size);
          const figures = rows.map(FIGURE[sort.replace('-', '')] ?? (() => 0));
          const ordered = figures.toSorted((a, b) => (sort.startsWith('-') ? b - a : a - b));
          expect(figures).toEqual(ordered);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('come from the rollup: its rows decide the order, the spans of the page fill it', async () => {
    const { store, statements } = recordStatements(bench.store);
    const queries = createTelemetryQueries(store, LIMITS);
    const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 12 * HOUR) * 1_000_000n };
    await page(window, '-duration', parseFilterOrFail('service:chat'), 50)(queries);
    expect(statements.find((sql) => sql.includes('AS Figure'))).toBe(
      'SELECT toString(TraceHash) AS H, toString(Figure) AS K, toString(Early) AS First, toString(Late) AS Last, Count FROM (' +
        'SELECT TraceHash, max(EndNs) - min(FirstNs) AS Figure, min(FirstNs) AS Early, max(LastNs) AS Late, sum(Spans) AS Count ' +
        'FROM trace_figures WHERE ProjectId = {p0:String} AND (Hour >= toDateTime({p1:UInt32}) AND Hour < toDateTime({p2:UInt32})) ' +
        'GROUP BY TraceHash HAVING max(has(ServiceHashes, cityHash64({p3:String}))) = 1) ORDER BY Figure DESC, TraceHash DESC LIMIT 61',
    );
    const spans = statements.filter((sql) => sql.includes('FROM otel_traces'));
    // These take up more of the window than is looked through for hashes: their ids are.
    for (const sql of spans) expect(sql).toMatch(/TraceId (GLOBAL )?IN/);
  });

  it.each([
    ['span 3', true],
    ['span 99', true],
    ['span 120', false],
    ['1 span, 2 of\n9', false],
  ])('of a name, %j, that is one of few come from the rollup: %s', async (name, few) => {
    const { store, statements } = recordStatements(bench.store);
    const filter: Filter = { field: 'name', op: '=', value: name };
    const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 12 * HOUR) * 1_000_000n };
    await page(window, '-duration', filter)(createTelemetryQueries(store, LIMITS));
    const order = statements.find((sql) => sql.includes('AS Figure'));
    expect(order).toContain('FROM trace_figures');
    expect(order?.includes('NameHashes')).toBe(few);
    expect(statements.some((sql) => sql.includes('AS Matching'))).toBe(!few);
  });

  it('short ones are found by their times and hashes, what they say along with their figures', async () => {
    const short = contextOf('short');
    const said = (text: string) =>
      JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: text }] }]);
    const operations = ['chat', 'invoke_agent', 'execute_tool'] as const;
    await bench.put(
      Array.from({ length: 30 }, (_, n) =>
        span(0x500 + n, n + 1, n * 60_000, {
          endTimeUnixNano: BigInt(BASE_MS + n * 60_000 + (n % 4)) * 1_000_000n,
          attributes: {
            'gen_ai.operation.name': operations[n % 3] ?? 'chat',
            'gen_ai.input.messages': said(n === 9 ? 'long '.repeat(20_000) : `asked ${n}`),
            'gen_ai.tool.call.arguments': `arguments ${n}`,
            ...(n % 2 === 0 ? { 'gen_ai.output.messages': said(`answered ${n}`) } : {}),
          },
        }),
      ),
      { project: 'short' },
    );
    const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + HOUR) * 1_000_000n };
    const { store, statements } = recordStatements(bench.store);
    const queries = createTelemetryQueries(store, LIMITS);
    const walk = async (sort: TraceSort, limit: number) => {
      const rows: TraceRow[] = [];
      let cursor: string | undefined;
      do {
        const asked = { window, filter: undefined, sort, limit, cursor };
        const found = await queries.searchTraces(short, asked);
        rows.push(...found.data);
        cursor = found.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return rows;
    };
    const byFigure = await walk('-duration', 10);
    expect(byFigure).toHaveLength(30);
    const [order = '', spans = ''] = statements.filter((sql) => !sql.includes('_part'));
    expect(order).toContain('FROM trace_figures');
    expect(spans).toContain('indexHint(toStartOfSecond(Timestamp) IN {p');
    expect(spans).toContain('TraceHash IN {p');
    expect(spans).not.toContain('SpanAttributes[');
    // Each row is the one that the list by time shows, which reads the whole span for its preview.
    const byTime = await walk('-start', 500);
    const sorted = (rows: TraceRow[]) => rows.toSorted((a, b) => (a.traceId < b.traceId ? -1 : 1));
    expect(sorted(byFigure)).toEqual(sorted(byTime));
    const previews = byTime.map((row) => row.preview.input);
    expect(previews.filter((text) => text === null)).toHaveLength(1);
    expect(previews).toContain('asked 4');
    // Asked for after the rows they are the same; of a trace that another project has there is nothing.
    statements.length = 0;
    const bare = (await queries.searchTraces(short, { ...listed(window), previews: false })).data;
    expect(statements[0]).toContain('max(LastNs) AS Late, 0 AS Count FROM trace_figures');
    expect(bare.map((row) => row.preview.input).filter((text) => text !== null)).toEqual([]);
    const later = await queries.tracePreviews(short, bare.map(asListed));
    const none = { input: null, output: null };
    expect(new Map(bare.map(({ traceId }) => [traceId, later.get(traceId) ?? none]))).toEqual(
      new Map(byTime.map((row) => [row.traceId, row.preview])),
    );
    expect(await queries.tracePreviews(context, bare.map(asListed))).toEqual(new Map());
    expect(await queries.tracePreviews(short, [])).toEqual(new Map());
  });

  it('that meet two conditions with different spans are no match, and the next ones take their place', async () => {
    const mixed = contextOf('mixed');
    const failed = { status: { code: 2 as const }, attributes: { 'gen_ai.request.model': 'small' } };
    const put = (service: string, spans: readonly ReturnType<typeof span>[]) =>
      bench.put(spans, { project: 'mixed', service });
    const trace = (n: number, own: number, minutes: number, changes = {}) =>
      span(0x700 + n, own, n, {
        endTimeUnixNano: BigInt(BASE_MS + minutes * 60_000) * 1_000_000n,
        ...changes,
      });
    // Sixty long traces in which another service failed, by another model, than the one asked for, and two short ones that
    // match.
    const apart = Array.from({ length: 60 }, (_, n) => n);
    await put('shop', [
      ...apart.map((n) => trace(n, 1, 100 + n)),
      trace(90, 1, 5, failed),
      trace(91, 1, 4, failed),
    ]);
    await put(
      'chat',
      apart.map((n) => trace(n, 2, 50, failed)),
    );
    const { store, statements } = recordStatements(bench.store);
    const queries = createTelemetryQueries(store, LIMITS);
    const window = {
      from: BigInt(BASE_MS - HOUR) * 1_000_000n,
      to: BigInt(BASE_MS + 12 * HOUR) * 1_000_000n,
    };
    const search = (q: string, limit: number) => {
      const filter = parseFilterOrFail(q);
      return queries.searchTraces(mixed, { window, filter, sort: '-duration', limit, cursor: undefined });
    };
    const found = async (q: string) => (await search(q, 2)).data.map((row) => row.traceId);
    const asked = () => statements.filter((sql) => sql.includes('TraceHash GLOBAL IN')).length;
    const both = [id(0x700 + 90, 32), id(0x700 + 91, 32)];
    expect(await found('service:shop model:small')).toEqual(both);
    // The rollup alone led nowhere, so the spans were asked.
    expect(asked()).toBe(1);
    const first = await search('service:shop model:small', 1);
    expect(first.data).toHaveLength(1);
    expect(first.nextCursor).not.toBeNull();
    // What failed, and where, the rollup knows together.
    const before = asked();
    expect(await found('service:shop status:error')).toEqual(both);
    expect(await found('status:error (service:shop or agent:nobody)')).toEqual(both);
    expect(asked()).toBe(before);
    // Of three conditions it knows two at a time.
    expect(await found('service:shop model:small status:error')).toEqual(both);
    expect(asked()).toBe(before);
  });

  it('are found behind any number of longer ones of which no span began in the window', async () => {
    const minute = 60_000;
    const around = Array.from({ length: 400 }, (_, n) => n);
    await bench.put(
      [
        ...around.flatMap((n) => [
          span(0x2000 + n, 1, 10 * minute + n),
          span(0x2000 + n, 2, 50 * minute + n),
        ]),
        span(0x3000, 1, 30 * minute, { endTimeUnixNano: BigInt(BASE_MS + 31 * minute) * 1_000_000n }),
        span(0x3001, 1, 31 * minute),
      ],
      { project: 'around' },
    );
    const window = {
      from: BigInt(BASE_MS + 29 * minute) * 1_000_000n,
      to: BigInt(BASE_MS + 32 * minute) * 1_000_000n,
    };
    const search = (cursor: string | undefined) =>
      bench.queries.searchTraces(contextOf('around'), {
        window,
        filter: undefined,
        sort: '-duration',
        limit: 1,
        cursor,
      });
    const first = await search(undefined);
    expect(first.data.map((row) => row.traceId)).toEqual([id(0x3000, 32)]);
    const second = await search(first.nextCursor ?? undefined);
    expect(second.data.map((row) => row.traceId)).toEqual([id(0x3001, 32)]);
    expect(second.nextCursor).toBeNull();
  });

  it('that many match are found among the first of all, and where few do the spans are asked', async () => {
    const shares = contextOf('shares');
    const at = (n: number, minutes: number) =>
      BigInt(BASE_MS + n * 1_000) * 1_000_000n + BigInt(minutes) * 60_000_000_000n;
    // The longer a trace, the higher its number; all odd ones go out, every hundredth is of a consumer.
    await bench.put(
      Array.from({ length: 400 }, (_, n) =>
        span(0x9000 + n, 1, n * 1_000, {
          kind: n % 100 === 0 ? 5 : n % 2 === 1 ? 3 : 2,
          endTimeUnixNano: at(n, n + 1),
        }),
      ),
      { project: 'shares' },
    );
    const { store, statements } = recordStatements(bench.store);
    const queries = createTelemetryQueries(store, LIMITS);
    // A sample is taken at its eighths.
    const window = { from: at(0, 0), to: at(0, 8) };
    const first = async (q: string, sort: TraceSort) => {
      statements.length = 0;
      const asked = { window, filter: parseFilterOrFail(q), sort, limit: 5, cursor: undefined };
      const { data } = await queries.searchTraces(shares, asked);
      const numbers = data.map((row) => Number.parseInt(row.traceId.slice(-4), 16) - 0x9000);
      return { numbers, all: statements.some((sql) => sql.includes('TraceHash GLOBAL IN')) };
    };
    expect(await first('kind:client', '-duration')).toEqual({
      numbers: [399, 397, 395, 393, 391],
      all: false,
    });
    const checks = statements.filter((sql) => sql.startsWith('SELECT DISTINCT'));
    expect(checks).toHaveLength(1);
    expect(await first('-kind:consumer', 'duration')).toEqual({ numbers: [1, 2, 3, 4, 5], all: false });
    expect(await first('kind:consumer', '-duration')).toEqual({ numbers: [300, 200, 100, 0], all: true });
    // Many do, but none of the first.
    expect(await first('duration<190m', '-duration')).toEqual({
      numbers: [188, 187, 186, 185, 184],
      all: true,
    });
    // Asked again, what was seen is known: no sample, no try.
    await first('duration<190m', '-duration');
    expect(statements.filter((sql) => /Everybody|AS Figure/.test(sql))).toHaveLength(1);
    await first('kind:client', '-duration');
    expect(statements.filter((sql) => sql.includes('Everybody'))).toEqual([]);
  });

  it('of another filter are not reached by a cursor', async () => {
    const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 12 * HOUR) * 1_000_000n };
    const asked = { window, filter: undefined, sort: '-cost', limit: 2 } as const;
    const first = await bench.queries.searchTraces(context, { ...asked, cursor: undefined });
    const cursor = first.nextCursor ?? '';
    expect(first.data.map((row) => row.traceId)).not.toContain(id(0, 32));
    await expect(
      bench.queries.searchTraces(context, { ...asked, filter: parseFilterOrFail('service:chat'), cursor }),
    ).rejects.toMatchObject({ code: 'bad_query' });
  });
});
