import { errorText } from '../../log.ts';
import type { GpuDevice, GpuProcess, GpuReading, VendorId } from '../device.ts';
import type { PciGpu } from '../pci.ts';
import { defined } from '../reading.ts';
import {
  type CreateVendor,
  GpuError,
  type GpuVendor,
  type Probe,
  type Tell,
  type VendorSettings,
} from '../vendor.ts';
import { type Adapter, listAdapters, PerformanceCounters } from './native.ts';

const ENGINES = '\\GPU Engine(*)\\Utilization Percentage';
const MEMORY = '\\GPU Adapter Memory(*)\\Dedicated Usage';
const PROCESS_MEMORY = '\\GPU Process Memory(*)\\Dedicated Usage';
/** All adapters of a tick share a look at the counters: seconds. */
const SHARED_S = 0.5;

interface Values {
  readonly at: number;
  readonly engines: ReadonlyMap<string, number>;
  readonly memory: ReadonlyMap<string, number>;
  readonly processes: ReadonlyMap<string, number>;
}

/** Engine kinds by what they do: what draws and computes is the work of a GPU, copying is not. */
const taskOf = (kind: string): 'general' | 'encoder' | 'decoder' | undefined => {
  if (kind.startsWith('videoencode')) return 'encoder';
  if (kind.startsWith('videodecode')) return 'decoder';
  return kind === '3d' || kind.startsWith('compute') ? 'general' : undefined;
};

/**
 * How busy an adapter is: the processes on an engine add up, and of the engines of a kind the busiest speaks, as the task
 * manager has it. By process, its busiest engine.
 */
export function usage(
  luid: string,
  engines: ReadonlyMap<string, number>,
): { readonly tasks: ReadonlyMap<string, number>; readonly processes: ReadonlyMap<number, number> } {
  const byEngine = new Map<string, { readonly task: string | undefined; busy: number }>();
  const processes = new Map<number, number>();
  for (const [instance, percent] of engines) {
    const match = /^pid_(\d+)_luid_(0x[0-9a-f]+_0x[0-9a-f]+)_(phys_\d+_eng_\d+)_engtype_(.*)$/.exec(instance);
    const [, pid, owner, engine = '', kind = ''] = match ?? [];
    if (owner !== luid || !Number.isFinite(percent) || percent < 0) continue;
    const share = percent / 100;
    const known = byEngine.get(engine) ?? { task: taskOf(kind), busy: 0 };
    known.busy = Math.min(1, known.busy + share);
    byEngine.set(engine, known);
    processes.set(Number(pid), Math.min(1, Math.max(processes.get(Number(pid)) ?? 0, share)));
  }
  const tasks = new Map<string, number>();
  for (const { task, busy } of byEngine.values()) {
    if (task !== undefined) tasks.set(task, Math.max(tasks.get(task) ?? 0, busy));
  }
  return { tasks, processes };
}

/** GPUs of one maker as Windows itself lists and counts them. */
class Adapters implements GpuVendor {
  readonly id: VendorId;
  readonly #pciVendor: number;
  readonly #library: string | undefined;
  readonly #tell: Tell;
  readonly #now: () => number;
  #counters: PerformanceCounters | undefined;
  #told = false;
  #found = new Map<string, { readonly device: GpuDevice; readonly adapter: Adapter }>();
  #values: Values | undefined;

  constructor(id: VendorId, pciVendor: number, settings: VendorSettings, tell: Tell, now: () => number) {
    this.id = id;
    this.#pciVendor = pciVendor;
    this.#library = settings.libraries?.[0];
    this.#tell = tell;
    this.#now = now;
  }

  probe(_pci: readonly PciGpu[]): Probe {
    this.#found = new Map();
    let adapters: readonly Adapter[];
    try {
      adapters = listAdapters(this.#library ?? 'dxgi.dll');
    } catch (thrown) {
      return { state: 'unavailable', reason: errorText(thrown) };
    }
    const own = adapters.filter(({ vendor, software }) => vendor === this.#pciVendor && !software);
    if (own.length === 0) return { state: 'unavailable', reason: 'Windows lists no adapter of it' };
    const seen = new Map<number, number>();
    for (const [index, adapter] of own.entries()) {
      const nth = seen.get(adapter.device) ?? 0;
      seen.set(adapter.device, nth + 1);
      const hex = (value: number): string => value.toString(16).padStart(4, '0');
      const device: GpuDevice = {
        // Windows has no number of it that outlives a start: the kind and its place among the same kind must do.
        id: `dxgi-${hex(adapter.vendor)}-${hex(adapter.device)}-${nth}`,
        name: adapter.name,
        vendor: this.id,
        index,
        aliases: [],
      };
      this.#found.set(device.id, { device, adapter });
    }
    return { state: 'found', devices: [...this.#found.values()].map(({ device }) => device) };
  }

  read(id: string): GpuReading {
    const adapter = this.#found.get(id)?.adapter;
    if (adapter === undefined) throw new GpuError('failed', 'not among the adapters that were found');
    const values = this.#current();
    if (values === undefined) return {};
    const { tasks, processes } = usage(adapter.luid, values.engines);
    const used = sumOf(values.memory, `luid_${adapter.luid}_`);
    return {
      utilization: {
        ...defined('general', tasks.get('general')),
        ...defined('encoder', tasks.get('encoder')),
        ...defined('decoder', tasks.get('decoder')),
      },
      ...defined(
        'memory',
        used === undefined || adapter.memory === 0 ? undefined : { limit: adapter.memory, usage: used },
      ),
      processes: processesOf(adapter.luid, values.processes, processes),
    };
  }

  /** Undefined where Windows has no such counters (before Windows 10 of 2017). */
  #current(): Values | undefined {
    const at = this.#now();
    if (this.#values !== undefined && at - this.#values.at < SHARED_S) return this.#values;
    try {
      this.#counters ??= new PerformanceCounters(this.#library ?? 'pdh.dll', [
        ENGINES,
        MEMORY,
        PROCESS_MEMORY,
      ]);
    } catch (thrown) {
      if (!this.#told)
        this.#tell('info', 'Windows counts nothing of its GPUs', { reason: errorText(thrown) });
      this.#told = true;
      return undefined;
    }
    const [engines = new Map(), memory = new Map(), processes = new Map()] = this.#counters.read();
    this.#values = { at, engines, memory, processes };
    return this.#values;
  }

  stop(): void {
    this.#counters?.close();
    this.#counters = undefined;
  }
}

function sumOf(values: ReadonlyMap<string, number>, prefix: string): number | undefined {
  const own = [...values].filter(([instance, value]) => instance.startsWith(prefix) && value >= 0);
  return own.length === 0 ? undefined : own.reduce((sum, [, value]) => sum + value, 0);
}

function processesOf(
  luid: string,
  memory: ReadonlyMap<string, number>,
  busy: ReadonlyMap<number, number>,
): readonly GpuProcess[] {
  const held = new Map<number, number>();
  for (const [instance, bytes] of memory) {
    const match = /^pid_(\d+)_luid_(0x[0-9a-f]+_0x[0-9a-f]+)_/.exec(instance);
    const pid = Number(match?.[1]);
    if (match?.[2] === luid && bytes > 0) held.set(pid, (held.get(pid) ?? 0) + bytes);
  }
  return [...new Set([...held.keys(), ...busy.keys()])].flatMap((pid): GpuProcess[] => {
    const utilization = busy.get(pid);
    // Windows lists every program that has a window, which does nothing with the GPU.
    if (!held.has(pid) && (utilization ?? 0) === 0) return [];
    return [{ pid, ...defined('memory', held.get(pid)), ...defined('utilization', utilization) }];
  });
}

/** `now` gives monotonic seconds. */
export const adaptersOf =
  (id: VendorId, pciVendor: number) =>
  (settings: VendorSettings, tell: Tell, now: () => number = () => performance.now() / 1_000): GpuVendor =>
    new Adapters(id, pciVendor, settings, tell, now);

/** The vendor's own library where it finds something, else what Windows knows. */
export const orAdapters =
  (create: CreateVendor, id: VendorId, pciVendor: number): CreateVendor =>
  (settings, tell) => {
    const library = create(settings, tell);
    const adapters = adaptersOf(id, pciVendor)(settings, tell);
    let asked = library;
    return {
      id,
      probe: async (pci) => {
        asked = library;
        const probe = await library.probe(pci);
        if (probe.state === 'found') return probe;
        const listed = await adapters.probe(pci);
        if (listed.state === 'unavailable') return probe;
        asked = adapters;
        return listed;
      },
      read: (device) => asked.read(device),
      stop: async () => {
        await library.stop();
        await adapters.stop();
      },
    };
  };
