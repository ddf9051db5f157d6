import { opendirSync } from 'node:fs';
import { join } from 'node:path';
import {
  KVM_METRICS,
  type Metric,
  systemKvmEmulatedInstructions,
  systemKvmExits,
  systemKvmHaltPoll,
  systemKvmHypercalls,
  systemKvmMmuEvents,
  systemKvmPages,
  systemKvmTlbFlushes,
} from '@candela/semconv/metrics';
import type { PointAttributes } from '../point-attributes.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../source.ts';
import { readCount } from './read-count.ts';

interface Statistic {
  readonly file: string;
  readonly metric: Metric;
  readonly attributes: PointAttributes;
}

const statistic = (file: string, metric: Metric, attributes: PointAttributes = {}): Statistic => ({
  file,
  metric,
  attributes,
});

const EXITS: readonly Statistic[] = [
  statistic('halt_exits', systemKvmExits, { 'system.kvm.exit.type': 'halt' }),
  statistic('io_exits', systemKvmExits, { 'system.kvm.exit.type': 'io' }),
  statistic('mmio_exits', systemKvmExits, { 'system.kvm.exit.type': 'mmio' }),
  statistic('irq_exits', systemKvmExits, { 'system.kvm.exit.type': 'irq' }),
  statistic('irq_window_exits', systemKvmExits, { 'system.kvm.exit.type': 'irq_window' }),
  statistic('signal_exits', systemKvmExits, { 'system.kvm.exit.type': 'signal' }),
];

const COUNTERS: readonly Statistic[] = [
  statistic('insn_emulation', systemKvmEmulatedInstructions, { result: 'ok' }),
  statistic('insn_emulation_fail', systemKvmEmulatedInstructions, { result: 'failed' }),
  statistic('hypercalls', systemKvmHypercalls),
  statistic('halt_successful_poll', systemKvmHaltPoll, { result: 'successful' }),
  statistic('halt_attempted_poll', systemKvmHaltPoll, { result: 'attempted' }),
  statistic('halt_wakeup', systemKvmHaltPoll, { result: 'wakeup' }),
  statistic('tlb_flush', systemKvmTlbFlushes, { scope: 'local' }),
  statistic('remote_tlb_flush', systemKvmTlbFlushes, { scope: 'remote' }),
  statistic('mmu_cache_miss', systemKvmMmuEvents, { type: 'cache_miss' }),
  statistic('mmu_flooded', systemKvmMmuEvents, { type: 'flooded' }),
];

const PAGES: readonly Statistic[] = [
  statistic('pages_4k', systemKvmPages, { 'system.kvm.page.size': '4k' }),
  statistic('pages_2m', systemKvmPages, { 'system.kvm.page.size': '2m' }),
  statistic('pages_1g', systemKvmPages, { 'system.kvm.page.size': '1g' }),
];

/**
 * Sums over what comes and goes: the kernel's figure is the sum of the machines that run now, so it falls when one ends.
 * What that one had counted is kept; that others grew in the same tick is lost as far as the fall hides it.
 */
export class SumsOfTheLiving {
  readonly #sums = new Map<string, { raw: bigint; total: number }>();

  /** By how much `key` grew, and what it stands at. */
  read(key: string, raw: bigint): { readonly grown: number; readonly total: number } {
    const sum = this.#sums.get(key) ?? { raw: 0n, total: 0 };
    const grown = raw > sum.raw ? Number(raw - sum.raw) : 0;
    sum.total += grown;
    sum.raw = raw;
    this.#sums.set(key, sum);
    return { grown, total: sum.total };
  }
}

class Kvm implements Source {
  readonly #directory: string;
  readonly #sums = new SumsOfTheLiving();
  #otherExits = 0;

  constructor({ paths }: SourceContext) {
    this.#directory = join(paths.sys, 'kernel/debug/kvm');
  }

  async start(): Promise<Started> {
    try {
      opendirSync(this.#directory).closeSync();
    } catch (thrown) {
      const denied = ['EACCES', 'EPERM'].includes((thrown as NodeJS.ErrnoException).code ?? '');
      return unavailable(
        denied
          ? `${this.#directory} may not be read: run the agent as root`
          : `${this.#directory} is not there: it needs the kvm module and debugfs mounted at /sys/kernel/debug`,
      );
    }
    return this.#count('exits') === undefined
      ? unavailable(`${this.#directory} holds no statistics that this user may read: run the agent as root`)
      : READY;
  }

  observe(record: RecordPoint): void {
    // The files of the root are sums over all machines; the directories beside them hold the same again, machine by
    // machine, and are left alone.
    const exits = this.#count('exits');
    let explained = 0;
    for (const { file, metric, attributes } of EXITS) {
      const raw = this.#count(file);
      if (raw === undefined) continue;
      const { grown, total } = this.#sums.read(file, raw);
      explained += grown;
      record(metric, total, attributes);
    }
    if (exits !== undefined) {
      // The total is not sent beside its parts, or a sum over the types would hold everything twice; the rest of it is.
      this.#otherExits += Math.max(0, this.#sums.read('exits', exits).grown - explained);
      record(systemKvmExits, this.#otherExits, { 'system.kvm.exit.type': 'other' });
    }
    for (const { file, metric, attributes } of COUNTERS) {
      const raw = this.#count(file);
      if (raw !== undefined) record(metric, this.#sums.read(file, raw).total, attributes);
    }
    for (const { file, metric, attributes } of PAGES) {
      const raw = this.#count(file);
      if (raw !== undefined) record(metric, Number(raw), attributes);
    }
  }

  stop(): void {}

  #count(file: string): bigint | undefined {
    return readCount(join(this.#directory, file));
  }
}

export const kvm: SourceEntry = {
  id: 'kvm',
  summary: 'Exits, polls and pages of the virtual machines that KVM runs on this host',
  platforms: ['linux'],
  metrics: KVM_METRICS,
  off: (config) => (config.kvm.enabled ? undefined : 'OTEL_HOST_KVM_ENABLED is false'),
  create: (context) => new Kvm(context),
};
