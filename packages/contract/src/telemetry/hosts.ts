import { z } from 'zod';
import { defineRoute, reads } from '../route.ts';
import { entityKeySchema } from './activity.ts';
import { count, isoTime, timeSchema } from './common.ts';

const text = z.string().nullable();
const number = z.number().nullable();

const windowQuery = {
  from: timeSchema.default('-1h'),
  to: timeSchema.default('now'),
};
const hostParams = {
  host: entityKeySchema,
};
const errors = ['bad_query', 'not_found', 'query_too_expensive', 'store_unavailable'] as const;

/** Null means that nobody reports it; never zero. */
const hostIdentityShape = {
  /** `host.name`; of a sender without one its `host.id`. */
  name: z.string(),
  environment: z.string(),
  id: text,
  /** Instance type: `p5.48xlarge`. */
  type: text,
  arch: text,
  os: text,
  cloudProvider: text,
  cloudPlatform: text,
  cloudRegion: text,
  cloudZone: text,
  cloudAccount: text,
  cluster: text,
  node: text,
  /** What measures it: names of the agents. */
  agents: z.array(z.string()),
  machines: z.array(z.string()).meta({
    description:
      'Empty, unless several machines report under this name: then their `host.id`, the newest 32 of each agent. Its figures are of all of them.',
  }),
  /** Null: it does not report at the end of the window, but did again later. */
  lastSeen: isoTime.nullable(),
  freshSeconds: count.meta({
    description:
      'Its figures are current for so long: three times the usual distance of its reports, 180 to 1200 seconds.',
  }),
  /** True when nothing came within `freshSeconds` before the end of the window. */
  stale: z.boolean(),
  away: z
    .array(z.object({ from: isoTime, to: isoTime }))
    .nullable()
    .meta({
      description:
        'When it was silent within the window for longer than `freshSeconds` and came back: the five longest times, oldest first. ' +
        'Null where that is not worked out: of windows of more than a day, and of hosts that report neither CPUs, memory nor GPUs.',
    }),
};

const ownerShape = {
  pid: z.string(),
  /** What to call it: program or first word of the command line. */
  name: z.string(),
  commandLine: text,
  /** User of the operating system that runs it. */
  owner: text,
  pod: text,
  namespace: text,
  /** Name of its container, else the beginning of its id. */
  container: text,
  /** What people would say is running: `Deployment vllm`, `RayCluster rollouts`. */
  workload: text,
};

const errorCount = z.object({ type: z.string(), count });

const gpuGaugesShape = {
  /** Share of time, 0 to 1. */
  utilization: number,
  memoryUsedBytes: number,
  memoryLimitBytes: number,
  powerWatts: number,
  powerLimitWatts: number,
  temperatureCelsius: number,
  memoryTemperatureCelsius: number,
};

const gpuShape = {
  /** `hw.id`. */
  id: z.string(),
  name: z.string(),
  vendor: text,
  index: number,
  pciAddress: text,
  driver: text,
  /** `hw.id` of the GPU it is a partition of. */
  parentId: text,
  /** Profile or name of the partition: `3g.40gb`. */
  partition: text,
  lastSeen: isoTime.nullable(),
  stale: z.boolean(),
  ...gpuGaugesShape,
  last: z
    .object({ asOf: isoTime, ...gpuGaugesShape })
    .nullable()
    .meta({ description: 'Of one that fell silent: what it showed last, and when. Null of others.' }),
  /** State of `hw.status` that holds: `ok`, `degraded`, `failed`. */
  status: text,
  allocated: z.boolean().nullable(),
  idle: z.boolean().nullable(),
  /** Errors within the window by type, those that occurred only. */
  errors: z.array(errorCount),
  processes: count,
  topProcess: z.object({ ...ownerShape, memoryBytes: z.number() }).nullable(),
};
export const gpuSchema = z.object(gpuShape);
export type Gpu = z.output<typeof gpuSchema>;

/** The fullest file system. */
const fullest = z.object({ mountpoint: z.string(), utilization: z.number() }).nullable();

const hostFiguresShape = {
  uptimeSeconds: number.meta({ description: 'Since the system was started.' }),
  cpuUtilization: number,
  cpuCount: number,
  memoryUsedBytes: number,
  memoryTotalBytes: number,
  filesystem: fullest,
  diskReadBytesPerSecond: number,
  diskWriteBytesPerSecond: number,
  networkReceiveBytesPerSecond: number,
  networkTransmitBytesPerSecond: number,
  last: z
    .object({
      asOf: isoTime,
      cpuUtilization: number,
      memoryUsedBytes: number,
      memoryTotalBytes: number,
      filesystem: fullest,
    })
    .nullable()
    .meta({ description: 'Of one that fell silent: what it showed last, and when. Null of others.' }),
};

export const hostSummarySchema = z.object({
  ...hostIdentityShape,
  ...hostFiguresShape,
  gpus: z.array(gpuSchema),
});
export type HostSummary = z.output<typeof hostSummarySchema>;

export const listHosts = defineRoute({
  id: 'listHosts',
  method: 'GET',
  path: '/api/telemetry/hosts',
  tag: 'Infrastructure',
  summary: 'The fleet: every host seen in the window with its newest figures and its GPUs',
  permission: reads('telemetry'),
  shared: true,
  query: z.object(windowQuery),
  response: z.object({
    data: z.object({
      from: isoTime,
      to: isoTime,
      freshSeconds: count.meta({ description: 'At least; each host says its own.' }),
      hosts: z.array(hostSummarySchema),
      /** True when there are more hosts or GPUs than one answer holds. */
      truncated: z.boolean(),
    }),
  }),
  errors,
});

const processSchema = z.object({
  ...ownerShape,
  /** Who reports it. */
  agent: z.string(),
  service: text,
  /** `hw.id` of the GPUs it has memory on. */
  gpus: z.array(z.string()),
  gpuMemoryBytes: number,
  gpuUtilization: number,
  cpuUtilization: number,
  memoryBytes: number,
  uptimeSeconds: number,
  lastSeen: isoTime,
  /** False when it did not report within `freshSeconds`. */
  running: z.boolean(),
});
export type HostProcess = z.output<typeof processSchema>;

export const getHost = defineRoute({
  id: 'getHost',
  method: 'GET',
  path: '/api/telemetry/hosts/{host}',
  tag: 'Infrastructure',
  summary: 'One host: identity, newest figures, GPUs, file systems, disks, networks, processes',
  permission: reads('telemetry'),
  params: z.object(hostParams),
  query: z.object(windowQuery),
  response: z.object({
    data: z.object({
      from: isoTime,
      to: isoTime,
      freshSeconds: count,
      host: hostSummarySchema,
      filesystems: z.array(
        z.object({
          mountpoint: z.string(),
          usedBytes: number,
          totalBytes: number,
          utilization: number,
        }),
      ),
      disks: z.array(
        z.object({
          device: z.string(),
          readBytesPerSecond: number,
          writeBytesPerSecond: number,
          readsPerSecond: number,
          writesPerSecond: number,
        }),
      ),
      networks: z.array(
        z.object({
          name: z.string(),
          receiveBytesPerSecond: number,
          transmitBytesPerSecond: number,
          /** Within the window. */
          errors: number,
        }),
      ),
      /** Newest first by GPU memory, then by memory. */
      processes: z.array(processSchema),
      processesTruncated: z.boolean(),
    }),
  }),
  errors,
});

/** Curves of a host, and of one of its GPUs. */
export const HOST_CHARTS = [
  'cpu',
  'cpu_cores',
  'memory',
  'disk_io',
  'disk_operations',
  'filesystem',
  'network_io',
  'network_errors',
  'gpus_utilization',
  'gpus_memory',
  'gpus_power',
  'gpus_temperature',
  'gpus_clocks',
] as const;
export type HostChart = (typeof HOST_CHARTS)[number];

export const GPU_CHARTS = [
  'gpu_utilization',
  'gpu_activity',
  'gpu_memory',
  'gpu_power',
  'gpu_temperature',
  'gpu_clocks',
  'gpu_fan',
  'gpu_pcie',
  'gpu_interconnect',
  'gpu_errors',
  'gpu_process_memory',
  'gpu_process_utilization',
] as const;
export type GpuChart = (typeof GPU_CHARTS)[number];

const chartList = <T extends string>(names: readonly T[]) =>
  z
    .string()
    .max(400)
    .optional()
    .transform((value, context) => {
      if (value === undefined) return [...names];
      const wanted = value.split(',').filter((name) => name !== '');
      const known = wanted.filter((name): name is T => (names as readonly string[]).includes(name));
      if (known.length < wanted.length || known.length === 0) {
        context.addIssue({ code: 'custom', message: `charts are ${names.join(', ')}, separated by commas` });
        return z.NEVER;
      }
      return [...new Set(known)];
    })
    .meta({ description: `Which curves, separated by commas: ${names.join(', ')}. Omitted: all.` });

const curvesSchema = z.object({
  from: isoTime,
  to: isoTime,
  bucketSeconds: z.number(),
  /** Starts of the buckets, epoch milliseconds. */
  times: z.array(z.number()),
  charts: z.array(
    z.object({
      chart: z.string(),
      /** UCUM: `1`, `By`, `By/s`, `W`, `Cel`, `Hz`. */
      unit: z.string(),
      metric: z.string(),
      series: z.array(
        z.object({
          /** Core, disk, mount point, interface, `hw.id` or process. */
          device: z.string(),
          /** State, direction, sensor, task, type; `limit` for a limit. */
          part: z.string(),
          /** One value a bucket; null where nothing was reported. */
          values: z.array(z.number().nullable()),
        }),
      ),
    }),
  ),
});
export type HostCurves = z.output<typeof curvesSchema>;

export const getHostCurves = defineRoute({
  id: 'getHostCurves',
  method: 'GET',
  path: '/api/telemetry/hosts/{host}/series',
  tag: 'Infrastructure',
  summary: 'Curves of a host over the window; rates of counters are right across restarts',
  permission: reads('telemetry'),
  shared: true,
  params: z.object(hostParams),
  query: z.object({ ...windowQuery, charts: chartList(HOST_CHARTS) }),
  response: z.object({ data: curvesSchema }),
  errors,
});

const gpuParams = {
  ...hostParams,
  gpu: entityKeySchema,
};

export const getGpu = defineRoute({
  id: 'getGpu',
  method: 'GET',
  path: '/api/telemetry/hosts/{host}/gpus/{gpu}',
  tag: 'Infrastructure',
  summary: 'One GPU: newest figures, clocks, interconnect, errors, processes, partitions',
  permission: reads('telemetry'),
  params: z.object(gpuParams),
  query: z.object(windowQuery),
  response: z.object({
    data: z.object({
      from: isoTime,
      to: isoTime,
      freshSeconds: count,
      host: hostSummarySchema.omit({ gpus: true }),
      gpu: gpuSchema,
      parent: gpuSchema.nullable(),
      children: z.array(gpuSchema),
      siblings: z
        .array(z.object({ id: z.string(), name: z.string(), index: number, partition: text }))
        .meta({ description: 'Itself among the GPUs of its host, of a partition among those of its GPU.' }),
      utilizationByTask: z.array(z.object({ task: z.string(), utilization: z.number() })),
      memoryControllerUtilization: number,
      fanSpeedRatio: number,
      fanSpeedRpm: number,
      energyJoules: number.meta({ description: 'Used within the window.' }),
      clocks: z.array(z.object({ domain: z.string(), hertz: z.number() })),
      links: z.array(
        z.object({
          /** `pcie`, `nvlink`, `xgmi`, `other`. */
          type: z.string(),
          receiveBytesPerSecond: number,
          transmitBytesPerSecond: number,
        }),
      ),
      processes: z.array(
        z.object({
          ...ownerShape,
          firstSeen: isoTime,
          lastSeen: isoTime,
          running: z.boolean(),
          memoryBytes: number,
          maxMemoryBytes: number,
          utilization: number,
        }),
      ),
    }),
  }),
  errors,
});
export type GpuDetail = z.output<typeof getGpu.response>['data'];

export const getGpuCurves = defineRoute({
  id: 'getGpuCurves',
  method: 'GET',
  path: '/api/telemetry/hosts/{host}/gpus/{gpu}/series',
  tag: 'Infrastructure',
  summary: 'Curves of a GPU over the window',
  permission: reads('telemetry'),
  shared: true,
  params: z.object(gpuParams),
  query: z.object({ ...windowQuery, charts: chartList(GPU_CHARTS) }),
  response: z.object({ data: curvesSchema }),
  errors,
});

const callFigures = {
  calls: count,
  errors: count,
  p50Ms: number,
  p95Ms: number,
  inputTokens: number,
  outputTokens: number,
  costUsd: number,
};

export const getHostCalls = defineRoute({
  id: 'getHostCalls',
  method: 'GET',
  path: '/api/telemetry/hosts/{host}/model-calls',
  tag: 'Infrastructure',
  summary: 'Model calls of the programs on a host, by model and over time, to lie beside its GPUs',
  permission: reads('telemetry'),
  shared: true,
  params: z.object(hostParams),
  query: z.object(windowQuery),
  response: z.object({
    data: z.object({
      /** Widened to whole minutes. */
      from: isoTime,
      to: isoTime,
      bucketSeconds: z.number(),
      total: z.object(callFigures),
      byModel: z.array(
        z.object({
          service: z.string(),
          provider: text,
          model: text,
          ...callFigures,
        }),
      ),
      times: z.array(z.number()),
      /** One value a bucket, in the order of `times`; null where there was no call to measure. */
      callsPerSecond: z.array(z.number().nullable()),
      errorsPerSecond: z.array(z.number().nullable()),
      outputTokensPerSecond: z.array(z.number().nullable()),
      p50Ms: z.array(z.number().nullable()),
      p95Ms: z.array(z.number().nullable()),
    }),
  }),
  errors,
});
export type HostCalls = z.output<typeof getHostCalls.response>['data'];
