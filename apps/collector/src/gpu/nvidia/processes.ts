import type { GpuProcess } from '../device.ts';
import { INSUFFICIENT_SIZE, SUCCESS } from './codes.ts';
import type { NvmlHandle } from './handle.ts';
import type { NvmlFunction } from './native.ts';

/** `nvmlProcessInfo_t` of the calls with a number, and of those without. */
const INFO_BYTES = 24;
const INFO_V1_BYTES = 16;
/** `nvmlProcessUtilizationSample_t`. */
const SAMPLE_BYTES = 32;
/** Entries taken of one list; a machine has some hundred processes on its GPUs. */
const MAX_ENTRIES = 4_096;
/** Between asking for the size and filling in, processes come. */
const SPARE = 16;
const TRIES = 3;
/** `NVML_ERROR_NOT_FOUND`: no sample since the last one. */
const NOTHING_NEW = 6;
const NO_MEMORY_TOLD = 0xffff_ffff_ffff_ffffn;
const NO_INSTANCE = 0xffff_ffff;

const LISTS: readonly (readonly [NvmlFunction, number])[][] = [
  [
    ['nvmlDeviceGetComputeRunningProcesses_v3', INFO_BYTES],
    ['nvmlDeviceGetComputeRunningProcesses_v2', INFO_BYTES],
    ['nvmlDeviceGetComputeRunningProcesses', INFO_V1_BYTES],
  ],
  [
    ['nvmlDeviceGetGraphicsRunningProcesses_v3', INFO_BYTES],
    ['nvmlDeviceGetGraphicsRunningProcesses_v2', INFO_BYTES],
    ['nvmlDeviceGetGraphicsRunningProcesses', INFO_V1_BYTES],
  ],
  [
    ['nvmlDeviceGetMPSComputeRunningProcesses_v3', INFO_BYTES],
    ['nvmlDeviceGetMPSComputeRunningProcesses_v2', INFO_BYTES],
    ['nvmlDeviceGetMPSComputeRunningProcesses', INFO_V1_BYTES],
  ],
];

export interface Running {
  /** Undefined: the driver does not tell (Windows, some virtual GPUs). */
  readonly memory: number | undefined;
  /** The process runs on a part of the GPU. */
  readonly onInstance: boolean;
}

/** Who runs on a device and how busy each keeps it. */
export class Processes {
  readonly #handle: NvmlHandle;
  readonly #room = new Map<NvmlFunction, number>();
  #samplesRoom = SPARE;
  #lastSeen = 0n;

  constructor(handle: NvmlHandle) {
    this.#handle = handle;
  }

  /** By number of the process; undefined when the driver does not list them. @throws GpuError */
  running(): Map<number, Running> | undefined {
    let found: Map<number, Running> | undefined;
    for (const versions of LISTS) {
      for (const [name, bytes] of versions) {
        const entries = this.#handle.mayAnswer(name) ? this.#list(name, bytes) : undefined;
        if (entries !== undefined) found = merged(found, entries, bytes);
        // An older version is asked only where this one is not there.
        if (entries !== undefined || this.#handle.mayAnswer(name)) break;
      }
    }
    return found;
  }

  /** The entries of a list one after another. */
  #list(name: NvmlFunction, bytes: number): Buffer | undefined {
    const count = Buffer.alloc(4);
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const room = this.#room.get(name) ?? SPARE;
      const entries = Buffer.alloc(room * bytes);
      count.writeUInt32LE(room);
      const code = this.#handle.call(name, '', count, entries);
      const told = count.readUInt32LE();
      if (code === SUCCESS) return entries.subarray(0, Math.min(told, room) * bytes);
      if (code !== INSUFFICIENT_SIZE || room >= MAX_ENTRIES) return undefined;
      this.#room.set(name, Math.min(MAX_ENTRIES, Math.max(told, room) + SPARE));
    }
    return undefined;
  }

  /**
   * The share of the device that each process used since this was last asked, by its number; a process without a sample
   * used none. Undefined when the driver does not tell, as of MIG devices. @throws GpuError
   */
  utilization(): Map<number, number> | undefined {
    const name = 'nvmlDeviceGetProcessUtilization';
    const count = Buffer.alloc(4);
    for (let attempt = 0; attempt < TRIES && this.#handle.mayAnswer(name); attempt += 1) {
      const room = this.#samplesRoom;
      const samples = Buffer.alloc(room * SAMPLE_BYTES);
      count.writeUInt32LE(room);
      const code = this.#handle.call(name, '', samples, count, this.#lastSeen);
      const told = count.readUInt32LE();
      if (code === SUCCESS) return this.#shares(samples.subarray(0, Math.min(told, room) * SAMPLE_BYTES));
      if (code === NOTHING_NEW) return new Map();
      if (code !== INSUFFICIENT_SIZE || room >= MAX_ENTRIES) return undefined;
      this.#samplesRoom = Math.min(MAX_ENTRIES, Math.max(told, room) + SPARE);
    }
    return undefined;
  }

  #shares(samples: Buffer): Map<number, number> {
    const sums = new Map<number, { sum: number; count: number }>();
    for (let at = 0; at < samples.length; at += SAMPLE_BYTES) {
      const pid = samples.readUInt32LE(at);
      const seen = samples.readBigUInt64LE(at + 8);
      if (seen > this.#lastSeen) this.#lastSeen = seen;
      const percent = samples.readUInt32LE(at + 16);
      // Rows that were not filled in have no process; of a broken sample nothing is believed.
      if (pid === 0 || percent > 100) continue;
      const known = sums.get(pid) ?? { sum: 0, count: 0 };
      sums.set(pid, { sum: known.sum + percent, count: known.count + 1 });
    }
    return new Map(Array.from(sums, ([pid, { sum, count }]) => [pid, sum / count / 100]));
  }
}

/** A process may stand in more than one list: it computes and draws. Its memory is told in each. */
function merged(
  into: Map<number, Running> | undefined,
  entries: Buffer,
  bytes: number,
): Map<number, Running> {
  const all = into ?? new Map<number, Running>();
  for (let at = 0; at < entries.length; at += bytes) {
    const pid = entries.readUInt32LE(at);
    const used = entries.readBigUInt64LE(at + 8);
    const memory = used === NO_MEMORY_TOLD ? undefined : Number(used);
    const known = all.get(pid);
    if (pid === 0 || (known === undefined && all.size >= MAX_ENTRIES)) continue;
    const most = Math.max(memory ?? -1, known?.memory ?? -1);
    const onInstance = bytes === INFO_BYTES && entries.readUInt32LE(at + 16) !== NO_INSTANCE;
    all.set(pid, { memory: most < 0 ? undefined : most, onInstance });
  }
  return all;
}

/** Processes as they are sent. */
export function processList(
  running: ReadonlyMap<number, Running>,
  shares: ReadonlyMap<number, number> | undefined,
): GpuProcess[] {
  return Array.from(running, ([pid, { memory }]) => ({
    pid,
    ...(memory === undefined ? {} : { memory }),
    ...(shares === undefined ? {} : { utilization: shares.get(pid) ?? 0 }),
  }));
}
