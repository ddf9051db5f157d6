import { parseFilterOrFail } from '@candela/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDurationQueries, createTelemetryQueries, type TelemetryQueries } from '../index.ts';
import {
  BASE_MS,
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
} from '../core/testing.ts';

/** Rows of three hours: more granules than a sample takes three times over. */
const ROWS = 1_700_000;
const STEP_NS = 6_000_000;
/** From here on the word is four times as frequent: eleven buckets of ten minutes from the begin, six before the end. */
const EDGE = 1_100_000;
const BUCKETS_BEFORE = 11;
const window = { from: BigInt(BASE_MS) * 1_000_000n, to: BigInt(BASE_MS + 3 * 3_600_000) * 1_000_000n };
const context = contextOf();

/**
 * Rows put in by the engine itself. The word `walnut` is in every 40th and later in every 10th; every
 * fourth with it failed; `violin` is in all. Rows of another project, all with the word, lie beside them.
 */
const hit = `number % if(number < ${EDGE}, 40, 10) = 0`;
const COMMON = `'default' AS ProjectId, 'production' AS Environment, now() AS ReceivedAt,
  fromUnixTimestamp64Nano(toInt64(${BASE_MS}000000 + number * ${STEP_NS})) AS Timestamp`;
const SPANS = `INSERT INTO otel_traces (ProjectId, Environment, ReceivedAt, Timestamp, TraceId, SpanId, ServiceName, StatusCode, Duration, SpanAttributes, ContentAttributes)
  SELECT ${COMMON}, lower(hex(cityHash64(number, 1))), lower(hex(cityHash64(number))), concat('service-', toString(intDiv(number, 80) % 3)),
    if(number % 160 = 0, 'Error', 'Unset'), 1000000 * (1 + number % 7), map('shop.shelf', toString(intDiv(number, 80) % 5)),
    map('gen_ai.input.messages', if(${hit}, 'a violin of walnut', 'a violin'))
  FROM numbers(${ROWS})`;
const LOGS = `INSERT INTO otel_logs (ProjectId, Environment, ReceivedAt, Timestamp, ServiceName, SeverityNumber, Body)
  SELECT ${COMMON}, concat('service-', toString(intDiv(number, 80) % 3)), if(number % 160 = 0, 17, 9), if(${hit}, 'a violin of walnut', 'a violin')
  FROM numbers(${ROWS})`;
const other = (sql: string) =>
  sql
    .replace("'default' AS", "'other' AS")
    .replace(`numbers(${ROWS})`, 'numbers(50000)')
    .replaceAll(hit, '1');

let bench: QueryBench;
let queries: TelemetryQueries;
let statements: string[];
beforeAll(async () => {
  bench = await openQueryBench({ attributeColumns: 0 });
  for (const sql of [SPANS, LOGS]) {
    await bench.store.command(other(sql));
    await bench.store.command(sql);
  }
  const recorded = recordStatements(bench.store);
  ({ statements } = recorded);
  queries = createTelemetryQueries(recorded.store, LIMITS);
}, 120_000);
afterAll(() => bench.close());
beforeEach(() => {
  statements.length = 0;
});

const near = (told: number, is: number, within: number) => {
  expect(told).toBeGreaterThan(is * (1 - within));
  expect(told).toBeLessThan(is * (1 + within));
};
const HITS = EDGE / 40 + (ROWS - EDGE) / 10;

describe.each(['spans', 'logs'] as const)('%s of a word among very many', (signal) => {
  const filter = parseFilterOrFail('walnut', signal);
  const chart = (early: boolean, more: object = {}) =>
    queries.aggregate(context, {
      signal,
      window,
      filter,
      groupBy: [],
      measures: ['count', 'errors'],
      bucketSeconds: 600,
      limit: 50,
      early,
      ...more,
    });
  const sum = (rows: readonly { values: readonly (number | null)[] }[], place = 0) =>
    rows.reduce((total, { values }) => total + (values[place] ?? 0), 0);

  it('are told over time from a sample, of the rows of who asks', async () => {
    const told = await chart(true);
    expect(told.sample).toBeGreaterThan(0.1);
    expect(told.sample).toBeLessThan(0.5);
    near(sum(told.rows), HITS, 0.02);
    near(sum(told.rows, 1), sum((await chart(false)).rows, 1), 0.15);
    expect(told.rows.map(({ time }) => time)).toEqual((await chart(false)).rows.map(({ time }) => time));
    near(sum(told.rows.slice(BUCKETS_BEFORE)) / sum(told.rows.slice(0, 6)), 4, 0.1);
    const [asked] = statements.filter((sql) => sql.includes('PREWHERE'));
    expect(asked).toMatch(
      /FROM otel_(traces|logs) PREWHERE \(_part_granule_offset \+ cityHash64\(_part\)\) % \{p\d+:UInt64\} = 0 WHERE ProjectId = /,
    );
  });

  it('are exact when nobody is in a hurry', async () => {
    const exact = await chart(false);
    expect(exact.sample).toBeNull();
    expect(sum(exact.rows)).toBe(HITS);
    expect(statements.join()).not.toContain('_part_granule_offset');
  });

  it('are told by group, and beside the period before', async () => {
    const { from, to } = window;
    const middle = (from + to) / 2n;
    const asked = { groupBy: ['service'], window: { from: middle, to }, comparePrevious: true };
    const [told, exact] = [await chart(true, asked), await chart(false, asked)];
    // Half of the time is as soon looked at whole.
    expect(told.sample).toBeNull();
    const whole = await chart(true, { groupBy: ['service'] });
    const services = (rows: typeof told.rows) => [...new Set(rows.map(({ group }) => group[0]))].sort();
    expect(services(whole.rows)).toEqual(['service-0', 'service-1', 'service-2']);
    near(sum(whole.rows.filter(({ group }) => group[0] === 'service-1')), HITS / 3, 0.05);
    expect(told.rows).toEqual(exact.rows);
  });

  it('are counted by value from a sample', async () => {
    const ask = (early: boolean, fields: readonly string[], q = 'walnut') =>
      queries.facets(context, {
        signal,
        window,
        filter: parseFilterOrFail(q, signal),
        fields,
        limit: 12,
        early,
      });
    const told = await ask(true, ['service']);
    expect(told.sample).toBeGreaterThan(0.1);
    for (const { count } of told.data[0]?.values ?? []) near(count, HITS / 3, 0.05);
    const exact = await ask(false, ['service']);
    expect(exact.sample).toBeNull();
    expect(exact.data[0]?.values.reduce((total, { count }) => total + count, 0)).toBe(HITS);
    expect((await ask(true, ['service'], 'service:service-1')).sample).toBeNull();
    expect((await ask(true, ['service'], 'zyzzyva')).data[0]?.values).toEqual([]);
  });
});

describe('estimates', () => {
  const base = {
    window,
    filter: parseFilterOrFail('walnut', 'spans'),
    groupBy: [],
    bucketSeconds: undefined,
    limit: 50,
    early: true,
  };

  it('are not made of different things, of what rollups know, of few rows', async () => {
    const traces = await queries.aggregate(context, { ...base, measures: ['count', 'traces'] });
    expect(traces).toMatchObject({ sample: null, rows: [{ values: [HITS, expect.any(Number)] }] });
    const few = { from: window.from, to: window.from + 600_000_000_000n };
    expect(await queries.aggregate(context, { ...base, window: few, measures: ['count'] })).toMatchObject({
      sample: null,
    });
    expect(
      await queries.aggregate(context, { ...base, filter: undefined, measures: ['count'] }),
    ).toMatchObject({ sample: null });
    // More than an answer may hold, if each group had something in each bucket.
    const many = { ...base, groupBy: ['service'], bucketSeconds: 11, limit: 500 };
    expect((await queries.aggregate(context, { ...many, measures: ['count'] })).sample).toBeNull();
    expect(
      (await queries.aggregate(context, { ...many, limit: 50, measures: ['count'] })).sample,
    ).not.toBeNull();
    const others = await queries.aggregate(contextOf('other'), { ...base, measures: ['count'] });
    expect(others).toMatchObject({ sample: null, rows: [{ values: [50_000] }] });
    expect(await queries.aggregate(contextOf('nobody'), { ...base, measures: ['count'] })).toMatchObject({
      sample: null,
    });
  });

  it('are made of attributes that have no column', async () => {
    const byShelf = {
      ...base,
      filter: undefined,
      groupBy: ['attributes.shop.shelf'],
      measures: ['count', 'duration_avg'],
    } as const;
    const told = await queries.aggregate(context, byShelf);
    const exact = await queries.aggregate(context, { ...byShelf, early: false });
    expect(told.sample).toBeGreaterThan(0.1);
    expect(exact.rows.map(({ values: [count] }) => count)).toEqual(Array.from({ length: 5 }, () => ROWS / 5));
    for (const { values } of told.rows) {
      near(values[0] ?? 0, ROWS / 5, 0.02);
      near(values[1] ?? 0, 4, 0.01);
    }
    // What has a column is soon read whole.
    const byRoute = { ...byShelf, groupBy: ['attributes.http.route'] };
    expect((await queries.aggregate(context, byRoute)).sample).toBeNull();
  });

  it('tell how long things took', async () => {
    const durations = createDurationQueries(bench.store, LIMITS);
    const asked = { window, filter: parseFilterOrFail('walnut', 'spans'), bucketSeconds: 600 };
    const [told, exact] = [
      await durations.durations(context, { ...asked, early: true }),
      await durations.durations(context, asked),
    ];
    const count = ({ cells }: typeof told) => cells.reduce((total, cell) => total + cell.count, 0);
    expect(told.sample).toBeGreaterThan(0.1);
    expect(exact.sample).toBeNull();
    expect(count(exact)).toBe(HITS);
    near(count(told), HITS, 0.02);
    expect(new Set(told.cells.map(({ lowMs }) => lowMs))).toEqual(
      new Set(exact.cells.map(({ lowMs }) => lowMs)),
    );
  });
});
