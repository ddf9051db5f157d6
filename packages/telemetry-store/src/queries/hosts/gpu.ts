import { type GpuDetail, HOST_LIMITS } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { lastReadings, leftBefore } from './current.ts';
import { summaryOf } from './host.ts';
import { byProcess, ownerOf } from './processes.ts';
import { isoOf, keyOf, points } from './sources.ts';
import type { OneHost } from './one-host.ts';
import { readFigures } from './summary.ts';

interface LevelRow {
  readonly MetricName: string;
  readonly Part: string;
  readonly Now: number;
}

interface ProcessRow {
  readonly Agent: string;
  readonly Pid: string;
  readonly First: string;
  readonly Last: string;
  readonly Memory: number;
  readonly Most: number;
  readonly Utilization: number | null;
}

/** What a GPU's page tells beside the summary of its host. */
export const OF_GPU: Pick<OneHost, 'rates' | 'increases'> = {
  rates: ['hw.gpu.io', 'hw.gpu.interconnect.io'],
  increases: ['hw.energy'],
};

/** One GPU of a host. @throws not_found */
export async function readGpu(
  run: Runner,
  context: RequestContext,
  input: {
    readonly window: Window;
    readonly one: OneHost;
    readonly gpu: string;
  },
): Promise<Omit<GpuDetail, 'from' | 'to'>> {
  const { window, one } = input;
  const host = one.key;
  const [figures, levels, processes] = await Promise.all([
    readFigures(run, context, window, one),
    readLevels(run, context, one, input.gpu),
    readGpuProcesses(run, context, { window, one, gpu: input.gpu }),
  ]);
  const { gpus, ...summary } = await summaryOf(run, context, window, figures, host);
  const { fresh } = figures;
  const gpu = gpus.find(({ id }) => id === input.gpu);
  if (gpu === undefined) throw fail('not_found', { what: 'This GPU' });
  const rates = figures.rates.filter(
    ({ MetricName, Device, Whole }) => !Whole && Device === gpu.id && OF_GPU.rates.includes(MetricName),
  );
  const energy = figures.increases.find(
    ({ MetricName, Device }) => MetricName === 'hw.energy' && Device === gpu.id,
  );
  const level = (metric: string) => levels.find((row) => row.MetricName === metric)?.Now ?? null;
  const links = new Map<
    string,
    { type: string; receiveBytesPerSecond: number | null; transmitBytesPerSecond: number | null }
  >();
  for (const { MetricName, Part, PerSecond } of rates) {
    const [first = '', second] = Part.split('/');
    const type = MetricName === 'hw.gpu.io' ? 'pcie' : second === undefined ? 'other' : first;
    const link = links.get(type) ?? { type, receiveBytesPerSecond: null, transmitBytesPerSecond: null };
    links.set(type, link);
    if ((second ?? first) === 'receive') link.receiveBytesPerSecond = PerSecond;
    else link.transmitBytesPerSecond = PerSecond;
  }
  return {
    freshSeconds: fresh.secondsOf(host),
    host: summary,
    gpu,
    parent: gpus.find(({ id }) => id === gpu.parentId) ?? null,
    children: gpus.filter(({ parentId }) => parentId === gpu.id),
    siblings: gpus
      .filter(({ parentId }) => parentId === gpu.parentId)
      .map(({ id, name, index, partition }) => ({ id, name, index, partition })),
    utilizationByTask: levels
      .filter((row) => row.MetricName === 'hw.gpu.utilization')
      .map((row) => ({ task: row.Part || 'general', utilization: row.Now })),
    memoryControllerUtilization: level('hw.gpu.memory.controller.utilization'),
    fanSpeedRatio: level('hw.fan.speed_ratio'),
    fanSpeedRpm: level('hw.fan.speed'),
    energyJoules: energy?.Increase ?? null,
    clocks: levels
      .filter((row) => row.MetricName === 'hw.gpu.speed')
      .map((row) => ({ domain: row.Part || 'graphics', hertz: row.Now })),
    links: [...links.values()],
    processes,
  };
}

async function readLevels(
  run: Runner,
  context: RequestContext,
  one: OneHost,
  gpu: string,
): Promise<LevelRow[]> {
  const metrics = [
    'hw.gpu.utilization',
    'hw.gpu.memory.controller.utilization',
    'hw.gpu.speed',
    'hw.fan.speed',
    'hw.fan.speed_ratio',
  ];
  const scope = (await one.fresh).points(context, metrics, one.key);
  return run.run<LevelRow>(
    scope,
    `SELECT MetricName, Part, argMax(Value, TimeUnix) AS Now ${scope.from}
       AND Device = ${scope.params.bind(gpu, 'String')} GROUP BY MetricName, Part ORDER BY MetricName, Part LIMIT 200`,
  );
}

/** Processes that had memory on the GPU within the window: since when, how much at most, who they were. */
async function readGpuProcesses(
  run: Runner,
  context: RequestContext,
  input: { readonly window: Window; readonly one: OneHost; readonly gpu: string },
): Promise<GpuDetail['processes']> {
  const { window, one, gpu } = input;
  const host = one.key;
  const scope = points(context, ['process.gpu.memory.usage', 'process.gpu.utilization'], window, host);
  const memory = `MetricName = 'process.gpu.memory.usage'`;
  const [rows, facts, fresh, readings] = await Promise.all([
    run.run<ProcessRow>(
      scope,
      `SELECT any(Agent) AS Agent, toString(Part) AS Pid, toString(min(toUnixTimestamp64Nano(TimeUnix))) AS First,
         toString(max(toUnixTimestamp64Nano(TimeUnix))) AS Last, argMaxIf(Value, TimeUnix, ${memory}) AS Memory,
         maxIf(Value, ${memory}) AS Most,
         argMaxOrNullIf(Value, TimeUnix, MetricName = 'process.gpu.utilization') AS Utilization
       ${scope.from} AND Device = ${scope.params.bind(gpu, 'String')}
       GROUP BY Pid ORDER BY max(TimeUnix) DESC, Most DESC, Pid LIMIT ${HOST_LIMITS.processes}`,
    ),
    one.processes,
    one.fresh,
    one.fresh.then((known) => lastReadings(run, context, known, host)),
  ]);
  const known = byProcess(facts);
  const freshFrom = fresh.fromOf(host);
  return rows.map((row) => {
    const last = BigInt(row.Last);
    const running = last >= freshFrom && !leftBefore(last, readings.get(keyOf(row.Agent, gpu)));
    return {
      ...ownerOf(row.Pid, known.get(keyOf(host.environment, host.host, row.Agent, row.Pid))),
      firstSeen: isoOf(BigInt(row.First)),
      lastSeen: isoOf(BigInt(row.Last)),
      running,
      memoryBytes: running ? row.Memory : null,
      maxMemoryBytes: row.Most,
      utilization: running ? row.Utilization : null,
    };
  });
}
