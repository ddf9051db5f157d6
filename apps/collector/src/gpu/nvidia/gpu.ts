import type { ClockDomain, GpuDevice, GpuReading, GpuTask } from '../device.ts';
import { activityOf } from './activity.ts';
import { Bus } from './bus.ts';
import { FIELD, type FieldAsked, Fields, type FieldValues } from './fields.ts';
import type { PerformanceMonitor } from './gpm.ts';
import type { NvmlHandle } from './handle.ts';
import { errorsOf, stateOf } from './health.ts';
import { NvLinks } from './links.ts';
import { readMemory } from './memory.ts';
import { Processes, processList, type Running } from './processes.ts';

/** `nvmlTemperature_v1_t` with its version. */
const TEMPERATURE_BYTES = 12;
const TEMPERATURE_V1 = 0x0100_0000 | TEMPERATURE_BYTES;
const DIE = 0;
/** `nvmlClockType_t`. */
const CLOCKS: Readonly<Record<ClockDomain, number>> = { graphics: 0, sm: 1, memory: 2 };
const MAX_FANS = 32;
const HERTZ = 1_000_000;
const MILLI = 0.001;
/** Of a percentage that is none. */
const MOST_PERCENT = 100;

/** The values that are known. */
function known<T extends object>(values: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

const share = (percent: number | undefined): number | undefined =>
  percent === undefined || percent > MOST_PERCENT ? undefined : percent / 100;

export interface Told {
  readonly xids: bigint;
  readonly sick: boolean;
}

export interface PartsHeld {
  readonly held: boolean | undefined;
}

export interface NvidiaGpuOptions {
  readonly interconnect: boolean;
  /** Undefined where the GPU has none. */
  readonly monitor: PerformanceMonitor | undefined;
}

/** A whole GPU and what it answers. */
export class NvidiaGpu {
  readonly device: GpuDevice;
  readonly handle: NvmlHandle;
  readonly #fields: Fields;
  readonly #links: NvLinks;
  readonly #processes: Processes;
  readonly #bus: Bus = new Bus();
  readonly #monitor: PerformanceMonitor | undefined;

  /** @throws GpuError */
  constructor(device: GpuDevice, handle: NvmlHandle, { interconnect, monitor }: NvidiaGpuOptions) {
    this.device = device;
    this.handle = handle;
    this.#fields = new Fields(handle);
    this.#processes = new Processes(handle);
    this.#monitor = monitor;
    const count = interconnect ? this.#fields.read([{ id: FIELD.nvlinkCount, scope: 0 }]) : undefined;
    this.#links = new NvLinks(Number(count?.of(FIELD.nvlinkCount)?.value ?? 0n));
  }

  /**
   * `told`: its XIDs; undefined when it does not tell. `parts`: of a GPU that is cut, whether its parts were held when they
   * were last read. `changed`: its parts are others. @throws GpuError
   */
  read(told: Told | undefined, parts: PartsHeld | undefined, changed: boolean): GpuReading {
    const { handle } = this;
    const fields = this.#fields.read([...FIELDS, ...this.#links.asked()]);
    const energy = handle.u64('nvmlDeviceGetTotalEnergyConsumption');
    const links = this.#links.read(fields);
    const monitored = this.#monitor?.read();
    const memory = readMemory(handle);
    return known<GpuReading>({
      ...this.#work(),
      memory: memory?.memory,
      temperatures: this.#temperatures(fields),
      fans: this.#fans(),
      power: this.#power(fields),
      powerLimit: scaled(handle.u32('nvmlDeviceGetEnforcedPowerLimit'), MILLI),
      energy: energy === undefined ? undefined : { raw: energy, scale: MILLI },
      clocks: known<NonNullable<GpuReading['clocks']>>({
        graphics: this.#clock('graphics'),
        sm: this.#clock('sm'),
        memory: this.#clock('memory'),
      }),
      io: this.#bus.read(fields, monitored),
      activity: monitored === undefined ? undefined : activityOf(monitored),
      interconnect: links === undefined ? undefined : { nvlink: links },
      state: stateOf(handle, fields, told?.sick),
      errors: errorsOf(handle, told?.xids),
      ...this.#who(parts, memory?.inUse === true),
      changed: changed ? true : undefined,
    });
  }

  /** It is not read any more. */
  end(): void {
    this.#monitor?.free();
  }

  #work(): Pick<GpuReading, 'utilization' | 'memoryControllerUtilization'> {
    const rates = Buffer.alloc(8);
    const told = this.handle.answers('nvmlDeviceGetUtilizationRates', '', rates);
    const utilization = known<Partial<Record<GpuTask, number>>>({
      general: told ? share(rates.readUInt32LE(0)) : undefined,
      encoder: this.#engine('nvmlDeviceGetEncoderUtilization'),
      decoder: this.#engine('nvmlDeviceGetDecoderUtilization'),
    });
    return known({
      utilization,
      memoryControllerUtilization: told ? share(rates.readUInt32LE(4)) : undefined,
    });
  }

  #engine(name: 'nvmlDeviceGetEncoderUtilization' | 'nvmlDeviceGetDecoderUtilization'): number | undefined {
    const [percent, period] = [Buffer.alloc(4), Buffer.alloc(4)];
    return this.handle.answers(name, '', percent, period) ? share(percent.readUInt32LE()) : undefined;
  }

  #temperatures(fields: FieldValues): NonNullable<GpuReading['temperatures']> {
    const asked = Buffer.alloc(TEMPERATURE_BYTES);
    asked.writeUInt32LE(TEMPERATURE_V1);
    asked.writeUInt32LE(DIE, 4);
    const die = this.handle.answers('nvmlDeviceGetTemperatureV', '', asked)
      ? asked.readInt32LE(8)
      : this.handle.u32('nvmlDeviceGetTemperature', DIE);
    // Boards without a sensor at their memory say 0.
    const memory = Number(fields.of(FIELD.memoryTemperature)?.value ?? 0n);
    return known({ die, memory: memory === 0 ? undefined : memory });
  }

  /** A share of the highest speed only: the speed itself is not sent for NVIDIA. */
  #fans(): GpuReading['fans'] {
    const count = this.handle.u32('nvmlDeviceGetNumFans');
    if (count === undefined) {
      const percent = this.handle.u32('nvmlDeviceGetFanSpeed');
      return percent === undefined ? undefined : [{ ratio: percent / 100 }];
    }
    const fans = Array.from({ length: Math.min(count, MAX_FANS) }, (_, fan) =>
      this.handle.u32('nvmlDeviceGetFanSpeed_v2', fan),
    );
    return fans.map((percent) => (percent === undefined ? {} : { ratio: percent / 100 }));
  }

  #power(fields: FieldValues): number | undefined {
    const instant = fields.of(FIELD.powerInstant)?.value;
    return instant === undefined
      ? scaled(this.handle.u32('nvmlDeviceGetPowerUsage'), MILLI)
      : Number(instant) * MILLI;
  }

  #clock(domain: ClockDomain): number | undefined {
    return scaled(this.handle.u32('nvmlDeviceGetClockInfo', CLOCKS[domain]), HERTZ);
  }

  /**
   * On a GPU that is cut, those on its parts are told by the parts. `inUse`: its memory is, by somebody whom the driver may
   * not show: it lists processes of the agent's own namespace only.
   */
  #who(parts: PartsHeld | undefined, inUse: boolean): Pick<GpuReading, 'processes' | 'held'> {
    const running = this.#processes.running();
    if (running === undefined) return {};
    if (parts === undefined) {
      const held = running.size === 0 && inUse ? { held: true } : {};
      return { processes: processList(running, this.#shares(running)), ...held };
    }
    const own = new Map([...running].filter(([, { onInstance }]) => !onInstance));
    const held = running.size > own.size ? true : parts.held;
    // That nobody is on the GPU itself says nothing: without rights the driver does not tell of those on its parts.
    if (own.size === 0 && held === undefined) return {};
    return { processes: processList(own, this.#shares(own)), ...(held === true ? { held } : {}) };
  }

  #shares(running: ReadonlyMap<number, Running>): ReadonlyMap<number, number> | undefined {
    return running.size === 0 ? undefined : this.#processes.utilization();
  }
}

const FIELDS: readonly FieldAsked[] = [
  FIELD.memoryTemperature,
  FIELD.powerInstant,
  FIELD.pcieTxBytes,
  FIELD.pcieRxBytes,
  FIELD.recoveryAction,
].map((id) => ({ id, scope: 0 }));

const scaled = (value: number | undefined, by: number): number | undefined =>
  value === undefined || value === NO_NUMBER ? undefined : value * by;
const NO_NUMBER = 0xffff_ffff;
