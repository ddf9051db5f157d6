import { errorText } from '../../log.ts';
import type { GpuDevice, GpuReading } from '../device.ts';
import { type PciGpu, pciAddress } from '../pci.ts';
import { GpuError, type GpuVendor, type Probe, type Tell, type VendorSettings } from '../vendor.ts';
import { codeText, FUNCTION_NOT_FOUND, isGone, isLost, SUCCESS } from './codes.ts';
import { XidEvents } from './events.ts';
import { NvidiaGpu } from './gpu.ts';
import { activityOf, busyOf } from './activity.ts';
import { PerformanceMonitor } from './gpm.ts';
import { cString, NvmlHandle } from './handle.ts';
import { libraryPaths } from './library.ts';
import { memoryOf } from './memory.ts';
import { describePart, migEnabled, type MigPart, migParts } from './mig.ts';
import { Nvml } from './native.ts';
import { Processes, processList } from './processes.ts';

/** `nvmlInitWithFlags`: no failure where there is no GPU. */
const INIT_NO_GPUS = 1;
const MAX_DEVICES = 256;
/** `nvmlPciInfo_t`, and the address in it that has the whole domain. */
const PCI_INFO_BYTES = 68;
const BUS_ID_AT = 36;

/** A GPU, or one that the driver has given up: only its address is known. */
type Known =
  | { readonly kind: 'gpu'; readonly gpu: NvidiaGpu; readonly parts: string }
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'lost'; readonly why: string };

/** A MIG device and what is asked of it. */
interface Part extends MigPart {
  /** Of the GPU that it is a part of. */
  readonly parent: string;
  readonly processes: Processes;
  /** Undefined where the GPU cannot tell. */
  readonly monitor: PerformanceMonitor | undefined;
  /** Whether somebody was on it when it was last read. */
  held: boolean | undefined;
}

const namesOf = (parts: readonly MigPart[]): string => parts.map(({ id }) => id).join(' ');

class Nvidia implements GpuVendor {
  readonly id = 'nvidia';
  readonly #settings: VendorSettings;
  readonly #events: XidEvents;
  readonly #known = new Map<string, Known>();
  readonly #now: () => number;
  #nvml: Nvml | undefined;

  constructor(settings: VendorSettings, tell: Tell, now: () => number) {
    this.#now = now;
    this.#settings = settings;
    this.#events = new XidEvents(tell);
  }

  probe(pci: readonly PciGpu[]): Probe {
    this.#forget();
    let nvml: Nvml;
    try {
      nvml = this.#open();
    } catch (thrown) {
      return { state: 'unavailable', reason: errorText(thrown) };
    }
    this.#events.begin(nvml);
    const devices: GpuDevice[] = [];
    let refused: string | undefined;
    for (const [at, { code, handle, address }] of handles(nvml, pci).entries()) {
      try {
        if (code === SUCCESS) devices.push(...this.#learn(nvml, new NvmlHandle(nvml, handle), at));
        else if (isLost(code)) throw new GpuError('lost', codeText(code));
        else refused = codeText(code);
      } catch (thrown) {
        if (!(thrown instanceof GpuError)) throw thrown;
        refused = thrown.message;
        if (thrown.failure === 'lost' && address !== undefined)
          devices.push(this.#lost(address, at, refused));
      }
    }
    return devices.length === 0 && refused !== undefined
      ? { state: 'unavailable', reason: refused }
      : { state: 'found', devices };
  }

  #open(): Nvml {
    if (this.#nvml !== undefined) return this.#nvml;
    const nvml = Nvml.load(this.#settings.libraries ?? libraryPaths(this.#settings.paths));
    let code = nvml.call('nvmlInitWithFlags', INIT_NO_GPUS);
    if (code === FUNCTION_NOT_FOUND) code = nvml.call('nvmlInit_v2');
    if (code !== SUCCESS) {
      nvml.unload();
      throw new Error(`${nvml.path}: ${codeText(code)}`);
    }
    this.#nvml = nvml;
    return nvml;
  }

  /** The GPU and its partitions. @throws GpuError */
  #learn(nvml: Nvml, handle: NvmlHandle, at: number): GpuDevice[] {
    const described = describeGpu(handle, at);
    if (described === undefined) return [];
    const { device, minor } = described;
    const gpu = new NvidiaGpu(device, handle, {
      interconnect: this.#settings.interconnect,
      // Of a GPU that is cut only its parts are measured.
      monitor:
        device.migEnabled === true ? undefined : PerformanceMonitor.of(nvml, handle, undefined, this.#now),
    });
    const parts = device.migEnabled === true ? migParts(nvml, handle) : [];
    this.#known.set(device.id, { kind: 'gpu', gpu, parts: namesOf(parts) });
    this.#events.watch(device.id, handle);
    const total = parts.length === 0 ? undefined : memoryOf(handle)?.limit;
    return [
      device,
      ...parts.map((part) => {
        const described = describePart(part, device, minor, total);
        const { instanceId } = described.partition.mig;
        const monitor = PerformanceMonitor.of(nvml, handle, instanceId, this.#now);
        const processes = new Processes(part.handle);
        this.#known.set(part.id, {
          kind: 'part',
          part: { ...part, parent: device.id, processes, monitor, held: undefined },
        });
        return described;
      }),
    ];
  }

  #lost(address: string, index: number, why: string): GpuDevice {
    const id = `pci-${address}`;
    this.#known.set(id, { kind: 'lost', why });
    return { id, name: 'NVIDIA GPU', vendor: 'nvidia', index, pciAddress: address, aliases: [] };
  }

  read(id: string): GpuReading {
    const known = this.#known.get(id);
    const nvml = this.#nvml;
    if (known === undefined || nvml === undefined) throw new GpuError('failed', 'it is not known any more');
    if (known.kind === 'lost') throw new GpuError('lost', known.why);
    const { handle } = known.kind === 'gpu' ? known.gpu : known.part;
    handle.begin();
    const reading =
      known.kind === 'gpu' ? this.#readGpuOrXids(nvml, known.gpu, known.parts) : readPart(known.part);
    const refusal = handle.refusal();
    if (refusal !== undefined && (known.kind === 'gpu' || reading.changed !== true))
      throw new GpuError('failed', refusal);
    return reading;
  }

  /** The XID by which a GPU was lost waits in the event set: it goes along with the failure. @throws GpuError */
  #readGpuOrXids(nvml: Nvml, gpu: NvidiaGpu, parts: string): GpuReading {
    try {
      return this.#readGpu(nvml, gpu, parts);
    } catch (thrown) {
      if (!(thrown instanceof GpuError) || thrown.failure !== 'lost') throw thrown;
      const counted = this.#events.of(gpu.device.id);
      if (counted === undefined) throw thrown;
      throw new GpuError('lost', thrown.message, { xid: { raw: counted.xids } });
    }
  }

  #readGpu(nvml: Nvml, gpu: NvidiaGpu, parts: string): GpuReading {
    const { device, handle } = gpu;
    const cut = migEnabled(handle);
    const now = cut === true ? namesOf(migParts(nvml, handle)) : '';
    // Not told this time is no change.
    const changed = cut !== undefined && (cut !== device.migEnabled || now !== parts);
    const held = device.migEnabled === true ? { held: this.#partsHeld(device.id) } : undefined;
    return gpu.read(this.#events.of(device.id), held, changed);
  }

  #partsHeld(parent: string): boolean | undefined {
    const told = [...this.#known.values()].flatMap((known) =>
      known.kind === 'part' && known.part.parent === parent && known.part.held !== undefined
        ? [known.part.held]
        : [],
    );
    return told.length === 0 ? undefined : told.includes(true);
  }

  #forget(): void {
    for (const known of this.#known.values()) {
      if (known.kind === 'part') known.part.monitor?.free();
      else if (known.kind === 'gpu') known.gpu.end();
    }
    this.#known.clear();
  }

  stop(): void {
    this.#forget();
    this.#events.end();
    this.#nvml?.call('nvmlShutdown');
    this.#nvml?.unload();
    this.#nvml = undefined;
  }
}

/** Of a partition its work, memory and processes are told; the rest belongs to the GPU. @throws GpuError */
function readPart(part: Part): GpuReading {
  const { handle, processes, monitor } = part;
  const memory = memoryOf(handle);
  if (memory === undefined && !partAnswers(handle)) return { changed: true };
  const running = processes.running();
  part.held = running === undefined ? undefined : running.size > 0;
  const monitored = monitor?.read();
  const busy = monitored === undefined ? undefined : busyOf(monitored);
  const activity = monitored === undefined ? undefined : activityOf(monitored);
  return {
    ...(busy === undefined ? {} : { utilization: { general: busy } }),
    ...(activity === undefined ? {} : { activity }),
    ...(memory === undefined ? {} : { memory }),
    ...(running === undefined ? {} : { processes: processList(running, undefined) }),
  };
}

/** Whether the partition is still there. @throws GpuError */
function partAnswers(handle: NvmlHandle): boolean {
  return !isGone(handle.call('nvmlDeviceGetGpuInstanceId', '', Buffer.alloc(4)));
}

interface Found {
  readonly code: number;
  readonly handle: bigint;
  readonly address?: string;
}

/** Handles of the GPUs on the bus; where the bus tells of none, of all that the library lists. */
function handles(nvml: Nvml, pci: readonly PciGpu[]): Found[] {
  const out = Buffer.alloc(8);
  if (pci.length > 0) {
    return pci.map(({ address }) => {
      const code = nvml.call('nvmlDeviceGetHandleByPciBusId_v2', Buffer.from(`${address}\0`), out);
      return { code, handle: out.readBigUInt64LE(), address };
    });
  }
  const code = nvml.call('nvmlDeviceGetCount_v2', out);
  if (code !== SUCCESS) return [{ code, handle: 0n }];
  return Array.from({ length: Math.min(MAX_DEVICES, out.readUInt32LE()) }, (_, index) => ({
    code: nvml.call('nvmlDeviceGetHandleByIndex_v2', index, out),
    handle: out.readBigUInt64LE(),
  }));
}

/** `at`: its place on the bus, by which NVML numbers them. @throws GpuError */
function describeGpu(
  handle: NvmlHandle,
  at: number,
): { readonly device: GpuDevice; readonly minor: number | undefined } | undefined {
  const id = handle.text('nvmlDeviceGetUUID');
  if (id === undefined) return undefined;
  const pci = Buffer.alloc(PCI_INFO_BYTES);
  const told =
    handle.answers('nvmlDeviceGetPciInfo_v3', '', pci) || handle.answers('nvmlDeviceGetPciInfo_v2', '', pci);
  const address = told ? pciAddress(cString(pci.subarray(BUS_ID_AT)) || cString(pci)) : undefined;
  const index = handle.u32('nvmlDeviceGetIndex') ?? at;
  const minor = handle.u32('nvmlDeviceGetMinorNumber');
  const cut = migEnabled(handle);
  const cores = handle.u32('nvmlDeviceGetNumGpuCores');
  const device: GpuDevice = {
    id,
    name: handle.text('nvmlDeviceGetName') ?? 'NVIDIA GPU',
    vendor: 'nvidia',
    index,
    ...(address === undefined ? {} : { pciAddress: address }),
    ...(cores === undefined ? {} : { cores }),
    ...(cut === undefined ? {} : { migEnabled: cut }),
    aliases: minor === undefined ? [] : [`nvidia${minor}`],
  };
  return { device, minor };
}

/** `now` gives monotonic seconds. */
export const createNvidia = (
  settings: VendorSettings,
  tell: Tell,
  now: () => number = () => performance.now() / 1_000,
): GpuVendor => new Nvidia(settings, tell, now);
