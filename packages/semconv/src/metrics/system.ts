import { type Metric, metric } from './metric.ts';

export const systemCpuTime = metric({
  name: 'system.cpu.time',
  instrument: 'counter',
  unit: 's',
  description: 'Time that all logical CPUs together spent in each mode.',
  attributes: ['cpu.mode'],
});

export const systemCpuUtilization = metric({
  name: 'system.cpu.utilization',
  instrument: 'gauge',
  unit: '1',
  description:
    'Busy share of a logical CPU since the collection before: neither idle nor waiting for input or output.',
  attributes: ['cpu.logical_number'],
  differs:
    'One value a CPU, without `cpu.mode`. There is no point for all CPUs: an average over the points is it.',
});

export const systemCpuLogicalCount = metric({
  name: 'system.cpu.logical.count',
  instrument: 'updown',
  unit: '{cpu}',
  description: 'Logical CPUs that are online.',
  attributes: [],
});

export const CPU_METRICS: readonly Metric[] = [systemCpuTime, systemCpuUtilization, systemCpuLogicalCount];

export const systemMemoryUsage = metric({
  name: 'system.memory.usage',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory by state. The states add up to `system.memory.limit`.',
  attributes: ['system.memory.state'],
});

export const systemMemoryUtilization = metric({
  name: 'system.memory.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the memory in state `used`: without what the system only caches.',
  attributes: [],
  differs: 'One value, that of the state `used`, without `system.memory.state`.',
});

export const systemMemoryLimit = metric({
  name: 'system.memory.limit',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory of the machine that the system can use.',
  attributes: [],
});

export const systemMemoryLinuxAvailable = metric({
  name: 'system.memory.linux.available',
  instrument: 'updown',
  unit: 'By',
  description: 'What programs could still take without swapping, as the Linux kernel estimates it.',
  attributes: [],
});

export const MEMORY_METRICS: readonly Metric[] = [
  systemMemoryUsage,
  systemMemoryUtilization,
  systemMemoryLimit,
  systemMemoryLinuxAvailable,
];

export const systemPagingUsage = metric({
  name: 'system.paging.usage',
  instrument: 'updown',
  unit: 'By',
  description: 'Swap space by state, of all swap devices together. Absent without swap.',
  attributes: ['system.paging.state'],
});

export const systemPagingUtilization = metric({
  name: 'system.paging.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the swap space that is used: only state `used`. Absent without swap.',
  attributes: ['system.paging.state'],
});

export const systemPagingFaults = metric({
  name: 'system.paging.faults',
  instrument: 'counter',
  unit: '{fault}',
  description: 'Page faults: major ones had to read from a device, minor ones had not.',
  attributes: ['system.paging.fault.type'],
});

export const systemPagingOperations = metric({
  name: 'system.paging.operations',
  instrument: 'counter',
  unit: '{operation}',
  description: 'Pages swapped in and out.',
  attributes: ['system.paging.direction'],
});

export const PAGING_METRICS: readonly Metric[] = [
  systemPagingUsage,
  systemPagingUtilization,
  systemPagingFaults,
  systemPagingOperations,
];

const DISK = ['system.device', 'disk.io.direction'] as const;

export const systemDiskIo = metric({
  name: 'system.disk.io',
  instrument: 'counter',
  unit: 'By',
  description: 'Bytes read from and written to the disk.',
  attributes: DISK,
});

export const systemDiskOperations = metric({
  name: 'system.disk.operations',
  instrument: 'counter',
  unit: '{operation}',
  description: 'Completed reads and writes.',
  attributes: DISK,
});

export const systemDiskMerged = metric({
  name: 'system.disk.merged',
  instrument: 'counter',
  unit: '{operation}',
  description: 'Reads and writes that were joined with a neighbour before they went to the disk.',
  attributes: DISK,
});

export const systemDiskOperationTime = metric({
  name: 'system.disk.operation_time',
  instrument: 'counter',
  unit: 's',
  description: 'Sum of the time each operation took: overlapping ones count each.',
  attributes: DISK,
});

export const systemDiskIoTime = metric({
  name: 'system.disk.io_time',
  instrument: 'counter',
  unit: 's',
  description: 'Time in which the disk was at work: overlapping operations count once.',
  attributes: ['system.device'],
});

export const DISK_METRICS: readonly Metric[] = [
  systemDiskIo,
  systemDiskOperations,
  systemDiskMerged,
  systemDiskOperationTime,
  systemDiskIoTime,
];

const FILESYSTEM = ['system.device', 'system.filesystem.mountpoint', 'system.filesystem.type'] as const;

export const systemFilesystemUsage = metric({
  name: 'system.filesystem.usage',
  instrument: 'updown',
  unit: 'By',
  description: 'Space by state. `reserved` is free, but only for root; the states add up to the limit.',
  attributes: [...FILESYSTEM, 'system.filesystem.state'],
});

export const systemFilesystemUtilization = metric({
  name: 'system.filesystem.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Used share of what programs may use: used by used and free, as `df` has it.',
  attributes: FILESYSTEM,
  differs: 'One value, that of the state `used`, without `system.filesystem.state`.',
});

export const systemFilesystemLimit = metric({
  name: 'system.filesystem.limit',
  instrument: 'updown',
  unit: 'By',
  description: 'Size of the file system.',
  attributes: FILESYSTEM,
});

export const FILESYSTEM_METRICS: readonly Metric[] = [
  systemFilesystemUsage,
  systemFilesystemUtilization,
  systemFilesystemLimit,
];

const INTERFACE = ['network.interface.name', 'network.io.direction'] as const;

export const systemNetworkIo = metric({
  name: 'system.network.io',
  instrument: 'counter',
  unit: 'By',
  description: 'Bytes received and transmitted.',
  attributes: INTERFACE,
});

export const systemNetworkErrors = metric({
  name: 'system.network.errors',
  instrument: 'counter',
  unit: '{error}',
  description: 'Errors on receiving and transmitting.',
  attributes: INTERFACE,
});

export const systemNetworkPacketCount = metric({
  name: 'system.network.packet.count',
  instrument: 'counter',
  unit: '{packet}',
  description: 'Packets received and transmitted.',
  attributes: INTERFACE,
});

export const systemNetworkPacketDropped = metric({
  name: 'system.network.packet.dropped',
  instrument: 'counter',
  unit: '{packet}',
  description: 'Packets thrown away though nothing was wrong with them.',
  attributes: INTERFACE,
});

export const NETWORK_METRICS: readonly Metric[] = [
  systemNetworkIo,
  systemNetworkErrors,
  systemNetworkPacketCount,
  systemNetworkPacketDropped,
];

export const systemUptime = metric({
  name: 'system.uptime',
  instrument: 'gauge',
  unit: 's',
  description: 'Time since the system was started.',
  attributes: [],
});

export const UPTIME_METRICS: readonly Metric[] = [systemUptime];
