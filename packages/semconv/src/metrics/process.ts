import { type Metric, metric } from './metric.ts';
import { WORKLOAD_ATTRIBUTES } from './workload.ts';

export const processCpuTime = metric({
  name: 'process.cpu.time',
  instrument: 'counter',
  unit: 's',
  description: 'CPU time the process has used.',
  attributes: ['cpu.mode', ...WORKLOAD_ATTRIBUTES],
});

export const processCpuUtilization = metric({
  name: 'process.cpu.utilization',
  instrument: 'gauge',
  unit: '1',
  description:
    'CPU time used since the collection before, as a share of what the CPUs open to the process had.',
  attributes: WORKLOAD_ATTRIBUTES,
  differs: 'One value, user and system together, without `cpu.mode`.',
});

export const processMemoryUsage = metric({
  name: 'process.memory.usage',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory of the process that is in RAM.',
  attributes: WORKLOAD_ATTRIBUTES,
});

export const processMemoryVirtual = metric({
  name: 'process.memory.virtual',
  instrument: 'updown',
  unit: 'By',
  description: 'Address space the process has claimed.',
  attributes: WORKLOAD_ATTRIBUTES,
});

export const processThreadCount = metric({
  name: 'process.thread.count',
  instrument: 'updown',
  unit: '{thread}',
  description: 'Threads of the process.',
  attributes: WORKLOAD_ATTRIBUTES,
});

export const processUnixFileDescriptorCount = metric({
  name: 'process.unix.file_descriptor.count',
  instrument: 'updown',
  unit: '{file_descriptor}',
  description: 'File descriptors the process has open.',
  attributes: WORKLOAD_ATTRIBUTES,
});

/** Of the agent itself, and of processes that use a GPU. */
export const processUptime = metric({
  name: 'process.uptime',
  instrument: 'gauge',
  unit: 's',
  description: 'Time since the process was started.',
  // What a process on a GPU is told by; the agent's own carries no more than those of its container.
  attributes: [
    'process.pid',
    'process.executable.name',
    'process.command_line',
    'process.owner',
    'hw.id',
    'hw.parent',
    'hw.gpu.partition',
    'gpu.index',
    ...WORKLOAD_ATTRIBUTES,
  ],
});

export const SELF_METRICS: readonly Metric[] = [
  processCpuTime,
  processCpuUtilization,
  processMemoryUsage,
  processMemoryVirtual,
  processThreadCount,
  processUnixFileDescriptorCount,
  processUptime,
];

export const nodejsEventloopUtilization = metric({
  name: 'nodejs.eventloop.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of time since the collection before in which the event loop had work.',
  attributes: [],
});

export const nodejsEventloopTime = metric({
  name: 'nodejs.eventloop.time',
  instrument: 'counter',
  unit: 's',
  description: 'Time the event loop spent in each state.',
  attributes: ['nodejs.eventloop.state'],
});

export const v8jsMemoryHeapUsed = metric({
  name: 'v8js.memory.heap.used',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory of the JavaScript heap that is in use, by heap space.',
  attributes: ['v8js.heap.space.name'],
});

export const v8jsMemoryHeapSpaceSize = metric({
  name: 'v8js.memory.heap.space.size',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory set aside for the JavaScript heap, by heap space.',
  attributes: ['v8js.heap.space.name'],
});

export const RUNTIME_METRICS: readonly Metric[] = [
  nodejsEventloopUtilization,
  nodejsEventloopTime,
  v8jsMemoryHeapUsed,
  v8jsMemoryHeapSpaceSize,
];
