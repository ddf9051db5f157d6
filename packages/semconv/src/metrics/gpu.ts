import { GPU_ATTRIBUTES } from './gpu-attributes.ts';
import { hwErrors, hwStatus } from './hardware.ts';
import { type Metric, metric } from './metric.ts';

const differs = 'Carries `gpu.*` and partition attributes that the conventions do not have.';

export const hwGpuUtilization = metric({
  name: 'hw.gpu.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the time in which the GPU, or its encoder or decoder, was working.',
  attributes: [...GPU_ATTRIBUTES, 'hw.gpu.task'],
  differs,
});

export const hwGpuMemoryUtilization = metric({
  name: 'hw.gpu.memory.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the memory of the GPU that is in use.',
  attributes: GPU_ATTRIBUTES,
  differs,
});

export const hwGpuMemoryControllerUtilization = metric({
  name: 'hw.gpu.memory.controller.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the time in which the memory of the GPU was read or written.',
  attributes: GPU_ATTRIBUTES,
  differs: 'Not in the conventions.',
});

export const hwGpuMemoryLimit = metric({
  name: 'hw.gpu.memory.limit',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory of the GPU.',
  attributes: GPU_ATTRIBUTES,
  differs,
});

export const hwGpuMemoryUsage = metric({
  name: 'hw.gpu.memory.usage',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory of the GPU that is in use; with what is free it adds up to the limit.',
  attributes: GPU_ATTRIBUTES,
  differs,
});

export const hwGpuMemoryFree = metric({
  name: 'hw.gpu.memory.free',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory of the GPU that is free.',
  attributes: GPU_ATTRIBUTES,
  differs: 'Not in the conventions.',
});

export const hwTemperature = metric({
  name: 'hw.temperature',
  instrument: 'gauge',
  unit: 'Cel',
  description: 'Temperature of the component.',
  attributes: [...GPU_ATTRIBUTES, 'hw.sensor_location'],
  differs,
});

export const hwFanSpeed = metric({
  name: 'hw.fan.speed',
  instrument: 'gauge',
  unit: 'rpm',
  description: 'Speed of the fan. NVIDIA GPUs tell a share only.',
  attributes: [...GPU_ATTRIBUTES, 'hw.sensor_location'],
  differs,
});

export const hwFanSpeedRatio = metric({
  name: 'hw.fan.speed_ratio',
  instrument: 'gauge',
  unit: '1',
  description: 'Speed of the fan as a share of its highest.',
  attributes: [...GPU_ATTRIBUTES, 'hw.sensor_location'],
  differs,
});

export const hwPower = metric({
  name: 'hw.power',
  instrument: 'gauge',
  unit: 'W',
  description: 'Power that the component draws.',
  attributes: GPU_ATTRIBUTES,
  differs,
});

export const hwPowerLimit = metric({
  name: 'hw.power.limit',
  instrument: 'gauge',
  unit: 'W',
  description: 'Power that the component is held below.',
  attributes: GPU_ATTRIBUTES,
  differs: 'Not in the conventions.',
});

export const hwEnergy = metric({
  name: 'hw.energy',
  instrument: 'counter',
  unit: 'J',
  description: 'Energy that the component has used.',
  attributes: GPU_ATTRIBUTES,
  differs,
});

export const hwGpuSpeed = metric({
  name: 'hw.gpu.speed',
  instrument: 'gauge',
  unit: 'Hz',
  description: 'Clock of a part of the GPU.',
  attributes: [...GPU_ATTRIBUTES, 'hw.gpu.clock_domain'],
  differs: 'Not in the conventions.',
});

export const hwGpuIo = metric({
  name: 'hw.gpu.io',
  instrument: 'counter',
  unit: 'By',
  description: 'Bytes that the GPU received from and transmitted to the host.',
  attributes: [...GPU_ATTRIBUTES, 'network.io.direction'],
  differs,
});

export const hwGpuInterconnectIo = metric({
  name: 'hw.gpu.interconnect.io',
  instrument: 'counter',
  unit: 'By',
  description: 'Bytes that the GPU exchanged with other GPUs over links between them.',
  attributes: [...GPU_ATTRIBUTES, 'network.io.direction', 'hw.gpu.interconnect.type'],
  differs: 'Not in the conventions.',
});

export const hwGpuAllocated = metric({
  name: 'hw.gpu.allocated',
  instrument: 'gauge',
  unit: '1',
  description:
    '1 when a process holds memory of the GPU or it works above `OTEL_GPU_ALLOCATED_UTIL_THRESHOLD`, else 0; absent when neither is known.',
  attributes: GPU_ATTRIBUTES,
  differs: 'Not in the conventions.',
});

export const hwGpuIdle = metric({
  name: 'hw.gpu.idle',
  instrument: 'gauge',
  unit: '1',
  description:
    '1 when the GPU works below `OTEL_GPU_ALLOCATED_UTIL_THRESHOLD`, else 0. Allocated and idle at once: held and not used.',
  attributes: GPU_ATTRIBUTES,
  differs: 'Not in the conventions.',
});

export const collectorGpuScrapeErrors = metric({
  name: 'platform.collector.gpu.scrape.errors',
  instrument: 'counter',
  unit: '{error}',
  description: 'Readings of GPUs that failed, by who was asked and why, since the agent started.',
  attributes: ['gpu.measurement.source', 'error.type'],
  differs: "The agent's own metric.",
});

/** Everything that is measured of GPUs as devices. */
export const GPU_METRICS: readonly Metric[] = [
  hwGpuUtilization,
  hwGpuMemoryUtilization,
  hwGpuMemoryControllerUtilization,
  hwGpuMemoryLimit,
  hwGpuMemoryUsage,
  hwGpuMemoryFree,
  hwTemperature,
  hwFanSpeed,
  hwFanSpeedRatio,
  hwPower,
  hwPowerLimit,
  hwEnergy,
  hwGpuSpeed,
  hwGpuIo,
  hwGpuInterconnectIo,
  hwStatus,
  hwErrors,
  hwGpuAllocated,
  hwGpuIdle,
  collectorGpuScrapeErrors,
];
