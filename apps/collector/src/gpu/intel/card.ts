import type { GpuProcess, GpuReading, GpuState } from '../device.ts';
import { type Card, checkOnBus, isAsleep } from '../drm/card.ts';
import type { DrmClients, DrmUse } from '../drm/clients.ts';
import { driverNames, driverNumber } from '../drm/driver-files.ts';
import { Hwmon } from '../drm/hwmon.ts';
import { defined, positive } from '../reading.ts';
import { type EngineKind, type Engines, graphicsParts } from './engines.ts';

const MEGA = 1_000_000;
const MICRO = 1e-6;
const MAX_ENTRIES = 64;
/** Shorter than this, growth over time says nothing. Seconds. */
const MIN_INTERVAL_S = 0.05;
/** What holds clocks down because something is too hot, in the words of both drivers. */
const HOT = [
  'thermal',
  'prochot',
  'vr_thermalert',
  'soc_thermal',
  'mem_thermal',
  'vr_thermal',
  'soc_avg_thermal',
];
/** Engines by the words of i915 for them; xe uses the short ones. */
const I915_ENGINES: ReadonlyMap<string, EngineKind> = new Map([
  ['render', 'rcs'],
  ['compute', 'ccs'],
  ['copy', 'bcs'],
  ['video', 'vcs'],
  ['video-enhance', 'vecs'],
]);

/** One GPU of the drivers i915 and xe, by the files of these. */
export class IntelCard {
  readonly card: Card;
  /** Busy engines, where the driver counts and lets us. */
  engines: Engines | undefined;
  /** Asks the driver for the memory of the card, where that can be. */
  ownMemory: (() => GpuReading['memory']) | undefined;
  readonly #hwmon: Hwmon | undefined;
  readonly #now: () => number;
  #energySensor: number | undefined;
  #energy: { readonly microjoules: bigint; readonly at: number } | undefined;

  /** `now` gives monotonic seconds. */
  constructor(card: Card, now: () => number) {
    this.card = card;
    this.#now = now;
    this.#hwmon = Hwmon.find(card.path, card.driver);
  }

  /** `ask` asks the library, where there is one. @throws GpuError when it is off the bus */
  read(clients: DrmClients, ask: () => GpuReading | undefined): GpuReading {
    // It sleeps: what it does is nothing, and no question may wake it.
    if (isAsleep(this.card)) return {};
    checkOnBus(this.card);
    const sysman = ask();
    const use = clients.use(this.card.address);
    const energy = this.#readEnergy();
    // Where the driver has a sensor, the sum of the library never stands in for it.
    const hasSensor = (this.#hwmon?.sensors('energy') ?? []).length > 0;
    const processes = processesOf(use, sysman);
    const { energy: summed, ...rest } = sysman ?? {};
    return {
      ...rest,
      ...(hasSensor ? {} : defined('energy', summed)),
      ...defined('utilization', this.#utilization(use, sysman)),
      ...defined('memory', sysman?.memory ?? this.ownMemory?.()),
      ...defined('temperatures', this.#temperatures(sysman)),
      ...defined('fans', this.#hwmon?.fans() ?? sysman?.fans),
      ...defined('power', energy === undefined ? sysman?.power : this.#power(energy)),
      ...defined('powerLimit', this.#powerLimit() ?? sysman?.powerLimit),
      ...(energy === undefined ? {} : { energy: { raw: energy, scale: MICRO } }),
      ...defined('clocks', this.#clocks(sysman)),
      ...defined('state', worse(this.#state(), sysman?.state)),
      ...defined('processes', processes),
    };
  }

  /**
   * By the library, which tells decoders from encoders; by the counters of the kernel; by all processes together when all
   * could be asked. Both of the latter know engines for video only, which decode and encode.
   */
  #utilization(use: DrmUse, sysman: GpuReading | undefined): GpuReading['utilization'] {
    const busy = this.engines?.busy();
    const told = sysman?.utilization;
    if (told?.general !== undefined) return told;
    const shares = busy !== undefined && busy.size > 0 ? busy : use.complete ? sumOf(use) : undefined;
    if (shares === undefined || shares.size === 0) return told;
    const works = [shares.get('rcs'), shares.get('ccs')].filter((one) => one !== undefined);
    return {
      ...defined('general', works.length === 0 ? undefined : Math.max(...works)),
      ...defined('decoder', shares.get('vcs')),
    };
  }

  #temperatures(sysman: GpuReading | undefined): GpuReading['temperatures'] {
    const monitor = this.#hwmon;
    let die: number | undefined;
    let memory: number | undefined;
    for (const sensor of monitor?.sensors('temp') ?? []) {
      const label = monitor?.label(`temp${sensor}`) ?? 'pkg';
      if (label === 'pkg') die ??= monitor?.temperature(sensor);
      else if (label === 'vram') memory ??= monitor?.temperature(sensor);
    }
    die ??= sysman?.temperatures?.die;
    memory ??= sysman?.temperatures?.memory;
    return die === undefined && memory === undefined
      ? undefined
      : { ...defined('die', die), ...defined('memory', memory) };
  }

  /** Of the whole card, else of the chip: the first that answers, and no other after it, since their sums differ. */
  #readEnergy(): bigint | undefined {
    if (this.#energySensor !== undefined) return this.#hwmon?.energy(this.#energySensor);
    for (const sensor of this.#hwmon?.sensors('energy') ?? []) {
      const energy = this.#hwmon?.energy(sensor);
      if (energy === undefined) continue;
      this.#energySensor = sensor;
      return energy;
    }
    return undefined;
  }

  /** The drivers tell no power, only the energy that was used: watts are what it grew by over time. */
  #power(microjoules: bigint): number | undefined {
    const at = this.#now();
    const last = this.#energy;
    if (last !== undefined && at - last.at < MIN_INTERVAL_S) return undefined;
    this.#energy = { microjoules, at };
    if (last === undefined || microjoules < last.microjoules) return undefined;
    return (Number(microjoules - last.microjoules) * MICRO) / (at - last.at);
  }

  /** Of the card, else of the chip; 0 means that there is none. */
  #powerLimit(): number | undefined {
    for (const sensor of this.#hwmon?.sensors('power') ?? []) {
      const limit = positive(this.#hwmon?.watts(sensor, 'max'));
      if (limit !== undefined) return limit;
    }
    return undefined;
  }

  /** The fastest part is what the work waits for. */
  #clocks(sysman: GpuReading | undefined): GpuReading['clocks'] {
    const clocks = this.#clockFiles()
      .map((file) => driverNumber(file))
      .filter((megahertz) => megahertz !== undefined && megahertz >= 0);
    const graphics =
      clocks.length === 0 ? sysman?.clocks?.graphics : Math.max(...clocks.map((one) => one ?? 0)) * MEGA;
    const memory = sysman?.clocks?.memory;
    return graphics === undefined && memory === undefined
      ? undefined
      : { ...defined('graphics', graphics), ...defined('memory', memory) };
  }

  #clockFiles(): readonly string[] {
    if (this.card.driver === 'xe')
      return graphicsParts(this.card).map(({ path }) => `${path}/freq0/act_freq`);
    const root = this.#cardDirectory();
    if (root === undefined) return [];
    const parts = driverNames(`${root}/gt`, MAX_ENTRIES).filter((name) => /^gt\d+$/.test(name));
    return parts.length === 0
      ? [`${root}/gt_act_freq_mhz`]
      : parts.map((name) => `${root}/gt/${name}/rps_act_freq_mhz`);
  }

  /** i915 keeps its files with the node, not with the device. */
  #cardDirectory(): string | undefined {
    const node = this.card.nodes.find((name) => name.startsWith('card'));
    return node === undefined ? undefined : `${this.card.path}/drm/${node}`;
  }

  /** Undefined when the driver says nothing of what holds the clocks down. */
  #state(): GpuState | undefined {
    const root = this.#cardDirectory();
    const [prefix, directories] =
      this.card.driver === 'xe'
        ? ['', graphicsParts(this.card).map(({ path }) => `${path}/freq0/throttle/`)]
        : [
            'throttle_',
            root === undefined
              ? []
              : driverNames(`${root}/gt`, MAX_ENTRIES).map((name) => `${root}/gt/${name}/`),
          ];
    let told = false;
    for (const directory of directories) {
      for (const reason of HOT) {
        const value = driverNumber(`${directory}${prefix}reason_${reason}`);
        told ||= value !== undefined;
        if (value === 1) return 'degraded';
      }
    }
    return told ? 'ok' : undefined;
  }

  close(): void {
    this.engines?.close();
    this.engines = undefined;
  }
}

const STATES: readonly GpuState[] = ['ok', 'degraded', 'predicted_failure', 'failed'];

const worse = (a: GpuState | undefined, b: GpuState | undefined): GpuState | undefined =>
  STATES.findLast((state) => state === a || state === b);

const kindOf = (name: string): EngineKind | undefined =>
  I915_ENGINES.get(name) ?? (/^(rcs|ccs|bcs|vcs|vecs)$/.test(name) ? (name as EngineKind) : undefined);

function sumOf({ processes }: DrmUse): ReadonlyMap<EngineKind, number> {
  // Nobody holds the card: it does nothing.
  if (processes.length === 0) return new Map([['rcs', 0]]);
  const sums = new Map<EngineKind, number>();
  for (const { engines } of processes) {
    for (const [name, busy] of engines) {
      const kind = kindOf(name);
      if (kind !== undefined) sums.set(kind, Math.min(1, (sums.get(kind) ?? 0) + busy));
    }
  }
  return sums;
}

/** Memory of the card; on one within the processor, that of the host. */
function memoryOf(memory: ReadonlyMap<string, number>): number | undefined {
  const own = [...memory].filter(([region]) => /^(vram|local)\d*$/.test(region));
  const regions = own.length > 0 ? own : [...memory].filter(([region]) => /^system\d*$/.test(region));
  return regions.length === 0 ? undefined : regions.reduce((sum, [, bytes]) => sum + bytes, 0);
}

/** Undefined when not everybody could be looked at and nobody was seen. */
function processesOf(use: DrmUse, sysman: GpuReading | undefined): readonly GpuProcess[] | undefined {
  const told = new Map((sysman?.processes ?? []).map((process) => [process.pid, process]));
  for (const { pid, memory, engines } of use.processes) {
    told.set(pid, {
      pid,
      ...defined('memory', memoryOf(memory) ?? told.get(pid)?.memory),
      ...defined('utilization', engines.size === 0 ? undefined : Math.max(...engines.values())),
    });
  }
  return told.size > 0 || use.complete ? [...told.values()] : undefined;
}
