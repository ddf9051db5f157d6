import type { Random } from '../random.ts';
import { SERVICES } from '../services.ts';
import type { Service } from '../telemetry.ts';
import type { GaugeReading } from './book.ts';

const DAY_MS = 86_400_000;

/** A value that wanders between bounds and leans on the load of the day. */
class Walk {
  #noise = 0;
  readonly #low: number;
  readonly #high: number;

  constructor(low: number, high: number) {
    this.#low = low;
    this.#high = high;
  }

  step(random: Random, load: number): number {
    this.#noise = this.#noise * 0.9 + random.normal() * 0.05;
    const share = Math.min(1, Math.max(0, load + this.#noise));
    return this.#low + (this.#high - this.#low) * share;
  }
}

/** How busy people are at that time of day (UTC), 0.15 at night to 1 in the afternoon. */
export function dayLoad(atMs: number): number {
  const phase = ((atMs % DAY_MS) / DAY_MS) * 2 * Math.PI;
  return 0.575 - 0.425 * Math.cos(phase - Math.PI / 6);
}

interface Gauge {
  readonly service: Service;
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly walk: Walk;
}

const GIB = 1024 ** 3;

/** Gauges of hosts and GPUs, read at every collection. */
export class Hosts {
  readonly #random: Random;
  readonly #gauges: Gauge[] = [];

  constructor(random: Random) {
    this.#random = random;
    for (const service of Object.values(SERVICES)) {
      this.#add(service, 'process.cpu.utilization', '1', 'Share of the CPU limit in use.', {}, 0.03, 0.85);
      this.#add(service, 'process.memory.usage', 'By', 'Physical memory in use.', {}, 0.12 * GIB, 0.9 * GIB);
    }
    for (const index of [0, 1, 2, 3]) {
      const gpu = { 'gpu.index': index, 'gpu.name': 'NVIDIA L40S', 'gpu.uuid': `GPU-5e1f-000${index}` };
      const add = (name: string, unit: string, text: string, low: number, high: number) =>
        this.#add(SERVICES.inference, name, unit, text, gpu, low, high);
      add('gpu.utilization', '%', 'Share of time in which a kernel ran.', 4, 100);
      add('gpu.memory.used', 'By', 'Device memory in use.', 21 * GIB, 46 * GIB);
      add('gpu.temperature', 'Cel', 'Temperature of the chip.', 36, 83);
      add('gpu.power.draw', 'W', 'Power drawn.', 38, 345);
    }
  }

  read(atMs: number): GaugeReading[] {
    const load = dayLoad(atMs);
    return this.#gauges.map(({ walk, ...gauge }) => ({ ...gauge, value: walk.step(this.#random, load) }));
  }

  #add(
    service: Service,
    name: string,
    unit: string,
    description: string,
    attributes: Readonly<Record<string, string | number>>,
    low: number,
    high: number,
  ): void {
    this.#gauges.push({ service, name, unit, description, attributes, walk: new Walk(low, high) });
  }
}
