import { dayLoad } from '../metrics/day-load.ts';
import type { Random } from '../random.ts';
import { SERVICES } from '../services.ts';
import type { Service } from '../telemetry.ts';
import { agentOf, FLEET, type HostPlan } from './fleet.ts';
import { GpuPart } from './gpu.ts';
import { GIB, Reader, type Reading, Wander } from './readings.ts';
import { SystemPart } from './system.ts';

const DAY_MS = 86_400_000;
/**
 * Agents report once a minute, whatever the programs do; in the older past as seldom as a host may without counting as
 * away.
 */
const AGENT_EVERY_MS = 60_000;
const SPARSE_EVERY_MS = 150_000;
const DENSE_MS = 3_600_000;
/** The one agent that is started again is so after this share of the time until the present. */
const RESTART_AT = 0.6;

interface Machine {
  readonly plan: HostPlan;
  readonly agent: Service;
  readonly system: SystemPart;
  readonly gpus: readonly GpuPart[];
  readonly cpuSeconds: { user: number; system: number };
  agentStartMs: number;
  restarted: boolean;
}

/** The machines with their agents, and what the programs of the demo say of themselves. */
export class Hosts {
  readonly #random: Random;
  readonly #machines: readonly Machine[];
  readonly #programs: readonly { service: Service; cpu: Wander; memory: Wander }[];
  readonly #startMs: number;
  /** End of the past that is simulated at once; the present follows. */
  readonly #presentMs: number;
  #lastMs: number;
  #nextAgentMs: number;

  constructor(random: Random, options: { startMs: number; presentMs: number }) {
    this.#random = random;
    this.#startMs = options.startMs;
    this.#presentMs = options.presentMs;
    this.#lastMs = options.startMs;
    this.#nextAgentMs = options.startMs + AGENT_EVERY_MS;
    this.#machines = FLEET.map((plan) => {
      const own = random.fork(plan.name);
      return {
        plan,
        agent: agentOf(plan),
        system: new SystemPart(plan, own.fork('system')),
        gpus: plan.gpus.map((gpu, index) => new GpuPart(gpu, index, plan.name, own.fork(`gpu/${index}`))),
        cpuSeconds: { user: 0, system: 0 },
        agentStartMs: options.startMs,
        restarted: false,
      };
    });
    this.#programs = Object.values(SERVICES).map((service) => ({
      service,
      cpu: new Wander(),
      memory: new Wander(),
    }));
  }

  /** Everything that is read at a collection of the programs at that time; agents join in once a minute. */
  read(atMs: number): Reading[] {
    const load = dayLoad(atMs);
    const seconds = Math.max(0, (atMs - this.#lastMs) / 1_000);
    this.#lastMs = atMs;
    const readings: Reading[] = [];
    for (const { service, cpu, memory } of this.#programs) {
      const reader = new Reader(service, this.#startMs);
      reader.gauge('process.cpu.utilization', '1', 0.03 + 0.82 * cpu.next(this.#random, load));
      reader.updown('process.memory.usage', 'By', (0.12 + 0.78 * memory.next(this.#random, load)) * GIB);
      readings.push(...reader.readings);
    }
    for (const machine of this.#machines) {
      this.#restart(machine, atMs);
      machine.system.pass(seconds, load);
      for (const gpu of machine.gpus) gpu.pass(seconds, load);
      machine.cpuSeconds.user += seconds * 0.011;
      machine.cpuSeconds.system += seconds * 0.006;
    }
    if (atMs < this.#nextAgentMs) return readings;
    this.#nextAgentMs = atMs + (atMs < this.#presentMs - DENSE_MS ? SPARSE_EVERY_MS : AGENT_EVERY_MS);
    for (const machine of this.#machines) readings.push(...this.#report(machine, atMs));
    return readings;
  }

  #report(machine: Machine, atMs: number): Reading[] {
    const { plan } = machine;
    if (plan.silentForMs !== undefined && atMs > this.#presentMs - plan.silentForMs) return [];
    const reader = new Reader(machine.agent, machine.agentStartMs);
    machine.system.read(reader, (atMs - this.#startMs) / DAY_MS);
    for (const gpu of machine.gpus) gpu.read(reader);
    reader.counter('process.cpu.time', 's', machine.cpuSeconds.user, { 'cpu.mode': 'user' });
    reader.counter('process.cpu.time', 's', machine.cpuSeconds.system, { 'cpu.mode': 'system' });
    reader.gauge('process.cpu.utilization', '1', 0.016 + this.#random.between(0, 0.004));
    reader.updown('process.memory.usage', 'By', (0.058 + this.#random.between(0, 0.003)) * GIB);
    reader.updown('process.thread.count', '{thread}', 14);
    reader.counter('platform.collector.gpu.scrape.errors', '{error}', 0);
    return reader.readings;
  }

  /** The one agent that is started again loses what it and the driver had counted. */
  #restart(machine: Machine, atMs: number): void {
    const restartMs = this.#startMs + RESTART_AT * (this.#presentMs - this.#startMs);
    if (!machine.plan.restarts || machine.restarted || atMs <= restartMs || restartMs <= this.#startMs)
      return;
    machine.restarted = true;
    machine.agentStartMs = atMs;
    machine.cpuSeconds.user = 0;
    machine.cpuSeconds.system = 0;
    for (const gpu of machine.gpus) gpu.restart();
  }
}
