import { MonotonicCounters } from '../../counters.ts';
import type { Count, Directions, GpuDevice, GpuReading, InterconnectType } from '../device.ts';
import { present } from './present.ts';
import type { Overlap, ProfileSample, Rates } from './profiler.ts';

/** A sample that is later than so many intervals after the one before covers the time between no more. */
const LONGEST_INTERVALS = 3;

/** Bytes that the samples of a profiling library add up to between two readings of the vendor. */
class Flow {
  #bytes = 0;
  #lastAt: number | undefined;
  /** Since the last reading, samples followed one another without a gap. */
  #whole = false;

  add(rate: number | undefined, at: number, intervalSeconds: number): void {
    if (at === this.#lastAt) return;
    const seconds = this.#lastAt === undefined ? undefined : (at - this.#lastAt) / 1e6;
    this.#lastAt = at;
    if (rate === undefined || seconds === undefined || seconds <= 0) {
      this.#whole = false;
      if (rate === undefined) this.#lastAt = undefined;
      return;
    }
    if (seconds > LONGEST_INTERVALS * intervalSeconds) this.#whole = false;
    else this.#bytes += rate * seconds;
  }

  get live(): boolean {
    return this.#lastAt !== undefined;
  }

  /** What came since it was asked last, and whether that is all there was. */
  take(): { readonly bytes: number; readonly whole: boolean } {
    const taken = { bytes: this.#bytes, whole: this.#whole };
    this.#bytes = 0;
    this.#whole = this.live;
    return taken;
  }

  /** No sample comes any more. */
  end(): void {
    this.#lastAt = undefined;
    this.#whole = false;
  }
}

/** One counter that two producers feed in turn: it goes on where the other left it. */
class HandOver {
  readonly flow = new Flow();
  #total: number | undefined;
  #vendor: number | undefined;

  /** The sum after this reading; undefined as long as neither has told anything. */
  next(vendor: number | undefined): number | undefined {
    const { bytes, whole } = this.flow.take();
    const grown = vendor === undefined || this.#vendor === undefined ? 0 : vendor - this.#vendor;
    if (vendor !== undefined) this.#vendor = vendor;
    if (this.#total === undefined) {
      if (vendor === undefined && !this.flow.live && bytes === 0) return undefined;
      // The device counts from its own start: what it says first is how much there was before.
      this.#total = vendor ?? bytes;
      return this.#total;
    }
    // While the producer changes, each of them saw a part only: the larger part is nearer to what there was.
    this.#total += whole ? bytes : Math.max(bytes, grown);
    return this.#total;
  }
}

type Way = 'pcie' | 'links';
const DIRECTIONS = ['receive', 'transmit'] as const;

class Device {
  readonly #sums = new MonotonicCounters();
  readonly #handOvers = new Map<string, HandOver>();
  sample: ProfileSample | undefined;

  handOver(way: Way, direction: keyof Rates): HandOver {
    const key = `${way} ${direction}`;
    const known = this.#handOvers.get(key) ?? new HandOver();
    this.#handOvers.set(key, known);
    return known;
  }

  /** A direction of the vendor's counter in bytes from its own start, without resets. */
  vendorBytes(key: string, count: Count | undefined): number | undefined {
    if (count === undefined) return undefined;
    const total = this.#sums.read(key, count.raw, count.bits);
    return total === undefined ? undefined : total * (count.scale ?? 1);
  }

  sweep(): void {
    this.#sums.sweep();
  }
}

/**
 * The values of a profiling library in the place of the vendor's, by series and by device: what its last sample has, it
 * owns; what it lacks, the vendor tells as before. Counters are one sum each, whoever feeds it.
 */
export class Preference {
  readonly #devices = new Map<string, Device>();
  readonly #intervalSeconds: number;

  constructor(intervalSeconds: number) {
    this.#intervalSeconds = intervalSeconds;
  }

  /** Takes a sample of a device as it comes; undefined when none came, or it is too old to say anything of now. */
  sampled(id: string, sample: ProfileSample | undefined): void {
    const device = this.#device(id);
    device.sample = sample;
    for (const way of ['pcie', 'links'] as const) {
      for (const direction of DIRECTIONS) {
        const { flow } = device.handOver(way, direction);
        if (sample === undefined) flow.end();
        else flow.add(sample.overlap[way]?.[direction], sample.at, this.#intervalSeconds);
      }
    }
  }

  /** The reading to send. Its counters of bytes are those of this class, whoever tells them now. */
  apply({ id }: GpuDevice, reading: GpuReading): GpuReading {
    const device = this.#device(id);
    const overlap: Overlap = device.sample?.overlap ?? {};
    const { interconnect } = reading;
    const type = Object.keys(interconnect ?? {})[0] as InterconnectType | undefined;
    const links = this.#directions(device, 'links', type === undefined ? undefined : interconnect?.[type]);
    device.sweep();
    return {
      ...reading,
      ...present({
        utilization:
          overlap.utilization === undefined
            ? reading.utilization
            : { ...reading.utilization, general: overlap.utilization },
        memoryControllerUtilization:
          overlap.memoryControllerUtilization ?? reading.memoryControllerUtilization,
        power: overlap.powerW ?? reading.power,
        clocks:
          overlap.smClockHz === undefined ? reading.clocks : { ...reading.clocks, sm: overlap.smClockHz },
        io: this.#directions(device, 'pcie', reading.io),
        interconnect: links === undefined ? undefined : { ...interconnect, [type ?? 'nvlink']: links },
      }),
    };
  }

  /** Forgets devices that are no more. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#devices.keys()) if (!ids.has(id)) this.#devices.delete(id);
  }

  #directions(device: Device, way: Way, vendor: Directions | undefined): Directions | undefined {
    const counts: { receive?: Count; transmit?: Count } = {};
    for (const direction of DIRECTIONS) {
      const bytes = device.vendorBytes(`${way} ${direction}`, vendor?.[direction]);
      const total = device.handOver(way, direction).next(bytes);
      if (total !== undefined) counts[direction] = { raw: BigInt(Math.floor(total)) };
    }
    return counts.receive === undefined && counts.transmit === undefined ? undefined : counts;
  }

  #device(id: string): Device {
    const known = this.#devices.get(id) ?? new Device();
    this.#devices.set(id, known);
    return known;
  }
}
