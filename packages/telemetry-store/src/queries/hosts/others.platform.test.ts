import type { Metric } from '@candela/otlp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contextOf, id, LIMITS, openQueryBench, type QueryBench, recordStatements } from '../core/testing.ts';
import { createHostQueries, type HostQueries } from './index.ts';

const NOW = Math.floor(Date.now() / 60_000) * 60_000;
const nanos = (ms: number): bigint => BigInt(ms) * 1_000_000n;
const WINDOW = { from: nanos(NOW - 3_600_000), to: nanos(NOW) };
const GPU = { 'hw.id': 'GPU-0', 'hw.name': 'H100', 'gpu.index': 0 };

/** A point every so many minutes of the last half hour. */
const pointsOf = (attributes: Readonly<Record<string, string | number>>, value: number, every = 1) =>
  Array.from({ length: 30 }, (_, minute) => minute)
    .filter((minute) => minute % every === 0)
    .map((minute) => ({
      timeUnixNano: nanos(NOW - (30 - minute) * 60_000),
      asDouble: value * (minute + 1),
      attributes,
    }));
const gauge = (name: string, ...dataPoints: ReturnType<typeof pointsOf>[]): Metric => ({
  name,
  unit: '1',
  gauge: { dataPoints: dataPoints.flat() },
});
const counter = (name: string, dataPoints: ReturnType<typeof pointsOf>): Metric => ({
  name,
  unit: '1',
  sum: { isMonotonic: true, aggregationTemporality: 2, dataPoints },
});

let bench: QueryBench;
let hosts: HostQueries;
let statements: string[];
const context = contextOf();

beforeAll(async () => {
  bench = await openQueryBench();
  const recorded = recordStatements(bench.store);
  statements = recorded.statements;
  hosts = createHostQueries(recorded.store, LIMITS);
  const put = (host: string, metrics: readonly Metric[], environment = 'production') =>
    bench.putMetrics(metrics, {
      service: 'agent',
      environment,
      resource: { 'host.name': host, 'host.id': `id of ${host}`, 'os.type': 'linux' },
    });
  await put('cpu-only', [
    gauge('system.cpu.utilization', pointsOf({ 'cpu.logical_number': 0 }, 0.01)),
    counter('system.disk.io', pointsOf({ 'system.device': 'sda', 'disk.io.direction': 'read' }, 600)),
  ]);
  await put('gpu-only', [
    gauge('hw.gpu.utilization', pointsOf(GPU, 0.01)),
    counter('hw.errors', pointsOf({ ...GPU, 'error.type': 'xid' }, 1)),
  ]);
  await put('process-only', [gauge('process.memory.usage', pointsOf({ 'process.pid': 7 }, 5))]);
  await put('slow', [gauge('system.cpu.utilization', pointsOf({ state: 'user' }, 0.01, 5))]);
  await put('usual', [
    gauge('system.memory.usage', pointsOf({ 'system.memory.state': 'used' }, 1)),
    gauge('system.cpu.utilization', pointsOf({}, 0.01)),
  ]);
  // Of one name in two environments; one of them sends nothing of the usual.
  await put('usual', [gauge('system.cpu.utilization', pointsOf({}, 0.02))], 'staging');
  // What programs say of their own runtime makes no host of the container that they run in.
  await put('no-host', [
    gauge('process.runtime.heap', pointsOf({}, 1)),
    gauge('http.server.duration', pointsOf({}, 1)),
  ]);
});
afterAll(() => bench.close());

it('every machine that sends metrics of hosts, hardware or processes is in the fleet', async () => {
  const fleet = await hosts.hosts(context, { window: WINDOW });
  const shown = fleet.hosts
    .map((host) => [host.environment, host.name, host.id, host.os, host.stale, host.agents.join()])
    .sort((a, b) => (String(a) < String(b) ? -1 : 1));
  expect(shown).toEqual([
    ['production', 'cpu-only', 'id of cpu-only', 'linux', false, 'agent'],
    ['production', 'gpu-only', 'id of gpu-only', 'linux', false, 'agent'],
    ['production', 'process-only', 'id of process-only', 'linux', false, 'agent'],
    ['production', 'slow', 'id of slow', 'linux', false, 'agent'],
    ['production', 'usual', 'id of usual', 'linux', false, 'agent'],
    ['staging', 'usual', 'id of usual', 'linux', false, 'agent'],
  ]);
  const of = (name: string) => fleet.hosts.find((host) => host.name === name);
  expect(of('cpu-only')).toMatchObject({
    freshSeconds: 180,
    cpuUtilization: 0.3,
    diskReadBytesPerSecond: 10,
  });
  expect(of('gpu-only')?.gpus).toMatchObject([{ id: 'GPU-0', errors: [{ type: 'xid', count: 29 }] }]);
  // It reports every five minutes, which nothing but its CPU tells.
  expect(of('slow')).toMatchObject({ freshSeconds: 900, cpuUtilization: 0.26 });
});

it('has a page, as those of the usual agents', async () => {
  const cpu = await hosts.host(context, { window: WINDOW, host: 'cpu-only' });
  expect(cpu.disks).toMatchObject([{ device: 'sda', readBytesPerSecond: 10 }]);
  const { processes } = await hosts.host(context, { window: WINDOW, host: 'process-only' });
  expect(processes.map(({ pid, memoryBytes }) => [pid, memoryBytes])).toEqual([['7', 150]]);
  const slow = await hosts.host(context, { window: WINDOW, host: 'slow' });
  expect(slow).toMatchObject({ freshSeconds: 900, host: { stale: false, cpuUtilization: 0.26 } });
  const { bucketSeconds } = await hosts.hostCurves(context, {
    window: WINDOW,
    host: 'slow',
    charts: ['cpu'],
  });
  expect(bucketSeconds).toBe(300);
  const gpu = await hosts.gpu(context, { window: WINDOW, host: 'gpu-only', gpu: 'GPU-0' });
  expect(gpu.gpu.utilization).toBe(0.3);
  const staging = await hosts.host(contextOf('default', 'staging'), { window: WINDOW, host: 'usual' });
  expect(staging.host).toMatchObject({ environment: 'staging', cpuUtilization: 0.6 });
  await expect(hosts.host(context, { window: WINDOW, host: 'no-host' })).rejects.toMatchObject({
    code: 'not_found',
  });
});

it('reads no attributes to find them', async () => {
  statements.length = 0;
  await hosts.hosts(context, { window: WINDOW });
  expect(statements.find((text) => text.startsWith('SELECT Host, groupUniqArray(Environment)'))).toBe(
    "SELECT Host, groupUniqArray(Environment) AS Environments FROM metric_series WHERE ProjectId = {p0:String} AND ((startsWith(MetricName, 'system.') OR startsWith(MetricName, 'hw.') OR (startsWith(MetricName, 'process.') AND NOT startsWith(MetricName, 'process.runtime.')))) AND (ReceivedDay >= toDate(fromUnixTimestamp64Nano({p1:Int64}))) AND (FirstNs < {p2:Int64} AND LastNs >= {p3:Int64}) GROUP BY Host LIMIT 32000",
  );
});

it('model calls that still run are counted, and have no duration yet', async () => {
  const start = nanos(NOW - 600_000);
  const call = (own: number, host: string, seconds: number | undefined) => ({
    host,
    span: {
      traceId: id(own, 32),
      spanId: id(own, 16),
      name: 'chat',
      kind: 3,
      startTimeUnixNano: start,
      endTimeUnixNano: seconds === undefined ? 0n : start + BigInt(seconds) * 1_000_000_000n,
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' },
    },
  });
  const calls = [1, 2, 3, 4].flatMap((own) => [
    call(own, 'cpu-only', own <= 2 ? 2 : undefined),
    call(own + 10, 'gpu-only', undefined),
  ]);
  for (const host of ['cpu-only', 'gpu-only']) {
    const spans = calls.filter((one) => one.host === host).map(({ span }) => span);
    await bench.put(spans, { environment: 'production', resource: { 'host.name': host } });
  }
  const half = await hosts.calls(context, { window: WINDOW, host: 'cpu-only' });
  expect(half.total.calls).toBe(4);
  for (const ms of [half.total.p50Ms, half.total.p95Ms, half.byModel[0]?.p50Ms]) {
    expect(ms).toBeGreaterThan(1_980);
    expect(ms).toBeLessThan(2_020);
  }
  const none = await hosts.calls(context, { window: WINDOW, host: 'gpu-only' });
  expect(none.total).toMatchObject({ calls: 4, p50Ms: null, p95Ms: null });
  expect(none.p50Ms.every((ms) => ms === null)).toBe(true);
  expect(none.callsPerSecond.filter((value) => value !== null)).toEqual([4 / 60]);
});
