import { type GpuChart, HOST_LIMITS, type HostChart, type HostCurves } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { type Buckets, bucketSql, bucketsOf, reportInterval } from './buckets.ts';
import { growth, NO_LOOPBACK, PACKET_ERRORS, withRunUp } from './counters.ts';
import { IDLE_MODES, STATES_WITHIN } from './current.ts';
import { GPUS, readFacts } from './facts.ts';
import { type HostKey, isoOf, points } from './sources.ts';

type Chart = HostChart | GpuChart;
type Curve = HostCurves['charts'][number]['series'][number];

interface Spec {
  readonly unit: string;
  /** The first is what the chart is of. */
  readonly metrics: readonly [string, ...string[]];
  /** `level`: mean of a bucket; `rate`: per second; `increase`: within the bucket. */
  readonly mode: 'level' | 'rate' | 'increase';
  /** One curve for each device; otherwise all devices of the host are one (levels: their mean, rates: their sum). */
  readonly byDevice?: boolean;
  /** Only of GPUs. */
  readonly gpus?: boolean;
  /** Arranges what was read; default: curves of the first metric as they are. */
  readonly arrange?: (read: ReadonlyMap<string, readonly Curve[]>) => Curve[];
  /** What is read instead where nobody tells the above. */
  readonly otherwise?: Pick<Spec, 'metrics' | 'mode' | 'arrange'>;
}

const IDLE = new Set(IDLE_MODES);
const WITHIN = new Set(STATES_WITHIN);
const of = (read: ReadonlyMap<string, readonly Curve[]>, metric: string): readonly Curve[] =>
  read.get(metric) ?? [];
const withLimit = (metric: string, limit: string) => (read: ReadonlyMap<string, readonly Curve[]>) => [
  ...of(read, metric),
  ...of(read, limit).map((curve) => ({ ...curve, part: 'limit' })),
];
const general = (metric: string) => (read: ReadonlyMap<string, readonly Curve[]>) =>
  of(read, metric).filter(({ part }) => part === 'general' || part === '');

/** What profiling libraries say of the inside of a GPU, and what to call it. */
const ACTIVITY: ReadonlyMap<string, string> = new Map([
  ['hw.gpu.sm.utilization', 'sm'],
  ['hw.gpu.sm.occupancy', 'occupancy'],
  ['hw.gpu.engine.utilization', 'engine'],
  ['hw.gpu.memory.bandwidth.utilization', 'memory_bandwidth'],
  ['hw.gpu.simd.utilization', 'simd'],
]);

const SPECS: Readonly<Record<Chart, Spec>> = {
  cpu: {
    unit: '1',
    metrics: ['system.cpu.utilization'],
    mode: 'level',
    arrange: (read) => of(read, 'system.cpu.utilization').filter(({ part }) => !IDLE.has(part)),
    otherwise: {
      metrics: ['system.cpu.time'],
      mode: 'rate',
      arrange: (read) => sharesOf(of(read, 'system.cpu.time')).filter(({ part }) => !IDLE.has(part)),
    },
  },
  cpu_cores: {
    unit: '1',
    metrics: ['system.cpu.utilization'],
    mode: 'level',
    byDevice: true,
    arrange: (read) => {
      const busy = of(read, 'system.cpu.utilization').filter(
        ({ device, part }) => device !== '' && !IDLE.has(part),
      );
      return summedByDevice(busy).sort((a, b) => Number(a.device) - Number(b.device));
    },
    otherwise: {
      metrics: ['system.cpu.time'],
      mode: 'rate',
      arrange: (read) =>
        summedByDevice(
          sharesOf(of(read, 'system.cpu.time')).filter(
            ({ device, part }) => device !== '' && !IDLE.has(part),
          ),
        ).sort((a, b) => Number(a.device) - Number(b.device)),
    },
  },
  memory: {
    unit: 'By',
    metrics: ['system.memory.usage'],
    mode: 'level',
    arrange: (read) => of(read, 'system.memory.usage').filter(({ part }) => !WITHIN.has(part)),
  },
  disk_io: { unit: 'By/s', metrics: ['system.disk.io'], mode: 'rate' },
  disk_operations: { unit: '{operation}/s', metrics: ['system.disk.operations'], mode: 'rate' },
  filesystem: {
    unit: '1',
    metrics: ['system.filesystem.utilization', 'system.filesystem.usage'],
    mode: 'level',
    byDevice: true,
    arrange: (read) => {
      const told = of(read, 'system.filesystem.utilization').filter(
        ({ part }) => part === '' || part === 'used',
      );
      return told.length > 0 ? told : shareUsed(of(read, 'system.filesystem.usage'));
    },
  },
  network_io: {
    unit: 'By/s',
    metrics: ['system.network.io', 'hw.network.io'],
    mode: 'rate',
    arrange: (read) => [
      ...(of(read, 'system.network.io').length > 0
        ? of(read, 'system.network.io')
        : of(read, 'hw.network.io')),
    ],
  },
  network_errors: {
    unit: '{error}',
    metrics: ['system.network.errors', 'hw.errors'],
    mode: 'increase',
    arrange: (read) => {
      const told = of(read, 'system.network.errors');
      // Those of hardware hold the errors of GPUs, and packets that were dropped, as well.
      return told.length > 0
        ? [...told]
        : of(read, 'hw.errors').flatMap((curve) => {
            const direction = PACKET_ERRORS.get(curve.part);
            return direction === undefined ? [] : [{ ...curve, part: direction }];
          });
    },
  },
  gpus_utilization: {
    unit: '1',
    metrics: ['hw.gpu.utilization'],
    mode: 'level',
    byDevice: true,
    gpus: true,
    arrange: general('hw.gpu.utilization'),
  },
  gpus_memory: { unit: 'By', metrics: ['hw.gpu.memory.usage'], mode: 'level', byDevice: true, gpus: true },
  gpus_power: { unit: 'W', metrics: ['hw.power'], mode: 'level', byDevice: true, gpus: true },
  gpus_temperature: {
    unit: 'Cel',
    metrics: ['hw.temperature'],
    mode: 'level',
    byDevice: true,
    gpus: true,
    arrange: (read) => of(read, 'hw.temperature').filter(({ part }) => part !== 'memory'),
  },
  gpus_clocks: {
    unit: 'Hz',
    metrics: ['hw.gpu.speed'],
    mode: 'level',
    byDevice: true,
    gpus: true,
    arrange: (read) => clocksOfWork(of(read, 'hw.gpu.speed')),
  },
  gpu_utilization: { unit: '1', metrics: ['hw.gpu.utilization'], mode: 'level', byDevice: true },
  gpu_activity: {
    unit: '1',
    metrics: ['hw.gpu.sm.utilization', ...ACTIVITY.keys()],
    mode: 'level',
    byDevice: true,
    arrange: (read) =>
      [...ACTIVITY].flatMap(([metric, part]) => of(read, metric).map((curve) => ({ ...curve, part }))),
  },
  gpu_memory: {
    unit: 'By',
    metrics: ['hw.gpu.memory.usage', 'hw.gpu.memory.limit'],
    mode: 'level',
    byDevice: true,
    arrange: withLimit('hw.gpu.memory.usage', 'hw.gpu.memory.limit'),
  },
  gpu_power: {
    unit: 'W',
    metrics: ['hw.power', 'hw.power.limit'],
    mode: 'level',
    byDevice: true,
    arrange: withLimit('hw.power', 'hw.power.limit'),
  },
  gpu_temperature: { unit: 'Cel', metrics: ['hw.temperature'], mode: 'level', byDevice: true },
  gpu_clocks: { unit: 'Hz', metrics: ['hw.gpu.speed'], mode: 'level', byDevice: true },
  gpu_fan: { unit: '1', metrics: ['hw.fan.speed_ratio'], mode: 'level', byDevice: true },
  gpu_pcie: { unit: 'By/s', metrics: ['hw.gpu.io'], mode: 'rate', byDevice: true },
  gpu_interconnect: { unit: 'By/s', metrics: ['hw.gpu.interconnect.io'], mode: 'rate', byDevice: true },
  gpu_errors: { unit: '{error}', metrics: ['hw.errors'], mode: 'increase', byDevice: true },
  gpu_process_memory: { unit: 'By', metrics: ['process.gpu.memory.usage'], mode: 'level', byDevice: true },
  gpu_process_utilization: { unit: '1', metrics: ['process.gpu.utilization'], mode: 'level', byDevice: true },
};

/** More curves than this make no chart. */
const MAX_SERIES = 512;

/** Curves of a host, or of the GPU named. */
export async function readCurves(
  run: Runner,
  context: RequestContext,
  input: {
    readonly window: Window;
    readonly host: HostKey;
    readonly gpu?: string;
    readonly charts: readonly Chart[];
  },
): Promise<HostCurves> {
  const { window, host, gpu, charts } = input;
  const [interval, facts] = await Promise.all([
    reportInterval(run, context, window, host),
    charts.some((chart) => SPECS[chart].gpus)
      ? readFacts(run, context, GPUS, window, { hosts: [host.host] })
      : [],
  ]);
  const buckets = bucketsOf(window, interval);
  const runUp = Math.max(HOST_LIMITS.freshSeconds, 2 * interval);
  const gpus = new Set(facts.map(({ device }) => device));
  const lots = new Map<string, Chart[]>();
  for (const chart of charts) {
    const { mode, byDevice } = SPECS[chart];
    const lot = `${mode} ${byDevice === true}`;
    lots.set(lot, [...(lots.get(lot) ?? []), chart]);
  }
  const read = new Map<Chart, ReadonlyMap<string, readonly Curve[]>>();
  await Promise.all(
    [...lots.values()].map(async (lot) => {
      const [first] = lot;
      if (first === undefined) return;
      const metrics = [...new Set(lot.flatMap((chart) => SPECS[chart].metrics))];
      const curves = await readLot(run, context, {
        window,
        host,
        gpu,
        buckets,
        metrics,
        spec: SPECS[first],
        runUp,
      });
      for (const chart of lot) read.set(chart, curves);
    }),
  );
  const drawn = await Promise.all(
    charts.map(async (chart) => {
      const spec = SPECS[chart];
      const first = arranged(spec, read.get(chart) ?? new Map<string, readonly Curve[]>());
      const { otherwise } = spec;
      const isOther = first.length === 0 && otherwise !== undefined;
      const used = isOther ? { ...spec, ...otherwise } : spec;
      const curves = isOther
        ? arranged(
            used,
            await readLot(run, context, {
              window,
              host,
              gpu,
              buckets,
              metrics: used.metrics,
              spec: used,
              runUp,
            }),
          )
        : first;
      return {
        chart,
        unit: spec.unit,
        metric: used.metrics[0],
        series: curves.filter(({ device }) => !spec.gpus || gpus.has(device)).slice(0, MAX_SERIES),
      };
    }),
  );
  return {
    from: isoOf(window.from),
    to: isoOf(window.to),
    bucketSeconds: buckets.seconds,
    times: [...buckets.times],
    charts: drawn,
  };
}

const arranged = (spec: Spec, read: ReadonlyMap<string, readonly Curve[]>): readonly Curve[] =>
  spec.arrange?.(read) ?? of(read, spec.metrics[0]);

interface Lot {
  readonly window: Window;
  readonly host: HostKey;
  readonly gpu: string | undefined;
  readonly buckets: Buckets;
  readonly metrics: readonly string[];
  readonly spec: Pick<Spec, 'mode' | 'byDevice'>;
  /** Seconds before the window in which the point before its first one lies. */
  readonly runUp: number;
}

/** Curves by metric. */
async function readLot(run: Runner, context: RequestContext, lot: Lot): Promise<Map<string, Curve[]>> {
  const { mode } = lot.spec;
  const window = mode === 'level' ? lot.window : withRunUp(lot.window, lot.runUp);
  const scope = points(context, lot.metrics, window, lot.host);
  const device =
    lot.gpu !== undefined
      ? ` AND Device = ${scope.params.bind(lot.gpu, 'String')}`
      : lot.spec.byDevice === true
        ? ''
        : ` AND ${NO_LOOPBACK}`;
  const bucket = bucketSql(lot.buckets);
  const of = lot.spec.byDevice ? 'toString(Device)' : `''`;
  const since = `TimeUnix >= ${scope.params.time(lot.window.from)}`;
  const grown = (figure: string, having: string) => `
    SELECT Agent, MetricName, ${of} AS Of, Part, B, sum(Each) AS V FROM (
      SELECT Agent, MetricName, Device, Part, Series, ${bucket} AS B, ${figure} AS Each
      FROM ${growth(scope, window.from, device)} WHERE ${since}
      GROUP BY Agent, MetricName, Device, Part, Series, B${having}
    ) GROUP BY Agent, MetricName, Of, Part, B`;
  const values = {
    level: `SELECT MetricName, ${of} AS Of, Part, ${bucket} AS B, avg(Value) AS V ${scope.from}${device} GROUP BY MetricName, Of, Part, B`,
    rate: grown('sumIf(Grown, Elapsed > 0) / sum(Elapsed)', ' HAVING sum(Elapsed) > 0'),
    increase: grown('sum(Grown)', ''),
  }[mode];
  const rows = await run.run<{
    MetricName: string;
    Of: string;
    Part: string;
    At: number[];
    Values: number[];
  }>(
    scope,
    `SELECT MetricName, Of, Part, groupArray(B) AS At, groupArray(V) AS Values FROM (
       SELECT MetricName, Of, Part, B, max(V) AS V FROM (${values}) GROUP BY MetricName, Of, Part, B
     ) GROUP BY MetricName, Of, Part ORDER BY MetricName, Of, Part LIMIT ${MAX_SERIES * 8}`,
  );
  const curves = new Map<string, Curve[]>();
  for (const row of rows) {
    const list = curves.get(row.MetricName) ?? [];
    curves.set(row.MetricName, list);
    const line: (number | null)[] = Array.from({ length: lot.buckets.count }, () => null);
    for (const [index, at] of row.At.entries())
      if (at >= 0 && at < line.length) line[at] = row.Values[index] ?? null;
    list.push({ device: row.Of, part: row.Part, values: line });
  }
  return curves;
}

/** One curve a GPU: the clock of what computes, which vendors call one or the other; not that of its memory. */
function clocksOfWork(clocks: readonly Curve[]): Curve[] {
  const chosen = new Map<string, Curve>();
  for (const domain of ['sm', 'graphics', ''])
    for (const curve of clocks)
      if (curve.part === domain && !chosen.has(curve.device)) chosen.set(curve.device, curve);
  return [...chosen.values()];
}

/** One curve a device: the sum of its parts. */
function summedByDevice(curves: readonly Curve[]): Curve[] {
  const devices = new Map<string, Curve>();
  for (const curve of curves) {
    const sum = devices.get(curve.device);
    devices.set(curve.device, {
      device: curve.device,
      part: '',
      values:
        sum === undefined
          ? curve.values
          : sum.values.map((value, index) => added(value, curve.values[index] ?? null)),
    });
  }
  return [...devices.values()];
}

const added = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : a + b;

/** Each part as a share of all parts of its device; what names no part has no share. */
function sharesOf(rates: readonly Curve[]): Curve[] {
  const parts = rates.filter(({ part }) => part !== '');
  const whole = new Map(summedByDevice(parts).map(({ device, values }) => [device, values]));
  return parts.map(({ device, part, values }) => ({
    device,
    part,
    values: values.map((value, index) => {
      const all = whole.get(device)?.[index] ?? null;
      return value === null || all === null || all === 0 ? null : value / all;
    }),
  }));
}

/** Share of used in used and free, by device. */
function shareUsed(usage: readonly Curve[]): Curve[] {
  const free = new Map(
    usage.filter(({ part }) => part === 'free').map((curve) => [curve.device, curve.values]),
  );
  return usage
    .filter(({ part }) => part === 'used')
    .map(({ device, values }) => ({
      device,
      part: '',
      values: values.map((used, index) => {
        const rest = free.get(device)?.[index] ?? null;
        return used === null || rest === null || used + rest === 0 ? null : used / (used + rest);
      }),
    }));
}
