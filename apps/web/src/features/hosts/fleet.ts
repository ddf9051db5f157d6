import type { Gpu, HostSummary } from '@candela/contract';
import { attentionOfGpu, attentionOfHost, shareOf } from './attention.ts';
import type { FleetGroup, FleetShow, FleetSort } from './fleet-choices.ts';

/** GPUs of a host as they are shown: partitions below the GPU they are part of. */
export interface GpuNode {
  readonly gpu: Gpu;
  readonly children: readonly Gpu[];
}

export interface FleetHost {
  readonly key: string;
  readonly host: HostSummary;
  readonly gpus: readonly GpuNode[];
}

export type FleetRow =
  | {
      readonly kind: 'group';
      readonly key: string;
      readonly label: string;
      readonly hosts: number;
      readonly gpus: number;
    }
  | ({ readonly kind: 'host' } & FleetHost);

export interface FleetView {
  readonly q: string;
  readonly sort: FleetSort;
  readonly group: FleetGroup;
  readonly show: FleetShow;
}

export interface FleetTotals {
  readonly hosts: number;
  readonly silent: number;
  readonly gpus: number;
  /** GPUs that nobody has, or that do nothing. */
  readonly idle: number;
  readonly attention: number;
  /** Mean over the GPUs that say; null: none does. */
  readonly utilization: number | null;
  readonly memoryUsed: number | null;
  readonly memoryLimit: number | null;
  readonly watts: number | null;
}

export function nodesOf(gpus: readonly Gpu[]): GpuNode[] {
  const known = new Set(gpus.map(({ id }) => id));
  const children = new Map<string, Gpu[]>();
  const tops: Gpu[] = [];
  for (const gpu of gpus) {
    if (gpu.parentId === null || !known.has(gpu.parentId)) tops.push(gpu);
    else children.set(gpu.parentId, [...(children.get(gpu.parentId) ?? []), gpu]);
  }
  return tops.map((gpu) => ({ gpu, children: children.get(gpu.id) ?? [] }));
}

type Named = Pick<Gpu, 'id' | 'name' | 'index' | 'partition'>;

/** Characters of an id that are enough to find it in a list. */
const TAIL = 4;

/**
 * Short names of GPUs and partitions by id, no two alike: of partitions of one profile also the end of their id, by which
 * the vendor's tools list them.
 */
export function gpuNames(gpus: readonly Named[]): Map<string, string> {
  const plain = (gpu: Named): string =>
    gpu.partition ?? (gpu.index === null ? shortName(gpu.name) : `GPU ${gpu.index}`);
  const names = new Map<string, string>();
  for (const [name, alike] of Map.groupBy(gpus, plain)) {
    const most = Math.max(TAIL, ...alike.map(({ id }) => id.length));
    let tail = TAIL;
    while (tail < most && new Set(alike.map(({ id }) => id.slice(-tail))).size < alike.length) tail++;
    for (const { id } of alike) names.set(id, alike.length === 1 ? name : `${name} …${id.slice(-tail)}`);
  }
  return names;
}

/** `NVIDIA H100 80GB HBM3` as `H100 80GB`. */
export const shortName = (name: string): string =>
  name
    .replace(/^(NVIDIA|AMD|Intel(\(R\))?)\s+/i, '')
    .replace(/^(Instinct|GeForce|Data Center GPU|RTX)\s+/i, '')
    .replace(/\s+HBM\w*$/i, '')
    .replace(/-(SXM|PCIE?)\d*(?=-)/i, '');

/** The rows of the fleet: what fits the words, in order, with a head for each group. */
export function fleetRows(hosts: readonly HostSummary[], view: FleetView): FleetRow[] {
  const words = view.q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const chosen = hosts.flatMap((host): FleetHost[] => {
    const own = textOfHost(host);
    const rest = words.filter((word) => !own.includes(word));
    // Words the host does not answer must all be answered by one GPU; then only such GPUs are shown.
    const shown = nodesOf(host.gpus).filter(
      (node) => fits(node, view.show) && (rest.length === 0 || fitsWords(node, rest)),
    );
    if (shown.length === 0 && (rest.length > 0 || !hostFits(host, view.show))) return [];
    return [{ key: JSON.stringify([host.environment, host.name]), host, gpus: shown }];
  });
  const sorted = chosen.sort(orderOf(view.sort));
  if (view.group === 'none') return sorted.map((host) => ({ kind: 'host', ...host }));
  const groups = new Map<string, FleetHost[]>();
  for (const host of sorted) {
    const label = groupOf(host, view.group);
    groups.set(label, [...(groups.get(label) ?? []), host]);
  }
  const unnamed = UNNAMED[view.group];
  return [...groups]
    .sort(([a], [b]) => Number(a === unnamed) - Number(b === unnamed) || a.localeCompare(b))
    .flatMap(([label, members]): FleetRow[] => [
      {
        kind: 'group',
        key: `group ${label}`,
        label,
        hosts: members.length,
        gpus: members.reduce((sum, { gpus }) => sum + gpus.length, 0),
      },
      ...members.map((host) => ({ kind: 'host' as const, ...host })),
    ]);
}

const UNNAMED: Readonly<Record<FleetGroup, string>> = {
  none: '',
  zone: 'No zone',
  model: 'No GPU',
  type: 'No instance type',
  cluster: 'No cluster',
  environment: '',
};

function groupOf({ host }: FleetHost, group: FleetGroup): string {
  switch (group) {
    case 'zone':
      return host.cloudZone ?? host.cloudRegion ?? UNNAMED.zone;
    case 'model':
      return host.gpus[0]?.name ?? UNNAMED.model;
    case 'type':
      return host.type ?? UNNAMED.type;
    case 'cluster':
      return host.cluster ?? UNNAMED.cluster;
    default:
      return host.environment;
  }
}

const said = (values: readonly (string | null | undefined)[]): string =>
  values
    .filter((value) => value !== null && value !== undefined)
    .join('\n')
    .toLowerCase();

const textOfHost = (host: HostSummary): string =>
  said([
    host.name,
    host.environment,
    host.id,
    ...host.machines,
    host.type,
    host.os,
    host.cloudProvider,
    host.cloudRegion,
    host.cloudZone,
    host.cluster,
    host.node,
    ...host.agents,
    host.stale ? 'silent stale' : '',
    (host.away?.length ?? 0) > 0 ? 'away' : '',
  ]);

const textOfGpu = (gpu: Gpu): string =>
  said([
    gpu.id,
    gpu.name,
    gpu.vendor,
    gpu.partition,
    gpu.pciAddress,
    gpu.index === null ? null : `gpu ${gpu.index}`,
    gpu.topProcess?.name,
    gpu.topProcess?.commandLine,
    gpu.topProcess?.pod,
    gpu.topProcess?.namespace,
    gpu.topProcess?.container,
    ...gpu.errors.map(({ type }) => type),
  ]);

function fitsWords({ gpu, children }: GpuNode, words: readonly string[]): boolean {
  return [gpu, ...children].some((one) => {
    const text = textOfGpu(one);
    return words.every((word) => text.includes(word));
  });
}

const isIdle = (gpu: Gpu): boolean =>
  !gpu.stale &&
  (gpu.idle === true || gpu.allocated === false || (gpu.idle === null && gpu.utilization === 0));

function fits({ gpu, children }: GpuNode, show: FleetShow): boolean {
  if (show === 'attention') return [gpu, ...children].some((one) => attentionOfGpu(one).length > 0);
  if (show === 'idle') return children.length > 0 ? children.some(isIdle) : isIdle(gpu);
  return true;
}

function hostFits(host: HostSummary, show: FleetShow): boolean {
  if (show === 'attention') return attentionOfHost(host).length > 0;
  return show === 'all';
}

const most = (gpus: readonly GpuNode[], figure: (gpu: Gpu) => number | null): number =>
  gpus.reduce((high, { gpu }) => Math.max(high, figure(gpu) ?? -1), -1);

const errorsOf = (gpu: Gpu): number => gpu.errors.reduce((sum, { count }) => sum + count, 0);

/** The highest first, of uptimes the shortest; names break ties and are the order of their own. */
function orderOf(sort: FleetSort): (a: FleetHost, b: FleetHost) => number {
  const figure: Readonly<Record<FleetSort, (host: FleetHost) => number>> = {
    name: () => 0,
    utilization: ({ gpus, host }) => (gpus.length > 0 ? 1 + mean(gpus) : (host.cpuUtilization ?? -1)),
    memory: ({ gpus, host }) =>
      gpus.length > 0
        ? 1 + most(gpus, (gpu) => shareOf(gpu.memoryUsedBytes, gpu.memoryLimitBytes))
        : (shareOf(host.memoryUsedBytes, host.memoryTotalBytes) ?? -1),
    temperature: ({ gpus }) => most(gpus, (gpu) => gpu.temperatureCelsius),
    errors: ({ gpus }) => gpus.reduce((sum, { gpu }) => sum + errorsOf(gpu), 0),
    cpu: ({ host }) => host.cpuUtilization ?? -1,
    uptime: ({ host }) => -(host.uptimeSeconds ?? Number.POSITIVE_INFINITY),
  };
  const by = figure[sort];
  return (a, b) =>
    by(b) - by(a) ||
    // Where nothing else decides, machines with GPUs are what people come for.
    Number(a.host.gpus.length === 0) - Number(b.host.gpus.length === 0) ||
    a.host.name.localeCompare(b.host.name, 'en', { numeric: true }) ||
    (a.key < b.key ? -1 : 1);
}

function mean(gpus: readonly GpuNode[]): number {
  const values = gpus.flatMap(({ gpu }) => (gpu.utilization === null ? [] : [gpu.utilization]));
  return values.length === 0 ? -1 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Figures over all hosts; partitions count as part of their GPU. */
export function totalsOf(hosts: readonly HostSummary[]): FleetTotals {
  const nodes = hosts.flatMap(({ gpus }) => nodesOf(gpus));
  const add = (figure: (gpu: Gpu) => number | null): number | null =>
    nodes.reduce<number | null>((sum, { gpu }) => {
      const value = figure(gpu);
      return value === null ? sum : (sum ?? 0) + value;
    }, null);
  const utilization = mean(nodes);
  return {
    hosts: hosts.length,
    silent: hosts.filter(({ stale }) => stale).length,
    gpus: nodes.length,
    idle: nodes.filter((node) => fits(node, 'idle')).length,
    // A host that fell silent is one thing to look at, however many GPUs went with it.
    attention: hosts.reduce(
      (sum, host) =>
        sum +
        Number(attentionOfHost(host).length > 0) +
        (host.stale ? 0 : nodesOf(host.gpus).filter((node) => fits(node, 'attention')).length),
      0,
    ),
    utilization: utilization < 0 ? null : utilization,
    memoryUsed: add((gpu) => gpu.memoryUsedBytes),
    memoryLimit: add((gpu) => gpu.memoryLimitBytes),
    watts: add((gpu) => gpu.powerWatts),
  };
}
