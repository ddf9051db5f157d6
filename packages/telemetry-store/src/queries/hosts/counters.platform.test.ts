import type { Metric, NumberPoint } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextOf, LIMITS, openQueryBench, type QueryBench } from '../core/testing.ts';
import { Random } from '../differential/random.ts';
import { createMetricQueries, type MetricQueries } from '../metrics/index.ts';
import { createHostQueries, type HostQueries } from './index.ts';

const NOW = Math.floor(Date.now() / 60_000) * 60_000;
const MINUTES = 40;
/** A minute of the window, the last one being that before now; those before 0 lie before it. */
const at = (minute: number): bigint => BigInt(NOW - (MINUTES - minute) * 60_000) * 1_000_000n;
const WINDOW = { from: at(0), to: at(MINUTES) };
const GPU = { 'hw.id': 'GPU-0', 'hw.name': 'H100', 'gpu.index': 0 };
const LONG_AGO = at(-100_000);

const point = (
  minute: number,
  value: number,
  since: bigint | undefined,
  attributes: NonNullable<NumberPoint['attributes']>,
): NumberPoint => ({
  timeUnixNano: at(minute),
  ...(since === undefined ? {} : { startTimeUnixNano: since }),
  asDouble: value,
  attributes,
});
const counter = (name: string, dataPoints: NumberPoint[], aggregationTemporality = 2): Metric => ({
  name,
  unit: '1',
  sum: { isMonotonic: true, aggregationTemporality, dataPoints },
});
/** Every minute from one to the end. */
const minutesFrom = (first: number): number[] =>
  Array.from({ length: MINUTES - first }, (_, index) => first + index);
const ALIVE: Metric = {
  name: 'hw.gpu.memory.limit',
  unit: 'By',
  gauge: { dataPoints: minutesFrom(-10).map((minute) => point(minute, 80, undefined, GPU)) },
};

let bench: QueryBench;
let hosts: HostQueries;
let metrics: MetricQueries;
beforeAll(async () => {
  bench = await openQueryBench();
  hosts = createHostQueries(bench.store, LIMITS);
  metrics = createMetricQueries(bench.store, LIMITS);
});
afterAll(() => bench.close());

const put = (project: string, list: readonly Metric[]): Promise<void> =>
  bench.putMetrics(list, { project, service: 'agent', resource: { 'host.name': 'h' } });

/** What the explorer says that a metric grew by, by one attribute; nothing where it did not. */
async function explored(project: string, metric: string, by: string): Promise<Record<string, number>> {
  const { series } = await metrics.query(contextOf(project), {
    metric,
    window: WINDOW,
    filter: undefined,
    aggregation: 'increase',
    groupBy: [by],
    stepSeconds: 60,
    limit: 100,
  });
  return grown(series.map(({ labels, points }) => [labels[0] ?? '', points.map(([, value]) => value)]));
}

const grown = (curves: (readonly [string, readonly (number | null)[]])[]): Record<string, number> =>
  Object.fromEntries(
    curves
      .map(([name, values]) => [name, values.reduce<number>((all, value) => all + (value ?? 0), 0)] as const)
      .filter(([, value]) => value > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The errors of the GPU by the fleet, by its page and by its chart. */
async function told(project: string): Promise<Record<string, number>[]> {
  const context = contextOf(project);
  const asked = { window: WINDOW, host: 'h', gpu: 'GPU-0' };
  const fleet = (await hosts.hosts(context, { window: WINDOW })).hosts[0]?.gpus[0];
  const { gpu } = await hosts.gpu(context, asked);
  const { charts } = await hosts.gpuCurves(context, { ...asked, charts: ['gpu_errors'] });
  return [
    ...[fleet, gpu].map((one) => grown((one?.errors ?? []).map(({ type, count }) => [type, [count]]))),
    grown((charts[0]?.series ?? []).map(({ part, values }) => [part, values])),
  ];
}

describe('counters of hosts', () => {
  it('count the first report of what began in the window, and a start that says it began again', async () => {
    const errors = (type: string, list: readonly (readonly [number, number, bigint | undefined])[]) =>
      list.map(([minute, value, since]) => point(minute, value, since, { ...GPU, 'error.type': type }));
    await put('first', [
      ALIVE,
      counter('hw.errors', [
        // Its series comes with its first error.
        ...errors(
          'xid',
          minutesFrom(20).map((minute) => [minute, 1, at(0)]),
        ),
        ...errors(
          'more',
          minutesFrom(20).map((minute) => [minute, minute < 30 ? 7 : 10, at(19)]),
        ),
        // Nobody knows when, or it was long ago.
        ...errors(
          'unknown',
          minutesFrom(20).map((minute) => [minute, 5, undefined]),
        ),
        ...errors(
          'old',
          minutesFrom(20).map((minute) => [minute, 6, LONG_AGO]),
        ),
        // It begins after the point itself: a wrong clock.
        ...errors(
          'future',
          minutesFrom(20).map((minute) => [minute, 3, at(minute) + 1n]),
        ),
      ]),
      counter(
        'hw.energy',
        // 10 J a minute; at 30 it begins again, and has counted 1,790 by then.
        minutesFrom(-10).map((minute) =>
          minute < 30
            ? point(minute, 1_000 + minute * 10, LONG_AGO, GPU)
            : point(minute, 1_790 + (minute - 30) * 10, at(29) + 1n, GPU),
        ),
      ),
    ]);
    const expected = { more: 10, xid: 1 };
    expect(await explored('first', 'hw.errors', 'attributes.error.type')).toEqual(expected);
    expect(await told('first')).toEqual([expected, expected, expected]);
    const { energyJoules } = await hosts.gpu(contextOf('first'), { window: WINDOW, host: 'h', gpu: 'GPU-0' });
    expect(energyJoules).toBe(30 * 10 + 1_790 + 9 * 10);
    expect(await explored('first', 'hw.energy', 'attributes.hw.id')).toEqual({ 'GPU-0': energyJoules });
  });

  it('rates are those of the time since a known start, and no first report makes a spike', async () => {
    const io = (
      project: string,
      first: number,
      since: bigint | undefined,
      value: (minute: number) => number,
    ) =>
      put(project, [
        ALIVE,
        counter(
          'system.network.io',
          minutesFrom(first).map((minute) =>
            point(minute, value(minute), since, {
              'network.interface.name': 'eth0',
              'network.io.direction': 'receive',
            }),
          ),
        ),
      ]);
    // 10 bytes a second, up long before, and since a minute ago.
    await io('up', 20, LONG_AGO, (minute) => 1e9 + minute * 600);
    await io('new', MINUTES - 1, at(MINUTES - 2), () => 600);
    await io('once', MINUTES - 1, LONG_AGO, () => 1e9);
    const rates = async (project: string) => {
      const context = contextOf(project);
      const [host] = (await hosts.hosts(context, { window: WINDOW })).hosts;
      const page = await hosts.host(context, { window: WINDOW, host: 'h' });
      const { charts } = await hosts.hostCurves(context, {
        window: WINDOW,
        host: 'h',
        charts: ['network_io'],
      });
      const values = charts[0]?.series.flatMap((curve) => curve.values.filter((value) => value !== null));
      return [
        host?.networkReceiveBytesPerSecond,
        page.host.networkReceiveBytesPerSecond,
        [...new Set(values)],
      ];
    };
    expect(await rates('up')).toEqual([10, 10, [10]]);
    expect(await rates('new')).toEqual([10, 10, [10]]);
    expect(await rates('once')).toEqual([null, null, []]);
  });

  it('grow by what the explorer of metrics says, whatever was sent', async () => {
    const seeds = Array.from(
      { length: 3 * Number(process.env['PROPERTY_TIMES'] ?? 1) },
      (_, n) => `grown ${n}`,
    );
    for (const seed of seeds) {
      const random = new Random(seed);
      await put(seed, [ALIVE, ...anyCounters(random)]);
      const expected = await explored(seed, 'hw.errors', 'attributes.error.type');
      expect(Object.keys(expected).length, seed).toBeGreaterThan(0);
      expect(await told(seed), seed).toEqual([expected, expected, expected]);
    }
  }, 120_000);
});

/**
 * Counters of many kinds of errors: they begin and begin again at any time, and say so or not. No start comes back after another: that
 * would be two processes, which the explorer tells apart.
 */
function anyCounters(random: Random): Metric[] {
  const cumulative: NumberPoint[] = [];
  const delta: NumberPoint[] = [];
  for (let kind = 0; kind < 30; kind += 1) {
    const attributes = { ...GPU, 'error.type': `e${kind}` };
    let value = random.int(0, 9);
    const anySince = (minute: number): bigint | undefined =>
      random.pick([
        undefined,
        LONG_AGO,
        at(-random.int(0, 20)),
        at(minute - 1),
        at(minute - 1) + BigInt(random.int(0, 59_999_999_999)),
        at(minute) + BigInt(random.int(0, 1)),
      ]);
    const first = random.pick([-10, -10, -3, 0, 1, 20]);
    let since = anySince(first);
    const before = new Set([since]);
    for (const minute of minutesFrom(first)) {
      const next = random.chance(0.1) ? anySince(minute) : since;
      if (!before.has(next)) since = next;
      before.add(since);
      if (random.chance(0.1)) value = random.int(0, value + 5);
      if (random.chance(0.2)) value += random.int(1, 5);
      if (minute > first && random.chance(0.05)) continue;
      if (kind < 25) cumulative.push(point(minute, value, since, attributes));
      else delta.push(point(minute, value, at(minute - 1), attributes));
    }
  }
  return [counter('hw.errors', cumulative), counter('hw.errors', delta, 1)];
}
