import { existsSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import {
  collectorGpuScrapeErrors,
  GPU_METRICS,
  GPU_PROCESS_METRICS,
  GPU_PROFILING_METRICS,
} from '@candela/semconv/metrics';
import { MonotonicCounters } from '../counters.ts';
import { inRoot } from '../host-paths.ts';
import { errorText } from '../log.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../source.ts';
import type { GpuDevice, GpuErrorCounts } from './device.ts';
import { type Read, VendorHost } from './host.ts';
import { type PciGpu, scanPci } from './pci.ts';
import { deviceAttributes, GpuPoints, recordState } from './points.ts';
import { GpuProcesses } from './processes/index.ts';
import { Profiling } from './profiling/index.ts';
import type { GpuFailure } from './vendor.ts';
import { VENDORS, type VendorEntry } from './vendors.ts';

/** How often devices are looked for while there are none, after one was lost, and for such as came or went. */
const DISCOVERY_MS = 30_000;
/** The start waits this long for the first look at the devices; metrics of the host do not wait at all. */
const START_MS = 1_500;
/** Above the round of a vendor and its last device together. */
const BUDGET_MS = 4_000;
/** Failures that are told, each once. */
const MAX_TOLD = 1_000;

type Failure = GpuFailure | 'timeout';
const FAILURES: readonly Failure[] = ['lost', 'stale', 'failed', 'timeout'];

/** One vendor as it stands. */
interface Vendor {
  readonly entry: VendorEntry;
  readonly host: VendorHost;
  /** The addresses it was probed with; undefined before. */
  probed: string | undefined;
  devices: readonly GpuDevice[];
  /** Devices that fell off the bus, by id; reported as failed until they are back or were taken out. */
  readonly lost: Map<string, GpuDevice>;
  /** Error counts of each device as last known: those of a lost one stay exported. */
  readonly errors: Map<string, GpuErrorCounts>;
  /** Why it has no devices. */
  reason: string;
  /** Look again at the next turn, whatever the bus says. */
  again: boolean;
  /** Look again at once: partitions are not what they were. */
  changed: boolean;
  /** The library has to be loaded anew. */
  stale: boolean;
}

export interface GpuSourceOptions {
  readonly libraries?: readonly string[];
  /** Only tests are in a hurry. */
  readonly discoveryMs?: number;
  readonly vendors?: readonly VendorEntry[];
}

class Gpu implements Source {
  readonly settled: Promise<void>;
  readonly #settle: () => void;
  readonly #context: SourceContext;
  readonly #options: GpuSourceOptions;
  readonly #vendors: readonly Vendor[];
  readonly #counters = new MonotonicCounters();
  readonly #points: GpuPoints;
  readonly #processes: GpuProcesses;
  readonly #profiling: Profiling;
  readonly #errors = new Map<string, { source: string; type: string; count: number }>();
  readonly #told = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #discovering = false;
  #stopped = false;

  constructor(context: SourceContext, options: GpuSourceOptions) {
    this.#context = context;
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#settle = resolve;
    this.#points = new GpuPoints(this.#counters, context.config.gpu.allocatedUtilThreshold);
    this.#processes = new GpuProcesses(context);
    this.#profiling = new Profiling(context);
    const dcgm = this.#profiling.host('dcgm');
    if (dcgm !== undefined) context.offers.dcgm = dcgm;
    const settings = {
      paths: context.paths,
      interconnect: context.config.gpu.interconnect,
      ...(options.libraries === undefined ? {} : { libraries: options.libraries }),
    };
    this.#vendors = (options.vendors ?? VENDORS)
      .filter(({ platforms }) => platforms.includes(process.platform))
      .map((entry) => ({
        entry,
        host: new VendorHost(entry, settings, (level, message, fields) =>
          context.log[level](message, { vendor: entry.title, ...fields }),
        ),
        probed: undefined,
        devices: [],
        lost: new Map(),
        errors: new Map(),
        reason: 'not looked for yet',
        again: true,
        changed: false,
        stale: false,
      }));
  }

  async start(): Promise<Started> {
    const first = this.#discover()
      .then(() => this.#profiling.settled)
      .finally(this.#settle);
    this.#timer = setInterval(() => void this.#discover(), this.#options.discoveryMs ?? DISCOVERY_MS);
    this.#timer.unref();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, START_MS);
    await Promise.race([first, late.promise]);
    clearTimeout(timer);
    return READY;
  }

  report(): Started {
    const found = this.#vendors.filter(({ devices }) => devices.length > 0);
    if (found.length === 0) {
      return unavailable(this.#vendors.map(({ entry, reason }) => `${entry.title}: ${reason}`).join('; '));
    }
    const detail = this.#vendors.map(({ entry, devices, reason }) => {
      return `${entry.title}: ${devices.length === 0 ? reason : listed(devices)}`;
    });
    const libraries = this.#profiling.report(new Set(found.map(({ entry }) => entry.id)));
    return { state: 'ready', detail: [...detail, ...libraries].join('; ') };
  }

  async observe(record: RecordPoint, signal: AbortSignal): Promise<void> {
    const reads = await Promise.all(
      this.#vendors.map(async ({ host, devices }) =>
        devices.length === 0 ? new Map<string, Read>() : await host.read(devices, signal),
      ),
    );
    for (const [at, vendor] of this.#vendors.entries()) {
      if (vendor.devices.length > 0) for (const type of FAILURES) this.#countOf(vendor, type);
      for (const device of vendor.devices) {
        const read = reads[at]?.get(device.id);
        if (read === undefined) continue;
        this.#take(record, vendor, device, read);
        // Hundreds of processes are looked up in /proc: nothing else stands still for all of them.
        await turn();
      }
      for (const device of vendor.lost.values()) {
        recordState(record, deviceAttributes(device), 'failed');
        this.#points.recordErrors(record, device, vendor.errors.get(device.id));
      }
      forgetErrors(vendor);
    }
    for (const { source, type, count } of this.#errors.values()) {
      record(collectorGpuScrapeErrors, count, { 'gpu.measurement.source': source, 'error.type': type });
    }
    this.#profiling.record(record);
    this.#counters.sweep();
    this.#processes.sweep();
    // Partitions that were made anew have no points before they are known.
    if (this.#vendors.some(({ changed }) => changed)) void this.#discover();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await Promise.all([this.#profiling.stop(), ...this.#vendors.map(({ host }) => host.restart())]);
  }

  #take(record: RecordPoint, vendor: Vendor, device: GpuDevice, read: Read): void {
    if ('reading' in read) {
      vendor.lost.delete(device.id);
      if (read.reading.errors !== undefined) vendor.errors.set(device.id, read.reading.errors);
      if (read.reading.changed === true) vendor.changed = true;
      const reading = this.#profiling.prefer(device, read.reading);
      this.#points.record(record, device, reading);
      this.#processes.record(record, device, reading);
      if (reading.processes !== undefined) {
        this.#context.gpus.setPids(
          device.id,
          reading.processes.map(({ pid }) => pid),
        );
      }
      return;
    }
    this.#failed(vendor, device, read.failure, read.message);
    if (read.errors !== undefined) {
      vendor.errors.set(device.id, { ...vendor.errors.get(device.id), ...read.errors });
    }
    if (read.failure === 'timeout') return recordState(record, deviceAttributes(device), 'degraded');
    vendor.again = true;
    vendor.stale ||= read.failure === 'stale';
    // A partition ends with its GPU: what comes back is not the same.
    if (read.failure === 'lost' && device.partition === undefined) vendor.lost.set(device.id, device);
  }

  /** There from the start, as 0: a series that begins with the first failure shows no growth. */
  #countOf({ entry }: Vendor, type: Failure): { count: number } {
    const key = `${entry.source} ${type}`;
    const known = this.#errors.get(key) ?? { source: entry.source, type, count: 0 };
    this.#errors.set(key, known);
    return known;
  }

  #failed(vendor: Vendor, device: GpuDevice, type: Failure, message: string): void {
    this.#countOf(vendor, type).count += 1;
    // Who hangs is told by the host. The rest once a device and cause, not once a tick.
    if (type === 'timeout') return;
    const said = `${device.id} ${type} ${message}`;
    if (this.#told.has(said) || this.#told.size >= MAX_TOLD) return;
    this.#told.add(said);
    this.#context.log.warn('a GPU could not be read', { gpu: device.id, error: type, reason: message });
  }

  async #discover(): Promise<void> {
    if (this.#discovering || this.#stopped) return;
    this.#discovering = true;
    try {
      const pci = scanPci(this.#context.paths.sys);
      await Promise.all(this.#vendors.map((vendor) => this.#discoverVendor(vendor, pci)));
      const devices = this.#vendors.flatMap((vendor) => vendor.devices);
      this.#context.gpus.set(devices);
      this.#profiling.setDevices(devices);
    } catch (thrown) {
      this.#context.log.warn('GPUs could not be looked for', { reason: errorText(thrown) });
    } finally {
      this.#discovering = false;
    }
  }

  async #discoverVendor(vendor: Vendor, all: readonly PciGpu[]): Promise<void> {
    const { entry, host } = vendor;
    const pci = all.filter(({ vendor: maker }) => maker === entry.pciVendor);
    const addresses = pci.map(({ address }) => address).join(' ');
    const asBefore = addresses === vendor.probed && !vendor.again && !vendor.changed;
    if (vendor.devices.length > 0 && asBefore) return;
    const device = entry.deviceFiles.some((path) => existsSync(inRoot(this.#context.paths, path)));
    if (process.platform === 'linux' && pci.length === 0 && !device) {
      if (vendor.devices.length > 0) await host.restart();
      this.#found(vendor, [], 'no GPU of it on the PCI bus');
      vendor.probed = addresses;
      vendor.lost.clear();
      return;
    }
    if (vendor.stale) await host.restart();
    vendor.stale = false;
    vendor.again = false;
    vendor.changed = false;
    vendor.probed = addresses;
    const probe = await host.probe(pci);
    const devices = probe.state === 'found' ? withoutLost(vendor.lost, probe.devices, pci) : [];
    this.#found(vendor, devices, probe.state === 'found' ? 'its library lists no GPU' : probe.reason);
    vendor.again ||= vendor.lost.size > 0 || host.partial;
  }

  /** Keeps what was found, and says so when it differs. */
  #found(vendor: Vendor, devices: readonly GpuDevice[], reason: string): void {
    const names = (list: readonly GpuDevice[]) => list.map(({ id }) => id).join(' ');
    if (devices.length > 0 && names(devices) !== names(vendor.devices)) {
      this.#context.log.info('GPUs found', { vendor: vendor.entry.title, count: devices.length });
    }
    if (devices.length === 0 && reason !== vendor.reason) {
      this.#context.log.info('no GPUs found', { vendor: vendor.entry.title, reason });
    }
    vendor.devices = devices;
    vendor.reason = reason;
  }
}

/** Forgets the error counts of devices that are neither there nor lost. */
function forgetErrors({ devices, lost, errors }: Vendor): void {
  for (const id of errors.keys()) {
    if (!lost.has(id) && !devices.some((device) => device.id === id)) errors.delete(id);
  }
}

/** `2 × NVIDIA H100 80GB HBM3, 1 × Tesla T4, 3 partitions`. */
function listed(devices: readonly GpuDevice[]): string {
  const names = new Map<string, number>();
  const whole = devices.filter(({ partition }) => partition === undefined);
  for (const { name } of whole) names.set(name, (names.get(name) ?? 0) + 1);
  const parts = devices.length - whole.length;
  return [
    ...Array.from(names, ([name, count]) => `${count} × ${name}`),
    ...(parts === 0 ? [] : [`${parts} partitions`]),
  ].join(', ');
}

/**
 * The devices that were found, but for what the driver knows by its address only of a GPU that is lost. Forgets the lost
 * that were taken out, or have another in their place.
 */
function withoutLost(
  lost: Map<string, GpuDevice>,
  found: readonly GpuDevice[],
  pci: readonly PciGpu[],
): readonly GpuDevice[] {
  const kept = new Set<string>();
  for (const [id, { pciAddress: at }] of lost) {
    if (at === undefined || pci.length === 0) continue;
    const stands = found.find(({ pciAddress, partition }) => pciAddress === at && partition === undefined);
    if (!pci.some(({ address }) => address === at)) lost.delete(id);
    else if (stands === undefined || stands.id === id) continue;
    else if (stands.id === `pci-${at}`) kept.add(stands.id);
    else lost.delete(id);
  }
  return found.filter(({ id }) => !kept.has(id));
}

/** The source with its ways changed, for tests. */
export const gpuWith = (options: GpuSourceOptions): SourceEntry => ({
  id: 'gpu',
  summary: 'GPUs of NVIDIA, AMD and Intel and the partitions of them, through their drivers and libraries',
  platforms: ['linux', 'win32'],
  metrics: [...GPU_METRICS, ...GPU_PROCESS_METRICS, ...GPU_PROFILING_METRICS],
  off: () => undefined,
  budgetMs: BUDGET_MS,
  create: (context) => new Gpu(context, options),
});

export const gpu: SourceEntry = gpuWith({});
