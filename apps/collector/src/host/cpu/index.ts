import { cpus } from 'node:os';
import {
  CPU_METRICS,
  systemCpuLogicalCount,
  systemCpuTime,
  systemCpuUtilization,
} from '@candela/semconv/metrics';
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
import { TICKS_PER_SECOND } from '../proc/pid.ts';
import { readLinuxCpus } from './linux.ts';
import { fromNodeCpus } from './node.ts';
import { CPU_MODES, type CpuMode, type CpuReading, CpuTimes } from './times.ts';
import { FILETIME_PER_SECOND, parseProcessorTimes } from './win32.ts';

/** A share over less is noise: the system counts in steps of 10 ms. */
const LEAST_SECONDS = 0.1;

interface Reader {
  readonly unitsPerSecond: number;
  readonly modes: readonly CpuMode[];
  /** Undefined or empty: the system tells nothing. */
  read(): readonly CpuReading[] | undefined;
}

async function readerOf({ paths }: SourceContext): Promise<Reader> {
  if (process.platform === 'linux') {
    return { unitsPerSecond: TICKS_PER_SECOND, modes: CPU_MODES, read: () => readLinuxCpus(paths) };
  }
  if (process.platform === 'win32') {
    const { processorTimes } = await import('../win32/native.ts');
    return {
      unitsPerSecond: FILETIME_PER_SECOND,
      modes: ['user', 'system', 'idle', 'interrupt'],
      read: () => parseProcessorTimes(processorTimes() ?? []),
    };
  }
  return {
    unitsPerSecond: 1_000,
    modes: ['user', 'nice', 'system', 'idle'],
    read: () => fromNodeCpus(cpus()),
  };
}

class Cpu implements Source {
  readonly #context: SourceContext;
  readonly #times = new CpuTimes();
  #reader: Reader | undefined;

  constructor(context: SourceContext) {
    this.#context = context;
  }

  async start(): Promise<Started> {
    this.#reader = await readerOf(this.#context);
    const readings = this.#reader.read();
    if (readings === undefined || readings.length === 0) return unavailable('the system tells no CPU times');
    this.#times.add(readings);
    return READY;
  }

  observe(record: RecordPoint): void {
    const reader = this.#reader;
    const readings = reader?.read();
    if (reader === undefined || readings === undefined || readings.length === 0) return;
    const shares = this.#times.add(readings, LEAST_SECONDS * reader.unitsPerSecond);
    for (const [cpu, share] of shares) record(systemCpuUtilization, share, { 'cpu.logical_number': cpu });
    record(systemCpuLogicalCount, readings.length);
    for (const mode of reader.modes) {
      const total = this.#times.totals[CPU_MODES.indexOf(mode)] ?? 0;
      record(systemCpuTime, total / reader.unitsPerSecond, { 'cpu.mode': mode });
    }
  }

  stop(): void {}
}

export const cpu: SourceEntry = {
  id: 'cpu',
  summary: 'Times and busy shares of the logical CPUs',
  platforms: ['linux', 'darwin', 'win32'],
  metrics: CPU_METRICS,
  off: hostMetricsOff,
  create: (context) => new Cpu(context),
};
