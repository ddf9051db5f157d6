import type { Count, Directions } from '../device.ts';
import { FIELD, type FieldValue, type FieldValues } from './fields.ts';
import { GPM, type Monitored } from './gpm.ts';
import type { NvmlHandle } from './handle.ts';

const MIB = 1_048_576;
const KIB = 1_024;
/** `nvmlPcieUtilCounter_t`. */
const TX = 0;
const RX = 1;
/** Readings that the performance monitor is waited for; it says nothing at the first. */
const PATIENCE = 3;

const DIRECTIONS = [
  { name: 'receive', field: FIELD.pcieRxBytes, monitored: GPM.pcieRx, sampled: RX },
  { name: 'transmit', field: FIELD.pcieTxBytes, monitored: GPM.pcieTx, sampled: TX },
] as const;
type Direction = (typeof DIRECTIONS)[number];
type Way = 'counted' | 'monitored' | 'sampled';

/**
 * Bytes over PCIe: what the GPU transmits goes to the host.
 *
 * Drivers count them in 32 bits (an H100 with 580.159 does): at the speed of the bus that wraps several times a second, and
 * what grew between two readings is not known. Only a counter of 64 bits is believed. Else it is what the performance
 * monitor measured on average since the reading before; else, an estimate, what a look of some milliseconds found.
 */
export class Bus {
  readonly #handle: NvmlHandle;
  readonly #now: () => number;
  readonly #bytes = { receive: 0, transmit: 0 };
  #way: Way | undefined;
  /** Readings without a word of the monitor. */
  #silent = 0;
  #sampledAt: number | undefined;

  /** `now`: seconds of a clock that only goes forward. */
  constructor(handle: NvmlHandle, now: () => number) {
    this.#handle = handle;
    this.#now = now;
  }

  /** `hasMonitor`: there is one, whether or not it told anything this time. @throws GpuError */
  read(fields: FieldValues, hasMonitor: boolean, monitored: Monitored | undefined): Directions | undefined {
    // Which it is is found once: a sum must not change from one to another.
    this.#way ??= this.#find(fields, hasMonitor, monitored);
    switch (this.#way) {
      case 'counted':
        return this.#counted(fields);
      case 'monitored':
        return this.#monitored(monitored);
      case 'sampled':
        return this.#sampled();
      default:
        return undefined;
    }
  }

  #find(fields: FieldValues, hasMonitor: boolean, monitored: Monitored | undefined): Way | undefined {
    const told = DIRECTIONS.map(({ field }) => fields.of(field)).filter(
      (value): value is FieldValue => value !== undefined,
    );
    if (told.length > 0 && told.every(({ bits }) => bits === 64)) return 'counted';
    if (DIRECTIONS.some(({ monitored: id }) => monitored?.of(id) !== undefined)) return 'monitored';
    this.#silent += 1;
    if (hasMonitor && this.#silent <= PATIENCE) return undefined;
    // Where nothing is counted nothing is guessed.
    return told.length > 0 ? 'sampled' : undefined;
  }

  #counted(fields: FieldValues): Directions | undefined {
    return directions(({ field }) => fields.of(field)?.value);
  }

  #monitored(monitored: Monitored | undefined): Directions | undefined {
    if (monitored === undefined) return this.#sums();
    for (const { name, monitored: id } of DIRECTIONS)
      this.#bytes[name] += (monitored.of(id) ?? 0) * MIB * monitored.seconds;
    return this.#sums();
  }

  #sampled(): Directions | undefined {
    const rates = DIRECTIONS.map(({ sampled }) => this.#handle.u32('nvmlDeviceGetPcieThroughput', sampled));
    if (rates.every((rate) => rate === undefined)) return undefined;
    const at = this.#now();
    const seconds = this.#sampledAt === undefined ? 0 : at - this.#sampledAt;
    this.#sampledAt = at;
    for (const [place, { name }] of DIRECTIONS.entries())
      this.#bytes[name] += (rates[place] ?? 0) * KIB * seconds;
    return this.#sums();
  }

  #sums(): Directions | undefined {
    return directions(({ name }) => BigInt(Math.floor(this.#bytes[name])));
  }
}

function directions(raw: (direction: Direction) => bigint | undefined): Directions | undefined {
  const told = DIRECTIONS.flatMap((direction): [string, Count][] => {
    const value = raw(direction);
    return value === undefined ? [] : [[direction.name, { raw: value }]];
  });
  return told.length === 0 ? undefined : Object.fromEntries(told);
}
