/** Prices that people set change every cost that is read, and nothing that is stored. */
import { correctedPrice, type PriceCorrection } from '@candela/semconv';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createActivityQueries } from '../activity/index.ts';
import { createAgentQueries } from '../agents/index.ts';
import { createSqlQueries } from '../../sql-gate/index.ts';
import { correctedCostSql } from './price-sql.ts';
import { setPriceCorrections } from './prices.ts';
import { Params } from './params.ts';
import { BASE_MS, contextOf, id, LIMITS, openQueryBench, type QueryBench, span } from './testing.ts';

let bench: QueryBench;
const context = contextOf();
const at = (ms: number) => BigInt(BASE_MS + ms) * 1_000_000n;
/** Ends within a bucket of the rollups, so that whole buckets and edges are read. */
const window = { from: at(-60_000), to: at(3_700_000) };
const listed = { input: 100, output: 1_000 };

const call = (trace: number, own: number, atMs: number, changes: Record<string, string | number> = {}) =>
  span(trace, own, atMs, {
    name: 'chat',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.response.model': 'gpt-4o-2024-08-06',
      'gen_ai.usage.input_tokens': listed.input,
      'gen_ai.usage.output_tokens': listed.output,
      'gen_ai.conversation.id': `s${trace}`,
      'user.id': 'u1',
      'gen_ai.agent.name': 'planner',
      ...changes,
    },
  });
const correction = (changes: Partial<PriceCorrection> = {}): PriceCorrection => ({
  id: 'c1',
  provider: '',
  names: ['gpt-4o*'],
  rates: { model: 'gpt-4o', input: 10, output: 100 },
  date: '2026-11-01',
  ...changes,
});
/** 100 x 10 + 1,000 x 100 a million. */
const CUSTOM = 0.101;
const LIST = 0.010_25;
/** What nobody sells. */
const HOUSE = { 'gen_ai.request.model': 'house-1', 'gen_ai.response.model': 'house-1' };

beforeAll(async () => {
  bench = await openQueryBench();
  await bench.put([
    call(1, 11, 0),
    call(2, 21, 1_000_000),
    call(2, 22, 1_000_100, HOUSE),
    call(3, 31, 3_650_000),
    call(4, 41, 2_000_000, HOUSE),
    span(5, 51, 2_000_000, { name: 'plain' }),
  ]);
});
afterAll(async () => {
  await bench.close();
});
afterEach(() => {
  setPriceCorrections(new Map());
});

/** Each figure that pages show, in USD: null where there is none. */
async function costs() {
  const activity = createActivityQueries(bench.store, LIMITS);
  const agents = createAgentQueries(bench.store, LIMITS);
  const sql = createSqlQueries(bench.store, LIMITS);
  const page = { window, filter: undefined, limit: 10, cursor: undefined };
  const [traces, dear, spans, sessions, users, agent, chart, byHour, detail, statement] = await Promise.all([
    bench.queries.searchTraces(context, { ...page, sort: '-cost' }),
    bench.queries.searchTraces(context, {
      ...page,
      sort: '-start',
      filter: { field: 'cost', op: '>', value: 0.1 },
    }),
    bench.queries.searchSpans(context, { ...page, sort: '-cost' }),
    activity.sessions(context, { ...page, sort: '-cost' }),
    activity.users(context, { ...page, sort: '-cost' }),
    agents.agents(context, { window, search: undefined }),
    bench.queries.aggregate(context, {
      window,
      filter: undefined,
      groupBy: ['model'],
      measures: ['cost', 'count'],
      bucketSeconds: undefined,
      limit: 10,
    } as never),
    bench.queries.aggregate(context, {
      window,
      filter: undefined,
      groupBy: [],
      measures: ['cost'],
      bucketSeconds: 3_600,
      limit: 10,
    } as never),
    bench.queries.span(context, { traceId: id(1, 32), spanId: id(11, 16) }),
    sql.execute(context, { query: 'SELECT sum(CostUsd) FROM otel_traces', window, limit: 10 }),
  ]);
  return {
    traces: traces.data.map(({ costUsd }) => costUsd),
    dear: dear.data.map(({ traceId }) => Number.parseInt(traceId, 16)).sort(),
    spans: spans.data.map(({ costUsd }) => costUsd),
    sessions: sessions.data.map(({ costUsd }) => costUsd),
    users: users.data.map(({ costUsd, spans: count }) => [costUsd, count]),
    agents: agent.agents.map(({ calls }) => [calls.costUsd, calls.count]),
    models: Object.fromEntries(chart.rows.map(({ group, values }) => [group[0], values])),
    hours: byHour.rows.map(({ values }) => values[0]),
    origin: detail.costOrigin,
    statement: statement.rows[0]?.[0],
  };
}

const near = (value: number) => expect.closeTo(value, 9) as number;

describe('a price of a person', () => {
  it('stands in every list, chart, filter and statement', async () => {
    setPriceCorrections(new Map([['default', [correction()]]]));
    expect(await costs()).toEqual({
      traces: [near(CUSTOM), near(CUSTOM), near(CUSTOM), null, null],
      dear: [1, 2, 3],
      spans: [near(CUSTOM), near(CUSTOM), near(CUSTOM), null, null, null],
      sessions: [near(CUSTOM), near(CUSTOM), near(CUSTOM), null],
      users: [[near(3 * CUSTOM), 5]],
      agents: [[near(3 * CUSTOM), 5]],
      models: {
        'gpt-4o-2024-08-06': [near(3 * CUSTOM), 3],
        'house-1': [null, 2],
        '': [null, 1],
      },
      hours: [near(2 * CUSTOM), near(CUSTOM)],
      origin: expect.objectContaining({
        kind: 'custom',
        priceId: 'gpt-4o',
        priceDate: '2026-11-01',
        source: null,
      }) as object,
      statement: near(3 * CUSTOM),
    });
  });

  it('gives a model its first price', async () => {
    setPriceCorrections(new Map([['default', [correction({ names: ['house-1'] })]]]));
    const { traces, users, models, hours } = await costs();
    expect(traces).toEqual([near(CUSTOM + LIST), near(CUSTOM), near(LIST), near(LIST), null]);
    expect(users).toEqual([[near(3 * LIST + 2 * CUSTOM), 5]]);
    expect(models['house-1']).toEqual([near(2 * CUSTOM), 2]);
    expect(hours).toEqual([near(2 * LIST + 2 * CUSTOM), near(LIST)]);
  });

  it('is of one project, and of its days', async () => {
    const plain = await costs();
    setPriceCorrections(new Map([['another', [correction()]]]));
    expect(await costs()).toEqual(plain);
    const later = correction({ rates: { model: 'gpt-4o', input: 10, output: 100, validFrom: '2026-11-21' } });
    setPriceCorrections(new Map([['default', [later]]]));
    expect(await costs()).toEqual(plain);
    expect(plain.users).toEqual([[near(3 * LIST), 5]]);
  });
});

/** Random rates and calls: SQL says what the function of semconv says. */
describe('the SQL of a price', () => {
  it('says of every call what the price itself says', async () => {
    const project = 'random';
    const numbers = [0, 1, 77, 1_000, 250_000];
    const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
    const rates: PriceCorrection['rates'][] = [
      { model: 'm', input: 2, output: 8, cacheRead: 0.5, cacheWrite: 2.5, cacheWrite1h: 4, reasoning: 9 },
      { model: 'm', input: 2, output: 8, longPrompt: { above: 1_000, input: 4, output: 16, cacheRead: 1 } },
      {
        model: 'm',
        input: 3,
        output: 9,
        tiers: { flex: { times: 0.5 }, priority: { input: 6, output: 20 } },
      },
      { model: 'm', input: 3, output: 9, regional: { times: 1.1, gov: 1.2 }, webSearch: 10 },
      { model: 'm', input: 3, output: 9, inputAudio: 30, outputAudio: 60, inputImage: 5, outputImage: 40 },
      {
        model: 'm',
        input: 3,
        output: 9,
        peak: { times: 2, hoursUtc: [[12, 13]], weekdaysOnly: true },
      },
    ];
    const names = ['m', 'us.m', 'eu.anthropic.m', 'us-gov.m', 'x/eu.m'];
    const tiers = ['', 'flex', 'priority', 'batch', 'scale'];
    const calls = Array.from({ length: 120 }, (_, index) => {
      const model = pick(names, index);
      const tier = pick(tiers, Math.floor(index / 5));
      return call(100 + index, 1_000 + index, index * 3_600_000 * 7, {
        'gen_ai.request.model': model,
        'gen_ai.response.model': 'm',
        'gen_ai.usage.input_tokens':
          pick(numbers, index) + pick(numbers, index + 1) + pick(numbers, index + 2),
        'gen_ai.usage.cache_read.input_tokens': pick(numbers, index + 1),
        'gen_ai.usage.cache_creation.input_tokens': pick(numbers, index + 2),
        'gen_ai.usage.output_tokens': pick(numbers, index + 3),
        ...(tier === '' ? {} : { 'gen_ai.openai.response.service_tier': tier }),
      });
    });
    await bench.put(calls, { project });
    for (const rate of rates) {
      const corrections = [correction({ names: ['m'], rates: rate })];
      const params = new Params();
      const rows = await bench.store.select<{
        SpanId: string;
        Cost: number | null;
        Ms: string;
        Request: string;
        Input: number;
        Read: number;
        Write: number;
        Output: number;
        Reasoning: number;
        Details: string;
      }>(
        `SELECT SpanId, ${correctedCostSql(corrections, params)} AS Cost, toString(toUnixTimestamp64Milli(Timestamp)) AS Ms,
           GenAiRequestModel AS Request, InputTokens AS Input, CacheReadTokens AS Read, CacheWriteTokens AS Write,
           OutputTokens AS Output, ReasoningTokens AS Reasoning, PricingDetails AS Details
         FROM otel_traces WHERE ProjectId = 'random'`,
        params.values,
      );
      expect(rows).toHaveLength(calls.length);
      for (const row of rows) {
        const details = JSON.parse(row.Details || '{}') as { tier?: string };
        const price = correctedPrice(
          corrections,
          {
            provider: 'openai',
            operation: 'chat',
            requestModel: row.Request,
            responseModel: 'm',
            serviceTier: details.tier ?? '',
            usage: {
              input: row.Input,
              cacheRead: row.Read,
              cacheWrite: row.Write,
              output: row.Output,
              reasoning: row.Reasoning,
            },
          },
          Number(row.Ms),
        );
        if (price === undefined) expect(row.Cost).toBeNull();
        else expect(row.Cost, JSON.stringify(row)).toBeCloseTo(price.costUsd, 9);
      }
      expect(rows.some(({ Cost }) => Cost !== null)).toBe(true);
    }
  });
});
