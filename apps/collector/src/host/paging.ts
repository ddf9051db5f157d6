import { join } from 'node:path';
import {
  PAGING_METRICS,
  systemPagingFaults,
  systemPagingOperations,
  systemPagingUsage,
  systemPagingUtilization,
} from '@candela/semconv/metrics';
import { MonotonicCounters } from '../counters.ts';
import { readText } from '../files.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../source.ts';
import { readMeminfo } from './memory/meminfo.ts';
import { hostMetricsOff } from './off.ts';

const MAX_BYTES = 262_144;

const COUNTERS = ['pgfault', 'pgmajfault', 'pswpin', 'pswpout'] as const;
type Counter = (typeof COUNTERS)[number];

/** The counters of `/proc/vmstat` that are of use here; those it does not name are absent. */
export function parseVmstat(text: string): Map<Counter, bigint> {
  const found = new Map<Counter, bigint>();
  for (const name of COUNTERS) {
    // A row that has no line feed was cut off.
    const match = new RegExp(`^${name} (\\d{1,20})\\n`, 'm').exec(text);
    if (match?.[1] !== undefined) found.set(name, BigInt(match[1]));
  }
  return found;
}

class Paging implements Source {
  readonly #paths: SourceContext['paths'];
  readonly #counters = new MonotonicCounters();
  #minor = 0;

  constructor({ paths }: SourceContext) {
    this.#paths = paths;
  }

  async start(): Promise<Started> {
    return this.#vmstat().size === 0
      ? unavailable(`${join(this.#paths.proc, 'vmstat')} is not there or counts no pages`)
      : READY;
  }

  observe(record: RecordPoint): void {
    this.#counters.sweep();
    const rows = this.#vmstat();
    const read = (name: Counter): number | undefined => {
      const raw = rows.get(name);
      return raw === undefined ? undefined : this.#counters.read(name, raw);
    };
    const all = read('pgfault');
    const major = read('pgmajfault');
    if (major !== undefined) record(systemPagingFaults, major, { 'system.paging.fault.type': 'major' });
    if (all !== undefined && major !== undefined) {
      // `pgfault` counts both kinds, a major one before it is known to be one: the difference may step back.
      this.#minor = Math.max(this.#minor, all - major);
      record(systemPagingFaults, this.#minor, { 'system.paging.fault.type': 'minor' });
    }
    const into = read('pswpin');
    if (into !== undefined) record(systemPagingOperations, into, { 'system.paging.direction': 'in' });
    const out = read('pswpout');
    if (out !== undefined) record(systemPagingOperations, out, { 'system.paging.direction': 'out' });

    const memory = readMeminfo(this.#paths);
    const total = memory?.get('SwapTotal');
    const free = memory?.get('SwapFree');
    if (total === undefined || free === undefined || total === 0) return;
    const used = Math.max(0, total - free);
    record(systemPagingUsage, used, { 'system.paging.state': 'used' });
    record(systemPagingUsage, total - used, { 'system.paging.state': 'free' });
    record(systemPagingUtilization, used / total, { 'system.paging.state': 'used' });
  }

  stop(): void {}

  #vmstat(): Map<Counter, bigint> {
    const text = readText(join(this.#paths.proc, 'vmstat'), MAX_BYTES);
    return text === undefined ? new Map<Counter, bigint>() : parseVmstat(text);
  }
}

export const paging: SourceEntry = {
  id: 'paging',
  summary: 'Swap space and page faults',
  platforms: ['linux'],
  metrics: PAGING_METRICS,
  off: hostMetricsOff,
  create: (context) => new Paging(context),
};
