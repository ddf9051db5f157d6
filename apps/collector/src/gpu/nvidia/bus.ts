import type { Count, Directions } from '../device.ts';
import { FIELD, type FieldValues } from './fields.ts';
import { GPM, type Monitored } from './gpm.ts';

const MIB = 1_048_576;

const DIRECTIONS = [
  { name: 'receive', field: FIELD.pcieRxBytes, monitored: GPM.pcieRx },
  { name: 'transmit', field: FIELD.pcieTxBytes, monitored: GPM.pcieTx },
] as const;
type Direction = (typeof DIRECTIONS)[number];

/**
 * Bytes over PCIe: what the GPU transmits goes to the host.
 *
 * Drivers count them in 32 bits (an H100 with 580.159 does): at the speed of the bus that wraps several times a second, and
 * what grew between two readings is not known. Only a counter of 64 bits is believed. Else it is what the performance
 * monitor measured on average since the reading before, where there is one.
 */
export class Bus {
  readonly #bytes = { receive: 0, transmit: 0 };
  #way: 'counted' | 'monitored' | undefined;

  read(fields: FieldValues, monitored: Monitored | undefined): Directions | undefined {
    // Which it is is found once: a sum must not change from one to another.
    this.#way ??= wayOf(fields, monitored);
    if (this.#way === undefined) return undefined;
    if (this.#way === 'counted') return directions(({ field }) => fields.of(field)?.value);
    if (monitored !== undefined) {
      for (const { name, monitored: id } of DIRECTIONS)
        this.#bytes[name] += (monitored.of(id) ?? 0) * MIB * monitored.seconds;
    }
    return directions(({ name }) => BigInt(Math.floor(this.#bytes[name])));
  }
}

function wayOf(fields: FieldValues, monitored: Monitored | undefined): 'counted' | 'monitored' | undefined {
  const widths = DIRECTIONS.flatMap(({ field }) => fields.of(field)?.bits ?? []);
  if (widths.length > 0 && widths.every((bits) => bits === 64)) return 'counted';
  return DIRECTIONS.some(({ monitored: id }) => monitored?.of(id) !== undefined) ? 'monitored' : undefined;
}

function directions(raw: (direction: Direction) => bigint | undefined): Directions | undefined {
  const told = DIRECTIONS.flatMap((direction): [string, Count][] => {
    const value = raw(direction);
    return value === undefined ? [] : [[direction.name, { raw: value }]];
  });
  return told.length === 0 ? undefined : Object.fromEntries(told);
}
