import { type Gpu, HOST_LIMITS, type HostSummary } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { type Increase, type Rate, readIncreases, readRates } from './counters.ts';
import {
  type Filesystem,
  type GpuLevels,
  type GpuProcess,
  type HostLevels,
  IDLE_MODES,
  readFilesystems,
  readGpuLevels,
  readHostLevels,
  readTopProcesses,
} from './current.ts';
import { type Facts, GPUS, PROCESSES, readFacts, readHostFacts } from './facts.ts';
import { byProcess, ownerOf } from './processes.ts';
import { Fresh } from './fresh.ts';
import { LastHeard, type Silent } from './last-heard.ts';
import type { OneHost } from './one-host.ts';
import { type HostKey, isoOf, keyOf } from './sources.ts';

export interface Summaries {
  readonly hosts: HostSummary[];
  readonly truncated: boolean;
}

/** For so long two machines must report beside each other: clocks differ, and a new one starts before the old one ends. */
const TOGETHER = BigInt(HOST_LIMITS.freshSeconds) * 1_000_000_000n;

const IO = ['system.network.io', 'hw.network.io', 'system.disk.io'];

/** What summaries are made of. */
export interface Figures {
  readonly fresh: Fresh;
  readonly hostFacts: readonly Facts[];
  readonly gpuFacts: readonly Facts[];
  readonly levels: readonly HostLevels[];
  /** Of all hosts the fullest, of one host each. */
  readonly filesystems: readonly Filesystem[];
  readonly gpuLevels: readonly GpuLevels[];
  /** Of whole hosts, and of one host those of its devices too. */
  readonly rates: readonly Rate[];
  /** Of errors, and of what else one host was asked for. */
  readonly increases: readonly Increase[];
  readonly tops: readonly GpuProcess[];
  readonly processFacts: readonly Facts[];
  /** Of what fell silent as it was then. */
  readonly last: {
    readonly levels: readonly HostLevels[];
    readonly filesystems: readonly Filesystem[];
    readonly gpuLevels: readonly GpuLevels[];
  };
}

/** Newest figures, before its end, of every host that reported within the window, or of one. */
export async function readFigures(
  run: Runner,
  context: RequestContext,
  window: Window,
  one?: OneHost,
): Promise<Figures> {
  const host = one?.key;
  const heard = async () => {
    if (one !== undefined) return { hostFacts: one.facts, fresh: await one.fresh };
    const hostFacts = await readHostFacts(run, context, window);
    return { hostFacts, fresh: await Fresh.readAll(run, context, window, hostFacts) };
  };
  const [gpuFacts, { hostFacts, fresh }] = await Promise.all([
    readFacts(run, context, GPUS, window, {
      hosts: host === undefined ? undefined : [host.host],
    }),
    heard(),
  ]);
  const of = host === undefined ? { of: 'all' as const } : { of: 'both' as const, host };
  const readTops = async () => {
    // Without a GPU there is nothing that a process could have of one.
    const tops = gpuFacts.length === 0 ? [] : await readTopProcesses(run, context, fresh, host);
    if (one !== undefined) return { tops, processFacts: await one.processes };
    const devices = [...new Set(tops.map(({ Pid }) => Pid))];
    const subject = { ...PROCESSES, metrics: ['process.gpu.memory.usage'] };
    const processFacts =
      devices.length === 0 ? [] : await readFacts(run, context, subject, fresh.widest, { devices });
    return { tops, processFacts };
  };
  const silentHosts = new LastHeard(silentOf(hostFacts, fresh, window, () => ''));
  const silentGpus = new LastHeard(silentOf(gpuFacts, fresh, window, ({ device }) => device));
  const [
    levels,
    filesystems,
    gpuLevels,
    rates,
    increases,
    processes,
    lastLevels,
    lastFilesystems,
    lastGpuLevels,
  ] = await Promise.all([
    readHostLevels(run, context, fresh, host),
    readFilesystems(run, context, fresh, host),
    gpuFacts.length === 0 ? [] : readGpuLevels(run, context, fresh, host),
    readRates(run, context, [...IO, ...(one?.rates ?? [])], fresh, of),
    readIncreases(run, context, ['hw.errors', ...(one?.increases ?? [])], window, fresh, host),
    readTops(),
    silentHosts.isEmpty ? [] : readHostLevels(run, context, silentHosts),
    silentHosts.isEmpty ? [] : readFilesystems(run, context, silentHosts),
    silentGpus.isEmpty ? [] : readGpuLevels(run, context, silentGpus),
  ]);
  const last = { levels: lastLevels, filesystems: lastFilesystems, gpuLevels: lastGpuLevels };
  return { fresh, hostFacts, gpuFacts, levels, filesystems, gpuLevels, rates, increases, ...processes, last };
}

/** What was heard of before the end of the window, and for longer than its values are current not again. */
function silentOf(
  facts: readonly Facts[],
  fresh: Fresh,
  window: Window,
  deviceOf: (fact: Facts) => string,
): Silent[] {
  const newest = new Map<string, Silent>();
  for (const fact of facts) {
    const { environment, host, last } = fact;
    const device = deviceOf(fact);
    const at = keyOf(environment, host, device);
    if (last <= (newest.get(at)?.last ?? -1n)) continue;
    newest.set(at, { environment, host, device, last, seconds: fresh.secondsOf(fact) });
  }
  return [...newest.values()].filter((one) => one.last < fresh.fromOf(one) && one.last >= window.from);
}

/** Every host of the figures. A figure nobody sent within the freshness bound is null. */
export async function summariesOf(
  run: Runner,
  context: RequestContext,
  window: Window,
  figures: Figures,
  host?: HostKey,
): Promise<Summaries> {
  const { fresh, hostFacts, gpuFacts, levels, filesystems, gpuLevels, increases, tops, processFacts } =
    figures;
  const rates = figures.rates.filter(({ Whole }) => Whole);
  const key = (row: { readonly Environment: string; readonly Host: string }) =>
    keyOf(row.Environment, row.Host);
  const deviceKey = (row: { readonly Environment: string; readonly Host: string; readonly Device: string }) =>
    keyOf(row.Environment, row.Host, row.Device);
  const levelOf = new Map(levels.map((row) => [key(row), row]));
  const lastOf = new Map(figures.last.levels.map((row) => [key(row), row]));
  const lastFullest = new Map(figures.last.filesystems.map((row) => [key(row), row]));
  // Of CPUs the Collector's host metrics receiver tells times, and a utilisation only when asked to.
  const worked = levels.some((row) => row.Cpu === null)
    ? workOf(
        await readRates(run, context, ['system.cpu.time'], fresh, {
          of: 'all',
          ...(host ? { host } : {}),
        }),
      )
    : new Map<string, CpuWork>();
  const fullest = new Map<string, (typeof filesystems)[number]>();
  for (const row of filesystems) {
    if (row.Utilization !== null && row.Utilization > (fullest.get(key(row))?.Utilization ?? -1))
      fullest.set(key(row), row);
  }
  const rateOf = new Map(
    rates.map((row) => [keyOf(row.Environment, row.Host, row.MetricName, row.Part), row.PerSecond]),
  );
  const gpus = gpusByHost({
    facts: gpuFacts,
    levels: new Map(gpuLevels.map((row) => [deviceKey(row), row])),
    last: new Map(figures.last.gpuLevels.map((row) => [deviceKey(row), row])),
    errors: grouped(
      increases.filter(({ MetricName }) => MetricName === 'hw.errors'),
      deviceKey,
    ),
    tops: new Map(tops.map((row) => [deviceKey(row), row])),
    processes: byProcess(processFacts),
    to: window.to,
    fresh,
  });
  const hosts: HostSummary[] = [];
  for (const facts of grouped(hostFacts, (fact) => keyOf(fact.environment, fact.host)).values()) {
    const [first] = facts;
    if (first === undefined || (host !== undefined && first.environment !== host.environment)) continue;
    const at = keyOf(first.environment, first.host);
    const level = levelOf.get(at);
    const own = gpus.get(at) ?? [];
    const last = facts.reduce((most, fact) => (fact.last > most ? fact.last : most), 0n);
    const earliest = facts.reduce((least, fact) => (fact.first < least ? fact.first : least), first.first);
    const reported =
      level !== undefined ||
      own.some((gpu) => !gpu.stale) ||
      (last >= fresh.fromOf(first) && last < window.to);
    const rate = (part: string, ...metrics: string[]) =>
      metrics
        .map((metric) => rateOf.get(keyOf(first.environment, first.host, metric, part)))
        .find((value) => value !== undefined) ?? null;
    const full = fullest.get(at);
    const before = reported ? undefined : lastOf.get(at);
    hosts.push({
      ...identityOf(facts),
      machines: machinesOf(facts, window),
      lastSeen: seenAt(last, window.to, reported ? newestPoint(level?.LastPoint, own) : undefined),
      freshSeconds: fresh.secondsOf(first),
      stale: !reported,
      away:
        fresh.awayOf(first, earliest)?.map((one) => ({ from: isoOf(one.from), to: isoOf(one.to) })) ?? null,
      uptimeSeconds: level?.Uptime ?? null,
      cpuUtilization: clamped(level?.Cpu ?? worked.get(at)?.share ?? null),
      cpuCount: level?.CpuCount ?? worked.get(at)?.count ?? null,
      memoryUsedBytes: level?.MemoryUsed ?? null,
      memoryTotalBytes: level?.MemoryTotal ?? null,
      filesystem: filesystemOf(full),
      last:
        before === undefined
          ? null
          : {
              asOf: isoOf(BigInt(before.LastPoint)),
              cpuUtilization: clamped(before.Cpu),
              memoryUsedBytes: before.MemoryUsed,
              memoryTotalBytes: before.MemoryTotal,
              filesystem: filesystemOf(lastFullest.get(at)),
            },
      diskReadBytesPerSecond: rate('read', 'system.disk.io'),
      diskWriteBytesPerSecond: rate('write', 'system.disk.io'),
      networkReceiveBytesPerSecond: rate('receive', 'system.network.io', 'hw.network.io'),
      networkTransmitBytesPerSecond: rate('transmit', 'system.network.io', 'hw.network.io'),
      // A partition that went while its host is there was taken apart on purpose; a GPU that went is worth a look.
      gpus: own.filter((gpu) => !(reported && gpu.stale && gpu.parentId !== null)),
    });
  }
  const truncated = hosts.length > HOST_LIMITS.hosts || gpuFacts.length > HOST_LIMITS.gpus;
  return { hosts: hosts.slice(0, HOST_LIMITS.hosts), truncated };
}

const filesystemOf = (full: Filesystem | undefined): HostSummary['filesystem'] =>
  full === undefined || full.Utilization === null
    ? null
    : { mountpoint: full.Device, utilization: full.Utilization };

interface CpuWork {
  /** Of the CPUs' time that in which they worked. */
  readonly share: number;
  readonly count: number;
}

/** What the CPUs of each host did, by the seconds a second that they spent in each mode. */
function workOf(times: readonly Rate[]): Map<string, CpuWork> {
  const works = new Map<string, CpuWork>();
  // Times that name no mode do not tell work from rest.
  const told = times.filter(({ Part }) => Part !== '');
  for (const [at, rows] of grouped(told, (row) => keyOf(row.Environment, row.Host))) {
    const seconds = (of: readonly Rate[]) => of.reduce((sum, row) => sum + row.PerSecond, 0);
    const all = seconds(rows);
    const idle = seconds(rows.filter(({ Part }) => IDLE_MODES.includes(Part)));
    // Every CPU spends a second a second, whatever it does.
    if (all > 0) works.set(at, { share: (all - idle) / all, count: Math.max(1, Math.round(all)) });
  }
  return works;
}

function grouped<T>(rows: readonly T[], key: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const at = key(row);
    const group = groups.get(at);
    if (group === undefined) groups.set(at, [row]);
    else group.push(row);
  }
  return groups;
}

/** The newest word of any agent counts; that of another agent fills what it leaves out. */
function identityOf(facts: readonly Facts[]) {
  const newestFirst = grouped(facts, ({ agent }) => agent)
    .values()
    .map((own) => own.reduce((newest, fact) => (fact.last > newest.last ? fact : newest)))
    .toArray()
    .sort((a, b) => (a.last < b.last ? 1 : a.last > b.last ? -1 : 0));
  const say = (...keys: string[]): string | null => {
    for (const key of keys) {
      for (const { values } of newestFirst) {
        const value = values.get(key);
        if (value !== undefined) return value;
      }
    }
    return null;
  };
  return {
    name: newestFirst[0]?.host ?? '',
    environment: newestFirst[0]?.environment ?? '',
    id: say('host.id'),
    type: say('host.type'),
    arch: say('host.arch'),
    os: say('os.description', 'os.name', 'os.type'),
    cloudProvider: say('cloud.provider'),
    cloudPlatform: say('cloud.platform'),
    cloudRegion: say('cloud.region'),
    cloudZone: say('cloud.availability_zone'),
    cloudAccount: say('cloud.account.id'),
    cluster: say('k8s.cluster.name'),
    node: say('k8s.node.name'),
    agents: [...new Set(facts.map(({ agent }) => agent).filter((agent) => agent !== ''))].sort(),
  };
}

/**
 * Ids of the machines that have this name; none, unless there are several. Agents choose the id of a machine in ways of
 * their own, so that only those of one agent are compared; and of a machine that took the place of another the ids
 * follow each other.
 */
function machinesOf(facts: readonly Facts[], { from, to }: Window): string[] {
  const ids = new Set<string>();
  for (const own of grouped(facts, ({ agent }) => agent).values()) {
    const named = own.filter(({ device }) => device !== '');
    for (const one of named) {
      const meets = named.some((other) => {
        if (other === one) return false;
        const begin = [from, one.first, other.first].reduce((late, at) => (at > late ? at : late));
        const end = [to, one.last, other.last].reduce((early, at) => (at < early ? at : early));
        return end - begin >= TOGETHER;
      });
      if (meets) ids.add(one.device);
    }
  }
  return [...ids].sort();
}

const newestPoint = (level: string | undefined, gpus: readonly Gpu[]): bigint | undefined => {
  const times = gpus.flatMap((gpu) =>
    gpu.stale || gpu.lastSeen === null ? [] : [BigInt(Date.parse(gpu.lastSeen)) * 1_000_000n],
  );
  if (level !== undefined) times.push(BigInt(level));
  return times.length === 0 ? undefined : times.reduce((most, time) => (time > most ? time : most));
};

/** When it was last heard of before `to`; null when that is not known because it was heard of again later. */
function seenAt(last: bigint, to: bigint, current: bigint | undefined): string | null {
  if (last < to) return isoOf(last);
  return current === undefined ? null : isoOf(current);
}

const clamped = (share: number | null): number | null =>
  share === null ? null : Math.min(1, Math.max(0, share));

interface GpuParts {
  readonly facts: readonly Facts[];
  readonly levels: ReadonlyMap<string, GpuLevels>;
  /** Of those that fell silent. */
  readonly last: ReadonlyMap<string, GpuLevels>;
  readonly errors: ReadonlyMap<string, readonly Increase[]>;
  readonly tops: ReadonlyMap<string, GpuProcess>;
  readonly processes: ReadonlyMap<string, Facts>;
  readonly to: bigint;
  readonly fresh: Fresh;
}

/** The GPUs of each host in the order of their index, partitions after their parent. */
function gpusByHost(parts: GpuParts): Map<string, Gpu[]> {
  const hosts = new Map<string, Gpu[]>();
  const merged = grouped(parts.facts, (fact) => keyOf(fact.environment, fact.host, fact.device));
  for (const [at, facts] of merged) {
    const newest = facts.reduce((most, fact) => (fact.last > most.last ? fact : most));
    const host = keyOf(newest.environment, newest.host);
    const list = hosts.get(host) ?? [];
    hosts.set(host, list);
    list.push(gpuOf(newest, at, parts));
  }
  for (const list of hosts.values()) list.sort(byPlace);
  return hosts;
}

function byPlace(a: Gpu, b: Gpu): number {
  const order = (a.index ?? 1e9) - (b.index ?? 1e9);
  if (order !== 0) return order;
  if ((a.parentId === null) !== (b.parentId === null)) return a.parentId === null ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** What a GPU shows; memory in use by what it tells of it. */
function gaugesOf(level: GpuLevels | undefined) {
  const limit = level?.MemoryLimit ?? null;
  return {
    utilization: clamped(level?.Utilization ?? null),
    memoryUsedBytes:
      level?.MemoryUsed ??
      (limit !== null && level?.MemoryFree != null ? limit - level.MemoryFree : null) ??
      (limit !== null && level?.MemoryShare != null ? limit * level.MemoryShare : null),
    memoryLimitBytes: limit,
    powerWatts: level?.Power ?? null,
    powerLimitWatts: level?.PowerLimit ?? null,
    temperatureCelsius: level?.Temperature ?? null,
    memoryTemperatureCelsius: level?.MemoryTemperature ?? null,
  };
}

function gpuOf(fact: Facts, at: string, parts: GpuParts): Gpu {
  const { values } = fact;
  const level = parts.levels.get(at);
  const top = parts.tops.get(at);
  const index = Number(values.get('gpu.index') ?? Number.NaN);
  const stale = level === undefined && !(fact.last >= parts.fresh.fromOf(fact) && fact.last < parts.to);
  const before = stale ? parts.last.get(at) : undefined;
  const partition = values.get('gpu.mig.profile') ?? values.get('hw.gpu.partition') ?? null;
  return {
    id: fact.device,
    name: values.get('hw.name') ?? values.get('hw.model') ?? fact.device,
    vendor: values.get('hw.vendor') ?? null,
    index: Number.isInteger(index) ? index : null,
    pciAddress: values.get('gpu.pci_address') ?? null,
    driver: values.get('hw.driver_version') ?? null,
    // The parent of a whole GPU is no GPU but what it sits in.
    parentId:
      values.get('gpu.parent.uuid') ?? (partition === null ? null : (values.get('hw.parent') ?? null)),
    partition,
    lastSeen: seenAt(fact.last, parts.to, level === undefined ? undefined : BigInt(level.LastPoint)),
    stale,
    last: before === undefined ? null : { asOf: isoOf(BigInt(before.LastPoint)), ...gaugesOf(before) },
    ...gaugesOf(level),
    status: level?.Status ?? null,
    allocated: flag(level?.Allocated),
    idle: flag(level?.Idle),
    errors: (parts.errors.get(at) ?? []).map((row) => ({ type: row.Part || 'error', count: row.Increase })),
    processes: Number(top?.Processes ?? 0),
    topProcess:
      top === undefined
        ? null
        : {
            ...ownerOf(top.Pid, parts.processes.get(keyOf(fact.environment, fact.host, top.Agent, top.Pid))),
            memoryBytes: top.Memory,
          },
  };
}

const flag = (value: number | null | undefined): boolean | null =>
  value === null || value === undefined ? null : value > 0;
