import { parseFilterOrFail, type SpanRow, type SpanSort } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_MS,
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from '../core/testing.ts';
import { createTelemetryQueries } from '../index.ts';

const context = contextOf();
const window = {
  from: BigInt(BASE_MS) * 1_000_000n,
  to: BigInt(BASE_MS + 3_600_000) * 1_000_000n,
};
let bench: QueryBench;

beforeAll(async () => {
  bench = await openQueryBench();
  // Few different times, durations and usages, so that most spans stand beside others of the same place.
  for (const service of ['shop', 'mail']) {
    await bench.put(
      Array.from({ length: 120 }, (_, n) => {
        const at = (n % 5) * 1_000;
        const priced = n % 3 !== 0;
        return span(1 + (n % 7), (service === 'shop' ? 1_000 : 2_000) + n, at, {
          endTimeUnixNano: BigInt(BASE_MS + at + (n % 4) * 10) * 1_000_000n,
          attributes: priced
            ? {
                'gen_ai.operation.name': 'chat',
                'gen_ai.provider.name': 'openai',
                'gen_ai.request.model': 'gpt-4o',
                'gen_ai.usage.input_tokens': (n % 2) * 100,
                'gen_ai.usage.output_tokens': n % 3,
              }
            : {},
        });
      }),
      { service },
    );
  }
});
afterAll(() => bench.close());

/** All pages of a list, one after the other. */
async function walk(
  sort: SpanSort,
  limit: number,
  q?: string,
  queries = bench.queries,
): Promise<readonly SpanRow[]> {
  const rows: SpanRow[] = [];
  const filter = q === undefined ? undefined : parseFilterOrFail(q);
  let cursor: string | undefined;
  do {
    const page = await queries.searchSpans(context, { window, filter, sort, limit, cursor });
    if (page.nextCursor !== null) expect(page.data).toHaveLength(limit);
    rows.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

const FIGURE: Readonly<Record<string, (row: SpanRow) => number>> = {
  duration: (row) => row.durationMs ?? 0,
  cost: (row) => row.costUsd ?? -1,
  tokens: (row) => (row.inputTokens ?? 0) + (row.outputTokens ?? 0),
};

const SORTS = ['-duration', 'duration', '-cost', 'cost', '-tokens', 'tokens'] as const;

describe('spans in the order of a figure', () => {
  it.each(SORTS)('by %s: figure, time and ids decide, in pages of any length', async (sort) => {
    const figure = FIGURE[sort.replace('-', '')] ?? (() => 0);
    const descending = sort.startsWith('-');
    const compare = (a: SpanRow, b: SpanRow): number => {
      const keys = (row: SpanRow) => [figure(row), Date.parse(row.startTime), row.traceId, row.spanId];
      const [left, right] = descending ? [keys(b), keys(a)] : [keys(a), keys(b)];
      const at = left.findIndex((key, index) => key !== right[index]);
      return at === -1 ? 0 : (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1;
    };
    for (const [q, count] of [
      [undefined, 240],
      ['service:mail', 120],
    ] as const) {
      const all = await walk(sort, 500, q);
      expect(all).toHaveLength(count);
      expect(all).toEqual(all.toSorted(compare));
      for (const limit of [13, 40]) expect(await walk(sort, limit, q)).toEqual(all);
    }
  });

  it('are found by figure and time alone, and read at these times', async () => {
    const { store, statements } = recordStatements(bench.store);
    await walk('-duration', 200, undefined, createTelemetryQueries(store, LIMITS));
    const [places = '', rows = '', next = ''] = statements;
    expect(places).toBe(
      'SELECT toString(Duration) AS K, toString(toUnixTimestamp64Nano(Timestamp)) AS Ns FROM otel_traces ' +
        'WHERE ProjectId = {p0:String} AND (Timestamp >= fromUnixTimestamp64Nano({p1:Int64}) AND Timestamp < fromUnixTimestamp64Nano({p2:Int64})) ' +
        'ORDER BY Duration DESC, Timestamp DESC LIMIT 201',
    );
    expect(rows).toContain('Timestamp IN (fromUnixTimestamp64Nano(');
    expect(rows).toContain('(Duration, Timestamp) >= (');
    expect(rows).toMatch(/ORDER BY Duration DESC, Timestamp DESC, TraceId DESC, SpanId DESC LIMIT 201$/);
    expect(next).toContain('(Duration, Timestamp) < (');
    expect(next).not.toContain('TraceId');
    expect(statements).toHaveLength(4);
  });

  it('show a span that was sent while it ran at the place of its end, and one without an end', async () => {
    const mine = contextOf('running');
    const place = { project: 'running' };
    const at = (own: number, ms: number, endMs?: number) =>
      span(0x900 + own, own, ms, {
        endTimeUnixNano: endMs === undefined ? 0n : BigInt(BASE_MS + endMs) * 1_000_000n,
        attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': endMs ?? 0 },
      });
    await bench.put([at(1, 0), at(2, 5), at(3, 7, 12)], place);
    // The end of the first; and of the third, a retry that came too late to be known as one.
    await bench.put([at(1, 0, 700), at(3, 7, 12)], place);
    const [first, second, third] = [at(1, 0), at(2, 0), at(3, 0)].map(({ spanId }) => spanId);
    const list = async (sort: SpanSort, limit: number, q?: string) => {
      const found: SpanRow[] = [];
      let cursor: string | undefined;
      const filter = q === undefined ? undefined : parseFilterOrFail(q);
      do {
        const page = await bench.queries.searchSpans(mine, { window, filter, sort, limit, cursor });
        found.push(...page.data);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return found;
    };
    for (const limit of [1, 2, 50]) {
      expect((await list('-duration', limit)).map((row) => row.spanId)).toEqual([first, third, second]);
      expect((await list('duration', limit)).map((row) => row.spanId)).toEqual([second, third, first]);
      expect((await list('-tokens', limit)).map((row) => row.spanId)).toEqual([first, third, second]);
    }
    expect((await list('-duration', 50)).map((row) => [row.durationMs, row.unfinished])).toEqual([
      [700, false],
      [5, false],
      [0, true],
    ]);
    // Neither what took 700 ms nor what still runs took less than one: neither by figure nor by time.
    for (const sort of ['duration', '-start'] as const) {
      expect(await list(sort, 50, 'duration<1ms')).toEqual([]);
      expect((await list(sort, 50, '-duration:*')).map((row) => row.spanId)).toEqual([second]);
    }
  });
});
