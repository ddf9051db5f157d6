import type { HostPaths } from '../../host-paths.ts';
import { errorText } from '../../log.ts';
import { measureProbe, type ProbeCost } from '../loader/calibrate.ts';
import type { Kernel } from '../loader/native.ts';
import type { BpfObject } from '../loader/object.ts';
import { ProcessWatch, type WatchedProcess } from '../loader/process-watch.ts';
import { LoadedObject, type Way } from '../loader/programs.ts';
import { RingReader } from '../loader/ring.ts';
import { ProcessAccount, type ProcessTotals } from './accounts.ts';
import { ProbeBudget } from './budget.ts';
import { CudaCounts } from './counts.ts';
import {
  deviceOf,
  EVENT_LAUNCH,
  EVENT_NAME,
  EVENT_PROCESS,
  EVENT_SYNC,
  KIND_GRAPH,
  nameAt,
  readWide,
  SYNC_DEVICE,
} from './events.ts';
import { DeviceResolver, type KnownGpu } from './gpus.ts';
import { GRAPH, LaunchModel, lengthOf, merge } from './model.ts';
import { KernelNames } from './names.ts';
import { CudaProbes } from './probes.ts';
import { libraryOf } from './symbols.ts';

/** What a hit is taken to cost where it could not be measured. */
const ASSUMED_COST_SECONDS = 10e-6;

export interface TracerOptions {
  readonly paths: HostPaths;
  /** Share of a thread's time that probes may cost it. */
  readonly budget: number;
  /** Only tests choose. */
  readonly ways?: readonly Way[];
}

/** What was traced of a process. */
export interface TracedProcess extends ProcessTotals {
  readonly pid: number;
  readonly startTicks: number;
  /** What was seen of it while it ran: one that has ended can be asked no more. */
  readonly attributes: { readonly 'process.executable.name'?: string };
  /** By the number a program calls a device by: which GPU that is, where it is known. */
  readonly gpus: readonly (readonly [device: number, id: string])[];
}

export interface Snapshot {
  readonly way: Way;
  readonly libraries: number;
  readonly processes: readonly TracedProcess[];
  /** Share of the time since the last snapshot in which something was on a GPU, by its id. */
  readonly busy: readonly (readonly [id: string, share: number])[];
  /** Seconds since the last snapshot in which was traced. */
  readonly tracedSeconds: number;
  readonly tracedShare: number;
  readonly probeCost: number | undefined;
  readonly drops: Readonly<Record<string, number>>;
  readonly events: number;
  readonly sampling: boolean;
}

interface Traced extends WatchedProcess {
  readonly account: ProcessAccount;
  readonly name: string | undefined;
  ended: boolean;
}

/** Traces CUDA on this machine. Its calls block, some for milliseconds: it lives in a thread of its own. */
export class CudaTracer {
  readonly #object: LoadedObject;
  /** By the clock of the kernel's records. */
  readonly #now: () => number;
  readonly #ring: RingReader;
  readonly #counts: CudaCounts;
  readonly #probes: CudaProbes;
  readonly #watch: ProcessWatch;
  readonly #names: KernelNames;
  readonly #model: LaunchModel;
  readonly #budget: ProbeBudget;
  readonly #devices: DeviceResolver;
  readonly #measured: ProbeCost;
  readonly #traced = new Map<number, Traced>();
  /** Durations of the present window: they are entered with its factor. */
  #durations: { pid: number; device: number; fn: number; seconds: number }[] = [];
  readonly #busy = new Map<string, number>();
  #events = 0;
  #open = true;
  #windowFrom: number;
  #lastWindowEnd: number;
  #tracedNs = 0;
  #polledAt: number;
  /** Until when the use of devices was entered, and when all was last told. */
  #usedAt = 0;
  #toldAt: number;

  /** Loads the programs and looks for processes once. @throws SystemCallError, or an Error that says why not */
  constructor(
    kernel: Kernel,
    object: BpfObject,
    options: TracerOptions,
    tell: (text: string, path: string) => void,
  ) {
    const { paths } = options;
    this.#now = () => Number(kernel.monotonicNs());
    this.#object = LoadedObject.load(kernel, object, options.ways);
    this.#ring = new RingReader(kernel, this.#object.map('ring'));
    this.#measured = measureProbe(kernel, this.#object, 'calibrate');
    this.#counts = new CudaCounts(this.#object);
    this.#budget = new ProbeBudget(options.budget);
    this.#probes = new CudaProbes(this.#object, paths, tell);
    this.#names = new KernelNames(paths);
    this.#devices = new DeviceResolver(paths);
    const start = this.#now();
    this.#windowFrom = this.#lastWindowEnd = this.#polledAt = this.#toldAt = start;
    this.#model = new LaunchModel(start, (pid, device, fn, seconds) => {
      this.#durations.push({ pid, device, fn, seconds });
    });
    this.#watch = new ProcessWatch(paths, {
      hint: 'libcuda',
      wanted: (path) => libraryOf(path) !== undefined,
      found: (process, files) => {
        if (this.#probes.add(process, files)) this.#trace(process);
      },
      ended: ({ pid }) => {
        const traced = this.#traced.get(pid);
        if (traced !== undefined) traced.ended = true;
        this.#probes.remove(pid);
      },
    });
    this.#watch.look();
  }

  /** Seconds a hit, on the libraries that are probed now. */
  get #cost(): number | undefined {
    const { stepped, played } = this.#measured;
    return this.#probes.stepped ? stepped : (played ?? stepped);
  }

  /** Looks for processes that came and went. Once a second. */
  look(): void {
    this.#watch.look();
    this.#account(this.#windowFactor());
    for (const [pid, traced] of this.#traced) {
      traced.ended ||= this.#devices.startOf(pid) !== traced.startTicks;
      if (traced.ended) this.#model.forget(pid);
    }
  }

  #trace({ pid, startTicks }: WatchedProcess): Traced {
    const known = this.#traced.get(pid);
    if (known !== undefined && known.startTicks === startTicks) return known;
    const traced = {
      pid,
      startTicks,
      account: new ProcessAccount(),
      name: this.#devices.nameOf(pid),
      ended: false,
    };
    this.#traced.set(pid, traced);
    this.#names.forget(pid);
    return traced;
  }

  /** Reads the ring and keeps to the budget. Ten times a second. */
  poll(): void {
    this.#read();
    const at = this.#now();
    const seconds = (at - this.#polledAt) / 1e9;
    this.#polledAt = at;
    this.#budget.enter(seconds, this.#cost ?? ASSUMED_COST_SECONDS, this.#counts.hits());
    if (this.#budget.exhausted === !this.#open) return;
    if (this.#open) this.#closeWindow();
    else this.#openWindow();
  }

  #openWindow(): void {
    this.#probes.sample(true);
    this.#discard();
    this.#open = true;
    this.#windowFrom = this.#now();
    this.#model.resume(this.#windowFrom);
  }

  /** What was counted stands for the time since the window before as well. */
  #closeWindow(): void {
    this.#account(this.#windowFactor(), true);
    this.#lastWindowEnd = this.#now();
    this.#probes.sample(false);
    this.#discard();
    this.#open = false;
  }

  /**
   * Probes come and go in tens of milliseconds, some of them before others: what they see meanwhile belongs to no window
   * of known length.
   */
  #discard(): void {
    this.#read();
    this.#counts.grown();
    this.#durations = [];
    this.#model.forgetOpen();
  }

  /** 1 while nothing is left out. */
  #windowFactor(): number {
    const gap = this.#windowFrom - this.#lastWindowEnd;
    if (gap <= 0) return 1;
    const length = Math.max(1, this.#now() - this.#windowFrom);
    return (gap + length) / length;
  }

  #read(): void {
    this.#events += this.#ring.read((bytes, at) => this.#event(bytes, at));
  }

  #event(bytes: Buffer, at: number): void {
    const type = bytes[at];
    const pid = bytes.readUInt32LE(at + 4);
    const device = deviceOf(bytes.readUInt16LE(at + 2));
    if (type === EVENT_LAUNCH) {
      const graph = bytes[at + 1] === KIND_GRAPH;
      const [time, stream] = [readWide(bytes, at + 8), readWide(bytes, at + 16)];
      const fn = graph ? GRAPH : readWide(bytes, at + 24);
      this.#model.launch(pid, device, stream, time, fn, readWide(bytes, at + 32));
    } else if (type === EVENT_SYNC) {
      const [time, stream] = [readWide(bytes, at + 8), readWide(bytes, at + 16)];
      if (bytes[at + 1] === SYNC_DEVICE) this.#model.deviceEnded(pid, device, time);
      else this.#model.streamEnded(pid, device, stream, time, readWide(bytes, at + 24) || time);
    } else if (type === EVENT_NAME) {
      this.#names.tell(pid, readWide(bytes, at + 8), readWide(bytes, at + 16), nameAt(bytes, at + 24));
    } else if (type === EVENT_PROCESS && !this.#traced.has(pid)) {
      // One that a probe was waiting for: it is looked at before it has ended.
      this.#trace({ pid, startTicks: this.#devices.startOf(pid) });
    }
  }

  /** Enters what has grown into the accounts of the processes; a factor other than 1 marks it as sampled. */
  #account(factor: number, windowEnds = false): void {
    // In a sampled window sums are entered at its end alone, when its length is known.
    if (factor !== 1 && !windowEnds) return;
    const grown = this.#counts.grown();
    this.#read();
    for (const { pid, device, fn, graph, numbers } of grown.kernels) {
      const name = graph ? '' : this.#names.of(pid, fn);
      this.#accountOf(pid).addKernel(device, name, graph, numbers, factor);
    }
    for (const { pid, device, what, bytes } of grown.memory) {
      this.#accountOf(pid).addMemory(device, what, bytes, factor);
    }
    const durations = this.#durations;
    this.#durations = [];
    for (const { pid, device, fn, seconds } of durations) {
      const name = fn === GRAPH ? '' : this.#names.of(pid, fn);
      this.#accountOf(pid).addDuration(device, name, fn === GRAPH, seconds, factor);
    }
    this.#use();
  }

  #accountOf(pid: number): ProcessAccount {
    return (this.#traced.get(pid) ?? this.#trace({ pid, startTicks: this.#devices.startOf(pid) })).account;
  }

  #use(): void {
    if (!this.#open) return;
    const at = this.#now();
    this.#tracedNs += at - Math.max(this.#windowFrom, this.#usedAt);
    this.#usedAt = at;
    const byGpu = new Map<string, (readonly [number, number])[]>();
    for (const { pid, device, threadSeconds, busy } of this.#model.use(at, (of, number) =>
      this.#devices.cores(of, number),
    )) {
      this.#accountOf(pid).addUse(device, threadSeconds, lengthOf(busy) / 1e9);
      const id = this.#devices.gpuOf(pid, device);
      if (id !== undefined) byGpu.set(id, [...(byGpu.get(id) ?? []), ...busy]);
    }
    for (const [id, intervals] of byGpu) {
      this.#busy.set(id, (this.#busy.get(id) ?? 0) + lengthOf(merge(intervals)));
    }
  }
  /** All sums, and the use since the last snapshot. `gpus`: what is known of the GPUs by now. */
  snapshot(gpus: readonly KnownGpu[]): Snapshot {
    this.#devices.set(gpus);
    this.#read();
    this.#account(this.#windowFactor());
    const tracedNs = this.#tracedNs;
    this.#tracedNs = 0;
    const at = this.#now();
    const elapsed = Math.max(1, at - this.#toldAt);
    this.#toldAt = at;
    const busy = gpus.map(({ id }): [string, number] => {
      return [id, tracedNs === 0 ? 0 : Math.min(1, (this.#busy.get(id) ?? 0) / tracedNs)];
    });
    this.#busy.clear();
    const processes = [...this.#traced.values()].map(({ pid, startTicks, name, account }): TracedProcess => {
      const totals = account.totals();
      const devices = new Set(
        [totals.kernels, totals.durations, totals.memory, totals.uses].flat().map(({ device }) => device),
      );
      return {
        pid,
        startTicks,
        attributes: name === undefined ? {} : { 'process.executable.name': name },
        gpus: [...devices]
          .sort((a, b) => a - b)
          .flatMap((device) => {
            const id = this.#devices.gpuOf(pid, device);
            return id === undefined ? [] : [[device, id] as const];
          }),
        ...totals,
      };
    });
    for (const [pid, { ended }] of this.#traced) if (ended) this.#forget(pid);
    return {
      way: this.#object.way,
      libraries: this.#probes.libraries.length,
      processes,
      busy,
      tracedSeconds: tracedNs / 1e9,
      tracedShare: Math.min(1, tracedNs / elapsed),
      probeCost: this.#cost,
      drops: this.#counts.drops(),
      events: this.#events,
      sampling: !this.#open || this.#windowFrom > this.#lastWindowEnd,
    };
  }

  /** What it did was told. */
  #forget(pid: number): void {
    this.#traced.delete(pid);
    this.#names.forget(pid);
    this.#model.forget(pid);
    this.#devices.forget(pid);
    this.#counts.forget(pid);
  }

  close(): void {
    const failures: string[] = [];
    for (const part of [this.#probes, this.#ring, this.#names, this.#object]) {
      try {
        part.close();
      } catch (thrown) {
        failures.push(errorText(thrown));
      }
    }
    if (failures.length > 0) throw new Error(failures.join('; '));
  }
}
