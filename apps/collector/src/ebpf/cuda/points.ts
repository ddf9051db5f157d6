import {
  gpuGraphLaunchCalls,
  gpuKernelBlockSize,
  gpuKernelDuration,
  gpuKernelGridSize,
  gpuKernelLaunchCalls,
  gpuKernelSharedMemory,
  gpuMemoryAllocations,
  gpuMemoryCopies,
  hwGpuCoreLimit,
  hwGpuEstimatedSmActive,
  type Metric,
  processGpuCoreUsage,
  processGpuEstimatedSmActive,
} from '@candela/semconv/metrics';
import type { GpuDevice } from '../../gpu/device.ts';
import { deviceAttributes } from '../../gpu/points.ts';
import type { PointAttributes } from '../../point-attributes.ts';
import type { HistogramValue, RecordPoint } from '../../source.ts';
import type { PowerHistogram } from './accounts.ts';
import type { Snapshot, TracedProcess } from './tracer.ts';

const COUNTED = { 'gpu.measurement.source': 'ebpf' };
const MODELLED = { 'gpu.measurement.source': 'ebpf_model' };
const sampledAs = (sampled: boolean): PointAttributes => (sampled ? { 'gpu.measurement.sampled': true } : {});

/** Histograms by powers of two in the buckets of a metric, whose bounds are powers of two (0 and 1 are the first). */
export function inBounds({ bounds = [] }: Metric, { counts }: PowerHistogram): number[] {
  const buckets = Array.from({ length: bounds.length + 1 }, () => 0);
  for (const [power, count] of counts.entries()) {
    const at = bounds.findIndex((bound) => 2 ** power <= bound);
    const bucket = at === -1 ? bounds.length : at;
    buckets[bucket] = (buckets[bucket] ?? 0) + count;
  }
  return buckets;
}

const countOf = (counts: readonly number[]): number =>
  counts.reduce((sum, count) => sum + Math.round(count), 0);

/** Where a process did it: the GPU, where it is known which one. */
function placeOf(device: GpuDevice | undefined): PointAttributes {
  if (device === undefined) return {};
  const { id, index, partition } = device;
  return {
    'hw.id': id,
    'gpu.index': index,
    ...(partition === undefined ? {} : { 'hw.parent': partition.parent, 'hw.gpu.partition': partition.name }),
  };
}

/** Adds up points that differ in nothing that is told: two devices of a program that are not known apart. */
class Adding {
  readonly #points = new Map<
    string,
    { metric: Metric; value: number; attributes: PointAttributes; histogram: HistogramValue | undefined }
  >();

  add(metric: Metric, value: number, attributes: PointAttributes, histogram?: HistogramValue): void {
    const key = JSON.stringify([metric.name, attributes]);
    const known = this.#points.get(key);
    if (known === undefined) {
      this.#points.set(key, { metric, value, attributes, histogram });
      return;
    }
    known.value += value;
    if (histogram !== undefined && known.histogram !== undefined) {
      const before = known.histogram;
      known.histogram = {
        sum: before.sum + histogram.sum,
        counts: before.counts.map((count, at) => count + (histogram.counts[at] ?? 0)),
      };
    }
  }

  record(record: RecordPoint): void {
    for (const { metric, value, attributes, histogram } of this.#points.values()) {
      record(metric, value, attributes, histogram);
    }
  }
}

/** Points of what was traced. `describe` names a process by its number. */
export function recordSnapshot(
  record: RecordPoint,
  snapshot: Snapshot,
  devices: readonly GpuDevice[],
  describe: (process: TracedProcess) => PointAttributes,
): void {
  const byId = new Map(devices.map((device) => [device.id, device]));
  const adding = new Adding();
  for (const process of snapshot.processes) addProcess(adding, process, snapshot, byId, describe(process));
  const busy = new Map(snapshot.busy);
  for (const device of devices) {
    if (device.vendor !== 'nvidia') continue;
    const base = { ...deviceAttributes(device), ...MODELLED };
    if (device.cores !== undefined) adding.add(hwGpuCoreLimit, device.cores, base);
    const share = busy.get(device.id);
    if (share !== undefined && snapshot.tracedSeconds > 0) adding.add(hwGpuEstimatedSmActive, share, base);
  }
  adding.record(record);
}

function addProcess(
  adding: Adding,
  process: TracedProcess,
  { tracedSeconds }: Snapshot,
  byId: ReadonlyMap<string, GpuDevice>,
  who: PointAttributes,
): void {
  const gpus = new Map(process.gpus);
  const at = (device: number): PointAttributes => {
    const id = gpus.get(device);
    return { ...who, ...placeOf(id === undefined ? undefined : byId.get(id)) };
  };
  for (const kernel of process.kernels) {
    const base = { ...at(kernel.device), ...COUNTED, ...sampledAs(kernel.sampled) };
    if (kernel.graph) {
      adding.add(gpuGraphLaunchCalls, kernel.launches, base);
      continue;
    }
    const named = { ...base, 'cuda.kernel.name': kernel.name };
    adding.add(gpuKernelLaunchCalls, kernel.launches, named);
    for (const [metric, histogram] of [
      [gpuKernelGridSize, kernel.grid],
      [gpuKernelBlockSize, kernel.block],
      [gpuKernelSharedMemory, kernel.shared],
    ] as const) {
      const counts = inBounds(metric, histogram);
      adding.add(metric, countOf(counts), named, { sum: histogram.sum, counts });
    }
  }
  for (const { device, name, graph, sampled, sum, counts } of process.durations) {
    const attributes = {
      ...at(device),
      ...MODELLED,
      ...sampledAs(sampled),
      ...(graph ? {} : { 'cuda.kernel.name': name }),
      'cuda.launch.kind': graph ? 'graph' : 'kernel',
    };
    adding.add(gpuKernelDuration, countOf(counts), attributes, { sum, counts });
  }
  for (const { device, direction, sampled, bytes } of process.memory) {
    const base = { ...at(device), ...COUNTED, ...sampledAs(sampled) };
    if (direction === undefined) adding.add(gpuMemoryAllocations, bytes, base);
    else adding.add(gpuMemoryCopies, bytes, { ...base, 'gpu.memory.copy.direction': direction });
  }
  if (tracedSeconds <= 0) return;
  for (const { device, threadSeconds, busySeconds } of process.uses) {
    const base = { ...at(device), ...MODELLED };
    adding.add(processGpuCoreUsage, threadSeconds / tracedSeconds, base);
    adding.add(processGpuEstimatedSmActive, Math.min(1, busySeconds / tracedSeconds), base);
  }
}
