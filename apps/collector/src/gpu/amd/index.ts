import type { GpuDevice, GpuReading } from '../device.ts';
import { type Card, findCard } from '../drm/card.ts';
import { DrmClients } from '../drm/clients.ts';
import { driverLine } from '../drm/driver-files.ts';
import { amdName, pciName } from '../drm/names.ts';
import type { PciGpu } from '../pci.ts';
import { GpuError, type GpuVendor, type Probe, type Tell, type VendorSettings } from '../vendor.ts';
import { AmdCard } from './card.ts';
import { Kfd, type KfdNode, type KfdProcess, nodeMemory } from './kfd.ts';
import { type Computing, mergeProcesses } from './processes.ts';

const PCI_VENDOR = 0x1002;
const DRIVER = 'amdgpu';

/** A device that was found: a whole GPU, or one of its partitions. */
interface Found {
  readonly device: GpuDevice;
  readonly card: AmdCard;
  /** Of the compute driver: all of a GPU, the one of a partition. */
  readonly nodes: readonly KfdNode[];
}

/** Seconds. */
const SHARED_S = 0.5;
const idsOf = (nodes: readonly KfdNode[]): string => nodes.map(({ gpuId }) => gpuId).join(' ');

interface Look {
  readonly at: number;
  readonly nodes: readonly KfdNode[];
  readonly processes: ReadonlyMap<number, readonly KfdProcess[]>;
}

/**
 * GPUs of AMD through the files of their driver alone: these are an interface that Linux keeps stable, need no library and
 * tell everything that the library of ROCm would.
 */
class Amd implements GpuVendor {
  readonly id = 'amd';
  readonly #settings: VendorSettings;
  readonly #tell: Tell;
  readonly #now: () => number;
  readonly #kfd: Kfd;
  readonly #clients: DrmClients;
  #found = new Map<string, Found>();
  #looked: Look | undefined;
  readonly #told = new Set<string>();

  constructor(settings: VendorSettings, tell: Tell, now: () => number) {
    this.#now = now;
    this.#settings = settings;
    this.#tell = tell;
    this.#kfd = new Kfd(settings.paths.sys);
    this.#clients = new DrmClients(settings.paths, now);
  }

  probe(pci: readonly PciGpu[]): Probe {
    const nodes = this.#kfd.nodes();
    const found = new Map<string, Found>();
    const drivers = new Set<string>();
    let index = 0;
    for (const gpu of pci) {
      const card = findCard(this.#settings.paths.sys, gpu.address);
      if (card?.driver !== DRIVER) {
        drivers.add(card?.driver ?? 'none');
        continue;
      }
      for (const one of this.#devicesOf(gpu, card, index, nodes)) found.set(one.device.id, one);
      index += 1;
    }
    this.#found = found;
    if (found.size > 0) return { state: 'found', devices: [...found.values()].map(({ device }) => device) };
    return {
      state: 'unavailable',
      reason:
        drivers.size === 0
          ? 'no GPU of it on the PCI bus'
          : `its GPUs are not driven by ${DRIVER} (driver: ${[...drivers].join(', ')})`,
    };
  }

  #devicesOf(gpu: PciGpu, card: Card, index: number, all: readonly KfdNode[]): readonly Found[] {
    const nodes = all.filter(({ address }) => address === gpu.address);
    const unique = driverLine(`${card.path}/unique_id`, 64);
    const whole: GpuDevice = {
      // So it is called by ROCm too. Processors with graphics and cards without a serial number say 0 or nothing.
      id:
        unique !== undefined && /^[0-9a-f]{8,16}$/i.test(unique) && !/^0+$/.test(unique)
          ? `GPU-${unique.toLowerCase()}`
          : `pci-${gpu.address}`,
      name: this.#nameOf(gpu, card),
      vendor: 'amd',
      index,
      pciAddress: gpu.address,
      aliases: [gpu.address, ...card.nodes],
    };
    const amdCard = new AmdCard(card, this.#now);
    const parts = nodes.length < 2 ? [] : nodes;
    return [
      { device: whole, card: amdCard, nodes },
      ...parts.map(
        (node): Found => ({
          device: {
            id: `${whole.id}-p${node.partition}`,
            name: whole.name,
            vendor: 'amd',
            index,
            pciAddress: gpu.address,
            partition: { parent: whole.id, name: String(node.partition) },
            aliases: [node.render, node.platformDevice].filter((name) => name !== undefined),
          },
          card: amdCard,
          nodes: [node],
        }),
      ),
    ];
  }

  #nameOf(gpu: PciGpu, card: Card): string {
    const { paths } = this.#settings;
    const revision = Number(driverLine(`${card.path}/revision`, 16) ?? 0);
    return (
      driverLine(`${card.path}/product_name`, 256) ??
      amdName(paths, gpu.device, revision) ??
      pciName(paths, PCI_VENDOR, gpu.device) ??
      `AMD GPU 0x${gpu.device.toString(16)}`
    );
  }

  read(id: string): GpuReading {
    const found = this.#found.get(id);
    if (found === undefined) throw new GpuError('failed', 'not among the devices that were found');
    const { card, nodes, device } = found;
    if (device.partition === undefined) {
      const reading = card.read(this.#clients, this.#computing(nodes), this.#settings.interconnect);
      this.#tellOfTable(device.id, card.unknownTable);
      // Partitions are made and taken away while everything runs.
      const now = this.#look().nodes.filter(({ address }) => address === card.card.address);
      return idsOf(now) === idsOf(nodes) ? reading : { ...reading, changed: true };
    }
    const [node] = nodes;
    if (node === undefined) throw new GpuError('failed', 'its compute node is gone');
    const activity = card.table()?.partitions[node.partition];
    const utilization = {
      ...(activity?.general === undefined ? {} : { general: activity.general }),
      ...(activity?.decoder === undefined ? {} : { decoder: activity.decoder }),
    };
    const memory = nodeMemory(node);
    return {
      utilization,
      ...(memory === undefined ? {} : { memory }),
      processes: mergeProcesses([], [], this.#computing([node])),
    };
  }

  /** All devices of a tick share a look at the compute driver. */
  #look(): Look {
    const at = this.#now();
    if (this.#looked === undefined || at - this.#looked.at >= SHARED_S) {
      const nodes = this.#kfd.nodes();
      this.#looked = { at, nodes, processes: this.#kfd.processes(nodes) };
    }
    return this.#looked;
  }

  #computing(nodes: readonly KfdNode[]): readonly Computing[] {
    const { processes } = this.#look();
    return nodes.map((node) => ({ node, processes: processes.get(node.gpuId) ?? [] }));
  }

  #tellOfTable(id: string, version: string | undefined): void {
    if (version === undefined || this.#told.has(version)) return;
    this.#told.add(version);
    this.#tell(
      'info',
      'the table gpu_metrics has a version that is not known; other files are read instead',
      {
        gpu: id,
        version,
      },
    );
  }

  stop(): void {
    this.#found.clear();
  }
}

/** `now` gives monotonic seconds. */
export const createAmd = (
  settings: VendorSettings,
  tell: Tell,
  now: () => number = () => performance.now() / 1_000,
): GpuVendor => new Amd(settings, tell, now);
