import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { GpuChart, HostCurves } from '@candela/contract';
import { decodeMetrics, encodeMetricsRequest, type Int64, type Metric } from '@candela/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextOf, id, LIMITS, openQueryBench, type QueryBench } from '../core/testing.ts';
import { createHostQueries, type HostQueries } from './index.ts';

/**
 * What the collector sent of an H100 80GB HBM3 with driver 580.159.04, every five seconds for nearly three minutes: a model
 * server and a training share it, the server's memory grows, a third program copies over PCIe, up, then down, then both
 * ways. Beside it what `nvidia-smi` said, each second. The UUID is made up.
 */
const read = (file: string): Buffer => readFileSync(new URL(`recorded/${file}`, import.meta.url));
const MIB = 1_048_576;
const NAME = 'NVIDIA H100 80GB HBM3';
const GPU = 'GPU-11111111-2222-4333-8444-555555555555';
const SERVER = { pid: '1514', name: 'vllm.entrypoints.openai.api_server', mib: 64_040 };
const TRAINING = { pid: '1833', name: 'finetune.py', mib: 10_052 };
const LOADER = { pid: '2367', name: 'loader.py', mib: 2_636 };
/** What the loader says that it copied: since when, in seconds, and bytes a second. */
const COPIES = [
  { from: 1_795_688_703.593, to: 1_795_688_717.599, receive: 53.13e9, transmit: 0 },
  { from: 1_795_688_717.599, to: 1_795_688_731.612, receive: 0, transmit: 53.03e9 },
] as const;

/** A second of `nvidia-smi`, by the names of its columns. */
type Second = Readonly<Record<string, number>>;
const [head = '', ...lines] = read('h100-580.csv').toString().trimEnd().split('\n');
const columns = head.split(',');
const seconds: readonly Second[] = lines.map((line) =>
  Object.fromEntries(line.split(',').map((cell, index) => [columns[index] ?? '', Number(cell)])),
);

interface Point {
  readonly timeUnixNano?: Int64;
  readonly startTimeUnixNano?: Int64;
}
const body = decodeMetrics(gunzipSync(read('h100-580.otlp.gz')), 'protobuf');
const metrics = (body.resourceMetrics ?? []).flatMap(({ scopeMetrics = [] }) =>
  scopeMetrics.flatMap((scope) => scope.metrics ?? []),
);
const pointsOf = ({ gauge, sum }: Metric): readonly Point[] => gauge?.dataPoints ?? sum?.dataPoints ?? [];
const last = metrics
  .flatMap(pointsOf)
  .reduce((most, { timeUnixNano = 0 }) => (BigInt(timeUnixNano) > most ? BigInt(timeUnixNano) : most), 0n);
/** Milliseconds from then to now, whole buckets: rows of long ago are not kept. */
const LATER = Math.floor((Date.now() - Number(last / 1_000_000n)) / 5_000) * 5_000;

const moved = <P extends Point>(points: readonly P[] | undefined): P[] =>
  (points ?? []).map((point) => {
    const later = (at: Int64 | undefined) => (at ? BigInt(at) + BigInt(LATER) * 1_000_000n : 0n);
    return {
      ...point,
      timeUnixNano: later(point.timeUnixNano),
      startTimeUnixNano: later(point.startTimeUnixNano),
    };
  });
const request = encodeMetricsRequest({
  resourceMetrics: (body.resourceMetrics ?? []).map((resource) => ({
    ...resource,
    scopeMetrics: (resource.scopeMetrics ?? []).map((scope) => ({
      ...scope,
      metrics: (scope.metrics ?? []).map((metric) => ({
        ...metric,
        ...(metric.gauge ? { gauge: { ...metric.gauge, dataPoints: moved(metric.gauge.dataPoints) } } : {}),
        ...(metric.sum ? { sum: { ...metric.sum, dataPoints: moved(metric.sum.dataPoints) } } : {}),
      })),
    })),
  })),
});

const END = Number(last / 1_000_000n) + LATER + 1;
const WINDOW = { from: BigInt(END - 165_000) * 1_000_000n, to: BigInt(END) * 1_000_000n };
const context = contextOf();
const asked = { window: WINDOW, host: 'vm', gpu: GPU };

let bench: QueryBench;
let hosts: HostQueries;
beforeAll(async () => {
  bench = await openQueryBench();
  hosts = createHostQueries(bench.store, LIMITS);
  await bench.receive('metrics', request);
  // As vLLM tells its requests; it has no environment, unlike the agent.
  await bench.put(
    Array.from({ length: 40 }, (_, index) => ({
      traceId: id(index + 1, 32),
      spanId: id(index + 1, 16),
      name: 'llm_request',
      kind: 2,
      startTimeUnixNano: BigInt(END - 60_000 + index * 500) * 1_000_000n,
      endTimeUnixNano: BigInt(END - 60_000 + index * 500 + 140) * 1_000_000n,
      attributes: {
        'gen_ai.response.model': 'meta-llama/Llama-3.1-8B-Instruct',
        'gen_ai.usage.prompt_tokens': 1_000,
        'gen_ai.usage.completion_tokens': 200,
      },
      ...(index % 20 === 0 ? { status: { code: 2 } } : {}),
    })),
    { service: 'vllm', resource: { 'host.name': 'vm', 'process.pid': SERVER.pid } },
  );
}, 60_000);
afterAll(() => bench.close());

/** Values of a curve with the seconds, of the time of the recording, that each bucket is of. */
function curveOf(curves: HostCurves, chart: string, part: string) {
  const series = curves.charts.find((one) => one.chart === chart)?.series.find((one) => one.part === part);
  return (series?.values ?? []).flatMap((value, index) => {
    const from = ((curves.times[index] ?? 0) - LATER) / 1_000;
    return value === null ? [] : [{ value, from, to: from + curves.bucketSeconds }];
  });
}

/** While server and training are both at work. Later on, requests come in bursts: a look at one moment says nothing of the next. */
const SHARED = { from: 1_795_688_580, to: 1_795_688_625 };

/** Curves, what of `nvidia-smi` they are of, and how much they may be off. */
const LEVELS: readonly {
  readonly chart: GpuChart;
  readonly part?: string;
  readonly scale: number;
  readonly off: number;
  readonly smi: readonly string[];
  readonly always?: true;
}[] = [
  { chart: 'gpu_utilization', part: 'general', scale: 100, off: 1, smi: ['utilization.gpu'] },
  { chart: 'gpu_power', scale: 1, off: 60, smi: ['power.draw.instant'] },
  { chart: 'gpu_temperature', part: 'die', scale: 1, off: 1, smi: ['temperature.gpu'] },
  { chart: 'gpu_temperature', part: 'memory', scale: 1, off: 1, smi: ['temperature.memory'] },
  { chart: 'gpu_clocks', part: 'graphics', scale: 1e-6, off: 75, smi: ['clocks.gr'] },
  { chart: 'gpu_clocks', part: 'sm', scale: 1e-6, off: 75, smi: ['clocks.sm'] },
  { chart: 'gpu_clocks', part: 'memory', scale: 1e-6, off: 0, smi: ['clocks.mem'], always: true },
  { chart: 'gpu_memory', scale: 1 / MIB, off: 1, smi: ['memory.used', 'memory.reserved'], always: true },
];

describe('an H100 that works, measured by the collector', () => {
  it.each(LEVELS)('$chart $part is what nvidia-smi said', async ({ chart, part = '', ...level }) => {
    const curves = await hosts.gpuCurves(context, { ...asked, charts: [chart] });
    expect(curves.bucketSeconds).toBe(5);
    const compared = curveOf(curves, chart, part).filter(
      ({ from, to }) => level.always === true || (from >= SHARED.from && to <= SHARED.to),
    );
    expect(compared).toHaveLength(level.always === true ? 32 : 9);
    for (const { value, from, to } of compared) {
      // From a little before to a little after.
      const told = seconds
        .filter(({ time = 0 }) => time >= from - 1.5 && time <= to + 1.5)
        .map((second) => level.smi.reduce((sum, name) => sum + (second[name] ?? Number.NaN), 0));
      expect(value * level.scale).toBeGreaterThanOrEqual(Math.min(...told) - level.off);
      expect(value * level.scale).toBeLessThanOrEqual(Math.max(...told) + level.off);
    }
  });

  it('bytes over PCIe are what was copied, and what the bus adds to it', async () => {
    const curves = await hosts.gpuCurves(context, { ...asked, charts: ['gpu_pcie'] });
    for (const { from, to, ...copied } of COPIES)
      for (const part of ['receive', 'transmit'] as const) {
        // A rate is of the time since the report before.
        const whole = curveOf(curves, 'gpu_pcie', part).filter((one) => one.from - 5 >= from && one.to <= to);
        expect(whole.length).toBeGreaterThan(0);
        for (const { value } of whole) {
          expect(value).toBeGreaterThanOrEqual(copied[part]);
          // Requests go the other way.
          expect(value).toBeLessThan(copied[part] === 0 ? 4e9 : copied[part] * 1.12);
        }
      }
  });

  it('its tile, and who is and was on it', async () => {
    const fleet = await hosts.hosts(context, { window: WINDOW });
    expect(fleet.hosts).toMatchObject([{ name: 'vm', environment: 'gpu-lab', cpuCount: 16, stale: false }]);
    const [host] = fleet.hosts;
    expect(host?.gpus).toMatchObject([
      {
        id: GPU,
        name: NAME,
        index: 0,
        pciAddress: '0000:00:06.0',
        memoryLimitBytes: 81_559 * MIB,
        powerLimitWatts: 700,
        status: 'ok',
        allocated: true,
        idle: false,
        errors: [],
        processes: 2,
        topProcess: { pid: SERVER.pid, name: SERVER.name, memoryBytes: SERVER.mib * MIB },
      },
    ]);
    const { processes } = await hosts.gpu(context, asked);
    const most = (one: typeof SERVER) => ({ pid: one.pid, name: one.name, maxMemoryBytes: one.mib * MIB });
    expect(processes).toMatchObject([
      { ...most(SERVER), running: true, owner: 'root', container: null },
      { ...most(LOADER), running: true, owner: 'root', container: null },
      { ...most(TRAINING), running: false, owner: 'nobody', container: 'a1b2c3d4a1b2', memoryBytes: null },
    ]);
    const all = await hosts.host(context, asked);
    expect(all.processes.map(({ name, running }) => [name, running])).toEqual([
      [SERVER.name, true],
      [LOADER.name, true],
      ['opentelemetry-gpu-collector', true],
      [TRAINING.name, false],
    ]);
  });

  it('energy is the power over the time', async () => {
    const [from, to] = [SHARED.from, SHARED.from + 40];
    const nanos = (second: number) => BigInt(second * 1_000 + LATER) * 1_000_000n;
    const { energyJoules } = await hosts.gpu(context, {
      ...asked,
      window: { from: nanos(from), to: nanos(to) },
    });
    const told = seconds.filter(({ time = 0 }) => time >= from && time < to);
    const watts = told.reduce((sum, second) => sum + (second['power.draw.instant'] ?? 0), 0) / told.length;
    expect(energyJoules).toBeGreaterThan(0.93 * watts * (to - from));
    expect(energyJoules).toBeLessThan(1.07 * watts * (to - from));
  });

  it('the calls that the server answered, though it names no environment', async () => {
    const calls = await hosts.calls(context, asked);
    expect(calls.byModel).toMatchObject([
      {
        service: 'vllm',
        model: 'meta-llama/Llama-3.1-8B-Instruct',
        calls: 40,
        errors: 2,
        outputTokens: 8_000,
      },
    ]);
    expect(calls.total.p50Ms).toBeGreaterThan(138);
    expect(calls.total.p50Ms).toBeLessThan(142);
  });
});
