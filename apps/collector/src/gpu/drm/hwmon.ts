import type { GpuReading } from '../device.ts';
import { driverCount, driverLine, driverNames, driverNumber } from './driver-files.ts';

const MAX_MONITORS = 16;
const MAX_SENSORS = 256;
const MILLI = 1e-3;
const MICRO = 1e-6;
/** Beyond this a sensor that is off or broken speaks, not a chip. */
const MAX_CELSIUS = 250;
const MIN_CELSIUS = -60;

/** The sensors of a card, as its driver offers them to hwmon. */
export class Hwmon {
  readonly #path: string;
  /** Numbers of the sensors by kind: `temp` 1, 2. */
  readonly #sensors: ReadonlyMap<string, readonly number[]>;

  private constructor(path: string, names: readonly string[]) {
    this.#path = path;
    const sensors = new Map<string, number[]>();
    for (const name of names) {
      const match = /^(temp|power|energy|freq|fan|in|curr)(\d{1,3})_/.exec(name);
      const kind = match?.[1];
      if (match === null || kind === undefined) continue;
      const numbers = sensors.get(kind) ?? [];
      const number = Number(match[2]);
      if (!numbers.includes(number)) numbers.push(number);
      sensors.set(
        kind,
        numbers.toSorted((a, b) => a - b),
      );
    }
    this.#sensors = sensors;
  }

  /** The monitor of this name (parts of a chip have ones of their own) of the device in this directory. */
  static find(device: string, name: string): Hwmon | undefined {
    for (const entry of driverNames(`${device}/hwmon`, MAX_MONITORS)) {
      const path = `${device}/hwmon/${entry}`;
      if (!/^hwmon\d+$/.test(entry) || driverLine(`${path}/name`, 64) !== name) continue;
      return new Hwmon(path, driverNames(path, MAX_SENSORS));
    }
    return undefined;
  }

  /** Numbers of the sensors of a kind. */
  sensors(kind: 'temp' | 'power' | 'energy' | 'freq' | 'fan'): readonly number[] {
    return this.#sensors.get(kind) ?? [];
  }

  label(sensor: string): string | undefined {
    return driverLine(`${this.#path}/${sensor}_label`, 64)?.toLowerCase();
  }

  /** Degrees Celsius. */
  temperature(sensor: number): number | undefined {
    const value = driverNumber(`${this.#path}/temp${sensor}_input`);
    if (value === undefined) return undefined;
    const celsius = value * MILLI;
    return celsius > MIN_CELSIUS && celsius < MAX_CELSIUS ? celsius : undefined;
  }

  /** Watts, from `power<sensor>_<item>`. */
  watts(sensor: number, item: string): number | undefined {
    const value = driverNumber(`${this.#path}/power${sensor}_${item}`);
    return value === undefined || value < 0 ? undefined : value * MICRO;
  }

  /** Microjoules. */
  energy(sensor: number): bigint | undefined {
    return driverCount(`${this.#path}/energy${sensor}_input`);
  }

  /** Hertz. */
  frequency(sensor: number): number | undefined {
    const value = driverNumber(`${this.#path}/freq${sensor}_input`);
    return value === undefined || value < 0 ? undefined : value;
  }

  /** Fans in order, those that say something; undefined when there are none. */
  fans(): GpuReading['fans'] {
    const fans = this.sensors('fan').flatMap((sensor) => {
      const rpm = driverNumber(`${this.#path}/fan${sensor}_input`);
      if (rpm === undefined || rpm < 0) return [];
      const max = driverNumber(`${this.#path}/fan${sensor}_max`);
      return [{ rpm, ...(max !== undefined && max > 0 ? { ratio: rpm / max } : {}) }];
    });
    return fans.length === 0 ? undefined : fans;
  }
}
