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
const METRIC_BYTES = 40;
const AT = { version: 0, count: 4, before: 8, now: 16, metrics: 24, code: 4, value: 8 } as const;

/** `nvmlGpmMetricId_t`: percent of the time, and MiB a second. Drivers refuse a call with an id that they do not know. */
export const GPM = {
  graphics: 1,
  sm: 2,
  occupancy: 3,
  tensor: 5,
  memory: 10,
  fp64: 11,
  fp32: 12,
  fp16: 13,
  pcieTx: 20,
  pcieRx: 21,
} as const;
const IDS: readonly number[] = Object.values(GPM);

/** What was measured between two samples. */
export interface Monitored {
  /** Seconds between them. */
  readonly seconds: number;
  /** Undefined where it is not told. */
  readonly of: (id: number) => number | undefined;
}

/**
 * What a GPU, or a MIG device, did between the sample before and that of now, by the performance monitor: Hopper and
 * later. Nobody else is kept from measuring.
 */
export class PerformanceMonitor {
  readonly #nvml: Nvml;
  readonly #gpu: NvmlHandle;
  /** Of a MIG device; undefined for the whole GPU. */
  readonly #instance: number | undefined;
  readonly #now: () => number;
  /** The one to fill next, and the one that was filled last. */
  #samples: readonly [next: bigint, last: bigint] | undefined;
  #sampledAt: number | undefined;

  private constructor(
    nvml: Nvml,
    gpu: NvmlHandle,
    instance: number | undefined,
    now: () => number,
    samples: readonly [bigint, bigint],
  ) {
    this.#nvml = nvml;
    this.#gpu = gpu;
    this.#instance = instance;
    this.#now = now;
    this.#samples = samples;
  }

  /** Undefined where the GPU cannot tell. `now`: seconds of a clock that only goes forward. @throws GpuError */
  static of(
    nvml: Nvml,
    gpu: NvmlHandle,
    instance: number | undefined,
    now: () => number,
  ): PerformanceMonitor | undefined {
    const support = Buffer.alloc(SUPPORT_BYTES);
    support.writeUInt32LE(SUPPORT_V1);
    if (!gpu.answers('nvmlGpmQueryDeviceSupport', '', support) || support.readUInt32LE(4) === 0)
      return undefined;
    const out = Buffer.alloc(8);
    if (nvml.call('nvmlGpmSampleAlloc', out) !== SUCCESS) return undefined;
    const before = out.readBigUInt64LE();
    if (nvml.call('nvmlGpmSampleAlloc', out) === SUCCESS) {
      return new PerformanceMonitor(nvml, gpu, instance, now, [before, out.readBigUInt64LE()]);
    }
    nvml.call('nvmlGpmSampleFree', before);
    return undefined;
  }

  /** Since this was last asked; undefined the first time, and when it is not told. @throws GpuError */
  read(): Monitored | undefined {
    if (this.#samples === undefined) return undefined;
    const [now, before] = this.#samples;
    const last = this.#sampledAt;
    const at = this.#now();
    this.#sampledAt = this.#sample(now) ? at : undefined;
    if (this.#sampledAt === undefined) return undefined;
    this.#samples = [before, now];
    if (last === undefined || at <= last) return undefined;
    const metrics = Buffer.alloc(METRICS_BYTES);
    metrics.writeUInt32LE(METRICS_V1, AT.version);
    metrics.writeUInt32LE(IDS.length, AT.count);
    metrics.writeBigUInt64LE(before, AT.before);
    metrics.writeBigUInt64LE(now, AT.now);
    for (const [place, id] of IDS.entries()) metrics.writeUInt32LE(id, AT.metrics + place * METRIC_BYTES);
    if (this.#nvml.call('nvmlGpmMetricsGet', metrics) !== SUCCESS) return undefined;
    const values = new Map<number, number>();
    for (const [place, id] of IDS.entries()) {
      const entry = AT.metrics + place * METRIC_BYTES;
      const value = metrics.readDoubleLE(entry + AT.value);
      if (metrics.readInt32LE(entry + AT.code) === SUCCESS && Number.isFinite(value) && value >= 0)
        values.set(id, value);
    }
    return { seconds: at - last, of: (id) => values.get(id) };
  }

  #sample(into: bigint): boolean {
    return this.#instance === undefined
      ? this.#gpu.answers('nvmlGpmSampleGet', '', into)
      : this.#gpu.answers('nvmlGpmMigSampleGet', `instance ${this.#instance}`, this.#instance, into);
  }

  free(): void {
    for (const sample of this.#samples ?? []) this.#nvml.call('nvmlGpmSampleFree', sample);
    this.#samples = undefined;
  }
}
