import { existsSync } from 'node:fs';
import {
  collectorEbpfDropped,
  collectorEbpfProbeCost,
  collectorEbpfTraced,
  CUDA_METRICS,
} from '@candela/semconv/metrics';
import { scanPci } from '../../gpu/pci.ts';
import { describeProcess } from '../../gpu/processes/describe.ts';
import { Owners } from '../../gpu/processes/owners.ts';
import { EbpfThread } from '../../gpu/thread.ts';
import { Pid } from '../../host/proc/pid.ts';
import { inRoot } from '../../host-paths.ts';
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
import type { Way } from '../loader/programs.ts';
import { recordSnapshot } from './points.ts';
import type { Snapshot, TracedProcess } from './tracer.ts';

const NVIDIA = 0x10de;
const DEVICE_FILES = ['/dev/nvidiactl', '/dev/dxg'];
const LOOK_AGAIN_MS = 30_000;
/** Loading takes some tenths of a second, and more on a machine that is busy. */
const OPEN_MS = 30_000;
const ANSWER_MS = 3_500;
const BUDGET_MS = 4_000;

export interface CudaSourceOptions {
  /** Trace where no GPU is seen. */
  readonly always?: boolean;
  readonly ways?: readonly Way[];
}

/** CUDA calls of all programs on this machine, by programs in the kernel that a thread of the agent looks after. */
class Cuda implements Source {
  readonly #context: SourceContext;
  readonly #options: CudaSourceOptions;
  readonly #owners: Owners;
  readonly #known = new Map<number, { startTicks: number; attributes: PointAttributes }>();
  #thread: EbpfThread | undefined;
  #state: Started = unavailable('not looked for yet');
  #timer: NodeJS.Timeout | undefined;
  #opening: Promise<void> | undefined;
  #last: Snapshot | undefined;

  constructor(context: SourceContext, options: CudaSourceOptions) {
    this.#context = context;
    this.#options = options;
    this.#owners = new Owners(context.paths);
  }

  get settled(): Promise<void> {
    return this.#opening ?? Promise.resolve();
  }

  async start(): Promise<Started> {
    this.#begin();
    this.#timer = setInterval(() => this.#begin(), LOOK_AGAIN_MS);
    this.#timer.unref();
    return READY;
  }

  report(): Started {
    const last = this.#last;
    if (this.#state.state !== 'ready' || last === undefined) return this.#state;
    const cost = last.probeCost === undefined ? 'unknown' : `${(last.probeCost * 1e6).toFixed(1)} µs`;
    return {
      state: 'ready',
      detail: `${last.processes.length} processes with CUDA; probes by ${
        last.way === 'multi' ? 'uprobe_multi' : 'perf events'
      }, ${cost} a hit${last.sampling ? '; sampling, to keep to PLATFORM_GPU_EBPF_BUDGET' : ''}`,
    };
  }

  /** Loads the programs once there is a GPU to be traced: a driver may come after the agent. */
  #begin(): void {
    if (this.#opening !== undefined) return;
    const { paths } = this.#context;
    const present =
      this.#options.always === true ||
      DEVICE_FILES.some((path) => existsSync(inRoot(paths, path))) ||
      scanPci(paths.sys).some(({ vendor }) => vendor === NVIDIA);
    if (!present) {
      this.#state = unavailable('no GPU of NVIDIA on this machine');
      return;
    }
    this.#opening = this.#open();
  }

  async #open(): Promise<void> {
    const { config, paths, log } = this.#context;
    const { ways } = this.#options;
    this.#thread = new EbpfThread(
      { ebpf: 'cuda', paths, budget: config.gpu.ebpf.budget, ...(ways === undefined ? {} : { ways }) },
      (level, message, fields) => log[level](message, fields),
    );
    const outcome = await this.#thread.ask({ op: 'open' }, OPEN_MS, () => undefined);
    const reason =
      outcome.op === 'open'
        ? outcome.reason
        : 'message' in outcome
          ? outcome.message
          : 'the kernel did not answer';
    if (reason === undefined) {
      this.#state = READY;
      const snapshot = await this.#ask();
      if (snapshot !== undefined) this.#last = snapshot;
      return;
    }
    this.#state = unavailable(reason);
    log.info('CUDA is not traced', { reason });
    const thread = this.#thread;
    this.#thread = undefined;
    if (outcome.op === 'open') await thread.stop();
  }

  async #ask(): Promise<Snapshot | undefined> {
    const { gpus } = this.#context;
    const outcome = await this.#thread?.ask(
      {
        op: 'snapshot',
        gpus: gpus.devices
          .filter(({ vendor }) => vendor === 'nvidia')
          .map(({ id, index, cores }) => ({ id, index, cores, pids: gpus.pidsOn(id) })),
      },
      ANSWER_MS,
      () => undefined,
    );
    if (outcome === undefined) return undefined;
    if (outcome.op === 'snapshot') return outcome.snapshot;
    if (outcome.op === 'late') this.#thread = undefined;
    throw new Error('message' in outcome ? outcome.message : 'the thread that traces CUDA does not answer');
  }

  async observe(record: RecordPoint): Promise<void> {
    if (this.#state.state !== 'ready') return;
    const snapshot = await this.#ask();
    if (snapshot === undefined) return;
    this.#last = snapshot;
    recordSnapshot(record, snapshot, this.#context.gpus.devices, (process) => this.#describe(process));
    const present = new Set(snapshot.processes.map(({ pid }) => pid));
    for (const pid of this.#known.keys()) if (!present.has(pid)) this.#known.delete(pid);
    if (snapshot.probeCost !== undefined) record(collectorEbpfProbeCost, snapshot.probeCost);
    for (const [type, count] of Object.entries(snapshot.drops)) {
      record(collectorEbpfDropped, count, { 'error.type': type });
    }
    record(collectorEbpfTraced, snapshot.tracedShare);
  }

  #describe({ pid, startTicks, attributes }: TracedProcess): PointAttributes {
    const before = this.#known.get(pid);
    if (before?.startTicks === startTicks) return before.attributes;
    const { paths, config, workload } = this.#context;
    const process = new Pid(paths, pid);
    const alive = process.stat()?.startTicks === startTicks;
    const found = alive
      ? {
          // A line of arguments on each of hundreds of series of a process would be most of what is sent.
          ...describeProcess(process, pid, this.#owners, { ...config.gpu, processCmdline: false }),
          ...workload.ofPid(pid),
        }
      : { 'process.pid': pid, ...attributes };
    this.#known.set(pid, { startTicks, attributes: found });
    return found;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#opening;
    await this.#thread?.stop();
  }
}

/** The source with its ways changed, for tests. */
export const cudaWith = (options: CudaSourceOptions): SourceEntry => ({
  id: 'cuda',
  summary: 'CUDA calls of programs, counted by eBPF: which kernels, how often, how long at most',
  platforms: ['linux'],
  metrics: CUDA_METRICS,
  off: (config) => (config.gpu.ebpf.enabled ? undefined : 'OTEL_GPU_EBPF_ENABLED is false'),
  budgetMs: BUDGET_MS,
  create: (context) => new Cuda(context, options),
});

export const cuda: SourceEntry = cudaWith({});
