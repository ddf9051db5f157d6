import { GPU_ATTRIBUTES } from './gpu-attributes.ts';
import { type Metric, metric } from './metric.ts';

const PROFILED = [...GPU_ATTRIBUTES, 'gpu.measurement.source'];
const differs =
  'Not in the conventions: from a profiling library or the performance monitor of the driver (`gpu.measurement.source` says which).';

export const hwGpuEngineUtilization = metric({
  name: 'hw.gpu.engine.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the time in which an engine of the GPU was active.',
  attributes: [...PROFILED, 'hw.gpu.engine'],
  differs,
});

export const hwGpuSmUtilization = metric({
  name: 'hw.gpu.sm.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the time in which a multiprocessor had work, as the mean of all.',
  attributes: PROFILED,
  differs,
});

export const hwGpuSmOccupancy = metric({
  name: 'hw.gpu.sm.occupancy',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the warps that the multiprocessors can hold that was there.',
  attributes: PROFILED,
  differs,
});

export const hwGpuPipeUtilization = metric({
  name: 'hw.gpu.pipe.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the time in which a pipe of the multiprocessors (`tensor`, `fp64`, …) was active.',
  attributes: [...PROFILED, 'hw.gpu.pipe'],
  differs,
});

export const hwGpuMemoryBandwidthUtilization = metric({
  name: 'hw.gpu.memory.bandwidth.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the bandwidth of the memory of the GPU that was used.',
  attributes: PROFILED,
  differs,
});

export const hwGpuSimdUtilization = metric({
  name: 'hw.gpu.simd.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the time in which the SIMD units of the GPU were used.',
  attributes: PROFILED,
  differs,
});

export const collectorGpuDcgmSampleValid = metric({
  name: 'platform.collector.gpu.dcgm.sample_valid',
  instrument: 'updown',
  unit: '1',
  description: 'Whether the last sample of DCGM was whole (1) or blank (0), by GPU.',
  attributes: ['hw.id', 'gpu.index'],
  differs: "The agent's own metric.",
});

export const GPU_PROFILING_METRICS: readonly Metric[] = [
  hwGpuEngineUtilization,
  hwGpuSmUtilization,
  hwGpuSmOccupancy,
  hwGpuPipeUtilization,
  hwGpuMemoryBandwidthUtilization,
  hwGpuSimdUtilization,
  collectorGpuDcgmSampleValid,
];
