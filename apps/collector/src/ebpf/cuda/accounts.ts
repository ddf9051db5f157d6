import { gpuKernelDuration } from '@candela/semconv/metrics';
import { BUCKETS, MEMORY_ALLOCATED } from './events.ts';

const DURATION_BOUNDS = gpuKernelDuration.bounds ?? [];

/** Numbers of a kernel record: launches, three sums, three histograms by powers of two. */
const GRID = 4;
const BLOCK = GRID + BUCKETS;
const SHARED = BLOCK + BUCKETS;

/** A histogram by powers of two: bucket i counts values up to 2^i. */
export interface PowerHistogram {
  readonly sum: number;
  readonly counts: readonly number[];
}

export interface KernelTotals {
  readonly device: number;
  readonly name: string;
  readonly graph: boolean;
  readonly sampled: boolean;
  readonly launches: number;
  readonly grid: PowerHistogram;
  readonly block: PowerHistogram;
  readonly shared: PowerHistogram;
}

export interface DurationTotals {
  readonly device: number;
  readonly name: string;
  readonly graph: boolean;
  readonly sampled: boolean;
  readonly sum: number;
  /** One for each of the bounds, and what lies beyond. */
  readonly counts: readonly number[];
}

export interface MemoryTotals {
  readonly device: number;
  /** `undefined` for allocations. */
  readonly direction: string | undefined;
  readonly sampled: boolean;
  readonly bytes: number;
}

export interface UseTotals {
  readonly device: number;
  readonly threadSeconds: number;
  readonly busySeconds: number;
}

/** What one process has done since it was first seen. */
export interface ProcessTotals {
  readonly kernels: readonly KernelTotals[];
  readonly durations: readonly DurationTotals[];
  readonly memory: readonly MemoryTotals[];
  /** Since the last time it was asked. */
  readonly uses: readonly UseTotals[];
}

const DIRECTIONS = [
  'host_to_host',
  'host_to_device',
  'device_to_host',
  'device_to_device',
  'default',
] as const;

interface Kernel {
  readonly device: number;
  readonly name: string;
  readonly graph: boolean;
  readonly sampled: boolean;
  readonly numbers: Float64Array;
}

interface Duration {
  readonly device: number;
  readonly name: string;
  readonly graph: boolean;
  readonly sampled: boolean;
  sum: number;
  readonly counts: Float64Array;
}

/** Sums of one process by device and name. What was counted in a sample is multiplied up and kept apart. */
export class ProcessAccount {
  readonly #kernels = new Map<string, Kernel>();
  readonly #durations = new Map<string, Duration>();
  readonly #memory = new Map<string, { device: number; what: number; sampled: boolean; bytes: number }>();
  readonly #uses = new Map<number, { threadSeconds: number; busySeconds: number }>();

  addKernel(device: number, name: string, graph: boolean, grown: Float64Array, factor: number): void {
    const sampled = factor !== 1;
    const key = `${device} ${graph} ${sampled} ${name}`;
    let kernel = this.#kernels.get(key);
    if (kernel === undefined) {
      kernel = { device, name, graph, sampled, numbers: new Float64Array(grown.length) };
      this.#kernels.set(key, kernel);
    }
    for (const [at, value] of grown.entries())
      kernel.numbers[at] = (kernel.numbers[at] ?? 0) + value * factor;
  }

  addDuration(device: number, name: string, graph: boolean, seconds: number, factor: number): void {
    const sampled = factor !== 1;
    const key = `${device} ${graph} ${sampled} ${name}`;
    let duration = this.#durations.get(key);
    if (duration === undefined) {
      const counts = new Float64Array(DURATION_BOUNDS.length + 1);
      duration = { device, name, graph, sampled, sum: 0, counts };
      this.#durations.set(key, duration);
    }
    let at = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
    if (at === -1) at = DURATION_BOUNDS.length;
    duration.counts[at] = (duration.counts[at] ?? 0) + factor;
    duration.sum += seconds * factor;
  }

  addMemory(device: number, what: number, bytes: number, factor: number): void {
    const sampled = factor !== 1;
    const key = `${device} ${what} ${sampled}`;
    const known = this.#memory.get(key);
    if (known === undefined) this.#memory.set(key, { device, what, sampled, bytes: bytes * factor });
    else known.bytes += bytes * factor;
  }

  addUse(device: number, threadSeconds: number, busySeconds: number): void {
    const use = this.#uses.get(device) ?? { threadSeconds: 0, busySeconds: 0 };
    this.#uses.set(device, use);
    use.threadSeconds += threadSeconds;
    use.busySeconds += busySeconds;
  }

  /** The sums; those of the use begin anew. */
  totals(): ProcessTotals {
    const uses = Array.from(this.#uses, ([device, use]) => ({ device, ...use }));
    // A device that it used stays told as unused: else the last value would stand.
    for (const use of this.#uses.values()) {
      use.threadSeconds = 0;
      use.busySeconds = 0;
    }
    return {
      kernels: Array.from(this.#kernels.values(), ({ numbers, ...which }) => ({
        ...which,
        launches: numbers[0] ?? 0,
        grid: { sum: numbers[1] ?? 0, counts: [...numbers.subarray(GRID, BLOCK)] },
        block: { sum: numbers[2] ?? 0, counts: [...numbers.subarray(BLOCK, SHARED)] },
        shared: { sum: numbers[3] ?? 0, counts: [...numbers.subarray(SHARED, SHARED + BUCKETS)] },
      })),
      durations: Array.from(this.#durations.values(), ({ counts, ...which }) => ({
        ...which,
        counts: [...counts],
      })),
      memory: Array.from(this.#memory.values(), ({ what, ...which }) => ({
        ...which,
        direction: what === MEMORY_ALLOCATED ? undefined : (DIRECTIONS[what] ?? 'default'),
      })),
      uses,
    };
  }
}
