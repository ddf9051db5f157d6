import type { Attributes, Service } from '../telemetry.ts';

/** A value an agent reads at collection time, as one point of its metric. */
export interface Reading {
  readonly service: Service;
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** `updown` and `counter` are sums since `startMs`. */
  readonly kind: 'gauge' | 'updown' | 'counter';
  readonly startMs: number;
  readonly value: number;
  readonly attributes: Attributes;
}

/** Takes the readings of one agent at one collection. */
export class Reader {
  readonly readings: Reading[] = [];
  readonly #service: Service;
  readonly #startMs: number;

  /** `startMs`: since when the agent counts. */
  constructor(service: Service, startMs: number) {
    this.#service = service;
    this.#startMs = startMs;
  }

  gauge(name: string, unit: string, value: number, attributes: Attributes = {}): void {
    this.#add('gauge', name, unit, value, attributes);
  }

  updown(name: string, unit: string, value: number, attributes: Attributes = {}): void {
    this.#add('updown', name, unit, Math.round(value), attributes);
  }

  counter(name: string, unit: string, value: number, attributes: Attributes = {}): void {
    this.#add('counter', name, unit, Math.round(value), attributes);
  }

  #add(kind: Reading['kind'], name: string, unit: string, value: number, attributes: Attributes): void {
    this.readings.push({
      service: this.#service,
      name,
      unit,
      description: DESCRIPTIONS.get(name) ?? '',
      kind,
      startMs: this.#startMs,
      value,
      attributes,
    });
  }
}

const DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ['hw.gpu.utilization', 'Share of time in which the GPU worked.'],
  ['hw.gpu.memory.usage', 'Device memory in use.'],
  ['hw.gpu.memory.limit', 'Size of the device memory.'],
  ['hw.power', 'Power drawn.'],
  ['hw.temperature', 'Temperature of a sensor.'],
  ['hw.errors', 'Errors of the hardware.'],
  ['hw.gpu.interconnect.io', 'Bytes moved between GPUs.'],
  ['system.cpu.utilization', 'Busy share of a logical CPU.'],
  ['system.memory.usage', 'Memory by state.'],
  ['process.gpu.memory.usage', 'Device memory of a process.'],
]);

/** A share that wanders around what is asked of it. */
export class Wander {
  #noise = 0;

  next(random: { normal(): number }, wanted: number, unrest = 0.05): number {
    this.#noise = this.#noise * 0.85 + random.normal() * unrest;
    return Math.min(1, Math.max(0, wanted + this.#noise));
  }
}

export const GIB = 1024 ** 3;
