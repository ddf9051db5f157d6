import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { readLink } from '../../files.ts';
import { driverNames, driverNumber, driverText } from '../drm/driver-files.ts';

const MAX_NODES = 1_024;
const MAX_BYTES = 65_536;
const MAX_PROCESSES = 10_000;
const MAX_BANKS = 16;
const MAX_FILES = 4_096;

/** A GPU, or a partition of one, as the compute driver lists it (`/sys/class/kfd/kfd/topology/nodes`). */
export interface KfdNode {
  /** By this number its processes are kept. */
  readonly gpuId: number;
  /** PCI address of the GPU. */
  readonly address: string;
  /** Zero-based among the partitions of its GPU. */
  readonly partition: number;
  readonly computeUnits: number | undefined;
  /** `renderD129`. */
  readonly render: string | undefined;
  /** Device of the platform that a partition is handed out as: `amdgpu_xcp_0`. */
  readonly platformDevice: string | undefined;
  /** Its directory. */
  readonly path: string;
}

export interface KfdProcess {
  readonly pid: number;
  /** Bytes. */
  readonly memory: number | undefined;
  /** Compute units in use. */
  readonly occupied: number | undefined;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/**
 * Bits of the PCI location: bus, device and function. The number of a partition stands in the topmost four; some drivers put
 * it in place of the function, which then is none that there is.
 */
function placeOf(
  sys: string,
  domain: number,
  location: number,
): { readonly address: string; readonly partition: number } {
  const slot = `${hex(domain, 4)}:${hex((location >>> 8) & 0xff, 2)}:${hex((location >>> 3) & 0x1f, 2)}`;
  const fn = location & 7;
  const partition = location >>> 28;
  const isThere = (address: string): boolean => existsSync(`${sys}/bus/pci/devices/${address}`);
  return fn > 0 && partition === 0 && !isThere(`${slot}.${fn}`) && isThere(`${slot}.0`)
    ? { address: `${slot}.0`, partition: fn }
    : { address: `${slot}.${fn}`, partition };
}

function propertiesOf(text: string): ReadonlyMap<string, number> {
  const properties = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^(\w{1,64}) (\d{1,20})$/.exec(line);
    if (match?.[1] !== undefined) properties.set(match[1], Number(match[2]));
  }
  return properties;
}

/** Bytes of graphics memory (banks of the kinds 1, all of it in reach of the host, and 2), where the driver tells both. */
export function nodeMemory({
  path,
}: KfdNode): { readonly limit: number; readonly usage: number } | undefined {
  let limit = 0;
  let usage: number | undefined;
  for (const bank of driverNames(`${path}/mem_banks`, MAX_BANKS)) {
    const properties = propertiesOf(driverText(`${path}/mem_banks/${bank}/properties`, MAX_BYTES) ?? '');
    const heap = properties.get('heap_type');
    if (heap !== 1 && heap !== 2) continue;
    limit += properties.get('size_in_bytes') ?? 0;
    const used = driverNumber(`${path}/mem_banks/${bank}/used_memory`);
    if (used !== undefined) usage = (usage ?? 0) + used;
  }
  return limit > 0 && usage !== undefined ? { limit, usage } : undefined;
}

/** The compute driver of a host. `sys` is its /sys. */
export class Kfd {
  readonly #root: string;
  readonly #sys: string;

  constructor(sys: string) {
    this.#sys = sys;
    this.#root = `${sys}/class/kfd/kfd`;
  }

  /** Nodes that are GPUs, by their GPU and their partition. */
  nodes(): readonly KfdNode[] {
    const root = `${this.#root}/topology/nodes`;
    const nodes = driverNames(root, MAX_NODES).flatMap((name): KfdNode[] => {
      const path = `${root}/${name}`;
      const gpuId = driverNumber(`${path}/gpu_id`);
      const properties = propertiesOf(driverText(`${path}/properties`, MAX_BYTES) ?? '');
      const location = properties.get('location_id');
      // Processors are nodes too, with the number 0.
      if (gpuId === undefined || gpuId === 0 || location === undefined) return [];
      const minor = properties.get('drm_render_minor') ?? 0;
      const render = minor > 0 ? `renderD${minor}` : undefined;
      const simds = properties.get('simd_count') ?? 0;
      const perUnit = properties.get('simd_per_cu') ?? 0;
      return [
        {
          gpuId,
          ...placeOf(this.#sys, properties.get('domain') ?? 0, location),
          computeUnits: simds > 0 && perUnit > 0 ? simds / perUnit : undefined,
          render,
          platformDevice: this.#platformDevice(render),
          path,
        },
      ];
    });
    return nodes.toSorted((a, b) => a.address.localeCompare(b.address) || a.partition - b.partition);
  }

  #platformDevice(render: string | undefined): string | undefined {
    const link = render === undefined ? undefined : readLink(`${this.#sys}/class/drm/${render}/device`);
    const name = link === undefined ? '' : basename(link);
    return name.startsWith('amdgpu_xcp') ? name : undefined;
  }

  /** Processes that compute, by the number of the node. Asked for all nodes at once: most are on a few of them. */
  processes(nodes: readonly KfdNode[]): ReadonlyMap<number, readonly KfdProcess[]> {
    const root = `${this.#root}/proc`;
    const byNode = new Map(nodes.map((node) => [node.gpuId, { node, found: new Array<KfdProcess>() }]));
    for (const name of driverNames(root, MAX_PROCESSES)) {
      if (!/^\d{1,10}$/.test(name)) continue;
      for (const file of driverNames(`${root}/${name}`, MAX_FILES)) {
        const of = byNode.get(Number(/^vram_(\d{1,10})$/.exec(file)?.[1]));
        if (of === undefined) continue;
        const { gpuId, computeUnits } = of.node;
        const memory = driverNumber(`${root}/${name}/${file}`);
        const units = driverNumber(`${root}/${name}/stats_${gpuId}/cu_occupancy`);
        const occupied = units !== undefined && units <= (computeUnits ?? 0) ? units : undefined;
        of.found.push({ pid: Number(name), memory, occupied });
      }
    }
    return new Map([...byNode].map(([gpuId, { found }]) => [gpuId, found]));
  }
}
