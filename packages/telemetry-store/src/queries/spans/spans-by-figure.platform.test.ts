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
                'gen_ai.prompt': n % 2 === 0 ? 'a violin' : 'a meadow',
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
      // Beside those that hold it stand others of the same figure and time.
      ['violin', 80],
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
    expect(rows).toContain('Timestamp IN {p');
    expect(rows).toContain('(Duration, Timestamp) >= (');
    expect(rows).toMatch(
      /ORDER BY Duration DESC, Timestamp DESC, TraceId DESC, SpanId DESC LIMIT 201 SETTINGS merge_tree_min_rows_for_concurrent_read = 16384$/,
    );
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

  describe('over many granules', () => {
    const ROWS = 960_000;
    const mine = contextOf('granules');
    const EXACT = `use_skip_indexes_for_top_k = 0, use_top_k_dynamic_filtering = 0, use_skip_indexes = 0,
      use_query_condition_cache = 0`;
    /** High figures stand among the first spans; the others have few different ones, and half of them no cost. */
    const insert = (from: number, rows: number, high: string) =>
      bench.store.command(
        `INSERT INTO otel_traces (ProjectId, Timestamp, ReceivedAt, RetentionDays, TraceId, SpanId, Duration, CostUsd, InputTokens)
         WITH number AS n, ${high} AS high, sipHash64(n) AS h
         SELECT 'granules', fromUnixTimestamp64Milli({base:Int64}) + toIntervalMillisecond(intDiv(n, 4)), now64(3), 30,
           toString(h % 50000), toString(n), if(high, 1e9 + h % 50, h % 1000), if(high, 1 + h % 9, if(n % 2 = 0, NULL, (h % 100) / 1e4)),
           if(high, 1e6 + h % 40, h % 300)
         FROM numbers({from:UInt32}, {rows:UInt32}) SETTINGS max_insert_threads = 1, min_insert_block_size_rows = 1000000`,
        { base: BASE_MS, from, rows },
      );
    const selectedRows = async (): Promise<number> => {
      const events = "SELECT value FROM system.events WHERE event = 'SelectedRows'";
      return Number((await bench.store.select<{ value: string }>(events))[0]?.value ?? 0);
    };

    beforeAll(async () => {
      for (let lot = 0; lot < 4; lot += 1) await insert((lot * ROWS) / 4, ROWS / 4, 'n < 300');
      await bench.store.command('OPTIMIZE TABLE otel_traces FINAL');
    });

    it.each(['-duration', '-cost', '-tokens'] as const)('by %s: passes by most of them', async (sort) => {
      const before = await selectedRows();
      const page = await bench.queries.searchSpans(mine, {
        window,
        filter: undefined,
        sort,
        limit: 50,
        cursor: undefined,
      });
      expect(page.data).toHaveLength(50);
      expect((await selectedRows()) - before).toBeLessThan(ROWS * 0.9);
    });

    it('is refused where more rows would be read than a page may', async () => {
      const queries = createTelemetryQueries(bench.store, { ...LIMITS, maxRowsToRead: 10_000 });
      const page = { window, filter: undefined, sort: '-duration', limit: 50, cursor: undefined } as const;
      await expect(queries.searchSpans(mine, page)).rejects.toMatchObject({
        code: 'query_too_expensive',
        message: expect.stringContaining('rows (limit 10,000)'),
        cause: { engineCode: 307 },
      });
    });

    it('passes by none that holds a row, whether merged or not', async () => {
      // Not merged yet: nothing is known of its granules. Some of these belong before those of the others.
      await insert(ROWS, 20_000, 'n % 700 = 0');
      const orders = { duration: 'Duration', cost: 'ifNull(CostUsd, -1)', tokens: 'InputTokens' };
      for (const sort of SORTS) {
        const figure = orders[sort.replace('-', '') as keyof typeof orders];
        const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
        const wanted = await bench.store.select<{ SpanId: string }>(
          `SELECT SpanId FROM otel_traces WHERE ProjectId = 'granules'
           ORDER BY ${[figure, 'Timestamp', 'TraceId', 'SpanId'].map((column) => `${column} ${direction}`).join(', ')}
           LIMIT 450 SETTINGS ${EXACT}`,
        );
        const found: string[] = [];
        let cursor: string | undefined;
        while (found.length < 450) {
          const page = await bench.queries.searchSpans(mine, {
            window,
            filter: undefined,
            sort,
            limit: 150,
            cursor,
          });
          found.push(...page.data.map(({ spanId }) => spanId));
          cursor = page.nextCursor ?? undefined;
        }
        expect(found, sort).toEqual(wanted.map(({ SpanId }) => SpanId));
      }
    });
  });
});
