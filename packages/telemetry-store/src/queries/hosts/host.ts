import type { HostSummary, ResponseOf, getHost } from '@candela/contract';
import { fail, type RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { PACKET_ERRORS } from './counters.ts';
import { type Facts, readHostFacts } from './facts.ts';
import { Fresh } from './fresh.ts';
import { readProcesses } from './processes.ts';
import type { HostKey } from './sources.ts';
import type { OneHost } from './one-host.ts';
import { type Figures, readFigures, summariesOf } from './summary.ts';

type HostDetail = ResponseOf<typeof getHost>['data'];

/**
 * Which host a name means within the window. Where two environments have one of that name and the request names none,
 * it is the one heard of last; of those that report now, each as often as it does, the first by the name of their environment, since otherwise the
 * requests of one page would be answered now by the one and now by the other. @throws not_found
 */
export async function resolveHost(
  run: Runner,
  context: RequestContext,
  name: string,
  window: Window,
): Promise<{
  readonly key: HostKey;
  readonly facts: readonly Facts[];
  /** No other environment has a host of this name. */
  readonly isAlone: boolean;
}> {
  const facts = await readHostFacts(run, context, window, name);
  const newest = facts.reduce((most, { last }) => (last > most ? last : most), 0n);
  const environments = [...new Set(facts.map(({ environment }) => environment))].sort();
  const reports = async (environment: string): Promise<boolean> => {
    const own = facts.filter((fact) => fact.environment === environment);
    const last = own.reduce((most, fact) => (fact.last > most ? fact.last : most), 0n);
    if (last === newest) return true;
    const key = { environment, host: name };
    const seconds = (await Fresh.read(run, context, window, key)).secondsOf(key);
    return last >= newest - BigInt(seconds) * 1_000_000_000n;
  };
  const now = await Promise.all(environments.map(reports));
  const chosen = environments.find((_, index) => now[index]);
  if (chosen === undefined)
    throw fail('not_found', { what: 'A host of this name that reported in this time range' });
  const key = { environment: chosen, host: name };
  return {
    key,
    facts: facts.filter(({ environment }) => environment === key.environment),
    isAlone: environments.length === 1,
  };
}

/** @throws not_found */
export async function summaryOf(
  run: Runner,
  context: RequestContext,
  window: Window,
  figures: Figures,
  host: HostKey,
): Promise<HostSummary> {
  const [summary] = (await summariesOf(run, context, window, figures, host)).hosts;
  if (summary === undefined)
    throw fail('not_found', { what: 'A host of this name that reported in this time range' });
  return summary;
}

/** What a host's page tells beside its summary. */
export const OF_HOST: Pick<OneHost, 'rates' | 'increases'> = {
  rates: ['system.disk.operations'],
  increases: ['system.network.errors'],
};

/** Everything of a host but its curves. @throws not_found */
export async function readHost(
  run: Runner,
  context: RequestContext,
  window: Window,
  one: OneHost,
): Promise<Omit<HostDetail, 'from' | 'to'>> {
  const host = one.key;
  const [figures, processes] = await Promise.all([
    readFigures(run, context, window, one),
    readProcesses(run, context, window, one),
  ]);
  const summary = await summaryOf(run, context, window, figures, host);
  const { filesystems, increases } = figures;
  const rates = figures.rates.filter(({ Whole }) => !Whole);
  const devices = (metric: string) => [
    ...new Set(rates.filter((row) => row.MetricName === metric).map((row) => row.Device)),
  ];
  const rate = (metric: string, device: string, part: string) =>
    rates.find((row) => row.MetricName === metric && row.Device === device && row.Part === part)?.PerSecond ??
    null;
  const network = devices('system.network.io').length > 0 ? 'system.network.io' : 'hw.network.io';
  const errorsOf = new Map<string, number>();
  for (const row of increases) {
    if (row.Part !== '' && !PACKET_ERRORS.has(row.Part)) continue;
    errorsOf.set(row.Device, (errorsOf.get(row.Device) ?? 0) + row.Increase);
  }
  return {
    freshSeconds: figures.fresh.secondsOf(host),
    host: summary,
    filesystems: filesystems.map((row) => ({
      mountpoint: row.Device,
      usedBytes: row.Used,
      totalBytes: row.Total,
      utilization: row.Utilization,
    })),
    disks: devices('system.disk.io').map((device) => ({
      device,
      readBytesPerSecond: rate('system.disk.io', device, 'read'),
      writeBytesPerSecond: rate('system.disk.io', device, 'write'),
      readsPerSecond: rate('system.disk.operations', device, 'read'),
      writesPerSecond: rate('system.disk.operations', device, 'write'),
    })),
    networks: devices(network).map((name) => ({
      name,
      receiveBytesPerSecond: rate(network, name, 'receive'),
      transmitBytesPerSecond: rate(network, name, 'transmit'),
      errors: errorsOf.get(name) ?? 0,
    })),
    processes: processes.processes,
    processesTruncated: processes.truncated,
  };
}
