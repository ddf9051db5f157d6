import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { CpuTimes, Feature, HighresCpu, HighresSample } from '../control/contract.ts';
import type { HostPaths } from '../host-paths.ts';
import { errorText, type Log } from '../log.ts';

const PERIOD_MS = 100;
export const SLOTS = 600;
const TICKS_PER_SECOND = 100;
const MAX_CPUS = 4_096;
const FIRST_BYTES = 8_192;
const MAX_BYTES = 1_048_576;
const FIRST_SLOT_BYTES = 512;
/** What follows the lines of CPUs in /proc/stat. */
const AFTER_CPUS = '\nintr';
const CPU_LINE = /^cpu(\d{1,4})((?: +\d+)+)/;

/**
 * The times in the lines `cpuN` at the head of /proc/stat, in seconds. Fields that old kernels lack are 0. The line without a
 * number is the sum of the others and is left out.
 */
export function parseCpuLines(text: string): CpuTimes[] {
  const found: CpuTimes[] = [];
  for (const line of text.split('\n')) {
    const match = CPU_LINE.exec(line);
    const cpu = Number(match?.[1] ?? MAX_CPUS);
    if (match === null || cpu >= MAX_CPUS) continue;
    const fields = (match[2] ?? '').trim().split(/ +/).map(Number);
    const seconds = (field: number): number => (fields[field] ?? 0) / TICKS_PER_SECOND;
    found.push({
      cpu: `cpu${cpu}`,
      user: seconds(0),
      system: seconds(2),
      idle: seconds(3),
      nice: seconds(1),
      iowait: seconds(4),
      irq: seconds(5),
      softirq: seconds(6),
      steal: seconds(7),
      guest: seconds(8),
      guestNice: seconds(9),
    });
  }
  return found;
}

/**
 * CPU times of the last minute, ten a second. Keeps the bytes of the file as they were read and parses them when somebody asks:
 * most rings are never read. The descriptor stays open.
 */
export class CpuRing implements HighresCpu {
  readonly #descriptor: number;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  /** Milliseconds of the monotonic clock at which each slot was filled: a timer is late at times, and drifts. */
  readonly #times = new Float64Array(SLOTS);
  readonly #lengths = new Uint32Array(SLOTS);
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #slotBytes = FIRST_SLOT_BYTES;
  /** The slots, one after another. */
  #slots = Buffer.alloc(SLOTS * FIRST_SLOT_BYTES);
  #next = 0;
  #count = 0;
  #failed = false;

  /** @throws when the file is not there or names no CPU */
  constructor(path: string, log: Log, periodMs: number = PERIOD_MS) {
    this.#log = log;
    this.#descriptor = openSync(path, 'r');
    this.#sample();
    if ((this.samples()[0]?.times.length ?? 0) === 0) {
      closeSync(this.#descriptor);
      throw new Error(`${path} names no CPU`);
    }
    this.#timer = setInterval(() => this.#tick(), periodMs);
    this.#timer.unref();
  }

  samples(): readonly HighresSample[] {
    // The wall clock may have been set meanwhile: distances between samples are those of the monotonic one.
    const offset = Date.now() - performance.now();
    return Array.from({ length: this.#count }, (_, index) => {
      const slot = (this.#next - this.#count + index + SLOTS) % SLOTS;
      const at = slot * this.#slotBytes;
      return {
        timestamp: new Date(offset + (this.#times[slot] ?? 0)).toISOString(),
        times: parseCpuLines(this.#slots.toString('latin1', at, at + (this.#lengths[slot] ?? 0))),
      };
    });
  }

  stop(): void {
    clearInterval(this.#timer);
    closeSync(this.#descriptor);
  }

  #tick(): void {
    try {
      this.#sample();
      this.#failed = false;
    } catch (thrown) {
      if (!this.#failed) this.#log.warn('the CPU ring misses samples', { error: errorText(thrown) });
      this.#failed = true;
    }
  }

  #sample(): void {
    const at = performance.now();
    const length = this.#read();
    if (length <= 0) return;
    if (length > this.#slotBytes) this.#grow(length);
    const slot = this.#next;
    this.#buffer.copy(this.#slots, slot * this.#slotBytes, 0, length);
    this.#lengths[slot] = length;
    this.#times[slot] = at;
    this.#next = (slot + 1) % SLOTS;
    this.#count = Math.min(this.#count + 1, SLOTS);
  }

  /** Reads from the beginning, with more room until all lines of CPUs are in; the length of those lines. */
  #read(): number {
    for (;;) {
      const length = readSync(this.#descriptor, this.#buffer, 0, this.#buffer.length, 0);
      const end = this.#buffer.indexOf(AFTER_CPUS, 0, 'latin1');
      // Behind the bytes just read lie those of an earlier, longer file.
      if (end >= 0 && end < length) return end;
      if (length < this.#buffer.length || this.#buffer.length >= MAX_BYTES) return length;
      this.#buffer = Buffer.allocUnsafe(this.#buffer.length * 2);
    }
  }

  /** Makes room for longer lines: counters grow, and CPUs are added to a running machine. */
  #grow(needed: number): void {
    const wider = Math.ceil((needed * 1.25) / 64) * 64;
    const slots = Buffer.alloc(SLOTS * wider);
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const from = slot * this.#slotBytes;
      this.#slots.copy(slots, slot * wider, from, from + (this.#lengths[slot] ?? 0));
    }
    this.#slots = slots;
    this.#slotBytes = wider;
  }
}

/** Starts the ring, or says why there is none. */
export function startCpuRing(paths: HostPaths, log: Log): Feature<HighresCpu> {
  if (process.platform !== 'linux') {
    return { state: 'unavailable', reason: `The CPU ring is not made for ${process.platform}.` };
  }
  const path = join(paths.proc, 'stat');
  try {
    return { state: 'ready', service: new CpuRing(path, log) };
  } catch (thrown) {
    return { state: 'unavailable', reason: `The CPU ring could not start: ${errorText(thrown)}.` };
  }
}
