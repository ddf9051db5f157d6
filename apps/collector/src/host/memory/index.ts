import { freemem, totalmem } from 'node:os';
import {
  MEMORY_METRICS,
  systemMemoryLimit,
  systemMemoryLinuxAvailable,
  systemMemoryUsage,
  systemMemoryUtilization,
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
import { parseVmStatistics } from './darwin.ts';
import { readLinuxMemory } from './linux.ts';
import { type MemoryReading, statesOf } from './states.ts';

type Read = () => MemoryReading | undefined;

async function readerOf({ paths }: SourceContext): Promise<Read> {
  if (process.platform === 'linux') return () => readLinuxMemory(paths);
  if (process.platform === 'darwin') {
    const { vmStatistics } = await import('../darwin/native.ts');
    return () => parseVmStatistics(vmStatistics(), totalmem());
  }
  // Windows counts what programs could take at once (the standby list too) as free: nothing finer is asked of it.
  return () => ({ limit: totalmem(), states: statesOf(totalmem(), [['free', freemem()]]) });
}

class Memory implements Source {
  readonly #context: SourceContext;
  #read: Read = () => undefined;

  constructor(context: SourceContext) {
    this.#context = context;
  }

  async start(): Promise<Started> {
    this.#read = await readerOf(this.#context);
    return this.#read() === undefined ? unavailable('the system tells nothing of its memory') : READY;
  }

  observe(record: RecordPoint): void {
    const reading = this.#read();
    if (reading === undefined) return;
    for (const [state, bytes] of reading.states) {
      record(systemMemoryUsage, bytes, { 'system.memory.state': state });
    }
    record(systemMemoryUtilization, (reading.states.get('used') ?? 0) / reading.limit);
    record(systemMemoryLimit, reading.limit);
    if (reading.available !== undefined) record(systemMemoryLinuxAvailable, reading.available);
  }

  stop(): void {}
}

export const memory: SourceEntry = {
  id: 'memory',
  summary: 'Memory by state',
  platforms: ['linux', 'darwin', 'win32'],
  metrics: MEMORY_METRICS,
  off: hostMetricsOff,
  create: (context) => new Memory(context),
};
