import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { CpuTimes, Feature, HighresCpu, HighresSample } from '../control/contract.ts';
import type { HostPaths } from '../host-paths.ts';
import { errorText, type Log } from '../log.ts';

const PERIOD_MS = 100;
export const SLOTS = 600;
/** Fields of a CPU's line: user nice system idle iowait irq softirq steal guest guest_nice, in hundredths of a second. */
const FIELDS = 10;
const TICKS_PER_SECOND = 100;
const MAX_CPUS = 4_096;
const FIRST_BYTES = 8_192;
const MAX_BYTES = 1_048_576;
/** Stands for a CPU that was not online when the sample was taken. */
const ABSENT = -1;

const C = 99;
const P = 112;
const U = 117;
const SPACE = 32;
const LINE_FEED = 10;
const ZERO = 48;
const NINE = 57;

/** Takes one CPU's times: its number, and its fields in `fields`, which is used again for the next. */
type TakeCpu = (cpu: number, fields: Float64Array) => void;

/**
 * The lines `cpuN` at the head of /proc/stat, from bytes: ten times a second no text is made of them. Tells whether the
 * end of those lines was seen; a line that was cut off is not taken.
 */
export function scanCpuLines(bytes: Buffer, length: number, fields: Float64Array, take: TakeCpu): boolean {
  let at = 0;
  while (at + 3 < length) {
    if (bytes[at] !== C || bytes[at + 1] !== P || bytes[at + 2] !== U) return true;
    const end = bytes.indexOf(LINE_FEED, at);
    if (end < 0 || end >= length) return false;
    at += 3;
    const digits = digitsFrom(bytes, at, end);
    const cpu = numberIn(bytes, at, digits);
    // The first line, without a number, is the sum of the others.
    if (digits > at && cpu < MAX_CPUS) {
      at = digits;
      fields.fill(0);
      for (let field = 0; field < FIELDS && at < end; field += 1) {
        while (at < end && bytes[at] === SPACE) at += 1;
        const next = digitsFrom(bytes, at, end);
        fields[field] = numberIn(bytes, at, next);
        at = next;
      }
      take(cpu, fields);
    }
    at = end + 1;
  }
  return false;
}

/** Where the digits that begin at `from` end. Apart from their value, so that a number costs no object. */
function digitsFrom(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] ?? 0) >= ZERO && (bytes[at] ?? 0) <= NINE) at += 1;
  return at;
}

function numberIn(bytes: Buffer, from: number, end: number): number {
  let value = 0;
  for (let at = from; at < end; at += 1) value = value * 10 + ((bytes[at] ?? 0) - ZERO);
  return value;
}

/** CPU times of the last minute, ten a second, in memory taken once; the descriptor stays open. */
export class CpuRing implements HighresCpu {
  readonly #descriptor: number;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  readonly #fields = new Float64Array(FIELDS);
  /** Milliseconds of the monotonic clock at which each slot was filled: a timer is late at times, and drifts. */
  readonly #times = new Float64Array(SLOTS);
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  /** CPUs a slot has room for, and the slots, one after another. */
  #width = 0;
  #values = new Float64Array(0);
  #next = 0;
  #count = 0;
  #failed = false;

  /** @throws when the file is not there or names no CPU */
  constructor(path: string, log: Log, periodMs: number = PERIOD_MS) {
    this.#log = log;
    this.#descriptor = openSync(path, 'r');
    this.#sample();
    if (this.#width === 0) {
      closeSync(this.#descriptor);
      throw new Error(`${path} names no CPU`);
    }
    this.#timer = setInterval(() => this.#tick(), periodMs);
    this.#timer.unref();
  }

  samples(): readonly HighresSample[] {
    // The wall clock may have been set meanwhile: distances between samples are those of the monotonic one.
    const offset = Date.now() - performance.now();
    const samples: HighresSample[] = [];
    for (let age = this.#count; age > 0; age -= 1) {
      const slot = (this.#next - age + SLOTS) % SLOTS;
      const times: CpuTimes[] = [];
      for (let cpu = 0; cpu < this.#width; cpu += 1) {
        const at = (slot * this.#width + cpu) * FIELDS;
        if (this.#values[at] !== ABSENT) times.push(timesOf(cpu, this.#values, at));
      }
      const timestamp = new Date(offset + (this.#times[slot] ?? 0)).toISOString();
      samples.push({ timestamp, times });
    }
    return samples;
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
    if (this.#width === 0) this.#widen(this.#highestCpu(length) + 1);
    const slot = this.#next;
    // A CPU that is not in the file this time keeps nothing of what stood in its place a minute ago.
    this.#values.fill(ABSENT, slot * this.#width * FIELDS, (slot + 1) * this.#width * FIELDS);
    let seen = 0;
    scanCpuLines(this.#buffer, length, this.#fields, (cpu, fields) => {
      if (cpu >= this.#width) this.#widen(cpu + 1);
      this.#values.set(fields, (slot * this.#width + cpu) * FIELDS);
      seen += 1;
    });
    if (seen === 0) return;
    this.#times[slot] = at;
    this.#next = (slot + 1) % SLOTS;
    this.#count = Math.min(this.#count + 1, SLOTS);
  }

  /** Reads from the beginning, with more room until all lines of CPUs are in. */
  #read(): number {
    for (;;) {
      const length = readSync(this.#descriptor, this.#buffer, 0, this.#buffer.length, 0);
      if (length < this.#buffer.length || this.#buffer.length >= MAX_BYTES) return length;
      if (scanCpuLines(this.#buffer, length, this.#fields, () => undefined)) return length;
      this.#buffer = Buffer.allocUnsafe(this.#buffer.length * 2);
    }
  }

  #highestCpu(length: number): number {
    let highest = -1;
    scanCpuLines(this.#buffer, length, this.#fields, (cpu) => {
      highest = Math.max(highest, cpu);
    });
    return highest;
  }

  /** Makes room for CPUs that were added to the running machine. */
  #widen(width: number): void {
    const wider = new Float64Array(SLOTS * width * FIELDS).fill(ABSENT);
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const from = slot * this.#width * FIELDS;
      wider.set(this.#values.subarray(from, from + this.#width * FIELDS), slot * width * FIELDS);
    }
    this.#values = wider;
    this.#width = width;
  }
}

function timesOf(cpu: number, values: Float64Array, at: number): CpuTimes {
  const seconds = (field: number): number => (values[at + field] ?? 0) / TICKS_PER_SECOND;
  return {
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
  };
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
