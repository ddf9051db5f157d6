import { availableParallelism } from 'node:os';
import {
  processCpuTime,
  processCpuUtilization,
  processMemoryUsage,
  processMemoryVirtual,
  processThreadCount,
  processUnixFileDescriptorCount,
  processUptime,
  SELF_METRICS,
} from '@candela/semconv/metrics';
import { readHead, readNames } from '../files.ts';
import { hostMetricsOff } from '../host/off.ts';
import { parsePidStat } from '../host/proc/pid.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
} from '../source.ts';
import type { Workload } from '../workload/workload.ts';

/** What Node does not tell of its own process. */
interface OwnFigures {
  readonly virtualBytes?: number | undefined;
  readonly threads?: number | undefined;
  readonly fileDescriptors?: number | undefined;
}

/** Those that are open, but for the one that reads the directory. */
const descriptors = (folder: string): number | undefined => {
  const names = readNames(folder);
  return names === undefined ? undefined : names.length - 1;
};

/** Its own /proc, whatever the settings say of the host's: the host's may know it by another number. */
function linuxFigures(): OwnFigures {
  const stat = parsePidStat(readHead('/proc/self/stat', 4_096) ?? '');
  return {
    virtualBytes: stat?.virtualBytes,
    threads: stat?.threads,
    fileDescriptors: descriptors('/proc/self/fd'),
  };
}

/** Where `struct proc_taskinfo` (sys/proc_info.h) has the address space and the threads. */
export function parseTaskInfo(bytes: Buffer): OwnFigures {
  return { virtualBytes: Number(bytes.readBigUInt64LE(0)), threads: bytes.readInt32LE(84) };
}

/** Where `PROCESS_MEMORY_COUNTERS_EX` has the committed memory, and `PROCESSENTRY32W` the threads. */
export function parseWindowsProcess(memory: Buffer | undefined, entry: Buffer | undefined): OwnFigures {
  return {
    virtualBytes: memory === undefined ? undefined : Number(memory.readBigUInt64LE(56)),
    threads: entry?.readUInt32LE(28),
  };
}

async function readerOf(): Promise<() => OwnFigures> {
  if (process.platform === 'darwin') {
    const { taskInfo } = await import('../host/darwin/native.ts');
    return () => {
      const bytes = taskInfo(process.pid);
      const fileDescriptors = descriptors('/dev/fd');
      return bytes === undefined ? { fileDescriptors } : { ...parseTaskInfo(bytes), fileDescriptors };
    };
  }
  if (process.platform === 'win32') {
    const { ownMemoryCounters, ownProcessEntry } = await import('../host/win32/native.ts');
    return () => parseWindowsProcess(ownMemoryCounters(), ownProcessEntry());
  }
  return linuxFigures;
}

/** Less than this since the reading before says nothing of a share. */
const LEAST_SECONDS = 0.1;

class SelfProcess implements Source {
  readonly #monotonic: () => number;
  readonly #workload: Workload;
  #figures: () => OwnFigures = () => ({});
  #before: { readonly at: number; readonly microseconds: number };

  constructor({ monotonic, workload }: SourceContext) {
    this.#workload = workload;
    this.#monotonic = monotonic;
    this.#before = { at: monotonic(), microseconds: 0 };
  }

  async start(): Promise<Started> {
    const { user, system } = process.cpuUsage();
    this.#before = { at: this.#monotonic(), microseconds: user + system };
    this.#figures = await readerOf();
    return READY;
  }

  observe(record: RecordPoint): void {
    const { user, system } = process.cpuUsage();
    // In a pod or another container: of all processes on the machine, these points are about that one.
    const own = this.#workload.ofSelf() ?? {};
    record(processCpuTime, user / 1e6, { ...own, 'cpu.mode': 'user' });
    record(processCpuTime, system / 1e6, { ...own, 'cpu.mode': 'system' });
    const now = { at: this.#monotonic(), microseconds: user + system };
    const seconds = now.at - this.#before.at;
    if (seconds >= LEAST_SECONDS) {
      const busy = (now.microseconds - this.#before.microseconds) / 1e6;
      // The two clocks are not read at the same instant: a busy process may seem to have more than all.
      const share = Math.min(1, Math.max(0, busy / seconds / availableParallelism()));
      record(processCpuUtilization, share, own);
      this.#before = now;
    }
    record(processMemoryUsage, process.memoryUsage.rss(), own);
    record(processUptime, process.uptime(), own);
    const { virtualBytes, threads, fileDescriptors } = this.#figures();
    if (virtualBytes !== undefined) record(processMemoryVirtual, virtualBytes, own);
    if (threads !== undefined) record(processThreadCount, threads, own);
    if (fileDescriptors !== undefined) record(processUnixFileDescriptorCount, fileDescriptors, own);
  }

  stop(): void {}
}

export const selfProcess: SourceEntry = {
  id: 'process',
  summary: 'CPU time, memory, threads and file descriptors of the agent itself',
  platforms: ['linux', 'darwin', 'win32'],
  metrics: SELF_METRICS,
  off: hostMetricsOff,
  create: (context) => new SelfProcess(context),
};
