import { GPU_ATTRIBUTES } from './gpu-attributes.ts';
import { type Metric, metric } from './metric.ts';
import { WORKLOAD_ATTRIBUTES } from './workload.ts';

/** Who launched, on which GPU where that is known, and how it was found out. */
const PROCESS = [
  'process.pid',
  'process.executable.name',
  'process.owner',
  'hw.id',
  'hw.parent',
  'hw.gpu.partition',
  'gpu.index',
  'gpu.measurement.source',
  'gpu.measurement.sampled',
  ...WORKLOAD_ATTRIBUTES,
];
const KERNEL = [...PROCESS, 'cuda.kernel.name'];
const DEVICE = [...GPU_ATTRIBUTES, 'gpu.measurement.source'];
const differs =
  'Not in the conventions: CUDA calls counted in the kernel (`gpu.measurement.source` is `ebpf`), or what a model makes of them (`ebpf_model`).';

export const gpuKernelLaunchCalls = metric({
  name: 'gpu.kernel.launch.calls',
  instrument: 'counter',
  unit: '{call}',
  description:
    'Kernels that the process launched, counted when the call begins: one that fails is counted too.',
  attributes: KERNEL,
  differs,
});

export const gpuKernelGridSize = metric({
  name: 'gpu.kernel.grid.size',
  instrument: 'histogram',
  unit: '{block}',
  description: 'Thread blocks of a launch.',
  bounds: [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576],
  attributes: KERNEL,
  differs,
});

export const gpuKernelBlockSize = metric({
  name: 'gpu.kernel.block.size',
  instrument: 'histogram',
  unit: '{thread}',
  description: 'Threads of a block of a launch.',
  bounds: [1, 32, 64, 128, 256, 512, 1_024],
  attributes: KERNEL,
  differs,
});

export const gpuKernelSharedMemory = metric({
  name: 'gpu.kernel.shared_memory',
  instrument: 'histogram',
  unit: 'By',
  description: 'Dynamic shared memory of a block of a launch.',
  bounds: [1, 1_024, 4_096, 16_384, 32_768, 65_536, 131_072, 262_144],
  attributes: KERNEL,
  differs,
});

export const gpuKernelDuration = metric({
  name: 'gpu.kernel.duration',
  instrument: 'histogram',
  unit: 's',
  description:
    'Time from a launch to the return of the next synchronisation of its stream: an upper bound of the time that the kernel ran, with its time in the queue and with what ran after it.',
  bounds: [0.000_01, 0.000_05, 0.000_1, 0.000_5, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  attributes: [...KERNEL, 'cuda.launch.kind'],
  differs,
});

export const gpuGraphLaunchCalls = metric({
  name: 'gpu.graph.launch.calls',
  instrument: 'counter',
  unit: '{call}',
  description: 'CUDA graphs that the process launched; the kernels in them are not seen one by one.',
  attributes: PROCESS,
  differs,
});

export const gpuMemoryAllocations = metric({
  name: 'gpu.memory.allocations',
  instrument: 'counter',
  unit: 'By',
  description:
    'Memory of the GPU that the process asked for and got. What a framework hands out of its own pool is not seen.',
  attributes: PROCESS,
  differs,
});

export const gpuMemoryCopies = metric({
  name: 'gpu.memory.copies',
  instrument: 'counter',
  unit: 'By',
  description: 'Bytes that the process copied from, to and on GPUs.',
  attributes: [...PROCESS, 'gpu.memory.copy.direction'],
  differs,
});

export const processGpuCoreUsage = metric({
  name: 'process.gpu.core.usage',
  instrument: 'gauge',
  unit: '{core}',
  description:
    'Cores of the GPU that the launches of the process would keep busy, each from its launch to the next synchronisation: an estimate from above.',
  attributes: PROCESS,
  differs,
});

export const processGpuEstimatedSmActive = metric({
  name: 'process.gpu.estimated.sm_active',
  instrument: 'gauge',
  unit: '1',
  description:
    'Share of the time in which the process had a kernel between its launch and the next synchronisation: an estimate from above.',
  attributes: PROCESS,
  differs,
});

export const hwGpuCoreLimit = metric({
  name: 'hw.gpu.core.limit',
  instrument: 'gauge',
  unit: '{core}',
  description: 'Cores of the GPU, as its driver tells.',
  attributes: DEVICE,
  differs,
});

export const hwGpuEstimatedSmActive = metric({
  name: 'hw.gpu.estimated.sm_active',
  instrument: 'gauge',
  unit: '1',
  description:
    'Share of the time in which any process had a kernel between its launch and the next synchronisation: an estimate from above.',
  attributes: DEVICE,
  differs,
});

export const collectorEbpfProbeCost = metric({
  name: 'platform.collector.ebpf.probe.cost',
  instrument: 'gauge',
  unit: 's',
  description:
    'What one hit of a probe costs the traced program on this machine, measured when the agent started.',
  attributes: [],
  differs: "The agent's own metric.",
});

export const collectorEbpfDropped = metric({
  name: 'platform.collector.ebpf.dropped',
  instrument: 'counter',
  unit: '{event}',
  description:
    'What the programs in the kernel had no room for: events (durations and names are missing, counts are not), kernels, processes, memory.',
  attributes: ['error.type'],
  differs: "The agent's own metric.",
});

export const collectorEbpfTraced = metric({
  name: 'platform.collector.ebpf.traced.time',
  instrument: 'gauge',
  unit: '1',
  description:
    'Share of the time in which probes were in place; less than 1 when they would cost programs too much.',
  attributes: [],
  differs: "The agent's own metric.",
});

export const CUDA_METRICS: readonly Metric[] = [
  gpuKernelLaunchCalls,
  gpuKernelGridSize,
  gpuKernelBlockSize,
  gpuKernelSharedMemory,
  gpuKernelDuration,
  gpuGraphLaunchCalls,
  gpuMemoryAllocations,
  gpuMemoryCopies,
  processGpuCoreUsage,
  processGpuEstimatedSmActive,
  hwGpuCoreLimit,
  hwGpuEstimatedSmActive,
  collectorEbpfProbeCost,
  collectorEbpfDropped,
  collectorEbpfTraced,
];
