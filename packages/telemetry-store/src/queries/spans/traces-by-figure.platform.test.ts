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
import { createTelemetryQueries } from '../index.ts';

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
  // Traces of a few spans over up to two hours, in several requests, so that hours and inserts cut through them.
  for (const service of ['shop', 'chat', 'mail']) {
    const spans = Array.from({ length: 150 }, (_, n) => {
      const trace = 1 + Math.floor(random() * 50);
      return span(trace, n + 1, trace * 180_000 + random() * 1.5 * HOUR, {
        endTimeUnixNano:
          BigInt(BASE_MS + trace * 180_000) * 1_000_000n +
          BigInt(Math.floor(random() * 3 * HOUR)) * 1_000_000n +
          6_000_000_000_000n,
        status: { code: random() < 0.1 ? 2 : 0 },
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': random() < 0.5 ? 'gpt-4o' : 'gpt-4o-mini',
          'gen_ai.usage.input_tokens': Math.floor(random() * 1_000),
        },
      });
    });
    for (let at = 0; at < spans.length; at += 50) await bench.put(spans.slice(at, at + 50), { service });
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

const FIGURE: Readonly<Record<string, (row: TraceRow) => number>> = {
  duration: (row) => row.durationMs,
  spanCount: (row) => row.spanCount,
  tokens: (row) => (row.inputTokens ?? 0) + (row.outputTokens ?? 0),
  cost: (row) => row.costUsd ?? -1,
};

describe('traces in the order of a figure', () => {
  it('are those with a matching span in the window, in order, whatever is asked', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(fc.integer({ min: -30, max: 240 }), fc.integer({ min: 5, max: 720 })),
        fc.constantFrom('-duration', 'duration', '-spanCount', 'spanCount', '-tokens', '-cost'),
        fc.constantFrom(
          undefined,
          'service:chat',
          'model:gpt-4o',
          'status:error',
          'service:chat status:error',
          'duration>1h',
        ),
        async ([from, minutes], sort, q) => {
          const window = {
            from: BigInt(BASE_MS + from * 60_000) * 1_000_000n,
            to: BigInt(BASE_MS + (from + minutes) * 60_000) * 1_000_000n,
          };
          const filter = q === undefined ? undefined : parseFilterOrFail(q);
          const rows = await page(window, sort, filter)();
          const wanted = new Set((await page(window, '-start', filter, 500)()).map((row) => row.traceId));
          expect(new Set(rows.map((row) => row.traceId))).toEqual(wanted);
          expect(rows).toHaveLength(wanted.size);
          const figures = rows.map(FIGURE[sort.replace('-', '')] ?? (() => 0));
          const ordered = figures.toSorted((a, b) => (sort.startsWith('-') ? b - a : a - b));
          expect(figures).toEqual(ordered);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('come from the rollup: its rows decide the order, the spans of the page fill it', async () => {
    const { store, statements } = recordStatements(bench.store);
    const queries = createTelemetryQueries(store, LIMITS);
    const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 12 * HOUR) * 1_000_000n };
    await page(window, '-duration', parseFilterOrFail('service:chat'), 50)(queries);
    expect(statements[0]).toBe(
      'SELECT toString(TraceHash) AS H, toString(Figure) AS K FROM ( SELECT TraceHash, max(EndNs) - min(FirstNs) AS Figure ' +
        'FROM trace_figures WHERE ProjectId = {p0:String} AND (Hour >= fromUnixTimestamp64Nano({p1:Int64}) AND Hour < fromUnixTimestamp64Nano({p2:Int64})) ' +
        'GROUP BY TraceHash HAVING max(has(Services, {p3:String})) = 1 ) ORDER BY Figure DESC, TraceHash DESC LIMIT 61',
    );
    expect(
      statements.filter((sql) => sql.includes('FROM otel_traces')).every((sql) => sql.includes('TraceId IN')),
    ).toBe(true);
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
