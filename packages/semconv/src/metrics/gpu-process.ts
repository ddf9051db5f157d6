import { type Metric, metric } from './metric.ts';
import { processUptime } from './process.ts';
import { WORKLOAD_ATTRIBUTES } from './workload.ts';

/** What a process on a GPU is told by: the number is the host's. */
const PROCESS = [
  'process.pid',
  'process.executable.name',
  'process.command_line',
  'process.owner',
  'hw.id',
  'hw.parent',
  'hw.gpu.partition',
  'gpu.index',
  ...WORKLOAD_ATTRIBUTES,
];
const differs = 'Not in the conventions: a process by GPU.';

export const processGpuMemoryUsage = metric({
  name: 'process.gpu.memory.usage',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory of the GPU that the process holds.',
  attributes: PROCESS,
  differs,
});

export const processGpuUtilization = metric({
  name: 'process.gpu.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the whole GPU that the process used.',
  attributes: PROCESS,
  differs,
});

export const GPU_PROCESS_METRICS: readonly Metric[] = [
  processGpuMemoryUsage,
  processGpuUtilization,
  processUptime,
];
