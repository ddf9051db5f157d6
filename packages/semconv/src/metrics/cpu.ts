import { type Metric, metric } from './metric.ts';

const CORE = ['hw.id', 'hw.type', 'hw.cpu.core_type'] as const;
const differs = 'The conventions have no metrics of performance counters.';

export const hwCpuInstructions = metric({
  name: 'hw.cpu.instructions',
  instrument: 'counter',
  unit: '{instruction}',
  description: 'Instructions the processor has completed.',
  attributes: CORE,
  differs,
});

export const hwCpuCycles = metric({
  name: 'hw.cpu.cycles',
  instrument: 'counter',
  unit: '{cycle}',
  description: 'Clock cycles of the processor while it was not halted.',
  attributes: CORE,
  differs,
});

export const hwCpuBranchEvents = metric({
  name: 'hw.cpu.branch.events',
  instrument: 'counter',
  unit: '{event}',
  description: 'Branches the processor has completed, and those among them that it had predicted wrongly.',
  attributes: [...CORE, 'hw.cpu.branch.result'],
  differs,
});

export const hwCpuCacheEvents = metric({
  name: 'hw.cpu.cache.events',
  instrument: 'counter',
  unit: '{event}',
  description: 'Reads of a cache of the processor, and those among them that missed.',
  attributes: [...CORE, 'hw.cpu.cache.level', 'hw.cpu.cache.op'],
  differs,
});

export const hwCpuTlbEvents = metric({
  name: 'hw.cpu.tlb.events',
  instrument: 'counter',
  unit: '{event}',
  description: 'Reads of a translation cache of the processor, and those among them that missed.',
  attributes: [...CORE, 'hw.cpu.tlb.level', 'hw.cpu.tlb.op'],
  differs,
});

export const hwCpuMemoryIo = metric({
  name: 'hw.cpu.memory.io',
  instrument: 'counter',
  unit: 'By',
  description:
    'Bytes that memory controllers moved: received is read from memory, transmitted is written to it.',
  attributes: ['hw.id', 'hw.type', 'hw.cpu.memory.controller', 'network.io.direction'],
  differs,
});

export const PMU_METRICS: readonly Metric[] = [
  hwCpuInstructions,
  hwCpuCycles,
  hwCpuBranchEvents,
  hwCpuCacheEvents,
  hwCpuTlbEvents,
  hwCpuMemoryIo,
];
