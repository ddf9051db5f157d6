import { present, share } from '../present.ts';
import type { Activity, ProfileRound, ProfileSample, ProfilingLibrary } from '../profiler.ts';
import type { Made, Rdc } from './native.ts';

/** Ids of the fields that become metrics (rdc.h). Percent but for the last. */
const FIELD = {
  occupancy: 800,
  tensorActive: 804,
  smActive: 812,
  fp16: 815,
  fp32: 816,
  fp64: 817,
  simd: 853,
  /** The number of the GPU in the kernel's compute driver. */
  kfdId: 854,
} as const;
const FIELDS: readonly number[] = Object.values(FIELD);

const NAME = 'opentelemetry-gpu-collector';
const INTERVAL_SECONDS = 10;
/** How long the library keeps samples, and how old one may be. */
const KEPT_SECONDS = 3 * INTERVAL_SECONDS;

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [1, 'not supported'],
  [2, 'the SMI library failed'],
  [3, 'a module could not be loaded'],
  [6, 'not found'],
  [8, 'client error'],
  [13, 'no data'],
  [14, 'no permission'],
  [16, 'its module is switched off'],
]);
const [NOT_SUPPORTED, NOT_FOUND, NO_SUCH_MODULE] = [1, 6, 16];

const rdcError = (call: string, code: number): string =>
  `${call}: ${MEANINGS.get(code) ?? 'failed'} (${code})`;

/** RDC as a profiling library. Its counters want the profiler's service of ROCm for themselves: others make it blank. */
export class RdcSession implements ProfilingLibrary {
  readonly #rdc: Rdc;
  readonly #addressOf: (kfdId: number) => string | undefined;
  readonly #now: () => number;
  #handle: unknown;
  #group: number | undefined;
  #fields: number | undefined;
  #gpus: readonly number[] = [];

  /** `addressOf` tells the PCI address of a GPU by its number in the compute driver; `now` microseconds since the epoch. */
  constructor(
    rdc: Rdc,
    addressOf: (kfdId: number) => string | undefined,
    now: () => number = () => Date.now() * 1_000,
  ) {
    this.#rdc = rdc;
    this.#addressOf = addressOf;
    this.#now = now;
  }

  open(): void {
    need('rdc_init', this.#rdc.init());
    try {
      const { code, handle } = this.#rdc.startEmbedded();
      need('rdc_start_embedded', code);
      this.#handle = handle;
      const devices = this.#rdc.devices(handle);
      need('rdc_device_get_all', devices.code);
      if (devices.indexes.length === 0) throw new Error('RDC knows none of the GPUs here');
      this.#gpus = devices.indexes;
      this.#group = made('rdc_group_gpu_create', this.#rdc.createGroup(handle, NAME));
      for (const gpu of this.#gpus) need('rdc_group_gpu_add', this.#rdc.addGpu(handle, this.#group, gpu));
      this.#fields = made('rdc_group_field_create', this.#rdc.createFieldGroup(handle, NAME, FIELDS));
      const every = INTERVAL_SECONDS * 1_000_000;
      need('rdc_field_watch', this.#rdc.watch(handle, this.#group, this.#fields, every, KEPT_SECONDS));
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  read(): ProfileRound {
    const samples: ProfileSample[] = [];
    const errors: string[] = [];
    for (const gpu of this.#gpus) {
      const sample = this.#sampleOf(gpu);
      if (typeof sample === 'string') errors.push(sample);
      else samples.push(sample);
    }
    return { samples, errors };
  }

  #sampleOf(gpu: number): ProfileSample | string {
    const since = this.#now() - KEPT_SECONDS * 1_000_000;
    let at = 0;
    let blank = false;
    const value = (field: number): number | undefined => {
      const { code, bytes } = this.#rdc.latest(this.#handle, gpu, field);
      if (code === NOT_SUPPORTED || code === NOT_FOUND || code === NO_SUCH_MODULE) return undefined;
      const read = code === 0 ? readValue(bytes) : undefined;
      if (read === undefined || read.at < since) {
        blank = true;
        return undefined;
      }
      at = Math.max(at, read.at);
      return read.value;
    };
    const kfdId = value(FIELD.kfdId);
    const pci = kfdId === undefined ? undefined : this.#addressOf(kfdId);
    // By its place in a list it might be any of them.
    if (pci === undefined) return `RDC does not tell which GPU its number ${gpu} is`;
    const percent = (field: number) => share(value(field), 100);
    const activity: Activity = {
      ...present({
        sm: percent(FIELD.smActive),
        occupancy: percent(FIELD.occupancy),
        simd: share(value(FIELD.simd)),
      }),
      pipes: present({
        tensor: percent(FIELD.tensorActive),
        fp64: percent(FIELD.fp64),
        fp32: percent(FIELD.fp32),
        fp16: percent(FIELD.fp16),
      }),
    };
    return { device: { pci }, at, activity, overlap: {}, blank };
  }

  pause(): string {
    return 'RDC cannot be paused';
  }

  resume(): string {
    return 'RDC cannot be paused';
  }

  close(): void {
    if (this.#handle !== undefined) {
      if (this.#fields !== undefined) {
        if (this.#group !== undefined) this.#rdc.unwatch(this.#handle, this.#group, this.#fields);
        this.#rdc.destroyFieldGroup(this.#handle, this.#fields);
      }
      if (this.#group !== undefined) this.#rdc.destroyGroup(this.#handle, this.#group);
      this.#rdc.stopEmbedded(this.#handle);
    }
    this.#handle = undefined;
    this.#group = undefined;
    this.#fields = undefined;
    this.#rdc.shutdown();
  }
}

const [INTEGER, DOUBLE] = [0, 1];

/** A time of today is 1.8e12 in milliseconds and 1.8e15 in microseconds since the epoch. */
const LEAST_MICROSECONDS = 1e14;

/**
 * `rdc_field_value`: a number that is not below 0, and its time in microseconds since the epoch. The header (rdc.h) says
 * microseconds; every writer of ROCm (RdcMetricFetcherImpl, RdcTelemetryLib) stores milliseconds. Both are read.
 */
function readValue(bytes: Buffer): { readonly value: number; readonly at: number } | undefined {
  if (bytes.readInt32LE(4) !== 0) return undefined;
  const type = bytes.readUInt32LE(16);
  if (type !== INTEGER && type !== DOUBLE) return undefined;
  const value = type === DOUBLE ? bytes.readDoubleLE(24) : Number(bytes.readBigInt64LE(24));
  if (!Number.isFinite(value) || value < 0) return undefined;
  const at = Number(bytes.readBigUInt64LE(8));
  return { value, at: at < LEAST_MICROSECONDS ? at * 1_000 : at };
}

function need(call: string, code: number): void {
  if (code !== 0) throw new Error(rdcError(call, code));
}

function made(call: string, { code, id }: Made): number {
  need(call, code);
  return id;
}
