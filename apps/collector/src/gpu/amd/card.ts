import type { GpuReading, GpuState } from '../device.ts';
import { type Card, checkOnBus, isAsleep } from '../drm/card.ts';
import type { DrmClients, DrmUse } from '../drm/clients.ts';
import { driverBytes, driverCount, driverNumber, driverText } from '../drm/driver-files.ts';
import { HeldSum } from '../drm/held-sum.ts';
import { Hwmon } from '../drm/hwmon.ts';
import { defined, positive } from '../reading.ts';
import { MAX_TABLE_BYTES, type MetricsTable, parseMetricsTable, tableVersion } from './metrics-table.ts';
import { type Computing, mergeProcesses } from './processes.ts';
import { Ras, type RasReading } from './ras.ts';

/** Partitions of a GPU are read one after another: they share its table. Seconds. */
const SHARED_S = 0.5;
/** Energy is counted in units of 2^-16 joules. */
const ENERGY_UNIT = 2 ** -16;
const MAX_CLOCKS_BYTES = 8_192;
const MEGA = 1_000_000;

/** The clock in force in a list of them: the line that ends with a star, in hertz. */
export function activeClock(text: string): number | undefined {
  const match = /^\S+:\s*(\d{1,6})\s*mhz\s*\*\s*$/im.exec(text);
  return match === null ? undefined : Number(match[1]) * MEGA;
}

const share = (percent: number | undefined): number | undefined =>
  percent === undefined || percent < 0 || percent > 100 ? undefined : percent / 100;

/** One GPU of the driver amdgpu. Reading blocks for as long as its firmware takes to answer. */
export class AmdCard {
  readonly card: Card;
  readonly #hwmon: Hwmon | undefined;
  readonly #labels: ReadonlyMap<string, string>;
  readonly #ras: Ras;
  readonly #xgmiRead = new HeldSum();
  readonly #xgmiWritten = new HeldSum();
  readonly #now: () => number;
  #table: { readonly at: number; readonly table: MetricsTable | undefined } | undefined;
  #heat: bigint | undefined;
  #replaysInTable = false;
  /** A version of the table that is not known, once seen. */
  unknownTable: string | undefined;

  /** `now` gives monotonic seconds. */
  constructor(card: Card, now: () => number) {
    this.card = card;
    this.#now = now;
    this.#hwmon = Hwmon.find(card.path, card.driver);
    this.#ras = new Ras(card);
    const labels = new Map<string, string>();
    for (const kind of ['temp', 'freq'] as const) {
      for (const sensor of this.#hwmon?.sensors(kind) ?? []) {
        const label = this.#hwmon?.label(`${kind}${sensor}`);
        if (label !== undefined) labels.set(`${kind} ${label}`, String(sensor));
      }
    }
    this.#labels = labels;
  }

  /** @throws GpuError when it is off the bus */
  read(clients: DrmClients, computing: readonly Computing[], interconnect: boolean): GpuReading {
    // It sleeps: what it does is nothing, and no question may wake it.
    if (isAsleep(this.card)) return {};
    checkOnBus(this.card);
    const table = this.table();
    const use = clients.use(this.card.address);
    const ras = this.#ras.read();
    const state = this.#state(table, ras);
    const replays = this.#replays(table);
    return {
      ...defined('utilization', this.#utilization(table, use)),
      ...defined(
        'memoryControllerUtilization',
        share(driverNumber(`${this.card.path}/mem_busy_percent`)) ?? table?.memoryController,
      ),
      ...defined('memory', this.#memory()),
      ...defined('temperatures', this.#temperatures(table)),
      ...defined('fans', this.#hwmon?.fans() ?? fanOf(table)),
      ...defined('power', this.#power(table)),
      ...defined('powerLimit', positive(this.#hwmon?.watts(1, 'cap'))),
      ...(table?.energy === undefined ? {} : { energy: { raw: table.energy, scale: ENERGY_UNIT } }),
      ...defined('clocks', this.#clocks(table)),
      ...(interconnect ? this.#interconnect(table) : {}),
      ...defined('state', state),
      errors: {
        ...(replays === undefined ? {} : { pcie_replay: { raw: replays } }),
        ...(ras.corrected === undefined ? {} : { ras_corrected: { raw: ras.corrected } }),
        ...(ras.uncorrected === undefined ? {} : { ras_uncorrected: { raw: ras.uncorrected } }),
      },
      ...processesOf(use, computing),
    };
  }

  /** By the table where it ever told them, else by the file: their sums differ. */
  #replays(table: MetricsTable | undefined): bigint | undefined {
    this.#replaysInTable ||= table?.pcieReplays !== undefined;
    return this.#replaysInTable ? table?.pcieReplays : driverCount(`${this.card.path}/pcie_replay_count`);
  }

  /** What the firmware tells in one piece; partitions that are read right after their GPU share it. */
  table(): MetricsTable | undefined {
    const now = this.#now();
    if (this.#table === undefined || now - this.#table.at >= SHARED_S) {
      const bytes = driverBytes(`${this.card.path}/gpu_metrics`, MAX_TABLE_BYTES);
      const table = bytes === undefined ? undefined : parseMetricsTable(bytes);
      if (bytes !== undefined && table === undefined) this.unknownTable = tableVersion(bytes) ?? 'none';
      this.#table = { at: now, table };
    }
    return this.#table.table;
  }

  #utilization(table: MetricsTable | undefined, use: DrmUse): GpuReading['utilization'] {
    const general = share(driverNumber(`${this.card.path}/gpu_busy_percent`)) ?? table?.general;
    // Encoders and decoders are told by process only: all processes together, if all could be asked.
    const engine = (pattern: RegExp): number | undefined => {
      const shares = use.processes.flatMap(({ engines }) =>
        [...engines].flatMap(([name, busy]) => (pattern.test(name) ? [busy] : [])),
      );
      return !use.complete || shares.length === 0 ? undefined : shares.reduce((sum, busy) => sum + busy, 0);
    };
    const encoder = engine(/^enc(_\d+)?$/);
    const decoder = table?.decoder ?? engine(/^dec(_\d+)?$/);
    return {
      ...defined('general', general),
      ...defined('encoder', encoder === undefined ? undefined : Math.min(1, encoder)),
      ...defined('decoder', decoder === undefined ? undefined : Math.min(1, decoder)),
    };
  }

  /** A processor with graphics has next to no memory of its own: what it borrows from the host is what it has. */
  #memory(): GpuReading['memory'] {
    for (const kind of ['vram', 'gtt']) {
      const limit = driverNumber(`${this.card.path}/mem_info_${kind}_total`);
      const usage = driverNumber(`${this.card.path}/mem_info_${kind}_used`);
      if (limit !== undefined && limit > 0 && usage !== undefined) return { limit, usage };
    }
    return undefined;
  }

  #sensor(kind: string, ...labels: readonly string[]): number | undefined {
    const found = labels
      .map((label) => this.#labels.get(`${kind} ${label}`))
      .find((one) => one !== undefined);
    return found === undefined ? undefined : Number(found);
  }

  #temperatures(table: MetricsTable | undefined): GpuReading['temperatures'] {
    const read = (...labels: readonly string[]): number | undefined => {
      const sensor = this.#sensor('temp', ...labels);
      return sensor === undefined ? undefined : this.#hwmon?.temperature(sensor);
    };
    const die = read('edge', 'junction') ?? plausible(table?.edge ?? table?.hotspot);
    const memory = positive(read('mem') ?? plausible(table?.memory));
    if (die === undefined && memory === undefined) return undefined;
    return { ...defined('die', die), ...defined('memory', memory) };
  }

  #power(table: MetricsTable | undefined): number | undefined {
    return this.#hwmon?.watts(1, 'average') ?? this.#hwmon?.watts(1, 'input') ?? table?.power;
  }

  #clocks(table: MetricsTable | undefined): GpuReading['clocks'] {
    const clock = (label: string, file: string): number | undefined => {
      const sensor = this.#sensor('freq', label);
      const measured = sensor === undefined ? undefined : this.#hwmon?.frequency(sensor);
      return measured ?? activeClock(driverText(`${this.card.path}/${file}`, MAX_CLOCKS_BYTES) ?? '');
    };
    const graphics = table?.graphicsClock ?? clock('sclk', 'pp_dpm_sclk');
    const memory = table?.memoryClock ?? clock('mclk', 'pp_dpm_mclk');
    if (graphics === undefined && memory === undefined) return undefined;
    return { ...defined('graphics', graphics), ...defined('memory', memory) };
  }

  #interconnect(table: MetricsTable | undefined): Pick<GpuReading, 'interconnect'> {
    const receive = this.#xgmiRead.add(byPlace(table?.xgmiRead ?? []));
    const transmit = this.#xgmiWritten.add(byPlace(table?.xgmiWritten ?? []));
    if (receive === undefined && transmit === undefined) return {};
    return {
      interconnect: {
        xgmi: {
          ...(receive === undefined ? {} : { receive: { raw: receive } }),
          ...(transmit === undefined ? {} : { transmit: { raw: transmit } }),
        },
      },
    };
  }

  /** Undefined when nothing was asked that could have told of trouble. */
  #state(table: MetricsTable | undefined, ras: RasReading): GpuState | undefined {
    const heat = table?.heatResidency;
    const heated = heat !== undefined && this.#heat !== undefined && heat > this.#heat;
    const known = table?.throttledByHeat !== undefined || heat !== undefined || ras.pending !== undefined;
    this.#heat = heat ?? this.#heat;
    if (!known) return undefined;
    if (ras.pending === true) return 'predicted_failure';
    return heated || table?.throttledByHeat === true ? 'degraded' : 'ok';
  }
}

function processesOf(use: DrmUse, computing: readonly Computing[]): Pick<GpuReading, 'processes' | 'held'> {
  // Of a GPU that is cut, its partitions tell who computes; told here too, memory would count twice.
  const cut = computing.length > 1;
  const told = new Set(cut ? computing.flatMap(({ processes }) => processes.map(({ pid }) => pid)) : []);
  const processes = mergeProcesses(
    use.processes.filter(({ pid }) => !told.has(pid)),
    ['vram'],
    cut ? [] : computing,
  );
  return {
    // Nobody seen where not everybody could be looked at is no answer.
    ...(processes.length > 0 || use.complete ? { processes } : {}),
    ...(told.size > 0 ? { held: true } : {}),
  };
}

/** Degrees that a chip can have. */
const plausible = (celsius: number | undefined): number | undefined =>
  celsius !== undefined && celsius < 250 ? celsius : undefined;

const fanOf = (table: MetricsTable | undefined): GpuReading['fans'] =>
  table?.fanRpm === undefined ? undefined : [{ rpm: table.fanRpm }];

const byPlace = (values: readonly (bigint | undefined)[]): ReadonlyMap<string, bigint> =>
  new Map(
    values.flatMap((value, index): [string, bigint][] =>
      value === undefined ? [] : [[String(index), value]],
    ),
  );
