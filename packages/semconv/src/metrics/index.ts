/**
 * The metrics of the collector agent, one file a group; each file ends in the list of its group. An export of its own:
 * the browser bundle does not carry it.
 */
export * from './collector.ts';
export * from './cpu.ts';
export * from './cuda.ts';
export * from './gpu.ts';
export * from './gpu-process.ts';
export * from './gpu-profiling.ts';
export * from './hardware.ts';
export * from './interrupts.ts';
export * from './kvm.ts';
export * from './network.ts';
export * from './process.ts';
export * from './system.ts';
export * from './tpu.ts';
export { WORKLOAD_ATTRIBUTES } from './workload.ts';
export { type Metric, metric } from './metric.ts';
