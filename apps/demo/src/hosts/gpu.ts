import { Random } from '../random.ts';
import type { Attributes } from '../telemetry.ts';
import type { GpuPlan, Worker } from './fleet.ts';
import { type Reader, Wander } from './readings.ts';

/** The first process of a machine's workers. */
const FIRST_PID = 41_200;
/** How much of its time a language model keeps each pipe busy. */
const PIPES = [
  ['tensor', 0.46],
  ['fp16', 0.09],
  ['fp32', 0.05],
  ['fp64', 0],
] as const;

/** One GPU: what it does follows the load, what it counts goes on until the agent or the driver starts again. */
export class GpuPart {
  readonly #plan: GpuPlan;
  readonly #index: number;
  readonly #random: Random;
  readonly #work = new Wander();
  readonly #heat = new Wander();
  readonly #base: Attributes;
  readonly #uuid: string;
  readonly #counters = new Map<string, number>();
  #busy = 0;
  #watts = 0;

  constructor(plan: GpuPlan, index: number, host: string, random: Random) {
    this.#plan = plan;
    this.#index = index;
    this.#random = random;
    // Hardware keeps its id whatever the seed and however often it is simulated.
    const hex = new Random(`${host}/${index}`).hex(32);
    this.#uuid =
      plan.model.vendor === 'nvidia'
        ? `GPU-${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')}`
        : `pci-0000:${(0x11 + index * 0x18).toString(16)}:00.0`;
    this.#base = {
      'hw.id': this.#uuid,
      'hw.name': plan.model.name,
      'hw.vendor': plan.model.vendor,
      'gpu.index': index,
      'gpu.pci_address': `0000:${(0x11 + index * 0x18).toString(16)}:00.0`,
      ...(plan.partitions ? { 'gpu.mig.enabled': true } : {}),
    };
  }

  pass(seconds: number, load: number): void {
    const { model, busy, sick } = this.#plan;
    this.#busy = busy === 0 ? 0 : this.#work.next(this.#random, busy * (0.25 + 0.75 * load), 0.05);
    this.#watts = model.watts * (0.12 + (sick ? 0.88 : 0.8) * this.#busy);
    const grow = (key: string, by: number) => this.#counters.set(key, (this.#counters.get(key) ?? 0) + by);
    grow('energy', this.#watts * seconds);
    grow('receive', (2e7 + 9e9 * this.#busy) * seconds);
    grow('transmit', (1e7 + 3e9 * this.#busy) * seconds);
    grow('link/receive', 7.5e10 * this.#busy * seconds * this.#random.between(0.8, 1.2));
    grow('link/transmit', 7.4e10 * this.#busy * seconds * this.#random.between(0.8, 1.2));
    if (sick) {
      if (this.#random.chance(seconds / 300)) grow('corrected', this.#random.int(1, 9));
      if (this.#random.chance(seconds / 1_200)) grow('xid', 1);
      if (this.#random.chance(seconds / 9_000)) grow('uncorrected', 1);
    }
  }

  /** The driver counts from zero again. */
  restart(): void {
    this.#counters.clear();
  }

  read(reader: Reader): void {
    const { model, partitions, workers, sick } = this.#plan;
    const nvidia = model.vendor === 'nvidia';
    const counted = (key: string) => this.#counters.get(key) ?? 0;
    if (!partitions) {
      reader.gauge('hw.gpu.utilization', '1', this.#busy, { ...this.#base, 'hw.gpu.task': 'general' });
      if (nvidia) {
        for (const task of ['encoder', 'decoder']) {
          reader.gauge('hw.gpu.utilization', '1', 0, { ...this.#base, 'hw.gpu.task': task });
        }
      }
      reader.gauge('hw.gpu.memory.controller.utilization', '1', this.#busy * 0.62, this.#base);
      if (nvidia) this.#profile(reader);
    }
    const held = partitions
      ? partitions.reduce((sum, part) => sum + part.memory * (part.worker?.memory ?? 0.003), 0) / model.memory
      : workers.reduce((sum, worker) => sum + worker.memory, 0.006);
    this.#memory(reader, this.#base, model.memory, held);
    reader.gauge('hw.power', 'W', this.#watts, this.#base);
    reader.gauge('hw.power.limit', 'W', model.watts, this.#base);
    const die = 31 + (sick ? 62 : 46) * this.#heat.next(this.#random, this.#busy, 0.015);
    reader.gauge('hw.temperature', 'Cel', Math.round(die), { ...this.#base, 'hw.sensor_location': 'die' });
    if (model.memorySensor) {
      reader.gauge('hw.temperature', 'Cel', Math.round(die + 7), {
        ...this.#base,
        'hw.sensor_location': 'memory',
      });
    }
    const throttled = sick === true && die > 85;
    const clocks: Readonly<Record<string, number>> = {
      graphics: model.hertz[0] * (throttled ? 0.71 : this.#busy > 0.05 ? 1 : 0.2),
      memory: model.hertz[1],
      ...(nvidia ? { sm: model.hertz[0] * (throttled ? 0.71 : this.#busy > 0.05 ? 1 : 0.2) } : {}),
    };
    for (const [domain, hertz] of Object.entries(clocks)) {
      reader.gauge('hw.gpu.speed', 'Hz', Math.round(hertz), { ...this.#base, 'hw.gpu.clock_domain': domain });
    }
    if (model.vendor === 'intel') {
      reader.gauge('hw.fan.speed', 'rpm', Math.round(1_400 + 1_900 * this.#busy), this.#base);
    }
    reader.counter('hw.energy', 'J', counted('energy'), this.#base);
    for (const direction of ['receive', 'transmit']) {
      reader.counter('hw.gpu.io', 'By', counted(direction), {
        ...this.#base,
        'network.io.direction': direction,
      });
      if (model.link) {
        reader.counter('hw.gpu.interconnect.io', 'By', counted(`link/${direction}`), {
          ...this.#base,
          'network.io.direction': direction,
          'hw.gpu.interconnect.type': model.link,
        });
      }
    }
    for (const [state, holds] of [
      ['ok', !throttled],
      ['degraded', throttled],
      ['failed', false],
    ] as const) {
      reader.updown('hw.status', '1', holds ? 1 : 0, { ...this.#base, 'hw.type': 'gpu', 'hw.state': state });
    }
    const kinds =
      model.vendor === 'amd'
        ? ['ras_corrected', 'ras_uncorrected']
        : ['corrected', 'uncorrected', 'pcie_replay'];
    for (const type of nvidia ? [...kinds, 'xid'] : kinds) {
      reader.counter('hw.errors', '{error}', counted(type), {
        ...this.#base,
        'hw.type': 'gpu',
        'error.type': type,
      });
    }
    const allocated = workers.length > 0 || partitions !== undefined;
    reader.gauge('hw.gpu.allocated', '1', allocated ? 1 : 0, this.#base);
    reader.gauge('hw.gpu.idle', '1', this.#busy < 0.05 ? 1 : 0, this.#base);
    for (const [at, worker] of workers.entries())
      this.#process(reader, worker, at, this.#uuid, model.memory, this.#busy);
    for (const [at, part] of (partitions ?? []).entries()) {
      const id = `MIG-${this.#uuid.slice(4, 32)}-${at + 1}`;
      const own = {
        ...this.#base,
        'hw.id': id,
        'hw.name': `${model.name} MIG ${part.profile}`,
        'hw.parent': this.#uuid,
        'gpu.parent.uuid': this.#uuid,
        'gpu.mig.device_id': id,
        'gpu.mig.instance_id': at + 1,
        'gpu.mig.profile': part.profile,
      };
      this.#memory(reader, own, part.memory, part.worker?.memory ?? 0.003);
      reader.gauge('hw.gpu.allocated', '1', part.worker ? 1 : 0, own);
      if (part.worker) this.#process(reader, part.worker, 10 + at, id, part.memory, undefined);
    }
  }

  /** What a profiling library tells: a GPU that is busy all the time seldom has all its multiprocessors at work. */
  #profile(reader: Reader): void {
    const base = { ...this.#base, 'gpu.measurement.source': 'dcgm' };
    reader.gauge('hw.gpu.engine.utilization', '1', this.#busy * 0.98, {
      ...base,
      'hw.gpu.engine': 'graphics',
    });
    reader.gauge('hw.gpu.sm.utilization', '1', this.#busy * 0.81, base);
    reader.gauge('hw.gpu.sm.occupancy', '1', this.#busy * 0.34, base);
    reader.gauge('hw.gpu.memory.bandwidth.utilization', '1', this.#busy * 0.57, base);
    for (const [pipe, share] of PIPES) {
      reader.gauge('hw.gpu.pipe.utilization', '1', this.#busy * share, { ...base, 'hw.gpu.pipe': pipe });
    }
  }

  #memory(reader: Reader, base: Attributes, limit: number, share: number): void {
    reader.updown('hw.gpu.memory.limit', 'By', limit, base);
    reader.updown('hw.gpu.memory.usage', 'By', limit * share, base);
    reader.updown('hw.gpu.memory.free', 'By', limit * (1 - share), base);
    reader.gauge('hw.gpu.memory.utilization', '1', share, base);
  }

  #process(
    reader: Reader,
    worker: Worker,
    at: number,
    id: string,
    memory: number,
    busy: number | undefined,
  ): void {
    const attributes: Attributes = {
      'process.pid': FIRST_PID + this.#index * 16 + at,
      'hw.id': id,
      'process.executable.name': worker.executable,
      'process.command_line': worker.command,
      'k8s.pod.name': worker.pod,
      'k8s.namespace.name': worker.namespace,
      'k8s.container.name': worker.container,
    };
    reader.updown('process.gpu.memory.usage', 'By', worker.memory * memory, attributes);
    // The driver does not measure the processes of a partition.
    if (busy !== undefined) reader.gauge('process.gpu.utilization', '1', busy * 0.97, attributes);
  }
}
