import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { errorText } from '../../log.ts';
import { readLink } from '../../files.ts';
import { inRoot } from '../../host-paths.ts';
import { loadPerf, type OpenCounter, PerfOpenError } from '../../host/pmu/native.ts';
import type { GpuDevice, GpuReading } from '../device.ts';
import { type Card, findCard } from '../drm/card.ts';
import { DrmClients } from '../drm/clients.ts';
import { pciName } from '../drm/names.ts';
import type { PciGpu } from '../pci.ts';
import { GpuError, type GpuVendor, type Probe, type Tell, type VendorSettings } from '../vendor.ts';
import { IntelCard } from './card.ts';
import { Engines } from './engines.ts';
import { type Ioctl, LevelZero, loadIoctl } from './native.ts';
import { cardMemory } from './regions.ts';
import { SysmanDevice } from './sysman.ts';
import { Zes } from './zes.ts';

const PCI_VENDOR = 0x8086;
const DRIVERS: ReadonlySet<string> = new Set(['i915', 'xe']);
const LIBRARIES = ['libze_loader.so.1'];

interface Found {
  readonly device: GpuDevice;
  readonly card: IntelCard;
  readonly sysman: SysmanDevice | undefined;
}

/**
 * GPUs of Intel by the files of their drivers and the counters that these offer to the kernel. Where Level Zero is
 * installed, Sysman adds what has no file: memory, errors, bytes on the bus and between cards, decoders and encoders.
 */
class Intel implements GpuVendor {
  readonly id = 'intel';
  readonly #settings: VendorSettings;
  readonly #tell: Tell;
  readonly #now: () => number;
  readonly #clients: DrmClients;
  readonly #told = new Set<string>();
  #found = new Map<string, Found>();
  #library: LevelZero | undefined;
  #open: OpenCounter | undefined;
  #ioctl: Ioctl | undefined;

  constructor(settings: VendorSettings, tell: Tell, now: () => number) {
    this.#settings = settings;
    this.#tell = tell;
    this.#now = now;
    this.#clients = new DrmClients(settings.paths, now);
  }

  async probe(pci: readonly PciGpu[]): Promise<Probe> {
    this.#close();
    const drivers = new Set<string>();
    const cards = pci.flatMap((gpu) => {
      const card = findCard(this.#settings.paths.sys, gpu.address);
      if (card !== undefined && DRIVERS.has(card.driver)) return [{ gpu, card }];
      drivers.add(card?.driver ?? 'none');
      return [];
    });
    if (cards.length === 0) {
      return {
        state: 'unavailable',
        reason:
          drivers.size === 0
            ? 'no GPU of it on the PCI bus'
            : `its GPUs are not driven by i915 or xe (driver: ${[...drivers].join(', ')})`,
      };
    }
    const sysman = this.#sysmanDevices();
    for (const [index, { gpu, card }] of cards.entries()) {
      const own = sysman.get(gpu.address);
      const one = new IntelCard(card, this.#now);
      one.engines = await this.#engines(card);
      one.ownMemory = this.#ownMemory(card);
      const device = this.#deviceOf(gpu, card, index, own?.name);
      this.#found.set(device.id, { device, card: one, sysman: own });
    }
    return { state: 'found', devices: [...this.#found.values()].map(({ device }) => device) };
  }

  #deviceOf(gpu: PciGpu, card: Card, index: number, model: string | undefined): GpuDevice {
    // A virtual function is a part of the card that it was made from.
    const parent = readLink(`${card.path}/physfn`);
    return {
      id: `pci-${gpu.address}`,
      name:
        pciName(this.#settings.paths, PCI_VENDOR, gpu.device) ??
        model ??
        `Intel GPU 0x${gpu.device.toString(16)}`,
      vendor: 'intel',
      index,
      pciAddress: gpu.address,
      ...(parent === undefined
        ? {}
        : { partition: { parent: `pci-${basename(parent)}`, name: `vf${gpu.address.slice(-1)}` } }),
      aliases: [gpu.address, ...card.nodes],
    };
  }

  /** Devices of Level Zero by their PCI address; its own order is no order of ours. */
  #sysmanDevices(): ReadonlyMap<string, SysmanDevice> {
    const devices = new Map<string, SysmanDevice>();
    // Never let go of: drivers have threads of their own, which would run on in what is not there any more.
    this.#library ??= LevelZero.load([...(this.#settings.libraries ?? []), ...LIBRARIES]);
    if (this.#library === undefined) {
      this.#sayOnce('Level Zero is not installed: errors and traffic of Intel GPUs are not told', {
        library: LIBRARIES.join(', '),
      });
      return devices;
    }
    const zes = new Zes(this.#library);
    try {
      if (!zes.init()) this.#sayOnce('Level Zero Sysman could not be begun', {});
      for (const driver of zes.handles('zesDriverGet')) {
        for (const handle of zes.handles('zesDeviceGet', driver)) {
          this.#addDevice(devices, zes, handle);
        }
      }
    } catch (thrown) {
      this.#sayOnce('Level Zero Sysman failed', { reason: errorText(thrown) });
    }
    return devices;
  }

  /** One that is lost must not cost the others. */
  #addDevice(devices: Map<string, SysmanDevice>, zes: Zes, handle: bigint): void {
    try {
      const address = SysmanDevice.addressOf(zes, handle);
      if (address !== undefined) devices.set(address, new SysmanDevice(zes, handle));
    } catch (thrown) {
      this.#sayOnce('a device could not be asked through Level Zero', { reason: errorText(thrown) });
    }
  }

  #ownMemory(card: Card): IntelCard['ownMemory'] {
    const node = card.nodes.find((name) => name.startsWith('renderD'));
    if (node === undefined) return undefined;
    const file = inRoot(this.#settings.paths, `/dev/dri/${node}`);
    if (!existsSync(file)) return undefined;
    const ioctl = (this.#ioctl ??= loadIoctl());
    return () => cardMemory(ioctl, card.driver, file);
  }

  async #engines(card: Card): Promise<Engines | undefined> {
    try {
      this.#open ??= await loadPerf();
      return Engines.open(this.#settings.paths.sys, card, this.#open, this.#now);
    } catch (thrown) {
      const code = thrown instanceof PerfOpenError ? thrown.code : errorText(thrown);
      this.#sayOnce('the counters of Intel GPUs are refused; processes are asked instead', {
        reason: code,
        grant: 'CAP_PERFMON, or kernel.perf_event_paranoid of 0 or less',
      });
      return undefined;
    }
  }

  #sayOnce(message: string, fields: Readonly<Record<string, string>>): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#tell('info', message, fields);
  }

  read(id: string): GpuReading {
    const found = this.#found.get(id);
    if (found === undefined) throw new GpuError('failed', 'not among the devices that were found');
    return found.card.read(this.#clients, () => found.sysman?.read(this.#settings.interconnect));
  }

  #close(): void {
    for (const { card } of this.#found.values()) card.close();
    this.#found = new Map();
  }

  stop(): void {
    this.#close();
  }
}

/** `now` gives monotonic seconds. */
export const createIntel = (
  settings: VendorSettings,
  tell: Tell,
  now: () => number = () => performance.now() / 1_000,
): GpuVendor => new Intel(settings, tell, now);
