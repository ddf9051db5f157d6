import { parseFilterOrFail, type SpanRow } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
  span,
} from '../core/testing.ts';
import { createExportQueries } from '../export/index.ts';
import { createLogQueries } from '../logs/index.ts';
import { createTailQueries } from './index.ts';

let bench: QueryBench;
const startedMs = Date.now();
const window = { from: BigInt(startedMs - 60_000) * 1_000_000n, to: BigInt(startedMs + 60_000) * 1_000_000n };
const none = new AbortController().signal;

beforeAll(async () => {
  bench = await openQueryBench();
  const now = (BigInt(startedMs) * 1_000_000n).toString();
  const spans = Array.from({ length: 2_500 }, (_, index) => ({
    ...span(1 + index, 1 + index, 0, { name: index % 2 === 0 ? 'even' : 'odd' }),
    // Ten spans share a time, so that the pages of an export end between equals.
    startTimeUnixNano: BigInt(startedMs) * 1_000_000n - BigInt(Math.floor(index / 10)),
    endTimeUnixNano: BigInt(startedMs) * 1_000_000n,
  }));
  await bench.put(spans);
  await bench.put(spans.slice(0, 3), { project: 'foreign' });
  const same = { timeUnixNano: now, body: 'the same' };
  await bench.putLogs([same, same, same, { ...same, body: 'another' }]);
});
afterAll(() => bench.close());

describe('rows by arrival', () => {
  it('are found by when they arrived, within the time they can have', async () => {
    const { store, statements } = recordStatements(bench.store);
    const tail = createTailQueries(store, LIMITS);
    const filter = parseFilterOrFail('name:odd', 'spans');
    const during = { fromMs: startedMs, toMs: Date.now() };
    const found = await tail.arrivals(contextOf(), 'spans', { filter, ...during, limit: 20 });
    expect(found).toHaveLength(20);
    expect(new Set(found.map(({ id }) => id)).size).toBe(20);
    expect(found.map(({ receivedAtMs }) => receivedAtMs)).toEqual(
      found.map(({ receivedAtMs }) => receivedAtMs).sort((a, b) => a - b),
    );
    const before = { fromMs: startedMs - 60_000, toMs: startedMs - 1 };
    const counts = { filter, during: [before, during] };
    expect(await tail.count(contextOf(), 'spans', counts)).toEqual([0, 1_250]);
    expect(await tail.count(contextOf('nobody'), 'spans', counts)).toEqual([0, 0]);
    expect(await tail.newest(contextOf(), 'spans', during)).toBe(found.at(-1)?.receivedAtMs);
    expect(await tail.newest(contextOf(), 'spans', before)).toBeUndefined();
    expect(await tail.newest(contextOf('nobody'), 'spans', during)).toBeUndefined();
    expect(statements[0]).toMatch(
      /FROM otel_traces WHERE ProjectId = \{p0:String\} AND \(Timestamp >= .* AND Timestamp < .*\) AND \(ReceivedAt BETWEEN fromUnixTimestamp64Milli\(\{p3:Int64\}\) AND fromUnixTimestamp64Milli\(\{p4:Int64\}\)\) AND .* ORDER BY ReceivedAt DESC, Timestamp DESC, TraceId DESC, SpanId DESC LIMIT 20$/,
    );
    expect(statements[0]).not.toMatch(/Attributes/);
  });

  it('are counted where they would be found, however long the time of all counts is', async () => {
    const project = 'old';
    const at = (lagMs: number) => BigInt(startedMs - lagMs) * 1_000_000n;
    const lags = [0, 6 * 3_600_000 + 30_000];
    await bench.put(
      lags.map((lag, index) => ({
        ...span(9_100 + index, 9_100 + index, 0),
        startTimeUnixNano: at(lag),
        endTimeUnixNano: at(lag),
      })),
      { project },
    );
    const tail = createTailQueries(bench.store, LIMITS);
    const during = { fromMs: startedMs, toMs: Date.now() };
    const found = await tail.arrivals(contextOf(project), 'spans', {
      filter: undefined,
      ...during,
      limit: 10,
    });
    expect(found).toHaveLength(1);
    const before = { fromMs: startedMs - 60_000, toMs: startedMs - 1 };
    const counts = { filter: undefined, during: [before, during] };
    expect(await tail.count(contextOf(project), 'spans', counts)).toEqual([0, 1]);
  });

  it('of records that are the same in every respect are as many as there are', async () => {
    const tail = createTailQueries(bench.store, LIMITS);
    const ask = { filter: undefined, fromMs: startedMs, toMs: Date.now(), limit: 10 };
    const found = await tail.arrivals(contextOf(), 'logs', ask);
    expect(new Set(found.map(({ id }) => id)).size).toBe(4);
    expect(new Set(found.map(({ row }) => ('id' in row ? row.id : ''))).size).toBe(4);
  });

  it('of one moment are told in the order in which they were sent, as the list has them', async () => {
    const project = 'burst';
    const timeUnixNano = (BigInt(startedMs) * 1_000_000n).toString();
    const bodies = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    await bench.putLogs(
      bodies.map((body) => ({ timeUnixNano, body })),
      { project },
    );
    const tail = createTailQueries(bench.store, LIMITS);
    const ask = { filter: undefined, fromMs: startedMs, toMs: Date.now(), limit: 15 };
    const found = await tail.arrivals(contextOf(project), 'logs', ask);
    expect(found.map(({ row }) => ('body' in row ? row.body : ''))).toEqual(bodies.slice(5));
  });
});

describe('a span that is sent while it runs and again with its end', () => {
  it('arrives twice, each arrival by an id of its own that stays when the other one is out of sight', async () => {
    const project = 'running';
    const tail = createTailQueries(bench.store, LIMITS);
    const running = {
      ...span(9_001, 9_001, 0),
      startTimeUnixNano: BigInt(startedMs) * 1_000_000n,
      endTimeUnixNano: 0n,
    };
    const ask = () =>
      tail.arrivals(contextOf(project), 'spans', {
        filter: undefined,
        fromMs: startedMs,
        toMs: Date.now(),
        limit: 10,
      });
    await bench.put([running], { project });
    const [first] = await ask();
    // Within one millisecond both would be one arrival.
    await expect.poll(() => Date.now()).toBeGreaterThan(first?.receivedAtMs ?? 0);
    await bench.put([{ ...running, endTimeUnixNano: BigInt(startedMs + 5) * 1_000_000n }], { project });
    const both = await ask();
    expect(both.map(({ row }) => 'unfinished' in row && row.unfinished)).toEqual([true, false]);
    expect(new Set(both.map(({ id }) => id)).size).toBe(2);
    const [late] = await tail.arrivals(contextOf(project), 'spans', {
      filter: undefined,
      fromMs: (first?.receivedAtMs ?? 0) + 1,
      toMs: Date.now(),
      limit: 10,
    });
    expect(late?.id).toBe(both[1]?.id);
  });
});

it('a row has the beginning of a long status message; the span and an export have all of it', async () => {
  const project = 'long';
  const message = 'é'.repeat(5_000);
  const failed = {
    ...span(9_002, 9_002, 0),
    startTimeUnixNano: BigInt(startedMs) * 1_000_000n,
    endTimeUnixNano: BigInt(startedMs) * 1_000_000n,
    status: { code: 2, message },
  };
  await bench.put([failed], { project });
  const ask = { filter: undefined, fromMs: startedMs, toMs: Date.now(), limit: 10 };
  const [arrival] = await createTailQueries(bench.store, LIMITS).arrivals(contextOf(project), 'spans', ask);
  const row = arrival?.row as SpanRow;
  expect(row.statusMessage).toBe('é'.repeat(2_000));
  const detail = await bench.queries.span(contextOf(project), row);
  expect(detail.statusMessage).toBe(message);
  const queries = createExportQueries(bench.store, LIMITS);
  const input = { window, filter: undefined, limit: 10 };
  for await (const [exported] of queries.rows(contextOf(project), 'spans', input, none)) {
    expect(exported?.row['statusMessage']).toBe(message);
  }
  for await (const line of queries.otlp(contextOf(project), 'spans', input, none)) {
    expect(line).toContain(message);
  }
});

describe('pages of an export', () => {
  it('follow one another without a gap, each a short read of its own', async () => {
    const { store, statements } = recordStatements(bench.store);
    const queries = createExportQueries(store, LIMITS);
    const input = { window, filter: undefined, limit: 2_400 };
    expect(await queries.count(contextOf(), 'spans', input, none)).toEqual({ rows: 2_400, more: true });
    const ids: string[] = [];
    const times: string[] = [];
    for await (const page of queries.rows(contextOf(), 'spans', input, none)) {
      ids.push(...page.map(({ row }) => String(row['spanId'])));
      times.push(...page.map(({ row }) => String(row['startTime'])));
    }
    expect([ids.length, new Set(ids).size]).toEqual([2_400, 2_400]);
    expect(times).toEqual([...times].sort().reverse());
    const [count, place, page] = statements;
    expect(count).toMatch(/SELECT count\(\) AS C FROM \(SELECT 1 FROM otel_traces WHERE .* LIMIT 2401\)$/);
    // Where a page lies is found by its times alone.
    expect(place).toMatch(/SELECT Timestamp AS T FROM .* ORDER BY Timestamp DESC LIMIT 201\)$/);
    expect(page).toMatch(/ORDER BY Timestamp DESC, TraceId DESC, SpanId DESC$/);
    // A small page first, to see what rows carry; then large ones.
    expect(statements.filter((sql) => sql.includes('SpanAttributes'))).toHaveLength(3);
    for (const sql of statements) expect(sql).toContain('ProjectId = {p0:String}');
  });

  it('go by ids where more rows than a page have one time', async () => {
    const at = BigInt(startedMs - 30_000) * 1_000_000n;
    const spans = Array.from({ length: 4_500 }, (_, index) => ({
      ...span(5_000 + index, 5_000 + index, 0, { name: 'together' }),
      startTimeUnixNano: at,
      endTimeUnixNano: at,
    }));
    await bench.put(spans);
    const queries = createExportQueries(bench.store, LIMITS);
    const filter = parseFilterOrFail('name:together', 'spans');
    for (const limit of [10_000, 4_300]) {
      const ids: unknown[] = [];
      for await (const page of queries.rows(contextOf(), 'spans', { window, filter, limit }, none)) {
        expect(page.length).toBeLessThanOrEqual(2_000);
        ids.push(...page.map(({ row }) => row['spanId']));
      }
      expect([ids.length, new Set(ids).size]).toEqual([Math.min(limit, 4_500), Math.min(limit, 4_500)]);
    }
  });

  it('keep equal records together', async () => {
    const queries = createExportQueries(bench.store, LIMITS);
    const bodies: unknown[] = [];
    for await (const page of queries.rows(
      contextOf(),
      'logs',
      { window, filter: undefined, limit: 100 },
      none,
    )) {
      bodies.push(...page.map(({ row }) => row['body']));
    }
    expect(bodies.sort()).toEqual(['another', 'the same', 'the same', 'the same']);
  });

  it('have lines of one moment in the order in which they were sent, as the list has them', async () => {
    const project = 'lines';
    const context = contextOf(project);
    const timeUnixNano = (BigInt(startedMs - 40_000) * 1_000_000n).toString();
    // More of one request than a page holds, so that pages go on within it; then some of another request.
    const bodies = Array.from({ length: 4_500 }, (_, index) => `line ${index % 4_000}`);
    const late = ['late 1', 'late 2', 'late 3'];
    for (const lines of [bodies, late]) {
      await bench.putLogs(
        lines.map((body) => ({ timeUnixNano, body })),
        { project },
      );
    }
    const queries = createExportQueries(bench.store, LIMITS);
    const exported: unknown[] = [];
    const input = { window, filter: undefined, limit: 10_000 };
    for await (const page of queries.rows(context, 'logs', input, none)) {
      exported.push(...page.map(({ row }) => row['body']));
    }
    expect(exported).toEqual([...bodies, ...late].reverse());
    const list = await createLogQueries(bench.store, LIMITS).search(context, {
      window,
      filter: undefined,
      sort: '-time',
      limit: 200,
      cursor: undefined,
    });
    expect(exported.slice(0, 200)).toEqual(list.data.map(({ body }) => body));
  });

  it('stop when nobody waits any more', async () => {
    const gone = new AbortController();
    const queries = createExportQueries(bench.store, LIMITS);
    const pages = queries.rows(
      contextOf(),
      'spans',
      { window, filter: undefined, limit: 2_400 },
      gone.signal,
    );
    const read = async () => {
      for await (const page of pages) if (page.length > 0) gone.abort();
    };
    await expect(read()).rejects.toThrow();
  });
});
