import {
  NETWORK_METRICS,
  systemNetworkErrors,
  systemNetworkIo,
  systemNetworkPacketCount,
  systemNetworkPacketDropped,
} from '@candela/semconv/metrics';
import type { Config } from '../../config.ts';
import { MonotonicCounters } from '../../counters.ts';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../../source.ts';
import { nic } from '../nic.ts';
import { hostMetricsOff } from '../off.ts';
import { parseInterfaceList } from './darwin.ts';
import { DIRECTIONS, type InterfaceReading, MAX_INTERFACES } from './interfaces.ts';
import { readLinuxInterfaces } from './linux.ts';
import { parseIfTable } from './win32.ts';

/** Traffic of a machine with itself is none of the network, whatever the settings say. */
const LOOPBACK: readonly string[] = ['lo', 'lo0'];

const FIGURES = [
  ['bytes', systemNetworkIo],
  ['packets', systemNetworkPacketCount],
  ['errors', systemNetworkErrors],
  ['dropped', systemNetworkPacketDropped],
] as const;

/** Whether the settings ask for an interface. */
function wantedInterfaces(config: Config): (name: string) => boolean {
  const only = new Set(config.network.interfaces);
  const not = new Set([...config.network.exclude, ...LOOPBACK]);
  return (name) => !not.has(name) && (only.size === 0 || only.has(name));
}

type Read = () => readonly InterfaceReading[] | undefined;

const parsed = (
  bytes: Buffer | undefined,
  parse: (bytes: Buffer) => InterfaceReading[],
): InterfaceReading[] | undefined => (bytes === undefined ? undefined : parse(bytes));

async function readerOf({ paths }: SourceContext): Promise<Read> {
  if (process.platform === 'darwin') {
    const { interfaceList } = await import('../darwin/native.ts');
    return () => parsed(interfaceList(), parseInterfaceList);
  }
  if (process.platform === 'win32') {
    const { interfaceTable } = await import('../win32/native.ts');
    return () => parsed(interfaceTable(), parseIfTable);
  }
  return () => readLinuxInterfaces(paths);
}

class Network implements Source {
  readonly #context: SourceContext;
  readonly #wanted: (name: string) => boolean;
  readonly #counters = new MonotonicCounters();
  #read: Read = () => undefined;
  #told = false;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#wanted = wantedInterfaces(context.config);
  }

  async start(): Promise<Started> {
    this.#read = await readerOf(this.#context);
    return this.#read() === undefined ? unavailable('the system tells of no network interfaces') : READY;
  }

  observe(record: RecordPoint): void {
    this.#counters.sweep();
    const wanted = (this.#read() ?? []).filter(({ name }) => this.#wanted(name));
    if (wanted.length > MAX_INTERFACES && !this.#told) {
      this.#told = true;
      this.#context.log.warn(
        `Only the first ${MAX_INTERFACES} network interfaces are reported. Name those that matter in OTEL_HOST_NET_INTERFACES.`,
        { interfaces: wanted.length },
      );
    }
    for (const reading of wanted.slice(0, MAX_INTERFACES)) {
      for (const direction of DIRECTIONS) {
        const attributes = {
          'network.interface.name': reading.name,
          'network.io.direction': direction,
        };
        for (const [figure, metric] of FIGURES) {
          const raw = reading[direction][figure];
          if (raw === undefined) continue;
          const total = this.#counters.read(`${reading.name}\n${direction}\n${figure}`, raw);
          if (total !== undefined) record(metric, total, attributes);
        }
      }
    }
  }

  stop(): void {}
}

/** Why these metrics would count twice: where the other source is made for the platform, it counts the same. */
export function countedByNic(config: Config, platform: NodeJS.Platform): string | undefined {
  return nic.platforms.includes(platform) && nic.off(config) === undefined
    ? 'hw.network.* is on (OTEL_HOST_NIC_ENABLED) and counts the same'
    : undefined;
}

export const network: SourceEntry = {
  id: 'network',
  summary: 'Traffic of the network interfaces',
  platforms: ['linux', 'darwin', 'win32'],
  metrics: NETWORK_METRICS,
  off: (config) => hostMetricsOff(config) ?? countedByNic(config, process.platform),
  create: (context) => new Network(context),
};
