import type { Directions, GpuProcess, GpuReading, GpuState } from '../device.ts';
import { HeldSum } from '../drm/held-sum.ts';
import { defined } from '../reading.ts';
import { STRUCTURES, type Zes } from './zes.ts';

const MEGA = 1_000_000;
const MICRO = 1e-6;
const MILLI = 1e-3;
const PROCESS_STATE_BYTES = 48;
const POWER_LIMIT_BYTES = 48;
/** A limit in force all the time, in milliwatts. */
const SUSTAINED = 1;
const UNIT_POWER = 2;
/** Kinds of engine group: all that computes, computes, draws, decodes, encodes. */
const COMPUTE_ALL = 1;
const COMPUTE = 4;
const RENDER = 5;
const DECODE = 6;
const ENCODE = 7;
const GRAPHICS_CLOCK = 0;
const MEMORY_CLOCK = 1;
const ON_DEVICE = 1;
const CORRECTED = 0;
/** The hottest of the whole, of the chip, of its memory. */
const GLOBAL_MAX = 0;
const CHIP_MAX = 1;
const MEMORY_MAX = 2;
/** Of the reasons for a low clock, the one that is heat. */
const THERMAL = 1 << 3;
/** Where the kinds of error begin: before them stands how often engines were reset, which is no error of the device. */
const ERROR_KINDS = [1, 2, 3, 4, 5, 6];
/** In `zes_device_properties_t`: name of the model, and of the core device that it begins with. */
const MODEL_AT = 580;
const CORE_NAME_AT = 128;
const STATES: readonly (GpuState | undefined)[] = [
  undefined,
  'ok',
  'degraded',
  'degraded',
  'predicted_failure',
];
const SEVERITY: readonly GpuState[] = ['ok', 'degraded', 'predicted_failure', 'failed'];

interface Engine {
  readonly handle: bigint;
  readonly type: number;
  last: { readonly active: bigint; readonly at: bigint } | undefined;
}

/** Something of a kind: its number and handle, and whether it belongs to a part of the device only. */
interface Part {
  readonly handle: bigint;
  readonly type: number;
  readonly ofTile: boolean;
}

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

const highest = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : Math.max(...values);

function textAt(bytes: Buffer, offset: number, length: number): string {
  const text = bytes.subarray(offset, offset + length);
  const end = text.indexOf(0);
  return text.toString('utf8', 0, end < 0 ? length : end).trim();
}

/** Those of the whole device, or, where it has none, of its parts: both together would count twice. */
const whole = (parts: readonly Part[]): readonly Part[] => {
  const own = parts.filter(({ ofTile }) => !ofTile);
  return own.length > 0 ? own : parts;
};

/** A device as Level Zero Sysman sees it. What it consists of is asked once, what it does at every reading. */
export class SysmanDevice {
  /** Name of the product; undefined when it has none. */
  readonly name: string | undefined;
  readonly #zes: Zes;
  readonly #device: bigint;
  readonly #engines: readonly Engine[];
  readonly #memories: readonly bigint[];
  readonly #power: bigint | undefined;
  readonly #clocks: readonly Part[];
  readonly #temperatures: readonly Part[];
  readonly #fans: readonly bigint[];
  readonly #errors: readonly Part[];
  readonly #ports: readonly bigint[];
  readonly #corrected = new HeldSum();
  readonly #uncorrected = new HeldSum();
  readonly #received = new HeldSum();
  readonly #transmitted = new HeldSum();
  #energy: { readonly microjoules: bigint; readonly at: bigint } | undefined;

  constructor(zes: Zes, device: bigint) {
    this.#zes = zes;
    this.#device = device;
    const parts = (
      list: Parameters<Zes['handles']>[0],
      properties: Parameters<Zes['read']>[0],
      structure: number,
    ): readonly Part[] =>
      zes.handles(list, device).flatMap((handle) => {
        const read = zes.read(properties, handle, structure);
        return read === undefined
          ? []
          : [{ handle, type: read.readUInt32LE(16), ofTile: read.readUInt8(20) !== 0 }];
      });
    const engines = parts('zesDeviceEnumEngineGroups', 'zesEngineGetProperties', STRUCTURES.engineProperties);
    this.#engines = [COMPUTE_ALL, COMPUTE, RENDER, DECODE, ENCODE].flatMap((type) =>
      whole(engines.filter((one) => one.type === type)).map(({ handle }) => ({
        handle,
        type,
        last: undefined,
      })),
    );
    this.#memories = zes.handles('zesDeviceEnumMemoryModules', device).filter((handle) => {
      const read = zes.read('zesMemoryGetProperties', handle, STRUCTURES.memoryProperties);
      return read?.readUInt32LE(28) === ON_DEVICE;
    });
    this.#power =
      zes.handle('zesDeviceGetCardPowerDomain', device) ??
      zes.handles('zesDeviceEnumPowerDomains', device)[0];
    this.#clocks = parts(
      'zesDeviceEnumFrequencyDomains',
      'zesFrequencyGetProperties',
      STRUCTURES.frequencyProperties,
    );
    this.#temperatures = parts(
      'zesDeviceEnumTemperatureSensors',
      'zesTemperatureGetProperties',
      STRUCTURES.temperatureProperties,
    );
    this.#fans = zes.handles('zesDeviceEnumFans', device);
    this.#errors = whole(parts('zesDeviceEnumRasErrorSets', 'zesRasGetProperties', STRUCTURES.rasProperties));
    this.#ports = zes.handles('zesDeviceEnumFabricPorts', device);
    this.name = this.#modelName();
  }

  /** PCI address; undefined when the library does not tell. */
  static addressOf(zes: Zes, device: bigint): string | undefined {
    const read = zes.read('zesDevicePciGetProperties', device, STRUCTURES.pciProperties);
    if (read === undefined) return undefined;
    const [domain, bus, slot, fn] = [16, 20, 24, 28].map((offset) => read.readUInt32LE(offset).toString(16));
    return `${domain?.padStart(4, '0')}:${bus?.padStart(2, '0')}:${slot?.padStart(2, '0')}.${fn}`;
  }

  #modelName(): string | undefined {
    const read = this.#zes.read('zesDeviceGetProperties', this.#device, STRUCTURES.deviceProperties);
    if (read === undefined) return undefined;
    const names = [textAt(read, MODEL_AT, 64), textAt(read, CORE_NAME_AT, 256)];
    return names.find((name) => name !== '' && name.toLowerCase() !== 'unknown');
  }

  /** @throws GpuError when it is lost */
  read(interconnect: boolean): GpuReading {
    const memory = this.#memory();
    const errors = this.#errorCounts();
    const bus = this.#bus();
    const energy = this.#energyCounter();
    const clocks = this.#readClocks();
    const states = [memory.state, clocks.state].filter((state) => state !== undefined);
    return {
      ...defined('utilization', this.#utilization()),
      ...defined('memory', memory.memory),
      ...defined('temperatures', this.#readTemperatures()),
      ...defined('fans', this.#readFans()),
      ...energy,
      ...defined('powerLimit', this.#powerLimit()),
      ...defined('clocks', clocks.clocks),
      ...defined('io', bus.io),
      ...(interconnect ? this.#interconnect() : {}),
      ...defined(
        'state',
        SEVERITY.findLast((state) => states.includes(state)),
      ),
      errors: { ...bus.errors, ...errors },
      ...defined('processes', this.#processes()),
    };
  }

  #utilization(): GpuReading['utilization'] {
    const shares = this.#engines.flatMap((engine) => {
      const read = this.#zes.read('zesEngineGetActivity', engine.handle, undefined);
      if (read === undefined) return [];
      const now = { active: read.readBigUInt64LE(0), at: read.readBigUInt64LE(8) };
      const { last } = engine;
      engine.last = now;
      if (last === undefined || now.at <= last.at || now.active < last.active) return [];
      const busy = Number(now.active - last.active) / Number(now.at - last.at);
      return [{ type: engine.type, busy: Math.min(1, busy) }];
    });
    const of = (type: number): number | undefined =>
      mean(shares.filter((one) => one.type === type).map(({ busy }) => busy));
    // Where the library sums up what computes, single engines of the kind say the same again.
    const works = [of(COMPUTE_ALL) ?? of(COMPUTE), of(RENDER)].filter((one) => one !== undefined);
    const encoder = of(ENCODE);
    const decoder = of(DECODE);
    if (works.length === 0 && encoder === undefined && decoder === undefined) return undefined;
    return {
      ...defined('general', highest(works)),
      ...defined('encoder', encoder),
      ...defined('decoder', decoder),
    };
  }

  #memory(): { readonly memory: GpuReading['memory']; readonly state: GpuState | undefined } {
    let limit = 0;
    let usage = 0;
    let state: GpuState | undefined;
    for (const handle of this.#memories) {
      const read = this.#zes.read('zesMemoryGetState', handle, STRUCTURES.memoryState);
      // A module that is not told of makes the sum of the others a lie.
      if (read === undefined) return { memory: undefined, state };
      const size = Number(read.readBigUInt64LE(32));
      limit += size;
      usage += Math.max(0, size - Number(read.readBigUInt64LE(24)));
      const health = STATES[read.readUInt32LE(16)];
      if (health !== undefined && SEVERITY.indexOf(health) > SEVERITY.indexOf(state ?? 'ok')) state = health;
      state ??= health;
    }
    return { memory: limit === 0 ? undefined : { limit, usage }, state };
  }

  #readTemperatures(): GpuReading['temperatures'] {
    const of = (type: number): number | undefined =>
      highest(
        this.#temperatures.flatMap((sensor) => {
          const read =
            sensor.type === type
              ? this.#zes.read('zesTemperatureGetState', sensor.handle, undefined)?.readDoubleLE(0)
              : undefined;
          return read !== undefined && read > -60 && read < 250 ? [read] : [];
        }),
      );
    const die = of(CHIP_MAX) ?? of(GLOBAL_MAX);
    const memory = of(MEMORY_MAX);
    return die === undefined && memory === undefined
      ? undefined
      : { ...defined('die', die), ...defined('memory', memory) };
  }

  #readFans(): GpuReading['fans'] {
    const fans = this.#fans.flatMap((handle) => {
      const rpm = this.#zes.read('zesFanGetState', handle, undefined, 0)?.readInt32LE(0);
      const percent = this.#zes.read('zesFanGetState', handle, undefined, 1)?.readInt32LE(0);
      const known = {
        ...(rpm !== undefined && rpm >= 0 ? { rpm } : {}),
        ...(percent !== undefined && percent >= 0 ? { ratio: percent / 100 } : {}),
      };
      return Object.keys(known).length === 0 ? [] : [known];
    });
    return fans.length === 0 ? undefined : fans;
  }

  /** Power is the growth of the energy over the time that the device stamps it with. */
  #energyCounter(): Pick<GpuReading, 'energy' | 'power'> {
    const read =
      this.#power === undefined
        ? undefined
        : this.#zes.read('zesPowerGetEnergyCounter', this.#power, undefined);
    if (read === undefined) return {};
    const now = { microjoules: read.readBigUInt64LE(0), at: read.readBigUInt64LE(8) };
    const last = this.#energy;
    this.#energy = now;
    const energy = { raw: now.microjoules, scale: MICRO };
    if (last === undefined || now.at <= last.at || now.microjoules < last.microjoules) return { energy };
    return { energy, power: Number(now.microjoules - last.microjoules) / Number(now.at - last.at) };
  }

  #powerLimit(): number | undefined {
    if (this.#power === undefined) return undefined;
    for (const limit of this.#zes.list(
      'zesPowerGetLimitsExt',
      this.#power,
      STRUCTURES.powerLimitExt,
      POWER_LIMIT_BYTES,
    )) {
      const [level, unit] = [limit.readUInt32LE(16), limit.readUInt32LE(24)];
      const milliwatts = limit.readInt32LE(40);
      if (level === SUSTAINED && unit === UNIT_POWER && milliwatts > 0) return milliwatts * MILLI;
    }
    return undefined;
  }

  #readClocks(): { readonly clocks: GpuReading['clocks']; readonly state: GpuState | undefined } {
    let state: GpuState | undefined;
    const found = this.#clocks.flatMap(({ handle, type }) => {
      const read = this.#zes.read('zesFrequencyGetState', handle, STRUCTURES.frequencyState);
      if (read === undefined) return [];
      if ((read.readUInt32LE(56) & THERMAL) !== 0) state = 'degraded';
      state ??= 'ok';
      const megahertz = read.readDoubleLE(48);
      return megahertz >= 0 && Number.isFinite(megahertz) ? [{ type, hertz: megahertz * MEGA }] : [];
    });
    const of = (wanted: number): number | undefined =>
      highest(found.filter(({ type }) => type === wanted).map(({ hertz }) => hertz));
    const graphics = of(GRAPHICS_CLOCK);
    const memory = of(MEMORY_CLOCK);
    return {
      state,
      clocks:
        graphics === undefined && memory === undefined
          ? undefined
          : { ...defined('graphics', graphics), ...defined('memory', memory) },
    };
  }

  /** Bytes and repeats on the bus; noughts from the beginning mean that the chip does not count. */
  #bus(): { readonly io: Directions | undefined; readonly errors: GpuReading['errors'] } {
    const properties = this.#zes.read('zesDevicePciGetProperties', this.#device, STRUCTURES.pciProperties);
    const stats = this.#zes.read('zesDevicePciGetStats', this.#device, undefined);
    if (properties === undefined || stats === undefined) return { io: undefined, errors: {} };
    const counts = properties.readUInt8(48) !== 0;
    const repeats = properties.readUInt8(50) !== 0;
    return {
      io: counts
        ? { receive: { raw: stats.readBigUInt64LE(24) }, transmit: { raw: stats.readBigUInt64LE(32) } }
        : undefined,
      errors: repeats ? { pcie_replay: { raw: stats.readBigUInt64LE(8) } } : {},
    };
  }

  #interconnect(): Pick<GpuReading, 'interconnect'> {
    const received = new Map<string, bigint>();
    const transmitted = new Map<string, bigint>();
    for (const port of this.#ports) {
      const read = this.#zes.read('zesFabricPortGetThroughput', port, undefined);
      if (read === undefined) continue;
      received.set(String(port), read.readBigUInt64LE(8));
      transmitted.set(String(port), read.readBigUInt64LE(16));
    }
    const receive = this.#received.add(received);
    const transmit = this.#transmitted.add(transmitted);
    if (receive === undefined || transmit === undefined) return {};
    return { interconnect: { other: { receive: { raw: receive }, transmit: { raw: transmit } } } };
  }

  #errorCounts(): GpuReading['errors'] {
    const corrected = new Map<string, bigint>();
    const uncorrected = new Map<string, bigint>();
    for (const { handle, type } of this.#errors) {
      const read = this.#zes.read('zesRasGetState', handle, STRUCTURES.rasState, 0);
      if (read === undefined) continue;
      const sum = ERROR_KINDS.reduce((total, kind) => total + read.readBigUInt64LE(16 + 8 * kind), 0n);
      (type === CORRECTED ? corrected : uncorrected).set(String(handle), sum);
    }
    const some = this.#corrected.add(corrected);
    const worse = this.#uncorrected.add(uncorrected);
    return {
      ...(some === undefined ? {} : { ras_corrected: { raw: some } }),
      ...(worse === undefined ? {} : { ras_uncorrected: { raw: worse } }),
    };
  }

  #processes(): readonly GpuProcess[] | undefined {
    const found = this.#zes.list(
      'zesDeviceProcessesGetState',
      this.#device,
      STRUCTURES.processState,
      PROCESS_STATE_BYTES,
    );
    if (found.length === 0) return undefined;
    return found.map((state) => ({ pid: state.readUInt32LE(16), memory: Number(state.readBigUInt64LE(24)) }));
  }
}
