import type { NvmlHandle } from './handle.ts';
import type { Nvml } from './native.ts';
import { SUCCESS } from './codes.ts';

/** `nvmlGpmSupport_t`: version, and whether the device has it. */
const SUPPORT_BYTES = 8;
const SUPPORT_V1 = 1;
/**
 * `nvmlGpmMetricsGet_t`: version, count, two samples, then room for every metric there is. Of a metric its id, the code of
 * its value and the value.
 */
const METRICS_BYTES = 13_344;
const METRICS_V1 = 1;
const METRIC_AT = 24;
const AT = {
  version: 0,
  count: 4,
  before: 8,
  now: 16,
  id: METRIC_AT,
  code: METRIC_AT + 4,
  value: METRIC_AT + 8,
};
/** Percent of the time in which anything ran. */
const GRAPHICS_UTILIZATION = 1;

/**
 * How busy a MIG device is: utilisation rates are told of whole GPUs only. From two samples of the performance monitor, the
 * one before and that of now; Hopper and later.
 */
export class PartUtilization {
  readonly #nvml: Nvml;
  readonly #gpu: NvmlHandle;
  readonly #instance: number;
  /** The one to fill next, and the one that was filled last. */
  #samples: readonly [next: bigint, last: bigint] | undefined;
  #sampled = false;

  private constructor(nvml: Nvml, gpu: NvmlHandle, instance: number, samples: readonly [bigint, bigint]) {
    this.#nvml = nvml;
    this.#gpu = gpu;
    this.#instance = instance;
    this.#samples = samples;
  }

  /** Undefined where the GPU cannot tell. @throws GpuError */
  static of(nvml: Nvml, gpu: NvmlHandle, instance: number): PartUtilization | undefined {
    const support = Buffer.alloc(SUPPORT_BYTES);
    support.writeUInt32LE(SUPPORT_V1);
    if (!gpu.answers('nvmlGpmQueryDeviceSupport', '', support) || support.readUInt32LE(4) === 0)
      return undefined;
    const out = Buffer.alloc(8);
    if (nvml.call('nvmlGpmSampleAlloc', out) !== SUCCESS) return undefined;
    const before = out.readBigUInt64LE();
    if (nvml.call('nvmlGpmSampleAlloc', out) === SUCCESS) {
      return new PartUtilization(nvml, gpu, instance, [before, out.readBigUInt64LE()]);
    }
    nvml.call('nvmlGpmSampleFree', before);
    return undefined;
  }

  /** 0 to 1 since this was last asked; undefined the first time, and when it is not told. @throws GpuError */
  read(): number | undefined {
    if (this.#samples === undefined) return undefined;
    const [now, before] = this.#samples;
    const had = this.#sampled;
    const which = `instance ${this.#instance}`;
    this.#sampled = this.#gpu.answers('nvmlGpmMigSampleGet', which, this.#instance, now);
    if (!this.#sampled) return undefined;
    this.#samples = [before, now];
    if (!had) return undefined;
    const metrics = Buffer.alloc(METRICS_BYTES);
    metrics.writeUInt32LE(METRICS_V1, AT.version);
    metrics.writeUInt32LE(1, AT.count);
    metrics.writeBigUInt64LE(before, AT.before);
    metrics.writeBigUInt64LE(now, AT.now);
    metrics.writeUInt32LE(GRAPHICS_UTILIZATION, AT.id);
    if (this.#nvml.call('nvmlGpmMetricsGet', metrics) !== SUCCESS) return undefined;
    const percent = metrics.readDoubleLE(AT.value);
    return metrics.readInt32LE(AT.code) === SUCCESS && percent >= 0 && percent <= 100
      ? percent / 100
      : undefined;
  }

  free(): void {
    for (const sample of this.#samples ?? []) this.#nvml.call('nvmlGpmSampleFree', sample);
    this.#samples = undefined;
  }
}
