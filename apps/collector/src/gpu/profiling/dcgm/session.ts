import type { Activity, Overlap, ProfileRound, ProfileSample, ProfilingLibrary } from '../profiler.ts';
import { present, share } from '../present.ts';
import { FIELD, type FieldReading, FIRST_PROFILING_FIELD, readFields, wantedFields } from './fields.ts';
import type { Dcgm, Instance, Opened } from './native.ts';

export interface DcgmSettings {
  /** Undefined: the engine runs in this process. A path is a Unix socket. */
  readonly address: string | undefined;
  readonly intervalSeconds: number;
  readonly fields: readonly string[];
}

const CONNECT_MS = 5_000;
const NAME = 'opentelemetry-gpu-collector';
/** Intervals that the library keeps a sample: more than one, or it is gone before it is read. */
const KEPT_INTERVALS = 3;
/** A sample that is older than so many intervals says nothing of now. */
const STALE_INTERVALS = 3;
/** Rounds until fields that could not be watched are tried again. */
const RETRY_ROUNDS = 6;
/** Above this share a GPU that the profiling counters call idle is not: they stop counting after some errors. */
const SURELY_BUSY = 0.5;

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [-6, 'not supported'],
  [-8, 'NVML failed'],
  [-14, 'no data'],
  [-16, 'not watched'],
  [-17, 'no permission'],
  [-18, 'the GPU is lost'],
  [-19, 'the GPU needs a reset'],
  [-20, 'this version of the library has no such call'],
  [-21, 'no connection to the host engine'],
  [-25, 'a library is missing'],
  [-29, 'needs root'],
  [-33, 'the profiling module is not installed (datacenter-gpu-manager-4-proprietary)'],
  [-34, 'in use by another'],
  [-36, 'this GPU or driver has no profiling'],
  [-37, 'another process holds the profiling counters'],
  [-38, 'the fields cannot be measured together'],
]);

const dcgmError = (call: string, code: number): string =>
  `${call}: ${MEANINGS.get(code) ?? 'failed'} (${code})`;

/** What is measured within an instance; the bus and the links are those of the whole GPU. */
const OF_INSTANCES: ReadonlySet<number> = new Set([
  FIELD.graphicsActive,
  FIELD.smActive,
  FIELD.smOccupancy,
  FIELD.tensorActive,
  FIELD.dramActive,
  FIELD.fp64Active,
  FIELD.fp32Active,
  FIELD.fp16Active,
]);

/** After these the library must be opened anew. */
const LOST: ReadonlySet<number> = new Set([-10, -21]);

interface Watched {
  readonly fields: readonly number[];
  readonly group: bigint;
  on: boolean;
}

/** DCGM as a profiling library: one group of all GPUs, the plain fields and those of the profiling module watched apart. */
export class DcgmSession implements ProfilingLibrary {
  readonly #dcgm: Dcgm;
  readonly #settings: DcgmSettings;
  readonly #now: () => number;
  #handle = 0n;
  #group = 0n;
  #gpus: readonly number[] = [];
  #instances: readonly Instance[] = [];
  #watched: Watched[] = [];
  #rounds = 0;
  #paused = false;

  /** `now` in microseconds since the epoch. */
  constructor(dcgm: Dcgm, settings: DcgmSettings, now: () => number = () => Date.now() * 1_000) {
    this.#dcgm = dcgm;
    this.#settings = settings;
    this.#now = now;
  }

  open(): void {
    const { address } = this.#settings;
    need('dcgmInit', this.#dcgm.init());
    try {
      this.#handle =
        address === undefined
          ? opened('dcgmStartEmbedded', this.#dcgm.startEmbedded())
          : opened(`dcgmConnect to ${address}`, this.#dcgm.connect(address, CONNECT_MS));
      const { code, ids } = this.#dcgm.supportedGpus(this.#handle);
      need('dcgmGetAllSupportedDevices', code);
      if (ids.length === 0) throw new Error('DCGM supports none of the GPUs here');
      this.#gpus = ids;
      this.#group = opened('dcgmGroupCreate', this.#dcgm.createGroup(this.#handle, NAME));
      for (const id of ids) {
        need('dcgmGroupAddEntity', this.#dcgm.add(this.#handle, this.#group, { kind: 'gpu', id }));
      }
      this.#findInstances();
      const all = wantedFields(this.#settings.fields);
      this.#watched = [
        { name: NAME, fields: all.filter((id) => id < FIRST_PROFILING_FIELD) },
        { name: `${NAME}-profiling`, fields: all.filter((id) => id >= FIRST_PROFILING_FIELD) },
      ]
        .filter(({ fields }) => fields.length > 0)
        .map(({ name, fields }) => ({
          fields,
          group: opened('dcgmFieldGroupCreate', this.#dcgm.createFieldGroup(this.#handle, name, fields)),
          on: false,
        }));
      const failed = this.#watch();
      if (failed.length === this.#watched.length) throw new Error(failed[0] ?? 'nothing to watch');
      // The first sample is there at once; without it there is none for an interval.
      this.#dcgm.updateAll(this.#handle);
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  /** Takes the instances that GPUs are cut into now; what is new is watched with the others. */
  #findInstances(): void {
    const known = new Set(this.#instances.map(({ entity }) => entity.id));
    this.#instances = this.#dcgm
      .instances(this.#handle)
      .filter(
        ({ entity }) => known.has(entity.id) || this.#dcgm.add(this.#handle, this.#group, entity) === 0,
      );
    const isNew = this.#instances.some(({ entity }) => !known.has(entity.id));
    if (isNew) for (const one of this.#watched) one.on = false;
  }

  /** Watches what is not watched yet; says what could not be. */
  #watch(): string[] {
    const { intervalSeconds } = this.#settings;
    const failed: string[] = [];
    for (const one of this.#watched) {
      if (one.on) continue;
      const code = this.#dcgm.watch(this.#handle, this.#group, one.group, {
        microseconds: intervalSeconds * 1_000_000,
        keepSeconds: intervalSeconds * KEPT_INTERVALS,
      });
      one.on = code === 0;
      if (code !== 0) failed.push(dcgmError('dcgmWatchFields', code));
    }
    return failed;
  }

  read(): ProfileRound {
    const errors: string[] = [];
    this.#rounds += 1;
    if (this.#rounds % RETRY_ROUNDS === 0) {
      this.#findInstances();
      this.#watch();
    }
    const fields = this.#watched.filter(({ on }) => on).flatMap((one) => one.fields);
    const samples: ProfileSample[] = [];
    for (const gpu of this.#gpus) {
      // Each GPU on its own: one that fails takes no other with it.
      const { code, bytes } = this.#dcgm.latest(this.#handle, { kind: 'gpu', id: gpu }, fields);
      if (LOST.has(code)) throw new Error(dcgmError('dcgmEntityGetLatestValues', code));
      if (code === 0) {
        const sample = this.#sampleOf(readFields(bytes, fields));
        if (sample !== undefined) samples.push(sample);
        else errors.push(`GPU ${gpu} does not tell its UUID`);
      } else errors.push(dcgmError(`dcgmEntityGetLatestValues of GPU ${gpu}`, code));
    }
    const inside = fields.filter((field) => OF_INSTANCES.has(field));
    for (const { entity, gpuUuid, instance } of inside.length === 0 ? [] : this.#instances) {
      const { code, bytes } = this.#dcgm.latest(this.#handle, entity, inside);
      if (code === 0) samples.push(this.#instanceSample(readFields(bytes, inside), gpuUuid, instance));
      else errors.push(dcgmError(`dcgmEntityGetLatestValues of an instance of ${gpuUuid}`, code));
    }
    return { samples, errors };
  }

  #sampleOf(readings: ReadonlyMap<number, FieldReading>): ProfileSample | undefined {
    const uuid = readings.get(FIELD.uuid);
    if (uuid?.kind !== 'text') return undefined;
    const { value, found } = this.#valuesOf(readings);
    const overlap = overlapOf(value);
    const activity = activityOf(value);
    const stopped = (overlap.utilization ?? 0) >= SURELY_BUSY && countsNothing(activity);
    return {
      device: { uuid: uuid.text },
      at: found.at,
      activity: stopped ? { pipes: {} } : activity,
      overlap: stopped ? withoutRates(overlap) : overlap,
      blank: found.blank || stopped,
    };
  }

  /** Of an instance no utilisation is told: how long its engine was active is the nearest to it. */
  #instanceSample(
    readings: ReadonlyMap<number, FieldReading>,
    uuid: string,
    instance: number,
  ): ProfileSample {
    const { value, found } = this.#valuesOf(readings);
    const activity = activityOf(value);
    return {
      device: { uuid, instance },
      at: found.at,
      activity,
      overlap: present({ utilization: activity.graphicsEngine }),
      blank: found.blank,
    };
  }

  /** Reads values, and notes the newest time and whether one was blank. */
  #valuesOf(readings: ReadonlyMap<number, FieldReading>) {
    const since = this.#now() - STALE_INTERVALS * this.#settings.intervalSeconds * 1_000_000;
    const found = { at: 0, blank: false };
    const value = (id: number): number | undefined => {
      const reading = readings.get(id);
      // What is not watched or not supported is simply not told.
      if (reading === undefined || reading.kind === 'unsupported') return undefined;
      if (reading.kind !== 'number' || reading.at < since || reading.value < 0) {
        found.blank = true;
        return undefined;
      }
      found.at = Math.max(found.at, reading.at);
      return reading.value;
    };
    return { value, found };
  }

  pause(): string | undefined {
    const code = this.#dcgm.pause(this.#handle);
    if (code !== 0) return dcgmError('dcgmProfPause', code);
    this.#paused = true;
    return undefined;
  }

  resume(): string | undefined {
    const code = this.#dcgm.resume(this.#handle);
    if (code !== 0) return dcgmError('dcgmProfResume', code);
    this.#paused = false;
    return undefined;
  }

  /** Leaves nothing behind: a host engine of its own keeps what its clients asked for. */
  close(): void {
    if (this.#handle !== 0n) {
      if (this.#paused) this.resume();
      for (const { group, on } of this.#watched) {
        if (on) this.#dcgm.unwatch(this.#handle, this.#group, group);
        this.#dcgm.destroyFieldGroup(this.#handle, group);
      }
      if (this.#group !== 0n) this.#dcgm.destroyGroup(this.#handle, this.#group);
      if (this.#settings.address === undefined) this.#dcgm.stopEmbedded(this.#handle);
      else this.#dcgm.disconnect(this.#handle);
    }
    this.#handle = 0n;
    this.#group = 0n;
    this.#watched = [];
    this.#instances = [];
    this.#dcgm.shutdown();
  }
}

type ValueOf = (id: number) => number | undefined;

function overlapOf(value: ValueOf): Overlap {
  const clock = value(FIELD.smClock);
  const rates = (transmit: number | undefined, receive: number | undefined) =>
    transmit === undefined || receive === undefined ? undefined : { transmit, receive };
  return present({
    utilization: share(value(FIELD.gpuUtilization), 100),
    memoryControllerUtilization: share(value(FIELD.memoryCopyUtilization), 100),
    powerW: value(FIELD.power),
    smClockHz: clock === undefined ? undefined : clock * 1e6,
    pcie: rates(value(FIELD.pcieTransmit), value(FIELD.pcieReceive)),
    links: rates(value(FIELD.nvlinkTransmit), value(FIELD.nvlinkReceive)),
  });
}

function activityOf(value: ValueOf): Activity {
  return {
    ...present({
      graphicsEngine: share(value(FIELD.graphicsActive)),
      sm: share(value(FIELD.smActive)),
      occupancy: share(value(FIELD.smOccupancy)),
      memoryBandwidth: share(value(FIELD.dramActive)),
    }),
    pipes: present({
      tensor: share(value(FIELD.tensorActive)),
      fp64: share(value(FIELD.fp64Active)),
      fp32: share(value(FIELD.fp32Active)),
      fp16: share(value(FIELD.fp16Active)),
    }),
  };
}

/** The graphics engine and the multiprocessors both say that nothing at all ran. */
const countsNothing = ({ graphicsEngine, sm }: Activity): boolean =>
  graphicsEngine !== undefined && graphicsEngine === 0 && (sm ?? 0) === 0;

function withoutRates({ pcie: _pcie, links: _links, ...others }: Overlap): Overlap {
  return others;
}

function need(call: string, code: number): void {
  if (code !== 0) throw new Error(dcgmError(call, code));
}

function opened(call: string, { code, handle }: Opened): bigint {
  need(call, code);
  return handle;
}
