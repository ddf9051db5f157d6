import type { Random } from '../random.ts';
import type { HostPlan } from './fleet.ts';
import { type Reader, Wander } from './readings.ts';

/** `system.*` of a machine. */
export class SystemPart {
  readonly #plan: HostPlan;
  readonly #random: Random;
  readonly #cores: readonly Wander[];
  readonly #memory = new Wander();
  readonly #totals = new Map<string, number>();
  #share = 0;

  constructor(plan: HostPlan, random: Random) {
    this.#plan = plan;
    this.#random = random;
    this.#cores = Array.from({ length: plan.cpus }, () => new Wander());
  }

  /** Lets `seconds` pass under a load from 0 to 1. */
  pass(seconds: number, load: number): void {
    const grow = (key: string, perSecond: number) =>
      this.#totals.set(
        key,
        (this.#totals.get(key) ?? 0) + perSecond * seconds * this.#random.between(0.7, 1.3),
      );
    for (const name of this.#plan.interfaces) {
      grow(`${name}/receive`, 4e6 + 180e6 * load);
      grow(`${name}/transmit`, 6e6 + 260e6 * load);
      if (this.#random.chance(0.002)) grow(`${name}/error`, 1 / Math.max(1, seconds));
    }
    for (const [, device] of this.#plan.mounts) {
      grow(`${device}/read`, 2e6 + 40e6 * load);
      grow(`${device}/write`, 5e6 + 30e6 * load);
    }
    this.#share = load;
  }

  /** A new start of the agent does not reset what the kernel counts. */
  read(reader: Reader, ageDays: number): void {
    const { plan, random, share } = { plan: this.#plan, random: this.#random, share: this.#share };
    const busy = 0.04 + plan.busy * share;
    for (const [cpu, core] of this.#cores.entries()) {
      // The first cores take the interrupts; every sixth one is pinned to a worker.
      const lean = cpu < 2 ? 1.25 : cpu % 6 === 0 ? 1.5 : 0.9;
      reader.gauge('system.cpu.utilization', '1', core.next(random, busy * lean, 0.06), {
        'cpu.logical_number': cpu,
      });
    }
    reader.gauge('system.uptime', 's', Math.round((9 + plan.cpus / 8 + ageDays) * 86_400));
    reader.updown('system.cpu.logical.count', '{cpu}', plan.cpus);
    const used = this.#memory.next(random, 0.22 + 0.35 * share, 0.01) * plan.memory;
    const cached = Math.min(plan.memory - used, 0.27 * plan.memory);
    const buffers = Math.min(plan.memory - used - cached, 0.01 * plan.memory);
    const states = { used, cached, buffers, free: plan.memory - used - cached - buffers };
    for (const [state, bytes] of Object.entries(states)) {
      reader.updown('system.memory.usage', 'By', bytes, { 'system.memory.state': state });
    }
    reader.gauge('system.memory.utilization', '1', used / plan.memory);
    for (const [mount, device, size, fill] of plan.mounts) {
      const share = Math.min(0.99, fill + ageDays * 0.004);
      const at = {
        'system.device': device,
        'system.filesystem.mountpoint': mount,
        'system.filesystem.type': 'ext4',
      };
      reader.updown('system.filesystem.usage', 'By', share * size, {
        ...at,
        'system.filesystem.state': 'used',
      });
      reader.updown('system.filesystem.usage', 'By', (1 - share) * size, {
        ...at,
        'system.filesystem.state': 'free',
      });
      reader.gauge('system.filesystem.utilization', '1', share, at);
      for (const direction of ['read', 'write']) {
        const bytes = this.#totals.get(`${device}/${direction}`) ?? 0;
        const disk = { 'system.device': device.replace('/dev/', ''), 'disk.io.direction': direction };
        reader.counter('system.disk.io', 'By', bytes, disk);
        reader.counter('system.disk.operations', '{operation}', bytes / 65_536, disk);
      }
    }
    for (const name of plan.interfaces) {
      for (const direction of ['receive', 'transmit']) {
        const at = { 'network.interface.name': name, 'network.io.direction': direction };
        reader.counter('system.network.io', 'By', this.#totals.get(`${name}/${direction}`) ?? 0, at);
        const errors = direction === 'receive' ? (this.#totals.get(`${name}/error`) ?? 0) : 0;
        reader.counter('system.network.errors', '{error}', errors, at);
      }
    }
  }
}
