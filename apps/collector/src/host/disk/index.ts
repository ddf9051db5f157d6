import {
  DISK_METRICS,
  systemDiskIo,
  systemDiskIoTime,
  systemDiskMerged,
  systemDiskOperations,
  systemDiskOperationTime,
} from '@candela/semconv/metrics';
import { MonotonicCounters } from '../../counters.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../../source.ts';
import { hostMetricsOff } from '../off.ts';
import { DRIVE_KEYS, disksOfDrives } from './darwin.ts';
import { type DiskReading, MAX_DISKS } from './disks.ts';
import { linuxDisks } from './linux.ts';
import { physicalDrives } from './win32.ts';

/** Linux shows times as 32 bits of milliseconds, whatever its word: they wrap after 50 days of work. */
const TIME_BITS = process.platform === 'linux' ? 32 : undefined;
/** Counts are words of the kernel: of 64 bits, but for small ARM machines. Bytes are counted there in sectors of 2^9. */
const WORD_BITS = process.arch === 'arm' ? 32 : undefined;
const BYTE_BITS = WORD_BITS === undefined ? undefined : WORD_BITS + 9;

const FIGURES = [
  ['bytes', systemDiskIo, 1, BYTE_BITS],
  ['operations', systemDiskOperations, 1, process.platform === 'win32' ? 32 : WORD_BITS],
  ['merged', systemDiskMerged, 1, WORD_BITS],
  ['milliseconds', systemDiskOperationTime, 1_000, TIME_BITS],
] as const;

type Read = () => readonly DiskReading[] | undefined;

async function readerOf({ paths }: SourceContext): Promise<Read> {
  if (process.platform === 'darwin') {
    const { driveStatistics } = await import('../darwin/native.ts');
    return () => {
      const drives = driveStatistics(DRIVE_KEYS);
      return drives === undefined ? undefined : disksOfDrives(drives);
    };
  }
  if (process.platform === 'win32') {
    const { diskPerformance } = await import('../win32/native.ts');
    return physicalDrives(diskPerformance);
  }
  return linuxDisks(paths);
}

class Disk implements Source {
  readonly #context: SourceContext;
  readonly #counters = new MonotonicCounters();
  #read: Read = () => undefined;
  #told = false;

  constructor(context: SourceContext) {
    this.#context = context;
  }

  async start(): Promise<Started> {
    this.#read = await readerOf(this.#context);
    return this.#read() === undefined ? unavailable('the system tells of no disks') : READY;
  }

  observe(record: RecordPoint): void {
    this.#counters.sweep();
    const disks = this.#read() ?? [];
    if (disks.length > MAX_DISKS && !this.#told) {
      this.#told = true;
      this.#context.log.warn(`Only the first ${MAX_DISKS} disks are reported.`, { disks: disks.length });
    }
    for (const disk of disks.slice(0, MAX_DISKS)) {
      for (const direction of ['read', 'write'] as const) {
        const traffic = disk[direction];
        if (traffic === undefined) continue;
        const attributes = { 'system.device': disk.name, 'disk.io.direction': direction };
        for (const [figure, metric, divisor, bits] of FIGURES) {
          const raw = traffic[figure];
          if (raw === undefined) continue;
          const total = this.#counters.read(`${disk.name}\n${direction}\n${figure}`, raw, bits);
          if (total !== undefined) record(metric, total / divisor, attributes);
        }
      }
      if (disk.busyMilliseconds === undefined) continue;
      const busy = this.#counters.read(`${disk.name}\nbusy`, disk.busyMilliseconds, TIME_BITS);
      if (busy !== undefined) record(systemDiskIoTime, busy / 1_000, { 'system.device': disk.name });
    }
  }

  stop(): void {}
}

export const disk: SourceEntry = {
  id: 'disk',
  summary: 'Reads and writes of the disks',
  platforms: ['linux', 'darwin', 'win32'],
  metrics: DISK_METRICS,
  off: hostMetricsOff,
  create: (context) => new Disk(context),
};
