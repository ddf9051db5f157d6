import { hwCpuMemoryIo, type Metric, PMU_METRICS } from '@candela/semconv/metrics';
import { errorText } from '../../log.ts';
import type { PointAttributes } from '../../point-attributes.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../../source.ts';
import { type CoreUnit, eventFor, findCoreUnits, processorOf, readOnline } from './cores.ts';
import { type CoreEvent, chooseEvents, EVENT_NAMES } from './events.ts';
import { CounterGroup } from './group.ts';
import { loadPerf, type OpenCounter, type PerfEvent, PerfOpenError } from './native.ts';
import { findUncoreEvents } from './uncore.ts';

/** Descriptors held open: one for each event on each CPU. */
const MAX_DESCRIPTORS = 8_192;
const REFUSED = new Set(['EACCES', 'EPERM']);

interface Sum {
  readonly metric: Metric;
  readonly attributes: PointAttributes;
  total: number;
}

/** A group that is being counted; for each member the sum it adds to and what one count adds. */
interface Counting {
  readonly group: CounterGroup;
  readonly members: readonly { readonly sum: Sum; readonly factor: number }[];
}

/** Why nothing can be counted, and what to grant. */
export function refusal(thrown: unknown): string {
  const code = thrown instanceof PerfOpenError ? thrown.code : '';
  if (REFUSED.has(code)) {
    return (
      `the kernel refused performance counters (${code}): give the agent CAP_PERFMON (CAP_SYS_ADMIN before Linux ` +
      '5.8) or set kernel.perf_event_paranoid to 0 or less; in a container seccomp must allow perf_event_open'
    );
  }
  if (code === 'ENOSYS') return 'this kernel was built without performance counters';
  if (code === 'EMFILE' || code === 'ENFILE') {
    return `no descriptors for performance counters (${code}): raise the limit of open files`;
  }
  return code === ''
    ? errorText(thrown)
    : `this machine has no such performance counters (${code}), as most virtual ones have none`;
}

class Pmu implements Source {
  readonly #context: SourceContext;
  readonly #sys: string;
  readonly #cores = new Map<number, readonly Counting[]>();
  readonly #sums = new Map<string, Sum>();
  #controllers: readonly Counting[] = [];
  #groups: readonly (readonly CoreEvent[])[] = [];
  #units: readonly CoreUnit[] = [];
  #open: OpenCounter | undefined;
  #online = '';
  #descriptors = 0;
  /** The first thing that went wrong while opening. */
  #failure: unknown;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#sys = context.paths.sys;
  }

  async start(): Promise<Started> {
    const { groups, memory, unknown } = chooseEvents(this.#context.config.pmu.events);
    if (unknown.length > 0) {
      this.#context.log.warn('OTEL_HOST_PMU_EVENTS names events that are not known', {
        unknown: unknown.join(','),
        known: EVENT_NAMES.join(','),
      });
    }
    if (groups.length === 0 && !memory) return unavailable('OTEL_HOST_PMU_EVENTS names no event');
    try {
      this.#open = await loadPerf();
    } catch (thrown) {
      return unavailable(`the native part could not be loaded: ${errorText(thrown)}`);
    }
    this.#groups = groups;
    this.#units = findCoreUnits(this.#sys);
    this.#followCpus();
    if (memory) this.#controllers = this.#openControllers();
    if (this.#cores.size === 0 && this.#controllers.length === 0) {
      return unavailable(
        this.#failure === undefined
          ? 'no CPU or memory controller with counters is listed in /sys'
          : refusal(this.#failure),
      );
    }
    if (this.#failure !== undefined) {
      this.#context.log.info('some performance counters are left out', { reason: refusal(this.#failure) });
    }
    return READY;
  }

  observe(record: RecordPoint): void {
    this.#followCpus();
    for (const countings of this.#cores.values()) for (const one of countings) add(one);
    for (const one of this.#controllers) add(one);
    for (const { metric, total, attributes } of this.#sums.values()) {
      record(metric, Math.round(total), attributes);
    }
  }

  stop(): void {
    for (const cpu of this.#cores.keys()) this.#closeCpu(cpu);
    for (const { group } of this.#controllers) group.close();
    this.#controllers = [];
    this.#descriptors = 0;
  }

  /** Counts on the CPUs that are online now: one that was away has lost its counters, and one that came has none yet. */
  #followCpus(): void {
    const { text, cpus } = readOnline(this.#sys);
    if (text === this.#online) return;
    this.#online = text;
    const present = new Set(cpus);
    for (const cpu of this.#cores.keys()) if (!present.has(cpu)) this.#closeCpu(cpu);
    for (const cpu of cpus) {
      if (this.#cores.has(cpu)) continue;
      const opened = this.#openCpu(cpu);
      if (opened.length > 0) this.#cores.set(cpu, opened);
    }
  }

  #openCpu(cpu: number): readonly Counting[] {
    const unit = this.#units.find((one) => one.cpus.has(cpu));
    const base = {
      'hw.id': processorOf(this.#sys, cpu),
      'hw.type': 'cpu',
      ...(unit === undefined ? {} : { 'hw.cpu.core_type': unit.coreType }),
    };
    return this.#groups.flatMap((events) => {
      const group = this.#openGroup(
        events.map((event) => eventFor(event, unit)),
        cpu,
      );
      const members = (group?.members ?? []).flatMap((index) => {
        const event = events[index];
        if (event === undefined) return [];
        return [{ sum: this.#sum(event.metric, { ...base, ...event.attributes }), factor: 1 }];
      });
      return group === undefined ? [] : [{ group, members }];
    });
  }

  #openControllers(): readonly Counting[] {
    return findUncoreEvents(this.#sys).flatMap(({ device, direction, event, bytes, cpus }) =>
      cpus.flatMap((cpu) => {
        const group = this.#openGroup([event], cpu);
        if (group === undefined) return [];
        const sum = this.#sum(hwCpuMemoryIo, {
          'hw.id': processorOf(this.#sys, cpu),
          'hw.type': 'cpu',
          'hw.cpu.memory.controller': device,
          'network.io.direction': direction,
        });
        return [{ group, members: [{ sum, factor: bytes }] }];
      }),
    );
  }

  /** Undefined when it cannot be: what is there is counted without it. */
  #openGroup(events: readonly PerfEvent[], cpu: number): CounterGroup | undefined {
    if (this.#open === undefined || this.#descriptors + events.length > MAX_DESCRIPTORS) return undefined;
    try {
      const group = CounterGroup.open(this.#open, events, cpu);
      this.#descriptors += group.members.length;
      return group;
    } catch (thrown) {
      this.#failure ??= thrown;
      return undefined;
    }
  }

  #closeCpu(cpu: number): void {
    for (const { group } of this.#cores.get(cpu) ?? []) {
      group.close();
      this.#descriptors -= group.members.length;
    }
    this.#cores.delete(cpu);
  }

  /** One sum for the CPUs of a processor together: a series for each CPU would be hundreds on a large machine. */
  #sum(metric: Metric, attributes: PointAttributes): Sum {
    const key = `${metric.name} ${JSON.stringify(attributes)}`;
    const sum = this.#sums.get(key) ?? { metric, attributes, total: 0 };
    this.#sums.set(key, sum);
    return sum;
  }
}

function add({ group, members }: Counting): void {
  for (const [index, grown] of (group.grown() ?? []).entries()) {
    const member = members[index];
    if (member !== undefined) member.sum.total += grown * member.factor;
  }
}

export const pmu: SourceEntry = {
  id: 'pmu',
  summary: 'Performance counters of the processor and its memory controllers',
  platforms: ['linux'],
  metrics: PMU_METRICS,
  off: (config) => (config.pmu.enabled ? undefined : 'OTEL_HOST_PMU_ENABLED is false'),
  create: (context) => new Pmu(context),
};
