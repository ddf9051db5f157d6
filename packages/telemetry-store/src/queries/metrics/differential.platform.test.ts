import type { MetricAggregation } from '@candela/contract';
import type { Metric } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE_MS, contextOf, LIMITS, openQueryBench, type QueryBench } from '../core/testing.ts';
import { createMetricQueries, type MetricQueries } from './index.ts';

/**
 * Random points, and an evaluator that walks them one by one as docs/explore/metrics.md says it. Nothing here is
 * shared with the queries.
 */
let bench: QueryBench;
let metrics: MetricQueries;
beforeAll(async () => {
  bench = await openQueryBench();
  metrics = createMetricQueries(bench.store, LIMITS);
});
afterAll(() => bench.close());

const STEP = 60;
const LENGTH = 1_800;
const LOOK_BACK = 300;

/** Times in seconds after the base; a histogram's counts by upper bound. */
interface Point {
  readonly at: number;
  readonly start: number;
  readonly value: number;
  readonly buckets: readonly number[];
}

interface Series {
  readonly label: string;
  readonly delta: boolean;
  readonly points: readonly Point[];
}

const BOUNDS = [1, 2, 5];

/** A small generator of its own, so that a failing seed can be run again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A sender that restarts, repeats itself, falls silent, and sends out of order; whole numbers, so that sums are exact. */
function series(next: () => number, label: string): Series {
  const delta = next() < 0.3;
  const points: Point[] = [];
  let start = next() < 0.5 ? -86_400 : -Math.floor(next() * 400);
  let value = next() < 0.5 ? Math.floor(next() * 1_000) : 0;
  let buckets = BOUNDS.map(() => 0).concat(0);
  if (value > 0) buckets[0] = value;
  let last = start;
  for (let at = -700; at < LENGTH + 100; at += 5 + Math.floor(next() * 40)) {
    if (at <= start) continue;
    if (next() < 0.05) at += 400;
    if (next() < 0.08) {
      // A restart: sometimes its start time says so, sometimes only the value.
      if (next() < 0.7) start = last + Math.floor(next() * Math.max(1, at - last));
      value = 0;
      buckets = buckets.map(() => 0);
    }
    if (delta) {
      start = last;
      value = 0;
      buckets = buckets.map(() => 0);
    }
    for (let more = Math.floor(next() * 6); more > 0; more--) {
      value++;
      const into = Math.floor(next() * buckets.length);
      buckets[into] = (buckets[into] ?? 0) + 1;
    }
    const point = { at, start, value, buckets: [...buckets] };
    points.push(point);
    if (next() < 0.1) points.push(point);
    last = at;
  }
  return { label, delta, points: points.sort(() => next() - 0.5) };
}

const inWindow = (at: number) => at >= 0 && at < LENGTH;
const bucketOf = (at: number) => Math.floor(at / STEP);

/** Calls `add` with what each point of a series adds to which bucket. */
function walk(
  { delta, points }: Series,
  add: (bucket: number, value: number, buckets: readonly number[]) => void,
): void {
  const seen = points
    .filter(({ at }) => at >= -LOOK_BACK && at < LENGTH)
    .sort((a, b) => a.at - b.at || a.start - b.start || a.value - b.value);
  let before: Point | undefined;
  for (const [index, point] of seen.entries()) {
    if (delta) {
      const after = seen[index + 1];
      const again = after !== undefined && after.at === point.at && after.start === point.start;
      if (!again && inWindow(point.at)) add(bucketOf(point.at), point.value, point.buckets);
      continue;
    }
    const previous = before;
    before = point;
    if (!inWindow(point.at)) continue;
    if (previous === undefined) {
      if (point.start < point.at && point.start >= -LOOK_BACK)
        add(bucketOf(point.at), point.value, point.buckets);
      continue;
    }
    const restarted = point.start > previous.start && point.start >= previous.at && point.start < point.at;
    if (point.value < previous.value || restarted) add(bucketOf(point.at), point.value, point.buckets);
    else {
      add(
        bucketOf(point.at),
        point.value - previous.value,
        point.buckets.map((count, at) => count - (previous.buckets[at] ?? 0)),
      );
    }
  }
}

/**
 * Seconds that the growth of a series in a bucket took: what its points there stand for (since the point before; of a delta
 * and of the first point since its start), and the rest of the bucket for which no point stands. The last point goes on
 * for as long as it stands for; before a first point that says nothing nobody knows.
 */
function secondsOf({ delta, points }: Series, bucket: number): number {
  const seen = [...new Map(points.map((point) => [JSON.stringify(point), point])).values()]
    .filter(({ at }) => at >= -LOOK_BACK && at < LENGTH)
    .sort((a, b) => a.at - b.at || a.start - b.start || a.value - b.value);
  const spans: [from: number, to: number][] = [];
  let own = 0;
  for (const [index, point] of seen.entries()) {
    const previous = seen[index - 1];
    const since = !delta && previous !== undefined ? previous.at : point.start;
    const known = delta || previous !== undefined || point.start >= -LOOK_BACK;
    const length = point.at - since;
    spans.push([known ? since : -Infinity, index === seen.length - 1 ? point.at + length : point.at]);
    if (known && bucketOf(point.at) === bucket) own += length;
  }
  let silent = 0;
  for (let second = bucket * STEP; second < (bucket + 1) * STEP; second++)
    if (!spans.some(([from, to]) => second >= from && second < to)) silent++;
  return own + silent;
}

/** Rates by label (or all together) and bucket: those of the series added up. */
function expectedRates(all: readonly Series[], grouped: boolean) {
  const result = new Map<string, Map<number, number>>();
  for (const one of all) {
    const key = grouped ? one.label : '';
    const line = result.get(key) ?? new Map<number, number>();
    const [own = new Map<number, number>()] = expected([one], false, (value) => value).values();
    for (const [bucket, value] of own)
      line.set(bucket, (line.get(bucket) ?? 0) + value / secondsOf(one, bucket));
    result.set(key, line);
  }
  return result;
}

/** Of every second seed the buckets begin apart from the multiples of their width. */
const offsetOf = (seed: number) => (seed % 2 === 0 ? 7_350 : 0);
const nanos = (seed: number, seconds: number) =>
  BigInt(BASE_MS + offsetOf(seed) + seconds * 1_000) * 1_000_000n;

function metricsOf(seed: number, all: readonly Series[]): Metric[] {
  return all.flatMap(({ label, delta, points }): Metric[] => {
    const aggregationTemporality = delta ? 1 : 2;
    const common = (point: Point) => ({
      attributes: { label },
      timeUnixNano: nanos(seed, point.at),
      startTimeUnixNano: nanos(seed, point.start),
    });
    const name = (kind: string) => ({ name: `${kind}.${seed}`, unit: 's' });
    return [
      {
        ...name('sum'),
        sum: {
          aggregationTemporality,
          isMonotonic: true,
          dataPoints: points.map((point) => ({ ...common(point), asDouble: point.value })),
        },
      },
      {
        ...name('gauge'),
        gauge: { dataPoints: points.map((point) => ({ ...common(point), asDouble: point.value })) },
      },
      {
        ...name('histogram'),
        histogram: {
          aggregationTemporality,
          dataPoints: points.map((point) => ({
            ...common(point),
            count: point.buckets.reduce((a, b) => a + b, 0),
            sum: point.value,
            bucketCounts: point.buckets,
            explicitBounds: BOUNDS,
          })),
        },
      },
      {
        ...name('exponential'),
        exponentialHistogram: {
          aggregationTemporality,
          dataPoints: points.map((point) => ({
            ...common(point),
            count: point.buckets.reduce((a, b) => a + b, 0),
            sum: point.value,
            scale: 0,
            zeroCount: 0,
            positive: { offset: 0, bucketCounts: point.buckets },
          })),
        },
      },
    ];
  });
}

async function answer(
  metric: string,
  aggregation: MetricAggregation,
  groupBy: string[],
): Promise<Map<string, Map<number, number>>> {
  const seed = Number(metric.split('.').at(-1));
  const { series: lines } = await metrics.query(contextOf(), {
    metric,
    aggregation,
    groupBy,
    window: { from: nanos(seed, 0), to: nanos(seed, LENGTH) },
    filter: undefined,
    stepSeconds: STEP,
    offsetMs: offsetOf(seed),
    limit: 100,
  });
  return new Map(
    lines.map(({ labels, points }) => [
      labels.join(),
      new Map(
        points.flatMap(([, value], bucket): [number, number][] => (value === null ? [] : [[bucket, value]])),
      ),
    ]),
  );
}

/** Increases by label (or all together) and bucket; of the value or of one of the buckets. */
function expected(
  all: readonly Series[],
  grouped: boolean,
  pick: (value: number, buckets: readonly number[]) => number,
) {
  const result = new Map<string, Map<number, number>>();
  for (const one of all) {
    const key = grouped ? one.label : '';
    walk(one, (bucket, value, buckets) => {
      const line = result.get(key) ?? new Map<number, number>();
      line.set(bucket, (line.get(bucket) ?? 0) + pick(value, buckets));
      result.set(key, line);
    });
  }
  return result;
}

const rounded = (lines: ReadonlyMap<string, ReadonlyMap<number, number>>) =>
  [...lines]
    .map(
      ([label, line]) =>
        [
          label,
          [...line].sort(([a], [b]) => a - b).map(([at, value]) => [at, Number(value.toFixed(9))]),
        ] as const,
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** The median of counts by range, evenly inside of the range; open ranges end at 0 and at their bound. */
function median(
  counts: readonly number[],
  edges: readonly (readonly [number, number])[],
  logarithmic: boolean,
): number | undefined {
  const total = counts.reduce((a, b) => a + b, 0);
  if (total === 0) return undefined;
  let left = total / 2;
  for (const [index, count] of counts.entries()) {
    const [low, high] = edges[index] ?? [0, 0];
    if (count > 0 && left <= count) {
      return logarithmic ? low * (high / low) ** (left / count) : low + (high - low) * (left / count);
    }
    left -= count;
  }
  return undefined;
}

describe.each([1, 2, 3, 4, 5, 6])('random senders, seed %i', (seed) => {
  const next = random(seed * 7_919);
  const all = Array.from({ length: 4 }, (_, index) => series(next, `s${index}`));
  beforeAll(() => bench.putMetrics(metricsOf(seed, all)));

  it.each([false, true])('increases of counters, grouped: %s', async (grouped) => {
    const groupBy = grouped ? ['attributes.label'] : [];
    const want = expected(all, grouped, (value) => value);
    expect(rounded(await answer(`sum.${seed}`, 'increase', groupBy))).toEqual(rounded(want));
    expect(rounded(await answer(`sum.${seed}`, 'rate', groupBy))).toEqual(
      rounded(expectedRates(all, grouped)),
    );
  });

  it.each(['avg', 'min', 'max', 'sum', 'count'] as const)('levels: %s', async (aggregation) => {
    const own = new Map<number, number[]>();
    for (const { points } of all) {
      // Of points at the same time the largest is kept.
      const byTime = new Map<number, number>();
      for (const { at, value } of points)
        if (inWindow(at)) byTime.set(at, Math.max(value, byTime.get(at) ?? -Infinity));
      const buckets = Map.groupBy(
        [...byTime].sort(([a], [b]) => a - b),
        ([at]) => bucketOf(at),
      );
      for (const [bucket, list] of buckets) {
        const numbers = list.map(([, value]) => value);
        const one = {
          avg: numbers.reduce((a, b) => a + b, 0) / numbers.length,
          min: Math.min(...numbers),
          max: Math.max(...numbers),
          sum: numbers.at(-1) ?? 0,
          count: numbers.length,
        }[aggregation];
        own.set(bucket, [...(own.get(bucket) ?? []), one]);
      }
    }
    const across = (numbers: number[]) => {
      if (aggregation === 'min') return Math.min(...numbers);
      if (aggregation === 'max') return Math.max(...numbers);
      const total = numbers.reduce((a, b) => a + b, 0);
      return aggregation === 'avg' ? total / numbers.length : total;
    };
    const want = new Map([['', new Map([...own].map(([bucket, numbers]) => [bucket, across(numbers)]))]]);
    expect(rounded(await answer(`gauge.${seed}`, aggregation, []))).toEqual(rounded(want));
  });

  it.each([
    [
      'histogram',
      [
        [0, 1],
        [1, 2],
        [2, 5],
        [5, 5],
      ],
      false,
    ],
    [
      'exponential',
      [
        [1, 2],
        [2, 4],
        [4, 8],
        [8, 16],
      ],
      true,
    ],
  ] as const)('%s: count, sum and median', async (kind, edges, logarithmic) => {
    const counts = BOUNDS.concat(0).map((_, index) =>
      expected(all, false, (_value, buckets) => buckets[index] ?? 0).get(''),
    );
    const count = expected(all, false, (_value, buckets) => buckets.reduce((a, b) => a + b, 0));
    expect(rounded(await answer(`${kind}.${seed}`, 'count', []))).toEqual(rounded(count));
    expect(rounded(await answer(`${kind}.${seed}`, 'sum', []))).toEqual(
      rounded(expected(all, false, (value) => value)),
    );
    const medians = new Map<number, number>();
    for (const bucket of count.get('')?.keys() ?? []) {
      const value = median(
        counts.map((line) => line?.get(bucket) ?? 0),
        edges,
        logarithmic,
      );
      if (value !== undefined) medians.set(bucket, value);
    }
    expect(rounded(await answer(`${kind}.${seed}`, 'p50', []))).toEqual(rounded(new Map([['', medians]])));
  });
});
