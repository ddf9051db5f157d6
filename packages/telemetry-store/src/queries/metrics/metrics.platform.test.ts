import { parseFilterOrFail } from '@candela/contract';
import type { HistogramPoint, Metric, NumberPoint } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BASE_MS,
  contextOf,
  LIMITS,
  openQueryBench,
  type QueryBench,
  recordStatements,
} from '../core/testing.ts';
import { createMetricQueries, type MetricAnswer, type MetricQueries, type MetricQuery } from './index.ts';
import { POINTS_AT_ONCE } from './plan.ts';

let bench: QueryBench;
let metrics: MetricQueries;
let statements: string[];
beforeAll(async () => {
  bench = await openQueryBench();
  const recording = recordStatements(bench.store);
  statements = recording.statements;
  metrics = createMetricQueries(recording.store, LIMITS);
});
afterAll(() => bench.close());

const context = contextOf();
/** Nanoseconds of a number of seconds after the base time. */
const at = (seconds: number): bigint => BigInt(BASE_MS + seconds * 1_000) * 1_000_000n;
const MINUTE = 60;
/** Ten minutes in steps of a minute. */
const window = { from: at(0), to: at(10 * MINUTE) };

type Values = (number | null)[];
const ask = (metric: string, changes: Partial<MetricQuery> = {}): Promise<MetricAnswer> =>
  metrics.query(context, {
    metric,
    window,
    filter: undefined,
    groupBy: [],
    stepSeconds: 60,
    limit: 20,
    ...changes,
  });
const values = async (metric: string, changes: Partial<MetricQuery> = {}): Promise<Values> => {
  const { series } = await ask(metric, changes);
  expect(series.length).toBeLessThanOrEqual(1);
  return series[0]?.points.map(([, value]) => value) ?? [];
};
const sparse = (list: Values): Record<number, number> =>
  Object.fromEntries(list.flatMap((value, index) => (value === null ? [] : [[index, value]])));

const n = (seconds: number, value: number, changes: Partial<NumberPoint> = {}): NumberPoint => ({
  timeUnixNano: at(seconds),
  asDouble: value,
  ...changes,
});
const gauge = (name: string, dataPoints: NumberPoint[], unit = '1'): Metric => ({
  name,
  unit,
  gauge: { dataPoints },
});
const sum = (name: string, dataPoints: NumberPoint[], temporality = 2, isMonotonic = true): Metric => ({
  name,
  unit: '{request}',
  sum: { dataPoints, aggregationTemporality: temporality, isMonotonic },
});
const h = (
  seconds: number,
  start: number,
  bucketCounts: number[],
  explicitBounds: number[],
  more: Partial<HistogramPoint> = {},
): HistogramPoint => ({
  timeUnixNano: at(seconds),
  startTimeUnixNano: at(start),
  count: bucketCounts.reduce((all, count) => all + count, 0),
  sum: 0,
  bucketCounts,
  explicitBounds,
  ...more,
});

const every = <T>(seconds: number, length: number, point: (at: number) => T): T[] =>
  Array.from({ length: Math.ceil(length / seconds) }, (_, index) => point(index * seconds));

describe('levels', () => {
  it('takes each series first, then all of them; nothing is carried on', async () => {
    await bench.putMetrics([
      gauge('g', [
        n(1, 10, { attributes: { host: 'a' } }),
        n(31, 30, { attributes: { host: 'a' } }),
        n(61, 50, { attributes: { host: 'a' } }),
        n(2, 100, { attributes: { host: 'b' } }),
      ]),
    ]);
    expect(sparse(await values('g', { aggregation: 'avg' }))).toEqual({ 0: 60, 1: 50 });
    expect(sparse(await values('g', { aggregation: 'sum' }))).toEqual({ 0: 130, 1: 50 });
    expect(sparse(await values('g', { aggregation: 'min' }))).toEqual({ 0: 10, 1: 50 });
    expect(sparse(await values('g', { aggregation: 'max' }))).toEqual({ 0: 100, 1: 50 });
    expect(sparse(await values('g', { aggregation: 'last' }))).toEqual({ 0: 30, 1: 50 });
    expect(sparse(await values('g', { aggregation: 'count' }))).toEqual({ 0: 3, 1: 1 });
  });

  it('passes over points without a number, and counts a point sent twice once', async () => {
    await bench.putMetrics([
      gauge('holes', [
        n(1, 1),
        n(2, Number.NaN),
        n(3, Number.POSITIVE_INFINITY),
        n(4, 3),
        { timeUnixNano: at(70), flags: 1 },
      ]),
    ]);
    await bench.putMetrics([gauge('holes', [n(1, 1), n(4, 3)])]);
    expect(sparse(await values('holes', { aggregation: 'avg' }))).toEqual({ 0: 2 });
    expect(sparse(await values('holes', { aggregation: 'count' }))).toEqual({ 0: 2 });
  });

  it('groups by labels of points and resources, the largest first, and says how many lines there are', async () => {
    await bench.putMetrics(
      [
        gauge(
          'by',
          ['a', 'b', 'c'].map((host, index) => n(5, index + 1, { attributes: { host } })),
        ),
      ],
      {
        resource: { 'host.arch': 'arm' },
      },
    );
    const answer = await ask('by', {
      groupBy: ['attributes.host', 'resource.host.arch', 'service'],
      limit: 2,
    });
    expect(answer.series.map(({ labels }) => labels)).toEqual([
      ['c', 'arm', 'shop'],
      ['b', 'arm', 'shop'],
    ]);
    expect(answer).toMatchObject({ lines: 3, truncated: true, matchedSeries: 3 });
    // Of a name that does not say so `1` is no share.
    expect(answer).toMatchObject({ unit: '1', pointUnit: '', valueUnit: '' });
  });

  it('filters by labels in the rows of series, never in points', async () => {
    statements.length = 0;
    const filter = parseFilterOrFail('attributes.host:(a or b) service:shop', 'metrics');
    expect(sparse(await values('by', { filter, aggregation: 'sum' }))).toEqual({ 0: 3 });
    expect(statements).toHaveLength(2);
    expect(statements[1]).toContain(
      'SeriesId GLOBAL IN (SELECT SeriesId FROM metric_series WHERE ProjectId = {p0:String}',
    );
    expect(statements[1]).not.toMatch(/FROM otel_metrics_gauge WHERE[^(]*Attributes/);
    await expect(ask('by', { filter: { field: 'host.arch', op: '=', value: 'arm' } })).rejects.toThrow(
      'Did you mean "attributes.host.arch"',
    );
  });

  it('adds up a sum that can fall like a level', async () => {
    await bench.putMetrics([
      sum(
        'active',
        [
          n(1, 5, { attributes: { p: 1 } }),
          n(2, 7, { attributes: { p: 2 } }),
          n(61, 2, { attributes: { p: 1 } }),
        ],
        2,
        false,
      ),
    ]);
    const answer = await ask('active');
    expect(answer).toMatchObject({ aggregation: 'sum', monotonic: false, valueUnit: '{request}' });
    expect(sparse(await values('active'))).toEqual({ 0: 12, 1: 2 });
    await expect(ask('active', { aggregation: 'rate' })).rejects.toThrow(
      'It can be asked for avg, min, max, sum, last, count.',
    );
  });
});

describe('counters', () => {
  const start = { startTimeUnixNano: at(-86_400) };

  it('states its SQL', async () => {
    statements.length = 0;
    await ask('none', { aggregation: 'rate' });
    expect(statements).toEqual([
      expect.stringMatching(/^SELECT Kind, MetricUnit, Temporality, Monotonic, count\(\) AS Series/),
    ]);
    await bench.putMetrics([sum('stated', [n(1, 5, start), n(61, 8, start)])]);
    statements.length = 0;
    await ask('stated', { aggregation: 'increase' });
    expect(statements.slice(1)).toMatchSnapshot();
  });

  it('counts what lies between points of a cumulative series, from one look back before the window', async () => {
    await bench.putMetrics([
      sum('c', [n(-30, 100, start), n(30, 110, start), n(90, 110, start), n(210, 140, start)]),
    ]);
    expect(sparse(await values('c', { aggregation: 'increase' }))).toEqual({ 0: 10, 1: 0, 3: 30 });
    // The last 30 took two minutes, of which one said nothing.
    expect(sparse(await values('c', { aggregation: 'rate' }))).toEqual({ 0: 10 / 60, 1: 0, 3: 0.25 });
    const later = { from: at(45), to: at(10 * MINUTE) };
    expect(sparse(await values('c', { aggregation: 'increase', window: later }))).toEqual({ 1: 0, 3: 30 });
  });

  it('says nothing about the first point of a series that began earlier', async () => {
    await bench.putMetrics([sum('first', [n(30, 500, start), n(90, 507, start)])]);
    expect(sparse(await values('first', { aggregation: 'increase' }))).toEqual({ 1: 7 });
  });

  it('counts the first point of a series that began in the window', async () => {
    await bench.putMetrics([
      sum('born', [n(70, 4, { startTimeUnixNano: at(20) }), n(130, 6, { startTimeUnixNano: at(20) })]),
    ]);
    expect(sparse(await values('born', { aggregation: 'increase' }))).toEqual({ 1: 4, 2: 2 });
  });

  it('sees a reset by a falling value or by a new start, also at the edge of the window', async () => {
    await bench.putMetrics([
      sum('reset', [
        n(-10, 1_000, start),
        n(10, 3, start),
        n(70, 9, start),
        n(130, 20, { startTimeUnixNano: at(100) }),
        n(190, 21, { startTimeUnixNano: at(100) }),
      ]),
    ]);
    expect(sparse(await values('reset', { aggregation: 'increase' }))).toEqual({ 0: 3, 1: 6, 2: 20, 3: 1 });
  });

  it('takes a wandering start time for no reset', async () => {
    const wandering = (seconds: number) => ({
      startTimeUnixNano: at(-86_400) + BigInt(seconds) * 1_000_000n,
    });
    await bench.putMetrics([
      sum('wander', [n(-10, 10, wandering(1)), n(10, 12, wandering(5)), n(70, 15, wandering(3))]),
    ]);
    expect(sparse(await values('wander', { aggregation: 'increase' }))).toEqual({ 0: 2, 1: 3 });
  });

  it('counts several processes that are one series each by its own start', async () => {
    const began = (seconds: number) => ({ startTimeUnixNano: at(seconds) });
    // Two workers that report in turn, one far ahead; then one that replaces another, both alive for a while.
    await bench.putMetrics([
      sum('workers', [
        ...every(60, 600, (seconds) => n(seconds + 10, 5_000 + seconds, began(-86_400))),
        ...every(60, 600, (seconds) => n(seconds + 40, 100 + 2 * seconds, began(-86_399))),
      ]),
      sum('rolled', [
        ...every(60, 300, (seconds) => n(seconds + 10, 5_000 + seconds, began(-86_400))),
        ...every(60, 420, (seconds) => n(seconds + 160, 3 + seconds, began(130))),
      ]),
    ]);
    const grown = (from: number, to: number, value: number) =>
      Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [from + index, value]));
    expect(sparse(await values('workers', { aggregation: 'increase' }))).toEqual(grown(1, 9, 60 + 120));
    expect(sparse(await values('workers', { aggregation: 'rate' }))).toEqual(grown(1, 9, 1 + 2));
    // One bucket, in which one ends and the other begins.
    const whole = await values('workers', { aggregation: 'rate', stepSeconds: 600 });
    expect(whole.map((value) => value?.toFixed(9))).toEqual(['3.000000000']);
    expect(sparse(await values('rolled', { aggregation: 'increase' }))).toEqual({
      1: 60,
      2: 60 + 3,
      3: 60 + 60,
      4: 60 + 60,
      ...grown(5, 8, 60),
    });
  });

  it('says where values fall again and again, as when processes that say no start are one series', async () => {
    await bench.putMetrics([
      sum('torn', [
        ...every(60, 600, (seconds) => n(seconds + 10, 5_000 + seconds)),
        ...every(60, 600, (seconds) => n(seconds + 40, 100 + 2 * seconds)),
      ]),
      sum(
        'whole',
        every(30, 600, (seconds) => n(seconds, seconds === 300 ? 0 : seconds)),
      ),
    ]);
    const notes = async (metric: string) => (await ask(metric, { stepSeconds: undefined })).notes;
    expect(await notes('torn')).toEqual([
      expect.stringMatching(/fall again and again.*service\.instance\.id/),
    ]);
    expect(await notes('whole')).toEqual([]);
    // Workers that say when they began are told apart.
    expect(await notes('workers')).toEqual([]);
  });

  it('takes a start equal to the time for an unknown start', async () => {
    await bench.putMetrics([
      sum('unknown', [n(10, 50, { startTimeUnixNano: at(10) }), n(70, 55, { startTimeUnixNano: at(10) })]),
    ]);
    expect(sparse(await values('unknown', { aggregation: 'increase' }))).toEqual({ 1: 5 });
  });

  it('does not mind order or repetition', async () => {
    await bench.putMetrics([sum('messy', [n(130, 30, start), n(10, 10, start), n(70, 20, start)])]);
    await bench.putMetrics([sum('messy', [n(70, 20, start), n(-10, 4, start)])]);
    expect(sparse(await values('messy', { aggregation: 'increase' }))).toEqual({ 0: 6, 1: 10, 2: 10 });
  });

  it('adds up delta points, one sent twice once', async () => {
    const delta = (seconds: number, value: number) =>
      n(seconds, value, { startTimeUnixNano: at(seconds - 10) });
    await bench.putMetrics([sum('d', [delta(5, 2), delta(15, 3), delta(65, 4)], 1)]);
    await bench.putMetrics([sum('d', [delta(15, 3)], 1)]);
    expect(sparse(await values('d', { aggregation: 'increase' }))).toEqual({ 0: 5, 1: 4 });
    expect((await ask('d')).temporality).toBe('delta');
  });

  it('gives one rate, wherever the window and the steps cut what grew evenly', async () => {
    const ticks = Array.from({ length: 61 }, (_, index) => 10 * index - 5);
    const cumulative = ticks.map((seconds) => n(seconds, 2 * seconds + 10, start));
    const delta = ticks.map((seconds) => n(seconds, 20, { startTimeUnixNano: at(seconds - 10) }));
    await bench.putMetrics([sum('even', cumulative)]);
    await bench.putMetrics([sum('even', delta, 1)], { service: 'other' });
    for (const [from, to, stepSeconds] of [
      [3, 594, 60],
      [14, 496, 20],
      [0, 407, 17],
      [54, 131, 60],
    ] as const) {
      const answer = await values('even', {
        aggregation: 'rate',
        window: { from: at(from), to: at(to) },
        stepSeconds,
      });
      const rates = Object.values(sparse(answer));
      expect(rates.length).toBeGreaterThan(1);
      for (const rate of rates) expect(rate).toBeCloseTo(4, 9);
    }
  });

  it('counts silence in: of what began, ended or had nothing new within a bucket', async () => {
    const brief = { startTimeUnixNano: at(20) };
    await bench.putMetrics([
      sum('brief', [n(25, 12, brief)]),
      // Nothing new for a while, as senders of deltas are.
      sum('seldom', [n(10, 6, { startTimeUnixNano: at(0) }), n(130, 6, { startTimeUnixNano: at(120) })], 1),
      // A sender that was cut off for three minutes: it sent nothing, but went on counting.
      sum('cut off', [n(10, 0, start), n(20, 10, start), n(200, 190, start), n(210, 200, start)]),
    ]);
    const rates = async (name: string) => sparse(await values(name, { aggregation: 'rate' }));
    // Five seconds of its own, twenty before it began, thirty after another point was due.
    expect(await rates('brief')).toEqual({ 0: 12 / 55 });
    expect(await rates('seldom')).toEqual({ 0: 6 / 60, 2: 6 / 50 });
    expect(await rates('cut off')).toEqual({ 0: 1, 3: 190 / (180 + 10 + 20) });
  });

  it('takes steps that hold two deltas, however seldom there is something new', async () => {
    const delta = (seconds: number) => n(seconds, 1, { startTimeUnixNano: at(seconds - 30) });
    const changes = { stepSeconds: undefined, window: { from: at(0), to: at(600) } };
    await bench.putMetrics([sum('thirty', [30, 60, 90, 480].map(delta), 1)]);
    expect((await ask('thirty', changes)).stepSeconds).toBe(60);
    // Counted from the start of its process every time, which is no delta: by what lies between the points.
    const wrong = (seconds: number) => n(seconds, 1, { startTimeUnixNano: at(-86_400) });
    await bench.putMetrics([sum('wrong', [10, 20, 30, 40].map(wrong), 1)]);
    expect((await ask('wrong', changes)).stepSeconds).toBe(20);
  });

  it('adds up services whose temporality differs', async () => {
    await bench.putMetrics([sum('both', [n(-5, 1, start), n(5, 3, start)])], { service: 'old' });
    await bench.putMetrics([sum('both', [n(6, 10, { startTimeUnixNano: at(0) })], 1)], { service: 'new' });
    const answer = await ask('both', { aggregation: 'increase' });
    expect(answer).toMatchObject({ temporality: 'mixed', matchedSeries: 2, variants: [expect.anything()] });
    expect(answer.series[0]?.points[0]?.[1]).toBe(12);
  });

  it('net changes of a delta sum that can fall', async () => {
    await bench.putMetrics([
      sum(
        'updown',
        [n(5, 3, { startTimeUnixNano: at(0) }), n(15, -5, { startTimeUnixNano: at(5) })],
        1,
        false,
      ),
    ]);
    expect(sparse(await values('updown'))).toEqual({ 0: -2 });
  });
});

describe('histograms', () => {
  const BOUNDS = [1, 2, 4];

  it('gives quantiles of what was measured in the bucket, linear inside of a range', async () => {
    // 4 in (0,1], 4 in (1,2], 2 in (2,4] on top of what was there.
    await bench.putMetrics([
      {
        name: 'h',
        unit: 's',
        histogram: {
          aggregationTemporality: 2,
          dataPoints: [
            h(-10, -900, [10, 0, 0, 0], BOUNDS, { sum: 5 }),
            h(30, -900, [14, 4, 2, 0], BOUNDS, { sum: 20 }),
          ],
        },
      },
    ]);
    expect(sparse(await values('h', { aggregation: 'p50' }))).toEqual({ 0: 1.25 });
    expect(sparse(await values('h', { aggregation: 'p90' }))).toEqual({ 0: 3 });
    expect(sparse(await values('h', { aggregation: 'count' }))).toEqual({ 0: 10 });
    expect(sparse(await values('h', { aggregation: 'sum' }))).toEqual({ 0: 15 });
    expect(sparse(await values('h', { aggregation: 'avg' }))).toEqual({ 0: 1.5 });
    // From the point before to this one; nothing further was due before the bucket ended.
    expect(sparse(await values('h', { aggregation: 'rate' }))).toEqual({ 0: 10 / 40 });
    expect((await ask('h')).aggregation).toBe('p95');
  });

  it('counts several processes that are one series each by its own start', async () => {
    // All that the first one measured lay in (1, 2], all of the second in (2, 4].
    const first = every(60, 600, (seconds) => seconds).map((seconds) => ({
      seconds: seconds + 10,
      counts: [0, 900 + seconds, 0],
      start: -86_400,
    }));
    const second = every(60, 600, (seconds) => seconds).map((seconds) => ({
      seconds: seconds + 40,
      counts: [0, 0, 7 + 2 * seconds],
      start: -86_399,
    }));
    const both = [...first, ...second];
    await bench.putMetrics([
      {
        name: 'workers.explicit',
        unit: 's',
        histogram: {
          aggregationTemporality: 2,
          dataPoints: both.map(({ seconds, start, counts }) =>
            h(seconds, start, [...counts, 0], [1, 2, 4], { sum: 3 * (counts[2] ?? 0) }),
          ),
        },
      },
      {
        name: 'workers.exponential',
        unit: 's',
        exponentialHistogram: {
          aggregationTemporality: 2,
          dataPoints: both.map(({ seconds, start, counts }) => ({
            timeUnixNano: at(seconds),
            startTimeUnixNano: at(start),
            count: counts.reduce((all, count) => all + count, 0),
            sum: 3 * (counts[2] ?? 0),
            scale: 0,
            zeroCount: 0,
            positive: { offset: -1, bucketCounts: counts },
          })),
        },
      },
    ]);
    for (const metric of ['workers.explicit', 'workers.exponential']) {
      const answer = async (aggregation: MetricQuery['aggregation']) => [
        ...new Set((await values(metric, { aggregation })).slice(1)),
      ];
      expect(await answer('count')).toEqual([60 + 120]);
      expect(await answer('sum')).toEqual([3 * 120]);
      expect(await answer('avg')).toEqual([2]);
      expect(await answer('rate')).toEqual([3]);
      expect(await answer('max')).toEqual([4]);
      // A third of all lies below 2.
      const { cells } = await metrics.heatmap(context, {
        metric,
        window,
        filter: undefined,
        stepSeconds: 60,
      });
      expect(cells.slice(0, 4)).toEqual([
        [1, 0, 60],
        [1, 1, 120],
        [2, 0, 60],
        [2, 1, 120],
      ]);
    }
  });

  it('keeps points of one time apart by their bounds, and counts one that was sent twice once', async () => {
    const twice = [h(10, -900, [3, 1, 0, 0], BOUNDS), h(10, -900, [4, 0], [8])];
    const later = [h(70, -900, [5, 1, 0, 0], BOUNDS), h(70, -900, [5, 1], [8])];
    const put = (dataPoints: HistogramPoint[]) =>
      bench.putMetrics([{ name: 'views', histogram: { aggregationTemporality: 2, dataPoints } }]);
    await put([...twice, ...later]);
    await put([...twice, h(130, -900, [5, 3, 0, 0], BOUNDS)]);
    // The first points began earlier: nobody knows what of them is new.
    expect(sparse(await values('views', { aggregation: 'count' }))).toEqual({ 1: 4, 2: 2 });
    expect(sparse(await values('views', { aggregation: 'p50' }))).toMatchObject({ 2: 1.5 });
    expect((await ask('views', { aggregation: 'p50' })).notes.join()).toContain('bounds');
  });

  it('counts on when bounds change while the start stays', async () => {
    const put = (name: string, dataPoints: HistogramPoint[]) =>
      bench.putMetrics([{ name, histogram: { aggregationTemporality: 2, dataPoints } }]);
    const old = [
      h(-30, -900, [1, 1, 1, 1], BOUNDS, { sum: 10 }),
      h(30, -900, [2, 2, 2, 2], BOUNDS, { sum: 20 }),
    ];
    const changed = [
      h(90, -900, [3, 3, 4], [1, 2], { sum: 30 }),
      h(150, -900, [4, 4, 4], [1, 2], { sum: 45 }),
    ];
    await put('new bounds', [...old, ...changed]);
    expect(sparse(await values('new bounds', { aggregation: 'count' }))).toEqual({ 0: 4, 1: 2, 2: 2 });
    expect(sparse(await values('new bounds', { aggregation: 'sum' }))).toEqual({ 0: 10, 1: 10, 2: 15 });
    expect(sparse(await values('new bounds', { aggregation: 'rate' }))).toMatchObject({ 1: 2 / 60 });
    // Of the buckets nobody knows what they grew by meanwhile.
    expect(Object.keys(sparse(await values('new bounds', { aggregation: 'p50' })))).toEqual(['0', '2']);
    // A new start begins from nothing, as without new bounds; views of the same time stay apart.
    await put('new process', [...old, h(90, 60, [3, 0, 0], [1, 2], { sum: 1 })]);
    expect(sparse(await values('new process', { aggregation: 'count' }))).toEqual({ 0: 4, 1: 3 });
    await put('new bounds and views', [...old, h(-30, -900, [4], []), h(30, -900, [8], [])]);
    expect(sparse(await values('new bounds and views', { aggregation: 'count' }))).toEqual({ 0: 8 });
  });

  it('takes of delta points of one time and start the largest, buckets and all', async () => {
    const put = (dataPoints: HistogramPoint[]) =>
      bench.putMetrics([{ name: 'again', histogram: { aggregationTemporality: 1, dataPoints } }]);
    await put([h(10, 0, [1, 0, 0, 0], BOUNDS), h(20, 10, [0, 0, 2, 0], BOUNDS)]);
    await put([h(10, 0, [2, 1, 0, 0], BOUNDS), h(10, 5, [0, 1, 0, 0], BOUNDS)]);
    expect(sparse(await values('again', { aggregation: 'count' }))).toEqual({ 0: 6 });
    const heat = await metrics.heatmap(context, {
      metric: 'again',
      window,
      filter: undefined,
      stepSeconds: 60,
    });
    expect(heat.cells.map(([, , count]) => count)).toEqual([2, 2, 2]);
  });

  it('asks who shares a series, and what was sent twice, while it looks for a step', async () => {
    const heat = async (metric: string, stepSeconds: number | undefined) => {
      const { cells } = await metrics.heatmap(context, { metric, window, filter: undefined, stepSeconds });
      return cells.reduce((all, [, , count]) => all + count, 0);
    };
    const all = async (metric: string, stepSeconds: number | undefined) =>
      (await values(metric, { aggregation: 'increase', stepSeconds })).reduce<number>(
        (sum, value) => sum + (value ?? 0),
        0,
      );
    expect(await all('workers', undefined)).toBe(await all('workers', 60));
    for (const metric of ['workers.explicit', 'workers.exponential', 'again']) {
      expect([metric, await heat(metric, undefined)]).toEqual([metric, await heat(metric, 60)]);
    }
    const put = (name: string, aggregationTemporality: number, start: (seconds: number) => number) =>
      bench.putMetrics([
        {
          name,
          histogram: {
            aggregationTemporality,
            dataPoints: every(10, 300, (seconds) => h(seconds + 10, start(seconds), [1, 0, 0, 0], BOUNDS)),
          },
        },
      ]);
    await put('quiet.deltas', 1, (seconds) => seconds);
    await put('quiet.counts', 2, () => -60);
    for (const [metric, asked] of [
      ['quiet.deltas', 'AS Twice'],
      ['quiet.counts', 'HAVING min(StartTimeUnix) != max(StartTimeUnix)'],
    ] as const) {
      statements.length = 0;
      await heat(metric, undefined);
      expect([metric, statements.filter((sql) => sql.includes(asked)).length]).toEqual([metric, 1]);
      expect(statements.findIndex((sql) => sql.includes(asked))).toBeLessThan(3);
    }
  });

  it('has no sum where none was sent, and leaves what has none out of the average', async () => {
    const points = (temporality: number, kind: 'histogram' | 'exponentialHistogram') => {
      const shape = (counts: number[]) =>
        kind === 'histogram'
          ? { bucketCounts: counts, explicitBounds: BOUNDS }
          : { scale: 0, zeroCount: 0, positive: { offset: 0, bucketCounts: counts } };
      const point = (label: string, seconds: number, start: number, counts: number[], total?: number) => ({
        timeUnixNano: at(seconds),
        startTimeUnixNano: at(temporality === 1 ? start : -900),
        count: counts.reduce((all, count) => all + count, 0),
        ...(total === undefined ? {} : { sum: total }),
        attributes: { label },
        ...shape(counts),
      });
      return [
        // In the first minute one has a sum and two have none, in the second one has it, in the third nobody.
        point('with', -10, -20, [0, 0, 0, 0], 0),
        point('with', 10, 0, [4, 0, 0, 0], 2),
        point('without', -10, -20, [0, 0, 0, 0]),
        point('without', 10, 0, [0, 0, 4, 0]),
        point('never', -10, -20, [0, 0, 0, 0], Number.NaN),
        point('never', 10, 0, [0, 0, 4, 0], Number.POSITIVE_INFINITY),
        point('with', 70, 60, temporality === 1 ? [1, 0, 0, 0] : [5, 0, 0, 0], temporality === 1 ? 3 : 5),
        point('without', 130, 120, temporality === 1 ? [0, 0, 6, 0] : [0, 0, 10, 0]),
      ];
    };
    for (const temporality of [1, 2]) {
      for (const kind of ['histogram', 'exponentialHistogram'] as const) {
        const name = `sums.${kind}.${temporality}`;
        const dataPoints = points(temporality, kind);
        await bench.putMetrics([
          { name, unit: 's', [kind]: { aggregationTemporality: temporality, dataPoints } } as Metric,
        ]);
        expect(sparse(await values(name, { aggregation: 'sum' }))).toEqual({ 0: 2, 1: 3 });
        expect(sparse(await values(name, { aggregation: 'avg' }))).toEqual({ 0: 0.5, 1: 3 });
        expect(sparse(await values(name, { aggregation: 'count' }))).toEqual({ 0: 12, 1: 1, 2: 6 });
        const apart = await ask(name, { aggregation: 'avg', groupBy: ['attributes.label'] });
        const line = (label: string) =>
          sparse(
            apart.series.find(({ labels }) => labels[0] === label)?.points.map(([, value]) => value) ?? [],
          );
        expect([line('with'), line('without'), line('never')]).toEqual([{ 0: 0.5, 1: 3 }, {}, {}]);
      }
    }
  });

  it('says that nothing but totals is known of a histogram without buckets', async () => {
    const put = (name: string, dataPoints: HistogramPoint[]) =>
      bench.putMetrics([{ name, histogram: { aggregationTemporality: 1, dataPoints } }]);
    await put('bare', [h(10, -50, [], [], { count: 5, sum: 10 }), h(70, 10, [], [], { count: 5, sum: 10 })]);
    const { series, notes } = await ask('bare', { aggregation: 'p95' });
    expect(series.map(({ points }) => points.every(([, value]) => value === null))).toEqual([true]);
    expect(notes).toEqual([expect.stringMatching(/no buckets/)]);
    const map = await metrics.heatmap(context, {
      metric: 'bare',
      window,
      filter: undefined,
      stepSeconds: 60,
    });
    expect(map).toMatchObject({ cells: [], notes });
    expect(await ask('bare', { aggregation: 'avg' })).toMatchObject({ notes: [] });
    // Where nothing was measured, its buckets say nothing either.
    await put('quiet', [h(10, -50, [0, 0], [1])]);
    expect(await ask('quiet', { aggregation: 'p95' })).toMatchObject({ notes: [] });
  });

  it('ends open ranges at the smallest and largest value', async () => {
    await bench.putMetrics([
      {
        name: 'ends',
        unit: 's',
        histogram: {
          aggregationTemporality: 1,
          dataPoints: [h(5, 0, [2, 0, 0, 2], BOUNDS, { min: 0.5, max: 10 })],
        },
      },
    ]);
    expect(sparse(await values('ends', { aggregation: 'min' }))).toEqual({ 0: 0.5 });
    expect(sparse(await values('ends', { aggregation: 'max' }))).toEqual({ 0: 10 });
    expect(sparse(await values('ends', { aggregation: 'p75' }))).toEqual({ 0: 7 });
  });

  it('adds up series of the same bounds; of others only the shared bounds, and says so', async () => {
    const put = (service: string, counts: number[], bounds: number[]) =>
      bench.putMetrics(
        [
          {
            name: 'merge',
            unit: 's',
            histogram: { aggregationTemporality: 1, dataPoints: [h(5, 0, counts, bounds)] },
          },
        ],
        { service },
      );
    await put('a', [1, 1, 0, 0], BOUNDS);
    await put('b', [1, 1, 0, 0], BOUNDS);
    const same = await ask('merge', { aggregation: 'p50' });
    expect(same.series[0]?.points[0]?.[1]).toBe(1);
    expect(same.notes).toEqual([]);
    await put('c', [2, 2], [2]);
    const mixed = await ask('merge', { aggregation: 'p50' });
    // Only 2 is a bound of all: 6 of 8 lie below it.
    expect(mixed.series[0]?.points[0]?.[1]).toBeCloseTo((4 / 6) * 2, 12);
    expect(mixed.notes).toEqual([
      'Not all series have the same bucket bounds: only the bounds that they share are used.',
    ]);
    const apart = await ask('merge', { aggregation: 'p50', groupBy: ['service'] });
    expect(apart.notes).toEqual([]);
    expect(apart.lines).toBe(3);
  });

  it('shows a heat map of ranges over time', async () => {
    const map = await metrics.heatmap(context, { metric: 'h', window, filter: undefined, stepSeconds: 60 });
    expect(map.times).toHaveLength(10);
    expect(map.ranges).toEqual([
      { low: null, high: 1 },
      { low: 1, high: 2 },
      { low: 2, high: 4 },
    ]);
    expect(map.cells).toEqual([
      [0, 0, 4],
      [0, 1, 4],
      [0, 2, 2],
    ]);
    await expect(metrics.heatmap(context, { metric: 'g', window, filter: undefined })).rejects.toThrow(
      'A heat map needs a histogram',
    );
  });

  it('brings exponential histograms to one scale, zero and negatives included', async () => {
    const point = (
      seconds: number,
      scale: number,
      offset: number,
      counts: number[],
      zeroCount: number,
      negative: number[] = [],
    ) => ({
      timeUnixNano: at(seconds),
      startTimeUnixNano: at(0),
      count: counts.reduce((a, b) => a + b, 0) + zeroCount + negative.reduce((a, b) => a + b, 0),
      sum: 0,
      scale,
      zeroCount,
      positive: { offset, bucketCounts: counts },
      negative: { offset: 0, bucketCounts: negative },
    });
    await bench.putMetrics(
      [
        {
          name: 'e',
          unit: 's',
          exponentialHistogram: {
            aggregationTemporality: 1,
            dataPoints: [point(5, 1, 0, [1, 1, 2, 0], 2, [1])],
          },
        },
      ],
      { service: 'fine' },
    );
    await bench.putMetrics(
      [
        {
          name: 'e',
          unit: 's',
          exponentialHistogram: { aggregationTemporality: 1, dataPoints: [point(6, 0, 0, [1, 1], 0)] },
        },
      ],
      { service: 'coarse' },
    );
    // At scale 0: one in [-2,-1), two at zero, 3 in (1,2], 3 in (2,4].
    expect(sparse(await values('e', { aggregation: 'count' }))).toEqual({ 0: 9 });
    expect((await values('e', { aggregation: 'p50' }))[0]).toBeCloseTo(2 ** 0.5, 12);
    expect((await values('e', { aggregation: 'min' }))[0]).toBe(-2);
    expect((await values('e', { aggregation: 'max' }))[0]).toBe(4);
    const map = await metrics.heatmap(context, { metric: 'e', window, filter: undefined, stepSeconds: 60 });
    expect(map.cells.reduce((all, [, , count]) => all + count, 0)).toBe(9);
  });

  it('knows how wide the zero bucket is, which limits with what else is known', async () => {
    const point = (seconds: number, zeroThreshold: number, more: object) => ({
      timeUnixNano: at(seconds),
      startTimeUnixNano: at(seconds - 1),
      count: 10,
      sum: 3,
      scale: 0,
      zeroCount: 10,
      zeroThreshold,
      ...more,
    });
    await bench.putMetrics([
      {
        name: 'zero',
        unit: 's',
        exponentialHistogram: {
          aggregationTemporality: 1,
          dataPoints: [
            point(5, 0.5, { min: 0.2, max: 0.4 }),
            point(65, 0.5, {}),
            // The wider of two; of a point that counts nothing there the width says nothing.
            point(125, 0.25, {}),
            point(126, 0.5, {}),
            point(127, 8, { zeroCount: 0, positive: { offset: 1, bucketCounts: [10] } }),
          ],
        },
      },
    ]);
    expect(sparse(await values('zero', { aggregation: 'min' }))).toEqual({ 0: 0.2, 1: -0.5, 2: 0 });
    expect(sparse(await values('zero', { aggregation: 'max' }))).toEqual({ 0: 0.4, 1: 0.5, 2: 4 });
    const map = await metrics.heatmap(context, {
      metric: 'zero',
      window,
      filter: undefined,
      stepSeconds: 60,
    });
    // As wide everywhere, and on the side on which the others lie.
    expect(map.ranges).toEqual([
      { low: 0, high: 0.5 },
      { low: 0.5, high: 2 },
      { low: 2, high: 4 },
    ]);
    expect(map.cells).toEqual([
      [0, 0, 10],
      [1, 0, 10],
      [2, 0, 20],
      [2, 2, 10],
    ]);
    expect(map.notes).toEqual([]);
  });

  it('makes the scale smaller where values lie far apart', async () => {
    const point = (seconds: number, offset: number) => ({
      timeUnixNano: at(seconds),
      startTimeUnixNano: at(0),
      count: 1,
      sum: 0,
      scale: 5,
      zeroCount: 0,
      positive: { offset, bucketCounts: [1] },
    });
    await bench.putMetrics([
      {
        name: 'far',
        unit: 's',
        // From 1 to beyond 2 ** 40, thirty-two buckets an octave are too many: four are kept.
        exponentialHistogram: { aggregationTemporality: 1, dataPoints: [point(5, 0), point(6, 1_280)] },
      },
    ]);
    expect((await values('far', { aggregation: 'min' }))[0]).toBe(1);
    expect(Math.log2((await values('far', { aggregation: 'max' }))[0] ?? 0)).toBeCloseTo(40.25, 9);
  });

  it('finds the increase of a cumulative exponential histogram whose scale shrank', async () => {
    const point = (seconds: number, scale: number, counts: number[]) => ({
      timeUnixNano: at(seconds),
      startTimeUnixNano: at(-900),
      count: counts.reduce((a, b) => a + b, 0),
      sum: 0,
      scale,
      zeroCount: 0,
      positive: { offset: 0, bucketCounts: counts },
    });
    await bench.putMetrics([
      {
        name: 'shrunk',
        unit: 's',
        exponentialHistogram: {
          aggregationTemporality: 2,
          dataPoints: [point(-10, 1, [5, 5]), point(10, 0, [10, 4])],
        },
      },
    ]);
    expect(sparse(await values('shrunk', { aggregation: 'count' }))).toEqual({ 0: 4 });
    expect((await values('shrunk', { aggregation: 'p50' }))[0]).toBeCloseTo(2 * 2 ** 0.5, 12);
  });

  const exponential = (
    name: string,
    dataPoints: ReturnType<typeof e>[],
    aggregationTemporality = 1,
  ): Metric => ({ name, unit: 's', exponentialHistogram: { aggregationTemporality, dataPoints } });
  const e = (
    seconds: number,
    scale: number,
    counts: number[],
    more: { k?: string; zeroCount?: number; offset?: number } = {},
  ) => ({
    timeUnixNano: at(seconds),
    startTimeUnixNano: at(seconds - 10),
    attributes: { k: more.k ?? 'a' },
    count: counts.reduce((a, b) => a + b, 0) + (more.zeroCount ?? 0),
    sum: 0,
    scale,
    zeroCount: more.zeroCount ?? 0,
    positive: { offset: more.offset ?? 0, bucketCounts: counts },
  });

  it.each([
    ['a coarse one', e(130, -2, [1], { k: 'b' })],
    ['zeros of a coarse one', e(40, 0, [], { k: 'b', zeroCount: 3 })],
    ['a coarse one with nothing in it', e(40, 0, [0, 0], { k: 'b' })],
    ['zeros of a fine one far away', e(40, 5, [0, 0], { k: 'b', zeroCount: 3, offset: 5_000 })],
  ])('keeps the scale of a line and bucket beside %s elsewhere', async (what, other) => {
    const name = `scale beside ${what}`;
    await bench.putMetrics([exponential(name, [e(30, 5, [100]), other])]);
    const fine = 2 ** (2 ** -5 * ((50 - Math.min(other.zeroCount, 3) / 2) / 100));
    const [all] = await values(name, { aggregation: 'p50' });
    expect(all).toBeCloseTo(other.zeroCount > 0 ? fine : 2 ** (2 ** -6), 12);
    const { series } = await ask(name, { aggregation: 'p50', groupBy: ['attributes.k'] });
    expect(series.find(({ labels }) => labels[0] === 'a')?.points[0]?.[1]).toBeCloseTo(2 ** (2 ** -6), 12);
  });

  it('gives lines of one bucket a scale each', async () => {
    await bench.putMetrics([exponential('own scales', [e(30, 5, [100]), e(31, -2, [8], { k: 'b' })])]);
    const { series } = await ask('own scales', { aggregation: 'p50', groupBy: ['attributes.k'] });
    expect(series.map(({ labels, points }) => [labels[0], points[0]?.[1]])).toEqual([
      ['a', expect.closeTo(2 ** (2 ** -6), 12)],
      ['b', expect.closeTo(4, 12)],
    ]);
  });

  const heat = (metric: string) =>
    metrics.heatmap(context, { metric, window, filter: undefined, stepSeconds: 60 });

  it('shows a heat map in the ranges of the widest buckets that hold something', async () => {
    const name = 'heat of scales';
    const zeros = e(90, -3, [0], { zeroCount: 2 });
    await bench.putMetrics([exponential(name, [e(30, 1, [1, 2, 4, 8]), zeros])]);
    const fine = await heat(name);
    expect(fine.cells).toEqual([
      [0, 1, 1],
      [0, 2, 2],
      [0, 3, 4],
      [0, 4, 8],
      [1, 0, 2],
    ]);
    expect(fine.ranges[0]).toEqual({ low: 0, high: 1 });
    expect(fine.notes).toEqual([]);
    await bench.putMetrics([exponential(name, [e(150, 0, [0, 5])])]);
    const coarse = await heat(name);
    expect(coarse.ranges).toEqual([
      { low: 0, high: 1 },
      { low: 1, high: 2 },
      { low: 2, high: 4 },
    ]);
    expect(coarse.cells).toEqual([
      [0, 1, 3],
      [0, 2, 12],
      [1, 0, 2],
      [2, 2, 5],
    ]);
    expect(coarse.notes).toEqual([
      'Exponential buckets differ in width over time: the heat map shows all in the ranges of the widest.',
    ]);
  });

  it('shows a heat map of zeros alone', async () => {
    await bench.putMetrics([exponential('heat of zeros', [e(30, 0, [], { zeroCount: 10 })])]);
    expect(await heat('heat of zeros')).toMatchObject({ ranges: [{ low: 0, high: 0 }], cells: [[0, 0, 10]] });
  });

  it('shows ranges that overlap as one, when bounds change over time', async () => {
    const restarted = [h(30, 20, [1, 1, 1, 1], [1, 2, 5]), h(150, 120, [3, 3, 3], [1, 2])];
    await bench.putMetrics([
      { name: 'heat of bounds', unit: 's', histogram: { aggregationTemporality: 2, dataPoints: restarted } },
    ]);
    const map = await heat('heat of bounds');
    expect(map.ranges).toEqual([
      { low: null, high: 1 },
      { low: 1, high: 2 },
      { low: 2, high: null },
    ]);
    expect(map.cells).toEqual([
      [0, 0, 1],
      [0, 1, 1],
      [0, 2, 2],
      [2, 0, 3],
      [2, 1, 3],
      [2, 2, 3],
    ]);
    expect(map.notes).toEqual(['Bucket bounds differ over time: ranges that overlap are shown as one.']);
  });
});

describe('summaries', () => {
  it('gives the quantiles that were sent, and count and sum as increases', async () => {
    const point = (seconds: number, count: number, total: number, p50: number) => ({
      timeUnixNano: at(seconds),
      startTimeUnixNano: at(-900),
      count,
      sum: total,
      quantileValues: [
        { quantile: 0.5, value: p50 },
        { quantile: 0, value: 1 },
      ],
    });
    await bench.putMetrics([
      {
        name: 's',
        unit: 'ms',
        summary: { dataPoints: [point(-10, 10, 100, 7), point(10, 14, 120, 5), point(50, 14, 120, 6)] },
      },
    ]);
    expect(sparse(await values('s'))).toEqual({ 0: 6 });
    const absent = await ask('s', { aggregation: 'p99' });
    expect(absent).toMatchObject({ series: [], lines: 0 });
    expect(absent.notes).toEqual(['The summaries have no quantile 0.99: they were sent with 0, 0.5.']);
    expect(sparse(await values('s', { aggregation: 'min' }))).toEqual({ 0: 1 });
    expect((await ask('s')).notes).toEqual([]);
    expect(sparse(await values('s', { aggregation: 'avg' }))).toEqual({ 0: 5 });
    expect(sparse(await values('s', { aggregation: 'count' }))).toEqual({ 0: 4 });
  });
});

describe('exemplars', () => {
  it('gives the largest of each bucket that name a trace, each once', async () => {
    const exemplar = (seconds: number, value: number, traceId: string) => ({
      timeUnixNano: at(seconds),
      asDouble: value,
      ...(traceId === '' ? {} : { traceId, spanId: '00f067aa0ba902b7' }),
    });
    const trace = (digit: number) => String(digit).repeat(32);
    const exemplars = [
      exemplar(4, 9, trace(1)),
      exemplar(3, 1, trace(2)),
      exemplar(2, 8, trace(3)),
      exemplar(5, 7, trace(4)),
      exemplar(1, 99, ''),
    ];
    await bench.putMetrics([sum('ex', [n(5, 1, { exemplars }), n(65, 2, { exemplars })])]);
    const { exemplars: found } = await ask('ex', { exemplars: true });
    expect(found.map(({ value, traceId }) => [value, traceId])).toEqual([
      [8, trace(3)],
      [9, trace(1)],
      [7, trace(4)],
    ]);
  });
});

describe('bounds', () => {
  it('chooses a step that holds two points of a series, and refuses too many buckets', async () => {
    expect((await ask('c', { stepSeconds: undefined })).stepSeconds).toBe(180);
    const day = { from: at(-86_400), to: at(0) };
    expect((await ask('g', { window: day, stepSeconds: undefined })).stepSeconds).toBe(300);
    await expect(ask('c', { window: day, stepSeconds: 1 })).rejects.toThrow('more than the 1000 buckets');
    const decade = { from: at(-10 * 365 * 86_400), to: at(600) };
    const answer = await ask('c', { window: decade, stepSeconds: undefined, aggregation: 'increase' });
    expect(answer.series[0]?.points.length).toBeLessThanOrEqual(301);
    expect(answer.series[0]?.points.reduce((all, [, value]) => all + (value ?? 0), 0)).toBe(140);
  });

  const rhythms = (point: (at: number, perSecond: number, k: string) => NumberPoint) => [
    ...['f1', 'f2', 'f3'].flatMap((k) => every(10, 900, (seconds) => point(seconds, 1, k))),
    ...every(60, 900, (seconds) => point(seconds + 3, 10, 'slow')),
  ];
  const quarter = { from: at(0), to: at(900) };

  it('takes a step in which also the slow ones of a few series report', async () => {
    const start = { startTimeUnixNano: at(-86_400) };
    await bench.putMetrics([
      sum(
        'rhythms',
        rhythms((seconds, rate, k) => n(seconds, seconds * rate, { ...start, attributes: { k } })),
      ),
      gauge(
        'levels of rhythms',
        rhythms((seconds, value, k) => n(seconds, value, { attributes: { k } })),
      ),
    ]);
    const asked = { window: quarter, stepSeconds: undefined };
    const rate = await ask('rhythms', { ...asked, aggregation: 'rate' });
    expect(rate).toMatchObject({ stepSeconds: 120, intervalSeconds: 10 });
    for (const [, value] of rate.series[0]?.points.slice(1) ?? []) expect(value).toBeCloseTo(13, 9);
    const level = await ask('levels of rhythms', { ...asked, aggregation: 'sum' });
    expect(new Set(level.series[0]?.points.map(([, value]) => value))).toEqual(new Set([13]));
  });

  it('waits no longer for points that are sent twice, or late', async () => {
    const points = every(60, 600, (seconds) => n(seconds, seconds));
    await bench.putMetrics([
      sum('sent twice', points),
      sum(
        'sent late',
        points.filter((_, at) => at !== 4),
      ),
    ]);
    await bench.putMetrics([sum('sent twice', points)]);
    for (const name of ['sent twice', 'sent late'])
      expect(await ask(name, { stepSeconds: undefined })).toMatchObject({
        stepSeconds: 120,
        intervalSeconds: 60,
      });
  });

  it('takes of deltas of several rhythms a step that holds all', async () => {
    const delta = (length: number, k: string) =>
      every(length, 900, (seconds) =>
        n(seconds + length, length, { startTimeUnixNano: at(seconds), attributes: { k } }),
      );
    await bench.putMetrics([
      sum('delta rhythms', [...delta(10, 'f1'), ...delta(10, 'f2'), ...delta(60, 's')], 1),
    ]);
    const answer = await ask('delta rhythms', {
      window: quarter,
      stepSeconds: undefined,
      aggregation: 'rate',
    });
    expect(answer).toMatchObject({ stepSeconds: 120, intervalSeconds: 10 });
  });

  it('reads more points than one statement puts in order part by part, and misses none between parts', async () => {
    const perSeries = POINTS_AT_ONCE / 2 + 1;
    await bench.putMetrics([
      sum(
        'many',
        ['a', 'b'].map((k) => n(0, 0, { startTimeUnixNano: at(-1), attributes: { k } })),
      ),
    ]);
    // Each grows by two every 0.2 ms.
    await bench.store.command(
      `INSERT INTO otel_metrics_sum
       SELECT * EXCEPT (n) REPLACE (TimeUnix + toIntervalMicrosecond(200 * n) AS TimeUnix, 2 * n AS Value)
       FROM otel_metrics_sum ARRAY JOIN range(1, {more:UInt64} + 1) AS n WHERE MetricName = 'many'`,
      { more: perSeries - 1 },
    );
    // What the writer adds up in the rollup with each batch.
    await bench.store.command(
      `INSERT INTO metric_series SELECT * REPLACE ({more:UInt64} AS Points, LastNs + 200000 * {more:UInt64} AS LastNs)
       FROM metric_series WHERE MetricName = 'many'`,
      { more: perSeries - 1 },
    );
    statements.length = 0;
    const grown = sparse(await values('many', { aggregation: 'increase' }));
    const perMinute = 2 * 2 * (60_000_000 / 200);
    const inAll = 2 * 2 * (perSeries - 1);
    const full = Math.floor(inAll / perMinute);
    // What the first point of a bucket grew by since the one before it is the bucket's.
    expect(Object.values(grown).reduce((all, one) => all + one, 0)).toBe(inAll);
    expect(Object.values(grown).slice(1, full)).toEqual(Array.from({ length: full - 1 }, () => perMinute));
    expect(statements.filter((sql) => sql.includes('AS Lines'))).toHaveLength(2);
  });

  it('keeps tenants and environments apart', async () => {
    await bench.putMetrics([gauge('mine', [n(1, 1)])], { project: 'other' });
    await bench.putMetrics([gauge('mine', [n(1, 2)])], { environment: 'staging' });
    expect(sparse(await values('mine', { aggregation: 'sum' }))).toEqual({ 0: 2 });
    const staging = await metrics.query(contextOf('default', 'production'), {
      metric: 'mine',
      window,
      filter: undefined,
      groupBy: [],
      limit: 5,
    });
    expect(staging.series).toEqual([]);
    expect(
      (await metrics.catalogue(contextOf('other'), { window, limit: 10 })).data.map(({ name }) => name),
    ).toEqual(['mine']);
  });
});

describe('catalogue, labels and series', () => {
  it('lists metrics with what their senders say, conflicts included', async () => {
    await bench.putMetrics([{ ...gauge('conflict', [n(1, 1)], 'ms'), description: 'Time of a Request' }], {
      service: 'a',
    });
    await bench.putMetrics(
      [gauge('conflict', [n(2, 1)], 's'), gauge('conflict', [n(3, 4, { attributes: { k: 1 } })], 's')],
      { service: 'b' },
    );
    const { data, facets, total } = await metrics.catalogue(context, {
      window,
      q: 'time REQUEST',
      limit: 10,
    });
    expect(total).toBe(1);
    expect(data).toMatchObject([
      {
        name: 'conflict',
        type: 'gauge',
        unit: 's',
        pointUnit: 's',
        description: 'Time of a Request',
        services: ['a', 'b'],
        series: 3,
        lastValue: 4,
        lastTime: new Date(BASE_MS + 3_000).toISOString(),
        variants: [
          { unit: 's', series: 2 },
          { unit: 'ms', series: 1 },
        ],
      },
    ]);
    expect(facets.units).toEqual([
      { value: 'ms', count: 1 },
      { value: 's', count: 1 },
    ]);
    const answer = await ask('conflict');
    expect(answer.notes).toEqual(['Senders disagree about this metric: also gauge in ms, not shown here.']);
    expect((await ask('conflict', { unit: 'ms' })).matchedSeries).toBe(1);
  });

  it('tells sums of one name and unit apart by what they mean', async () => {
    const of = (k: string) => ({ attributes: { k }, startTimeUnixNano: at(0) });
    await bench.putMetrics([
      sum('meanings', [n(10, 5, of('m')), n(70, 9, of('m')), n(130, 12, of('m'))]),
      sum('meanings', [n(10, 100, of('n')), n(70, 90, of('n'))], 2, false),
      sum('meanings', [n(10, -3, of('d'))], 1, false),
    ]);
    const usual = await ask('meanings', { aggregation: 'increase' });
    expect(usual.notes).toEqual([
      'Senders disagree about this metric: also sum that can fall in {request}, delta sum that can fall in {request}, not shown here.',
    ]);
    expect(usual.variants.map(({ meaning, series }) => [meaning, series])).toEqual([
      ['counter', 1],
      ['level', 1],
      ['change', 1],
    ]);
    expect(sparse(await values('meanings', { meaning: 'level' }))).toEqual({ 0: 100, 1: 90 });
    expect(sparse(await values('meanings', { meaning: 'change' }))).toEqual({ 0: -3 });
    expect((await ask('meanings', { meaning: 'level' })).notes).toEqual([
      'Senders disagree about this metric: also counter in {request}, delta sum that can fall in {request}, not shown here.',
    ]);
    expect((await ask('meanings', { meaning: 'quantiles' })).type).toBeNull();
  });

  it('pages by name; a cursor of another search is refused', async () => {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await metrics.catalogue(context, { window, limit: 7, cursor });
      names.push(...page.data.map(({ name }) => name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(names).toEqual([...new Set(names)].sort());
    expect(names).toContain('conflict');
    const { nextCursor } = await metrics.catalogue(context, { window, limit: 1 });
    await expect(
      metrics.catalogue(context, { window, limit: 1, q: 'x', cursor: nextCursor ?? '' }),
    ).rejects.toThrow('another query');
  });

  it('lists what reported within the time range, with its newest value there', async () => {
    const start = { startTimeUnixNano: at(-86_400) };
    const put = (name: string, dataPoints: NumberPoint[]) => bench.putMetrics([gauge(name, dataPoints)]);
    await put('within around', [n(-7_200, 1), n(9_000, 2)]);
    await put('within and after', [n(100, 1), n(200, 2), n(3_700, 50), n(3_800, 60)]);
    await put('within, no number', [n(100, 1), n(200, Number.NaN), n(3_700, 50)]);
    await put('within, long ago', [n(1, 7), ...every(60, 3_600, (seconds) => n(seconds + 5_000, 8))]);
    await bench.putMetrics([
      sum('within, falls', [n(50, 5, start), n(5_000, 9, start)], 2, false),
      sum('within, falls', [n(60, 6, start), n(5_000, 9, start)], 1, false),
      {
        name: 'within counts',
        histogram: {
          aggregationTemporality: 2,
          dataPoints: [h(5, 0, [3, 4], [1]), h(5_000, 0, [5, 5], [1])],
        },
      },
    ]);
    const listed = async (to: number) => {
      const { data } = await metrics.catalogue(context, {
        window: { from: at(0), to: at(to) },
        q: 'within',
        limit: 50,
      });
      return data.map(({ name, lastTime, lastValue }) => [
        name,
        (Date.parse(lastTime) - BASE_MS) / 1_000,
        lastValue,
      ]);
    };
    expect(await listed(1_000)).toEqual([
      ['within and after', 200, 2],
      ['within counts', 5, 7],
      ['within, falls', 60, 6],
      ['within, long ago', 1, 7],
      ['within, no number', 200, null],
    ]);
    expect(await listed(9_001)).toContainEqual(['within around', 9_000, 2]);
  });

  it('looks further back for what the end of a long time range does not hold', async () => {
    const long = -20 * 86_400;
    await bench.putMetrics([
      gauge('back', [n(0.5, 1), n(2, 3), n(long, 9, { attributes: { k: 1 } })], 'ms'),
      gauge('back', [n(long - 1, 4), n(2, 3)], 's'),
    ]);
    statements.length = 0;
    const { data } = await metrics.catalogue(context, {
      window: { from: at(-3_650 * 86_400), to: at(1) },
      q: 'back',
      limit: 5,
    });
    expect(statements.length).toBeGreaterThan(2);
    expect(data).toMatchObject([
      { name: 'back', lastTime: new Date(BASE_MS + 500).toISOString(), lastValue: 1 },
    ]);
    expect(data[0]?.variants).toHaveLength(2);
  });

  it('reads no points for a time range that nothing lies beyond', async () => {
    statements.length = 0;
    await metrics.catalogue(context, { window: { from: at(0), to: at(86_400) }, limit: 1 });
    expect(statements).toHaveLength(1);
  });

  it('lists labels with their values, points first', async () => {
    const { data, series, atLeast } = await metrics.labels(context, { metric: 'by', window });
    expect({ series, atLeast }).toEqual({ series: 3, atLeast: false });
    expect(data[0]).toEqual({
      field: 'attributes.host',
      series: 3,
      valueCount: 3,
      values: ['a', 'b', 'c'].map((value) => ({ value, series: 1 })),
    });
    expect(data.map(({ field }) => field)).toEqual(
      expect.arrayContaining([
        'environment',
        'scope_name',
        'service',
        'resource.host.arch',
        'resource.service.name',
      ]),
    );
  });

  it('takes the order of attributes for no difference, and hostile keys for keys', async () => {
    await bench.putMetrics([gauge('order', [n(1, 1, { attributes: { a: 1, b: 2 } })])]);
    await bench.putMetrics([
      gauge('order', [
        n(61, 3, { attributes: { b: 2, a: 1, ...JSON.parse('{"__proto__":"x"}') } }),
        n(62, 5, { attributes: { b: 2, a: 1 } }),
      ]),
    ]);
    const { series } = await metrics.seriesOf(context, { metrics: ['order'], window });
    expect(
      series.map(({ attributes, lastValue }) => [Object.fromEntries(attributes), lastValue]),
    ).toHaveLength(2);
    expect(series[0]).toMatchObject({ lastValue: 5, unit: '1', service: 'shop', lastTime: BASE_MS + 62_000 });
    expect(series[1]?.attributes.get('__proto__')).toBe('x');
  });
});
