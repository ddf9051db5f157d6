import {
  type Metric,
  processGpuMemoryUsage,
  processGpuUtilization,
  processUptime,
} from '@candela/semconv/metrics';
import { join } from 'node:path';
import { readHead, readLink } from '../../files.ts';
import { Pid, secondsRunning } from '../../host/proc/pid.ts';
import type { PointAttributes } from '../../point-attributes.ts';
import type { RecordPoint, SourceContext } from '../../source.ts';
import type { GpuDevice, GpuProcess, GpuReading } from '../device.ts';
import { describeProcess } from './describe.ts';
import { Owners } from './owners.ts';
import { holdsGpu, isHostPidView } from './view.ts';

/** Processes of one device that are told, those with the most memory first: far more than a device is shared by. */
const MAX_PROCESSES = 512;

/** What stays the same of a process as long as it runs. */
interface Known {
  readonly startTicks: number;
  readonly attributes: PointAttributes;
  /** The round in which it was last on a GPU. */
  seen: number;
}

interface Found {
  readonly attributes: PointAttributes;
  readonly uptimeSeconds: number | undefined;
}

/** Who is on a GPU: numbers of processes as the driver tells them, become names, owners, containers and pods. */
export class GpuProcesses {
  readonly #context: SourceContext;
  readonly #owners: Owners;
  readonly #known = new Map<number, Known>();
  readonly #told = new Set<'view' | 'many'>();
  /** What was found in this round: a process is often on several GPUs. */
  #found = new Map<number, Found | undefined>();
  #hostView: boolean | undefined;
  #uptime: number | undefined;
  #round = 0;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#owners = new Owners(context.paths);
  }

  record(record: RecordPoint, device: GpuDevice, { processes }: GpuReading): void {
    if (processes === undefined || processes.length === 0) return;
    const place = {
      'hw.id': device.id,
      'gpu.index': device.index,
      ...(device.partition === undefined
        ? {}
        : { 'hw.parent': device.partition.parent, 'hw.gpu.partition': device.partition.name }),
    };
    let unseen = 0;
    const merged = bounded(mergeByPid(processes));
    if (merged.length < processes.length && processes.length > MAX_PROCESSES) this.#say('many');
    for (const process of merged) {
      const found = this.#find(process.pid);
      if (found === undefined) unseen += 1;
      const attributes = { ...place, ...(found?.attributes ?? { 'process.pid': process.pid }) };
      const say = (metric: Metric, value: number | undefined): void => {
        if (value !== undefined) record(metric, value, attributes);
      };
      say(processGpuMemoryUsage, process.memory);
      say(processGpuUtilization, process.utilization === undefined ? undefined : share(process.utilization));
      say(processUptime, found?.uptimeSeconds);
    }
    // One that has just ended is no reason to say anything; that nobody can be seen is.
    if (unseen === merged.length) this.#say('view');
  }

  /** Ends a round: what is kept of processes that left the GPUs is forgotten. */
  sweep(): void {
    for (const [pid, { seen }] of this.#known) if (seen !== this.#round) this.#known.delete(pid);
    this.#found = new Map();
    this.#uptime = undefined;
    this.#round += 1;
  }

  #find(pid: number): Found | undefined {
    if (this.#found.has(pid)) return this.#found.get(pid);
    const found = this.#look(pid);
    this.#found.set(pid, found);
    return found;
  }

  #look(pid: number): Found | undefined {
    const { paths, workload } = this.#context;
    const process = new Pid(paths, pid);
    const stat = process.stat();
    if (stat === undefined) return undefined;
    const before = this.#known.get(pid);
    let known = before?.startTicks === stat.startTicks ? before : undefined;
    if (known === undefined) {
      // Numbers of the host mean other processes here, or none; one that has a GPU open is the one that is meant.
      this.#hostView ??= isHostPidView(paths, (path) => readLink(path));
      if (!this.#hostView && !holdsGpu(paths, pid)) return undefined;
      known = {
        startTicks: stat.startTicks,
        attributes: describeProcess(process, pid, this.#owners, this.#context.config.gpu),
        seen: this.#round,
      };
      this.#known.set(pid, known);
    }
    known.seen = this.#round;
    this.#uptime ??= uptimeOf(paths.proc);
    return {
      attributes: { ...known.attributes, ...workload.ofPid(pid) },
      uptimeSeconds: this.#uptime === undefined ? undefined : secondsRunning(stat, this.#uptime),
    };
  }

  #say(what: 'view' | 'many'): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    const { log } = this.#context;
    if (what === 'many') log.info('a GPU has more processes than are told', { told: MAX_PROCESSES });
    else {
      log.info(
        "processes on GPUs stay without names: the host's processes are not seen from here. Run the agent with hostPID: true (Kubernetes), --pid=host (Docker), or name the host's /proc in HOST_PROC",
      );
    }
  }
}

const share = (value: number): number => Math.min(1, Math.max(0, value));

const WHOLE_PID = (pid: number): boolean => Number.isSafeInteger(pid) && pid > 0;

/** One entry a process: drivers list one that computes and draws twice, with the same memory. */
function mergeByPid(processes: readonly GpuProcess[]): GpuProcess[] {
  const merged = new Map<number, GpuProcess>();
  for (const process of processes) {
    const { pid } = process;
    if (!WHOLE_PID(pid)) continue;
    const before = merged.get(pid);
    const most = (a: number | undefined, b: number | undefined) =>
      a === undefined ? b : Math.max(a, b ?? 0);
    const memory = most(process.memory, before?.memory);
    const utilization = most(process.utilization, before?.utilization);
    merged.set(pid, {
      pid,
      ...(memory === undefined ? {} : { memory }),
      ...(utilization === undefined ? {} : { utilization }),
    });
  }
  return [...merged.values()];
}

function bounded(processes: GpuProcess[]): GpuProcess[] {
  if (processes.length <= MAX_PROCESSES) return processes;
  return processes.toSorted((a, b) => (b.memory ?? 0) - (a.memory ?? 0)).slice(0, MAX_PROCESSES);
}

function uptimeOf(proc: string): number | undefined {
  const seconds = /^(\d{1,12}(?:\.\d+)?) /.exec(readHead(join(proc, 'uptime'), 64) ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
