import type { Metric } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createCompareQueries,
  createExportQueries,
  createFieldQueries,
  createHostQueries,
  createMetricQueries,
  createTailQueries,
  createTelemetryQueries,
} from '../index.ts';
import { SPANS } from '../spans/span-fields.ts';
import { boundsOf, QUERY_KINDS, type QueryKind } from './limits.ts';
import { runner } from './run.ts';
import { Scope } from './scope.ts';
import { BASE_MS, contextOf, id, LIMITS, openQueryBench, type QueryBench, span } from './testing.ts';

const ROWS = 400;
const MINUTE = 60_000;
const context = contextOf();
const now = Date.now();
const nanos = (ms: number) => BigInt(ms) * 1_000_000n;
const window = { from: nanos(now - 60 * MINUTE), to: nanos(now + MINUTE) };

let bench: QueryBench;
beforeAll(async () => {
  bench = await openQueryBench();
  await bench.put(
    Array.from({ length: ROWS }, (_, index) =>
      span(1, index + 1, now - BASE_MS - index * 1_000, { name: `work ${index}`, attributes: { index } }),
    ),
  );
  const gauge = (name: string): Metric => ({
    name,
    unit: '1',
    gauge: {
      dataPoints: Array.from({ length: ROWS }, (_, index) => ({
        timeUnixNano: nanos(now - index * 100),
        asDouble: index,
        attributes: { 'cpu.logical_number': index, 'hw.id': `g${index}` },
      })),
    },
  });
  await bench.putMetrics([gauge('system.cpu.utilization'), gauge('hw.gpu.utilization'), gauge('queue')], {
    resource: { 'host.name': 'one' },
  });
});
afterAll(() => bench.close());

/** A read of each kind, of far more rows than the limits of these tests allow. */
const READS: Readonly<Record<QueryKind, (limits: typeof LIMITS) => Promise<unknown>>> = {
  lookup: (limits) =>
    createTelemetryQueries(bench.store, limits).trace(context, {
      traceId: id(1, 32),
      limit: 1_000,
      cursor: undefined,
    }),
  list: (limits) =>
    createTelemetryQueries(bench.store, limits).searchSpans(context, {
      window,
      filter: undefined,
      sort: '-duration',
      limit: 50,
      cursor: undefined,
    }),
  chart: (limits) =>
    createTelemetryQueries(bench.store, limits).aggregate(context, {
      window,
      filter: undefined,
      groupBy: [],
      measures: ['duration_p95'],
      bucketSeconds: 'auto',
      limit: 10,
    }),
  facets: (limits) =>
    createTelemetryQueries(bench.store, limits).facets(context, {
      window,
      filter: undefined,
      fields: ['name'],
      limit: 10,
    }),
  compare: (limits) =>
    createCompareQueries(bench.store, limits).compare(context, 'spans', {
      window,
      filter: undefined,
      selection: { field: 'duration_ms', op: '>', value: 1 },
      limit: 10,
    }),
  fields: (limits) =>
    createFieldQueries(bench.store, limits).values(context, 'spans', {
      window,
      filter: undefined,
      field: 'name',
      prefix: '',
      limit: 10,
    }),
  export: (limits) =>
    createExportQueries(bench.store, limits).count(
      context,
      'spans',
      { window, filter: undefined, limit: 1_000 },
      AbortSignal.timeout(10_000),
    ),
  tail: (limits) =>
    createTailQueries(bench.store, limits).arrivals(context, 'spans', {
      filter: undefined,
      fromMs: now - MINUTE,
      toMs: Date.now(),
      limit: 50,
    }),
  metric: (limits) =>
    createMetricQueries(bench.store, limits).query(context, {
      metric: 'queue',
      window,
      filter: undefined,
      groupBy: [],
      limit: 10,
    }),
  host: (limits) => createHostQueries(bench.store, limits).hosts(context, { window }),
};

describe.each(QUERY_KINDS)('a read of the kind %s', (kind) => {
  it('is refused when it would look at more rows than are declared, and says how many', async () => {
    const limits = { ...LIMITS, maxRowsToRead: 80 };
    const { maxRowsToRead } = boundsOf(limits, kind);
    await expect(READS[kind](limits)).rejects.toMatchObject({
      code: 'query_too_expensive',
      message: expect.stringContaining(`rows (limit ${maxRowsToRead})`),
    });
    await READS[kind](LIMITS);
  });

  it('is given up when it holds more memory than is declared, and says how much', async () => {
    const limits = { ...LIMITS, maxMemoryBytes: 64 << 20 };
    const { maxMemoryBytes } = boundsOf(limits, kind);
    const hold = (bytes: number) =>
      runner(bench.store, limits, kind).run(
        Scope.of(context, SPANS),
        `SELECT length(groupArray(number)) AS n FROM numbers(${Math.floor(bytes / 8)})`,
      );
    await expect(hold(maxMemoryBytes * 2)).rejects.toMatchObject({
      code: 'query_too_expensive',
      message: expect.stringContaining(`memory (limit ${maxMemoryBytes >> 20} MiB)`),
    });
    expect(await hold(maxMemoryBytes / 8)).toHaveLength(1);
  });
});

it('groups by more values than fit into its memory, on disk', async () => {
  const limits = { ...LIMITS, maxMemoryBytes: 256 << 20 };
  const [row] = await runner(bench.store, limits, 'chart').run<{ groups: number; rows: number }>(
    Scope.of(context, SPANS),
    `SELECT countIf(Q[1] >= 0) AS groups, sum(Rows) AS rows FROM (
       SELECT quantilesBFloat16(0.5, 0.95)(number) AS Q, count() AS Rows FROM numbers(1500000) GROUP BY toString(number % 1400000))`,
  );
  expect(row).toEqual({ groups: 1_400_000, rows: 1_500_000 });
});

it('is given up when it takes more time than it may, and says how much', async () => {
  const scope = Scope.of(context, SPANS);
  const endless = 'SELECT count() AS n FROM numbers(900000000000) WHERE number % 7 = 8';
  await expect(
    runner(bench.store, { ...LIMITS, maxRowsToRead: 1e12, timeoutMs: 500 }, 'list').run(scope, endless),
  ).rejects.toMatchObject({
    code: 'query_too_expensive',
    message: expect.stringContaining('time (limit 0.5 s)'),
  });
});

it('says on whose behalf it is: a credential, or without one an address', async () => {
  const askers: (string | undefined)[] = [];
  const store: Pick<typeof bench.store, 'select'> = {
    select: (sql, params, options) => {
      askers.push(options?.asker);
      return bench.store.select(sql, params, options);
    },
  };
  const client = { address: '10.0.0.1', userAgent: undefined };
  for (const who of [
    { principal: { kind: 'key', id: 'k' }, client },
    { principal: { kind: 'anonymous' }, client },
  ] as const) {
    const scope = Scope.of({ ...context, ...who }, SPANS);
    await runner(store, LIMITS, 'list').run(scope, 'SELECT 1 AS n');
  }
  expect(askers).toEqual(['key k', 'anonymous 10.0.0.1']);
});
