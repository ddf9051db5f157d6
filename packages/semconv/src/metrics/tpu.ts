import { type Metric, metric } from './metric.ts';

const CHIP = [
  'hw.id',
  'hw.type',
  'hw.model',
  'hw.vendor',
  'hw.tpu.accelerator_id',
  'tpu.topology',
  'k8s.namespace.name',
  'k8s.pod.name',
  'k8s.container.name',
] as const;
const differs = 'The conventions have no metrics of tensor processing units; shaped after those of GPUs.';

export const hwTpuUtilization = metric({
  name: 'hw.tpu.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the time in which the chip was working.',
  attributes: CHIP,
  differs,
});

export const hwTpuTensorcoreUtilization = metric({
  name: 'hw.tpu.tensorcore.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of what the tensor cores of the chip could do.',
  attributes: CHIP,
  differs,
});

export const hwTpuMemoryLimit = metric({
  name: 'hw.tpu.memory.limit',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory of the chip.',
  attributes: CHIP,
  differs,
});

export const hwTpuMemoryUsage = metric({
  name: 'hw.tpu.memory.usage',
  instrument: 'updown',
  unit: 'By',
  description: 'Memory of the chip that is in use.',
  attributes: CHIP,
  differs,
});

export const hwTpuMemoryUtilization = metric({
  name: 'hw.tpu.memory.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the memory of the chip that is in use.',
  attributes: CHIP,
  differs,
});

export const hwTpuMemoryBandwidthUtilization = metric({
  name: 'hw.tpu.memory.bandwidth.utilization',
  instrument: 'gauge',
  unit: '1',
  description: 'Share of the memory bandwidth of the chip that is in use.',
  attributes: CHIP,
  differs,
});

/** The agent's own: how often the endpoint could not be read. */
export const collectorTpuScrapeErrors = metric({
  name: 'platform.collector.tpu.scrape.errors',
  instrument: 'counter',
  unit: '{error}',
  description: 'Scrapes of the accelerator endpoint that failed, by cause.',
  attributes: ['error.type'],
  differs: "The agent's own metric.",
});

export const TPU_METRICS: readonly Metric[] = [
  hwTpuUtilization,
  hwTpuTensorcoreUtilization,
  hwTpuMemoryLimit,
  hwTpuMemoryUsage,
  hwTpuMemoryUtilization,
  hwTpuMemoryBandwidthUtilization,
  collectorTpuScrapeErrors,
];
