import {
  type FieldDefinition,
  FIELDS,
  type Filter,
  isCountable,
  type Measure,
  parseFilterOrFail,
} from '@candela/contract';
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
import { createTelemetryQueries } from '../index.ts';
import type { AggregateInput, AggregateResult, AggregateRow } from './aggregate.ts';

const HOUR = 3_600_000;
const context = contextOf();
let bench: QueryBench;

const pick = <T>(list: readonly T[], random: number): T => list[Math.floor(random * list.length)] as T;

beforeAll(async () => {
  bench = await openQueryBench();
  let seed = 42;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  for (const [service, environment] of [
    ['shop', 'production'],
    ['chat', 'production'],
    ['shop', 'staging'],
  ] as const) {
    const spans = Array.from({ length: 400 }, (_, n) =>
      span(1 + Math.floor(random() * 60), n + 1, random() * 3 * HOUR, {
        name: pick(['fast', 'slow', 'other'], random()),
        kind: pick([1, 2, 3], random()),
        status: { code: pick([0, 1, 2], random()) },
        ...(random() < 0.4 ? {} : { parentSpanId: id(Math.floor(random() * 400) + 1, 16) }),
        ...(random() < 0.5
          ? {}
          : {
              attributes: {
                'gen_ai.operation.name': 'chat',
                'gen_ai.provider.name': pick(['openai', 'anthropic'], random()),
                'gen_ai.request.model': pick(['gpt-4o', 'claude-sonnet-4', 'unknown-model'], random()),
                'gen_ai.agent.name': pick(['planner', ''], random()),
                'gen_ai.usage.input_tokens': Math.floor(random() * 1_000),
                'gen_ai.usage.output_tokens': Math.floor(random() * 100),
              },
            }),
      }),
    );
    await bench.put(spans, { service, environment });
    await bench.putLogs(
      Array.from({ length: 300 }, (_, n) => ({
        timeUnixNano: BigInt(Math.round(BASE_MS + random() * 3 * HOUR)) * 1_000_000n,
        severityNumber: pick([0, 1, 9, 13, 17, 21], random()),
        severityText: pick(['', 'ERROR', 'warning'], random()),
        body: `line ${n}`,
        eventName: pick(['', 'exception'], random()),
      })),
      { service, environment },
    );
  }
});
afterAll(() => bench.close());

const window = (fromMs: number, toMs: number): Window => ({
  from: BigInt(Math.round(BASE_MS + fromMs)) * 1_000_000n,
  to: BigInt(Math.round(BASE_MS + toMs)) * 1_000_000n,
});

/** Always true, and of a field that no rollup has: the rows have to answer. */
const FORCE = {
  spans: { field: 'duration_ms', op: '>=', value: 0 },
  logs: { not: { field: 'body', op: 'contains', value: 'nothing holds this' } },
} as const satisfies Record<string, Filter>;

const fromRows = (signal: 'spans' | 'logs', filter: Filter | undefined): Filter =>
  filter === undefined ? FORCE[signal] : { and: [filter, FORCE[signal]] };

const near = (result: AggregateResult) => ({
  ...result,
  source: null,
  // Doubles add up to slightly different sums in another order.
  rows: result.rows.map((row) => ({
    ...row,
    values: row.values.map((value) => value && Number(value.toPrecision(12))),
    previous: row.previous?.map((value) => value && Number(value.toPrecision(12))) ?? null,
  })),
});

const FILTERS = {
  spans: [
    undefined,
    'service:shop',
    'status:error root:true',
    'model:gpt-4o or name:slow',
    '-kind:server operation:chat',
    'environment:staging',
    'provider:open*',
    'name:(fast or slow) -agent:planner',
  ],
  logs: [
    undefined,
    'severity>=error',
    'service:chat',
    'event:exception -severity:unset',
    'severity_text:ERROR',
  ],
} as const;
const GROUPS = {
  spans: ['service', 'name', 'status', 'model', 'root', 'kind', 'environment', 'agent', 'provider'],
  logs: ['service', 'severity', 'event', 'environment', 'severity_text'],
} as const;
const MEASURES: Record<'spans' | 'logs', readonly Measure[]> = {
  spans: [
    'count',
    'errors',
    'error_rate',
    'model_calls',
    'input_tokens',
    'output_tokens',
    'cache_read_tokens',
    'reasoning_tokens',
    'total_tokens',
    'cost',
  ],
  logs: ['count', 'errors', 'error_rate'],
};

const requests = (signal: 'spans' | 'logs'): fc.Arbitrary<AggregateInput> =>
  fc.record({
    signal: fc.constant(signal),
    window: fc
      .tuple(fc.integer({ min: -HOUR, max: 3 * HOUR }), fc.integer({ min: 1, max: 3 * HOUR }))
      .map(([from, length]) => window(from, from + length)),
    filter: fc
      .constantFrom(...FILTERS[signal])
      .map((q) => (q === undefined ? undefined : parseFilterOrFail(q, signal))),
    groupBy: fc.uniqueArray(fc.constantFrom(...GROUPS[signal]), { maxLength: 2 }),
    measures: fc.uniqueArray(fc.constantFrom(...MEASURES[signal]), { minLength: 1, maxLength: 5 }),
    bucketSeconds: fc.constantFrom(undefined, 300, 900, 3_600),
    limit: fc.integer({ min: 1, max: 30 }),
    comparePrevious: fc.boolean(),
  });

describe.each(['spans', 'logs'] as const)('figures of %s', (signal) => {
  it('are the same from the rollup and from the rows, whatever is asked', { timeout: 120_000 }, async () => {
    let fromRollup = 0;
    await fc.assert(
      fc.asyncProperty(requests(signal), async (asked) => {
        // Groups of equal size are cut off in any order of their sums' last digits: all of them, then.
        const input = { ...asked, limit: asked.measures[0] === 'count' ? asked.limit : 500 };
        const got = await bench.queries.aggregate(context, input);
        const rows = await bench.queries.aggregate(context, {
          ...input,
          filter: fromRows(signal, input.filter),
        });
        expect(rows.source).toBe('rows');
        if (got.source === 'rollup') fromRollup += 1;
        const sorted = (result: AggregateResult) => ({
          ...near(result),
          rows: near(result).rows.sort((a, b) =>
            JSON.stringify([a.time, a.group]) < JSON.stringify([b.time, b.group]) ? -1 : 1,
          ),
        });
        expect(sorted(got)).toEqual(sorted(rows));
      }),
      { numRuns: 60 },
    );
    expect(fromRollup).toBeGreaterThan(20);
  });

  it('count the same facets from the rollup and from the rows', { timeout: 120_000 }, async () => {
    const fields = Object.entries(FIELDS as Readonly<Record<string, FieldDefinition>>)
      .filter(([, field]) => field.signals.includes(signal) && isCountable(field))
      .map(([name]) => name);
    await fc.assert(
      fc.asyncProperty(requests(signal), fc.constantFrom(undefined, 'o', 'ERR'), async (asked, search) => {
        const input = { signal, window: asked.window, filter: asked.filter, fields, search, limit: 5 };
        expect(await bench.queries.facets(context, input)).toEqual(
          await bench.queries.facets(context, { ...input, filter: fromRows(signal, input.filter) }),
        );
      }),
      { numRuns: 25 },
    );
  });
});

describe('figures', () => {
  const base: AggregateInput = {
    window: window(61_000, 2 * HOUR + 1_000),
    filter: undefined,
    groupBy: [],
    measures: ['count'],
    bucketSeconds: undefined,
    limit: 10,
  };

  it('come from the rollup with the rows at the edges, in one statement', async () => {
    const { store, statements } = recordStatements(bench.store);
    const queries = createTelemetryQueries(store, LIMITS);
    const result = await queries.aggregate(context, {
      ...base,
      groupBy: ['service'],
      measures: ['count', 'cost'],
    });
    expect(result.source).toBe('rollup');
    expect(statements).toEqual([
      'SELECT *, count() OVER () AS N FROM (SELECT G0, sum(F0) AS V0, if(sum(F1) = 0, NULL, sum(F2)) AS V1 FROM (' +
        'SELECT toString(ServiceName) AS G0, sum(Spans) AS F0, sum(Priced) AS F1, sum(CostUsd) AS F2 FROM span_counts ' +
        'WHERE ProjectId = {p0:String} AND (Bucket >= fromUnixTimestamp64Nano({p1:Int64}) AND Bucket < fromUnixTimestamp64Nano({p2:Int64})) GROUP BY G0 UNION ALL ' +
        'SELECT toString(ServiceName) AS G0, count() AS F0, countIf(CountsUsage = 1 AND isNotNull(CostUsd)) AS F1, sumIf(ifNull(CostUsd, 0), CountsUsage = 1) AS F2 FROM otel_traces ' +
        'WHERE ProjectId = {p3:String} AND ((Timestamp >= fromUnixTimestamp64Nano({p4:Int64}) AND Timestamp < fromUnixTimestamp64Nano({p5:Int64})) OR ' +
        '(Timestamp >= fromUnixTimestamp64Nano({p6:Int64}) AND Timestamp < fromUnixTimestamp64Nano({p7:Int64}))) GROUP BY G0) GROUP BY G0) ' +
        "ORDER BY V0 DESC NULLS LAST, G0 LIMIT 10 SETTINGS max_result_bytes = 33554432, result_overflow_mode = 'throw'",
    ]);
  });

  it.each([
    ['a measure of all rows', { measures: ['count', 'duration_p95'] }],
    ['a field it does not know', { groupBy: ['session'] }],
    ['narrower buckets', { bucketSeconds: 60 }],
    ['a window without a whole bucket', { window: window(1_000, 299_000) }],
    ['a condition it does not know', { filter: parseFilterOrFail('duration>1') }],
  ] as const)('come from the rows for %s', async (_what, changes) => {
    expect((await bench.queries.aggregate(context, { ...base, ...changes })).source).toBe('rows');
  });

  it('of the period before are what it gives when it is asked for itself', async () => {
    const input: AggregateInput = {
      ...base,
      window: window(HOUR, 2 * HOUR),
      groupBy: ['name'],
      comparePrevious: true,
    };
    const both = await bench.queries.aggregate(context, input);
    const before = await bench.queries.aggregate(context, {
      ...base,
      window: window(0, HOUR),
      groupBy: ['name'],
    });
    expect(both.previous).toMatchObject(window(0, HOUR));
    for (const row of before.rows) {
      expect(both.rows.find(({ group }) => group[0] === row.group[0])?.previous).toEqual(row.values);
    }
  });

  it.each([
    ['from the rollup', ['name', 'kind', 'model', 'status'], undefined, undefined],
    ['from the rollup, over time', ['name', 'kind', 'model', 'status'], 900, undefined],
    ['from the rows', ['trace'], undefined, undefined],
    ['from the rows, over time', ['trace', 'name'], 60, undefined],
    ['as many as have room', ['trace'], undefined, 3],
    ['as many as have room, over time', ['trace'], 900, 3],
  ] as const)(
    'of the period before have groups that are gone as well: %s',
    async (_what, groupBy, bucketSeconds, room) => {
      const now = window(HOUR, HOUR + 10 * 60_000);
      const before = window(0, HOUR);
      const asked: AggregateInput = { ...base, groupBy, bucketSeconds, limit: 500 };
      const alone = {
        now: await bench.queries.aggregate(context, { ...asked, window: now }),
        before: await bench.queries.aggregate(context, { ...asked, window: before }),
      };
      const limit = room === undefined ? 500 : alone.now.groups + room;
      const both = await bench.queries.aggregate(context, {
        ...asked,
        limit,
        window: now,
        comparePrevious: before,
      });
      const told = (rows: readonly AggregateRow[], shiftMs: number, of: 'values' | 'previous') =>
        new Map(
          rows
            .filter((row) => row[of]?.some((value) => value !== null))
            .map((row) => [
              JSON.stringify([row.time === null ? null : Date.parse(row.time) + shiftMs, row.group]),
              row[of],
            ]),
        );
      const groups = (rows: readonly AggregateRow[]) =>
        new Set(rows.map(({ group }) => JSON.stringify(group)));
      const shown = groups(both.rows);
      const gone = groups(alone.before.rows).difference(groups(alone.now.rows));
      expect(gone.size).toBeGreaterThan(0);
      expect(groups(alone.now.rows).isSubsetOf(shown)).toBe(true);
      expect(shown.size).toBe(alone.now.groups + (room ?? gone.size));
      const isShown = ({ group }: AggregateRow) => shown.has(JSON.stringify(group));
      expect(told(both.rows, 0, 'values')).toEqual(told(alone.now.rows.filter(isShown), 0, 'values'));
      expect(told(both.rows, 0, 'previous')).toEqual(told(alone.before.rows.filter(isShown), HOUR, 'values'));
      expect(both.groups).toBe(alone.now.groups);
      if (bucketSeconds === undefined) {
        const sizes = both.rows
          .filter(({ values }) => values[0] === null)
          .map(({ previous }) => previous?.[0] ?? 0);
        expect(sizes).toEqual(sizes.toSorted((x, y) => y - x));
      }
    },
  );

  it('of messages are refused', async () => {
    const grouped = (field: string, bucketSeconds?: number) =>
      bench.queries.aggregate(context, { ...base, groupBy: [field], bucketSeconds });
    await expect(grouped('attributes.gen_ai.system_instructions')).rejects.toThrow(/holds messages/);
    await expect(grouped('attributes.gen_ai.input.messages', 60)).rejects.toThrow(/holds messages/);
  });

  it('are refused where the values of groups would make an answer of more than 32 MiB', async () => {
    const project = 'long-values';
    const texts = { 'long.text': 'a'.repeat(30_000), 'other.text': 'b'.repeat(30_000) };
    const spans = Array.from({ length: 900 }, (_, n) => span(1, n + 1, n * 10_000, { attributes: texts }));
    for (let at = 0; at < spans.length; at += 100) await bench.put(spans.slice(at, at + 100), { project });
    const asked: AggregateInput = {
      ...base,
      window: window(0, 3 * HOUR),
      groupBy: ['attributes.long.text', 'attributes.other.text'],
    };
    const whole = await bench.queries.aggregate(contextOf(project), asked);
    expect(whole.rows.map(({ values }) => values[0])).toEqual([900]);
    await expect(
      bench.queries.aggregate(contextOf(project), { ...asked, bucketSeconds: 12 }),
    ).rejects.toMatchObject({ code: 'query_too_expensive' });
  });

  it('of the period before lie on the buckets of this one, also when it is moved by odd milliseconds', async () => {
    const odd = {
      ...base,
      window: window(HOUR + 7, 2 * HOUR + 14),
      bucketSeconds: 900,
      comparePrevious: true,
    };
    const both = await bench.queries.aggregate(context, odd);
    const sum = (rows: readonly (number | null)[]) =>
      rows.reduce<number>((total, value) => total + (value ?? 0), 0);
    const before = await bench.queries.aggregate(context, { ...base, window: both.previous ?? base.window });
    expect(sum(both.rows.map((row) => row.previous?.[0] ?? 0))).toBe(before.rows[0]?.values[0]);
    expect(both.rows.every((row) => Date.parse(row.time ?? '') % 900_000 === 0)).toBe(true);
  });

  it('of a given period are compared, whatever its length, its begin on that of the window', async () => {
    const given = window(0, HOUR);
    const input: AggregateInput = {
      ...base,
      window: window(HOUR, HOUR + HOUR / 2),
      bucketSeconds: 900,
      comparePrevious: given,
    };
    const both = await bench.queries.aggregate(context, input);
    const alone = await bench.queries.aggregate(context, { ...base, window: given, bucketSeconds: 900 });
    expect(both.previous).toMatchObject(given);
    const moved = both.rows.flatMap((row) =>
      row.previous === null ? [] : [[Date.parse(row.time ?? '') - HOUR, row.previous]],
    );
    expect(moved).toEqual(alone.rows.map((row) => [Date.parse(row.time ?? ''), row.values]));
    const centuries = { ...input, comparePrevious: { from: 0n, to: base.window.to } };
    await expect(bench.queries.aggregate(context, centuries)).rejects.toThrow(/buckets/);
  });

  it('say since when there are rows where the period before begins earlier', async () => {
    // Spans arrive when they are sent: hours ago, not on the fixed day of the other tests.
    const recent = Math.floor(Date.now() / HOUR) * HOUR - 6 * HOUR - BASE_MS;
    const since = async (begin: number, end: number, project: string, environment?: string) =>
      (
        await bench.queries.aggregate(contextOf(project, environment), {
          ...base,
          // Of whatever filter: a service that is new is not a period without rows.
          filter: parseFilterOrFail('service:new'),
          window: window(recent + begin, recent + end),
          comparePrevious: true,
        })
      ).previous?.since;
    const ns = (ms: number) => BigInt(BASE_MS + recent + ms) * 1_000_000n;
    expect(await since(HOUR, 2 * HOUR, 'fresh')).toBe(ns(HOUR));
    await bench.put([span(1, 1, recent + 61_000), span(1, 2, recent + 90_000)], { project: 'fresh' });
    await bench.put([span(1, 3, recent + HOUR)], { project: 'fresh', environment: 'staging' });
    expect(await since(HOUR, 2 * HOUR, 'fresh')).toBe(ns(61_000));
    expect(await since(HOUR, 2 * HOUR, 'fresh', 'staging')).toBe(ns(HOUR));
    expect(await since(HOUR + 5_000, 2 * HOUR, 'fresh', 'staging')).toBe(ns(HOUR));
    expect(await since(62_000, 63_000, 'fresh')).toBeNull();
    expect(await since(60_000, 61_000, 'fresh')).toBe(ns(60_000));
    // In the same bucket of the rollup: by the row, not by the bucket.
    expect(await since(70_000, 80_000, 'fresh')).toBe(ns(61_000));
    expect(await since(71_000, 81_000, 'fresh')).toBeNull();
    expect(await since(2 * HOUR, 3 * HOUR, 'fresh')).toBeNull();
    // Sums stay a day longer than rows that retention took.
    await bench.store.command(
      "ALTER TABLE otel_traces DELETE WHERE ProjectId = 'fresh' SETTINGS mutations_sync = 2",
    );
    expect(await since(HOUR / 2, 2 * HOUR, 'fresh')).toBe(ns(0));
  });

  it('are compared with imported periods, and not with spans of wrong clocks', async () => {
    const since = async (to: number, project: string) =>
      (
        await bench.queries.aggregate(contextOf(project), {
          ...base,
          window: window(to - 2 * HOUR, to),
          comparePrevious: true,
        })
      ).previous?.since;
    const ns = (ms: number) => BigInt(BASE_MS + ms) * 1_000_000n;
    const now = Math.floor(Date.now() / HOUR) * HOUR - BASE_MS;
    const sent = now - 3 * HOUR + 61_000;
    // Clocks of 1970, of a year ago, of last week, and of four days ago for a while.
    const wrong = [
      1_000 - BASE_MS,
      now - 365 * 24 * HOUR,
      now - 7 * 24 * HOUR,
      now - 72 * HOUR,
      now - 71.5 * HOUR,
    ];
    await bench.put(
      [...wrong.map((at, index) => span(2, index + 1, at)), span(2, 9, sent), span(2, 10, sent + HOUR)],
      { project: 'wrong-clocks' },
    );
    expect(await since(now, 'wrong-clocks')).toBe(ns(sent));
    // Nothing was sent then, whatever their clocks say.
    expect(await since(now - 93 * HOUR, 'wrong-clocks')).toBe(ns(now - 95 * HOUR));
    expect(await since(now - 7 * 24 * HOUR + HOUR, 'wrong-clocks')).toBe(ns(now - 7 * 24 * HOUR - HOUR));
    // A history that comes later than it was: every five minutes of three hours.
    const begin = now - 100 * HOUR;
    await bench.put(
      Array.from({ length: 36 }, (_, index) => span(3, index + 1, begin + index * 300_000)),
      { project: 'imported' },
    );
    expect(await since(begin + 3.5 * HOUR, 'imported')).toBe(ns(begin));
    expect(await since(begin + 5 * HOUR, 'imported')).toBeNull();
  });

  it('of ten years come in wide buckets', async () => {
    const years = {
      from: BigInt(Date.UTC(2017, 0, 1)) * 1_000_000n,
      to: BigInt(Date.UTC(2027, 0, 1)) * 1_000_000n,
    };
    const result = await bench.queries.aggregate(context, { ...base, window: years, bucketSeconds: 'auto' });
    expect(result).toMatchObject({ source: 'rollup', bucketSeconds: 31_536_000 });
    expect(result.rows.map((row) => row.values[0])).toEqual([1_200]);
  });

  it('of more points than an answer holds are refused, not cut', async () => {
    await bench.store.command(
      `INSERT INTO otel_traces (ProjectId, Environment, TraceId, SpanId, SpanName, Timestamp, ReceivedAt, RetentionDays)
       SELECT 'many', 'production', leftPad(hex(number), 32, '0'), leftPad(hex(number), 16, '0'), concat('g', toString(number % 101)),
         fromUnixTimestamp64Nano({base:Int64} + intDiv(number, 101) * 10000000000), now64(3), 30 FROM numbers(101000)`,
      { base: `${BASE_MS}000000` },
    );
    const input: AggregateInput = {
      window: { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 10_000_000) * 1_000_000n },
      filter: undefined,
      groupBy: ['name'],
      measures: ['count'],
      bucketSeconds: 10,
      limit: 100,
    };
    expect((await bench.queries.aggregate(contextOf('many'), input)).rows).toHaveLength(100_000);
    const more = bench.queries.aggregate(contextOf('many'), { ...input, limit: 101 });
    await expect(more).rejects.toThrow(/more than 100000 points/);
  });

  it.each([
    ['by a key of few values come from the rows in one pass', 'attributes.own', 32, 'duration_p95', 60, 1, 1],
    ['by a column come in one pass', 'name', 32, 'duration_p95', 60, 1, 1],
    [
      'quantiles by one of many come in two, after one is given up the first time',
      'attributes.own',
      400,
      'duration_p95',
      60,
      3,
      2,
    ],
    ['counts by one of many come in one', 'attributes.own', 4_000, 'error_rate', 60, 1, 1],
    [
      'counts by too many for arrays come in another, of places',
      'attributes.own',
      6_000,
      'error_rate',
      60,
      2,
      1,
    ],
    ['counts in narrow buckets by too many as well', 'attributes.own', 3_000, 'error_rate', 10, 2, 1],
    ['other sums by as many come in one', 'attributes.own', 6_000, 'model_calls', 60, 1, 1],
    [
      'other sums by too many to be held at once come in two',
      'attributes.own',
      20_000,
      'model_calls',
      60,
      3,
      2,
    ],
  ] as const)('%s', async (_what, field, groups, measure, bucketSeconds, passes, again) => {
    const project = `groups ${field} ${groups} ${measure}`;
    // Two buckets of each group; those with small numbers are larger and slower.
    await bench.store.command(
      `INSERT INTO otel_traces (ProjectId, Environment, TraceId, SpanId, SpanName, SpanAttributes, Timestamp, Duration, StatusCode, CountsUsage, ReceivedAt, RetentionDays)
       SELECT {project:String}, 'production', toString(number), toString(number), concat('g', toString(G)), map('own', concat('g', toString(G))),
         fromUnixTimestamp64Nano({base:Int64} + (number % 2) * 3600000000000), (100 - G) * 1000000, if(G = 1, 'Error', 'Unset'), G % 2, now64(3), 30
       FROM (SELECT number, if(number < 50, number % 5, intDiv(number, 2) % {groups:UInt32}) AS G FROM numbers({groups:UInt32} * 2))`,
      { project, groups, base: `${BASE_MS}000000` },
    );
    const { store, statements } = recordStatements(bench.store);
    const queries = createTelemetryQueries(store, LIMITS);
    const asked: AggregateInput = {
      window: { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 2 * HOUR) * 1_000_000n },
      filter: undefined,
      groupBy: [field],
      measures: ['count', measure],
      bucketSeconds,
      limit: 3,
    };
    const { rows, groups: found } = await queries.aggregate(contextOf(project), asked);
    expect(statements).toHaveLength(passes);
    expect(found).toBe(groups - 20);
    const [first = '', second = ''] = [0, HOUR].map((after) => new Date(BASE_MS + after).toISOString());
    expect(rows.map(({ time, group, values }) => [time, group[0], values[0]])).toEqual(
      [first, second].flatMap((time) => ['g0', 'g1', 'g2'].map((name) => [time, name, 5])),
    );
    const expected = { duration_p95: [100, 99, 98], error_rate: [0, 1, 0], model_calls: [0, 5, 0] }[measure];
    for (const [index, { values }] of rows.entries()) {
      expect(Math.abs((values[1] ?? NaN) - (expected[index % 3] ?? NaN))).toBeLessThan(0.5);
    }
    // What was given up is not tried when it is asked for again, and the answer is the same.
    expect((await queries.aggregate(contextOf(project), asked)).rows).toEqual(rows);
    expect(statements).toHaveLength(passes + again);
  });

  it('come in one pass again when there are fewer groups than there were', async () => {
    await bench.store.command(
      `INSERT INTO otel_traces (ProjectId, Environment, TraceId, SpanId, SpanName, SpanAttributes, Timestamp, Duration, ReceivedAt, RetentionDays)
       SELECT 'fewer', 'production', toString(number), toString(number), 'one', map('own', toString(if(number < 400, number, number % 2))),
         fromUnixTimestamp64Nano({base:Int64} + if(number < 400, 0, 3600000000000)), 1000000, now64(3), 30 FROM numbers(800)`,
      { base: `${BASE_MS}000000` },
    );
    const { store, statements } = recordStatements(bench.store);
    const queries = createTelemetryQueries(store, LIMITS);
    const asked = async (hour: number): Promise<readonly [groups: number, passes: number]> => {
      const before = statements.length;
      const { groups } = await queries.aggregate(contextOf('fewer'), {
        ...base,
        window: window(hour * HOUR, (hour + 1) * HOUR),
        groupBy: ['attributes.own'],
        measures: ['duration_p95'],
        bucketSeconds: 60,
        limit: 3,
      });
      return [groups, statements.length - before];
    };
    expect([await asked(0), await asked(0), await asked(1), await asked(1), await asked(0)]).toEqual([
      [400, 3],
      [400, 2],
      [2, 2],
      [2, 1],
      [400, 3],
    ]);
  });

  describe('by several fields', () => {
    const several: AggregateInput = {
      ...base,
      window: window(1_000, 3 * HOUR - 1_000),
      groupBy: ['name', 'service', 'root'],
      measures: ['duration_p95', 'count'],
      limit: 5,
    };
    const sorted = (rows: AggregateResult['rows']) =>
      rows.toSorted((a, b) => ((a.time ?? '') + a.group.join() < (b.time ?? '') + b.group.join() ? -1 : 1));
    const plain = async (bucketSeconds?: number) => {
      const rows = await bench.store.select<{ T: number; G: string[]; C: number }>(
        `SELECT intDiv(toUnixTimestamp(Timestamp), {width:UInt32}) * {width:UInt32} AS T,
           [toString(SpanName), toString(ServiceName), if(ParentSpanId = '', 'true', 'false')] AS G, count() AS C
         FROM otel_traces WHERE ProjectId = {project:String} AND Timestamp >= fromUnixTimestamp64Nano({from:Int64})
           AND Timestamp < fromUnixTimestamp64Nano({to:Int64}) GROUP BY T, G`,
        {
          width: bucketSeconds ?? 4_000_000_000,
          project: context.projectId,
          from: String(several.window.from),
          to: String(several.window.to),
        },
      );
      return new Map(
        rows.map(({ T, G, C }) => [
          JSON.stringify([bucketSeconds === undefined ? null : new Date(T * 1_000).toISOString(), G]),
          C,
        ]),
      );
    };

    it('of the rollup are listed by it and numbered', async () => {
      const { store, statements } = recordStatements(bench.store);
      const found = await createTelemetryQueries(store, LIMITS).aggregate(context, several);
      expect(statements).toHaveLength(2);
      expect(statements[0]).toMatch(/SELECT DISTINCT SpanName AS V FROM span_counts WHERE/);
      expect(statements[1]).toMatch(/transform\(SpanName, .*, 'UInt16'\) AS K, .* GROUP BY K/);
      const counts = await plain();
      expect(found.groups).toBe(counts.size);
      expect(found.rows).toHaveLength(5);
      for (const { group, values } of found.rows) {
        expect(values[1]).toBe(counts.get(JSON.stringify([null, group])));
      }
    });

    it('of a short time are read at once', async () => {
      const { store, statements } = recordStatements(bench.store);
      const short = { ...several, window: window(HOUR, HOUR + 14 * 60_000) };
      const found = await createTelemetryQueries(store, LIMITS).aggregate(context, short);
      expect(statements).toHaveLength(1);
      expect(found.rows).toHaveLength(5);
    });

    it('and by time come in buckets of their groups only', async () => {
      const found = await bench.queries.aggregate(context, { ...several, bucketSeconds: 11 });
      const counts = await plain(11);
      const groups = new Set(found.rows.map(({ group }) => group.join()));
      expect(groups.size).toBe(5);
      const expected = [...counts].filter(([key]) => {
        const [, group] = JSON.parse(key) as [string, string[]];
        return groups.has(group.join());
      });
      expect(found.rows).toHaveLength(expected.length);
      for (const { time, group, values } of found.rows) {
        expect(values[1]).toBe(counts.get(JSON.stringify([time, group])));
      }
    });

    it.each([
      [
        'a value that the rollup has not heard of',
        (rows: { F: number; Value: string }[]) => rows.slice(1),
        3,
      ],
      [
        'more values than are listed',
        (rows: { F: number; Value: string }[]) => [
          ...rows,
          ...Array.from({ length: 501 }, (_, n) => ({ F: 0, Value: `name ${n}` })),
        ],
        2,
      ],
      ['no value at all', () => [], 2],
    ] as const)('are grouped as they are where there is %s', async (_what, changed, passes) => {
      const { store, statements } = recordStatements(bench.store);
      const { select } = store;
      const forgetful: typeof store = {
        ...store,
        select: async <T>(sql: string, ...rest: [never, never]) => {
          const rows = await select<T>(sql, ...rest);
          return sql.includes('SELECT DISTINCT') ? (changed(rows as never) as T[]) : rows;
        },
      };
      const found = await createTelemetryQueries(forgetful, LIMITS).aggregate(context, several);
      expect(statements).toHaveLength(passes);
      expect(statements.at(-1)).not.toContain('transform');
      const usual = await bench.queries.aggregate(context, several);
      expect(sorted(found.rows)).toEqual(sorted(usual.rows));
      expect(found.groups).toBe(usual.groups);
    });
  });

  it('that a signal does not have are refused by name', async () => {
    const work = bench.queries.aggregate(context, { ...base, signal: 'logs', measures: ['cost'] });
    await expect(work).rejects.toThrow(/"cost" cannot be measured of logs.*count, errors/);
  });

  it('hold quantiles within one percent', async () => {
    const { rows } = await bench.queries.aggregate(context, {
      ...base,
      window: window(-HOUR, 4 * HOUR),
      measures: ['duration_p50', 'duration_p99', 'traces'],
    });
    const [p50 = 0, p99 = 0, traces] = rows[0]?.values ?? [];
    expect(Math.abs((p50 ?? 0) - 5)).toBeLessThan(0.05);
    expect(Math.abs((p99 ?? 0) - 5)).toBeLessThan(0.05);
    expect(traces).toBe(60);
  });

  it.each([0n, 1n, 999n, 1_007_000n, 16_777_216n, 16_908_270n, 9_007_199_254_740_991n])(
    'hold the quantile of %s ns within one percent',
    async (nanos) => {
      const project = `took ${nanos}`;
      const one = span(1, 1, HOUR);
      await bench.put([{ ...one, endTimeUnixNano: BigInt(String(one.startTimeUnixNano)) + nanos }], {
        project,
      });
      const { rows } = await bench.queries.aggregate(contextOf(project), {
        ...base,
        measures: ['duration_p50', 'duration_p95'],
      });
      const ms = Number(nanos) / 1e6;
      for (const value of rows[0]?.values ?? [null]) {
        expect(Math.abs((value ?? Number.NaN) - ms)).toBeLessThanOrEqual(ms * 0.004);
      }
    },
  );

  it('leave out of durations what has not ended', async () => {
    const spans = [1, 2, 3].map((own) => span(1, own, 0));
    await bench.put(
      [
        ...spans.map((one) => ({
          ...one,
          endTimeUnixNano: BigInt(String(one.startTimeUnixNano)) + 8_000_000n,
        })),
        ...[4, 5, 6, 7].map((own) => ({ ...span(1, own, 0), endTimeUnixNano: 0n })),
      ],
      { project: 'running' },
    );
    const figures = async (q: string) => {
      const { rows } = await bench.queries.aggregate(contextOf('running'), {
        ...base,
        window: window(-HOUR, 4 * HOUR),
        filter: parseFilterOrFail(q),
        measures: ['count', 'duration_avg', 'duration_p50'],
      });
      return rows[0]?.values ?? [];
    };
    const [count, average, p50] = await figures('status:unset');
    expect([count, average]).toEqual([7, 8]);
    expect(p50).toBeCloseTo(8, 1);
    expect((await figures('duration<1s')).slice(0, 2)).toEqual([3, 8]);
    expect(await figures('-duration:*')).toEqual([4, null, null]);
  });
});
