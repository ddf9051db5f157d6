import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Fresh } from './fresh.ts';
import { type HostKey, keyOf } from './sources.ts';

/** Which points are the newest of a host: those that are current, or the last ones of a silent host. */
type Newest = Pick<Fresh, 'points'>;

export interface HostLevels {
  readonly Environment: string;
  readonly Host: string;
  readonly Cpu: number | null;
  readonly CpuCount: number | null;
  readonly MemoryUsed: number | null;
  readonly MemoryTotal: number | null;
  readonly Uptime: number | null;
  readonly LastPoint: string;
}

/** Modes of a CPU in which it does nothing. */
export const IDLE_MODES: readonly string[] = ['idle', 'iowait', 'wait'];
/** States of memory that lie within others: added to them they would be counted twice. */
export const STATES_WITHIN: readonly string[] = ['shared', 'slab_reclaimable', 'slab_unreclaimable'];
const among = (names: readonly string[]) => `(${names.map((name) => `'${name}'`).join(', ')})`;
const NOT_BUSY = among(IDLE_MODES);
const CPU = `MetricName = 'system.cpu.utilization'`;
const STATES = `MetricName = 'system.memory.usage'`;

/**
 * Newest CPU and memory figures of each host and since when it runs, `Cpu` of those that tell a utilisation. An agent gives the busy share of each CPU, or the share of each mode;
 * one that gives both each CPU and all of them together is not counted twice.
 */
export function readHostLevels(
  run: Runner,
  context: RequestContext,
  fresh: Newest,
  host?: HostKey,
): Promise<HostLevels[]> {
  const metrics = [
    'system.cpu.utilization',
    'system.cpu.logical.count',
    'system.memory.usage',
    'system.memory.limit',
    'system.memory.utilization',
    'system.uptime',
  ];
  const scope = fresh.points(context, metrics, host);
  return run.run<HostLevels>(
    scope,
    `SELECT Environment, Host, toString(max(At)) AS LastPoint,
       multiIf(
         countIf(${CPU} AND Device = '') > 0, sumIf(Now, ${CPU} AND Device = '' AND Part NOT IN ${NOT_BUSY}),
         countIf(${CPU}) > 0, sumIf(Now, ${CPU} AND Part NOT IN ${NOT_BUSY}) / uniqExactIf(Device, ${CPU}), NULL
       ) AS Cpu,
       ifNull(maxOrNullIf(Now, MetricName = 'system.cpu.logical.count'),
         nullIf(uniqExactIf(Device, ${CPU} AND Device != ''), 0)) AS CpuCount,
       ifNull(maxOrNullIf(Now, MetricName = 'system.memory.limit'), sumOrNullIf(Now, ${STATES} AND Part NOT IN ${among(STATES_WITHIN)})) AS MemoryTotal,
       ifNull(sumOrNullIf(Now, ${STATES} AND Part = 'used'),
         maxOrNullIf(Now, MetricName = 'system.memory.utilization' AND Part IN ('', 'used')) * MemoryTotal) AS MemoryUsed,
       maxOrNullIf(Now, MetricName = 'system.uptime') AS Uptime
     FROM (
       SELECT Environment, Host, MetricName, Device, Part, argMax(Value, TimeUnix) AS Now,
         max(toUnixTimestamp64Nano(TimeUnix)) AS At
       ${scope.from} GROUP BY Environment, Host, MetricName, Device, Part
     ) GROUP BY Environment, Host`,
  );
}

export interface Filesystem {
  readonly Environment: string;
  readonly Host: string;
  readonly Device: string;
  readonly Used: number | null;
  readonly Total: number | null;
  readonly Utilization: number | null;
}

/** Newest fill of each file system. Without a utilisation of its own it is used by used and free. */
export function readFilesystems(
  run: Runner,
  context: RequestContext,
  fresh: Newest,
  host?: HostKey,
): Promise<Filesystem[]> {
  const scope = fresh.points(
    context,
    ['system.filesystem.usage', 'system.filesystem.utilization', 'system.filesystem.limit'],
    host,
  );
  const usage = `MetricName = 'system.filesystem.usage'`;
  const each = `
     SELECT Environment, Host, Device, sumOrNullIf(Now, ${usage} AND Part = 'used') AS Used,
       ifNull(maxOrNullIf(Now, MetricName = 'system.filesystem.limit'), sumOrNullIf(Now, ${usage})) AS Total,
       ifNull(maxOrNullIf(Now, MetricName = 'system.filesystem.utilization' AND Part IN ('', 'used')),
         Used / nullIf(Used + sumIf(Now, ${usage} AND Part = 'free'), 0)) AS Utilization
     FROM (
       SELECT Environment, Host, MetricName, Device, Part, argMax(Value, TimeUnix) AS Now
       ${scope.from} GROUP BY Environment, Host, MetricName, Device, Part
     ) GROUP BY Environment, Host, Device`;
  return run.run<Filesystem>(
    scope,
    host === undefined
      ? `SELECT Environment, Host, argMax(Device, Full) AS Device, NULL AS Used, NULL AS Total, max(Full) AS Utilization
         FROM (SELECT Environment, Host, Device, ifNull(Utilization, -1) AS Full FROM (${each}))
         WHERE Full >= 0 GROUP BY Environment, Host`
      : `${each} ORDER BY Utilization DESC, Device LIMIT 500`,
  );
}

export interface GpuLevels {
  readonly Environment: string;
  readonly Host: string;
  readonly Device: string;
  readonly LastPoint: string;
  readonly Utilization: number | null;
  readonly MemoryUsed: number | null;
  readonly MemoryLimit: number | null;
  readonly MemoryFree: number | null;
  readonly MemoryShare: number | null;
  readonly Power: number | null;
  readonly PowerLimit: number | null;
  readonly Temperature: number | null;
  readonly MemoryTemperature: number | null;
  readonly Status: string | null;
  readonly Allocated: number | null;
  readonly Idle: number | null;
}

const GPU_METRICS = [
  'hw.gpu.utilization',
  'hw.gpu.memory.usage',
  'hw.gpu.memory.limit',
  'hw.gpu.memory.free',
  'hw.gpu.memory.utilization',
  'hw.power',
  'hw.power.limit',
  'hw.temperature',
  'hw.status',
  'hw.gpu.allocated',
  'hw.gpu.idle',
];

/** Newest figures of every piece of hardware; which of them are GPUs the facts say. */
export function readGpuLevels(
  run: Runner,
  context: RequestContext,
  fresh: Newest,
  host?: HostKey,
): Promise<GpuLevels[]> {
  const scope = fresh.points(context, GPU_METRICS, host);
  const newest = (metric: string, more = '') =>
    `argMaxOrNullIf(Value, TimeUnix, MetricName = '${metric}'${more})`;
  return run.run<GpuLevels>(
    scope,
    `SELECT Environment, Host, Device, toString(max(toUnixTimestamp64Nano(TimeUnix))) AS LastPoint,
       ${newest('hw.gpu.utilization', ` AND Part IN ('general', '')`)} AS Utilization,
       ${newest('hw.gpu.memory.usage')} AS MemoryUsed, ${newest('hw.gpu.memory.limit')} AS MemoryLimit,
       ${newest('hw.gpu.memory.free')} AS MemoryFree, ${newest('hw.gpu.memory.utilization')} AS MemoryShare,
       ${newest('hw.power')} AS Power, ${newest('hw.power.limit')} AS PowerLimit,
       ${newest('hw.temperature', ` AND Part != 'memory'`)} AS Temperature,
       ${newest('hw.temperature', ` AND Part = 'memory'`)} AS MemoryTemperature,
       argMaxOrNullIf(toString(Part), TimeUnix, MetricName = 'hw.status' AND Value >= 1) AS Status,
       ${newest('hw.gpu.allocated')} AS Allocated, ${newest('hw.gpu.idle')} AS Idle
     ${scope.from} AND Device != '' GROUP BY Environment, Host, Device`,
  );
}

export interface GpuProcess {
  readonly Environment: string;
  readonly Host: string;
  readonly Device: string;
  readonly Processes: string;
  readonly Agent: string;
  readonly Pid: string;
  readonly Memory: number;
}

/** What an agent tells of a GPU whenever it reads it, with whoever is on it. */
const READINGS: readonly string[] = ['hw.gpu.memory.limit', 'hw.gpu.utilization', 'hw.gpu.allocated'];
/** Points of one reading bear the same time; those of agents that read piece by piece are this near to each other. */
const ONE_READING = 5_000_000_000n;

/** Whether a process that a GPU had at `last` is gone: the same agent has read the GPU without it since. */
export const leftBefore = (last: bigint, reading: bigint | undefined): boolean =>
  reading !== undefined && last + ONE_READING < reading;

/** When each agent of a host has read each GPU last, in nanoseconds; by agent and device. */
export async function lastReadings(
  run: Runner,
  context: RequestContext,
  fresh: Fresh,
  host: HostKey,
): Promise<ReadonlyMap<string, bigint>> {
  const scope = fresh.points(context, READINGS, host);
  const rows = await run.run<{ Agent: string; Device: string; Last: string }>(
    scope,
    `SELECT Agent, Device, toString(max(toUnixTimestamp64Nano(TimeUnix))) AS Last
     ${scope.from} AND Device != '' GROUP BY Agent, Device`,
  );
  return new Map(rows.map(({ Agent, Device, Last }) => [keyOf(Agent, Device), BigInt(Last)]));
}

/** How many processes have memory on each GPU, and which has most. */
export function readTopProcesses(
  run: Runner,
  context: RequestContext,
  fresh: Fresh,
  host?: HostKey,
): Promise<GpuProcess[]> {
  const scope = fresh.points(context, ['process.gpu.memory.usage', ...READINGS], host);
  return run.run<GpuProcess>(
    scope,
    `SELECT Environment, Host, Device, toString(uniqExact(Part)) AS Processes, argMax(Agent, Now) AS Agent,
       argMax(Part, Now) AS Pid, max(Now) AS Memory
     FROM (
       SELECT Environment, Host, Device, Agent, MetricName = 'process.gpu.memory.usage' AS IsProcess, Part,
         argMax(Value, TimeUnix) AS Now, max(toUnixTimestamp64Nano(TimeUnix)) AS At,
         max(At) OVER (PARTITION BY Environment, Host, Device, Agent) AS Reading
       ${scope.from} AND Device != '' GROUP BY Environment, Host, Device, Agent, IsProcess, Part
     ) WHERE IsProcess AND At + ${ONE_READING} >= Reading GROUP BY Environment, Host, Device`,
  );
}
