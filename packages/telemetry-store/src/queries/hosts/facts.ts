import { HOST_LIMITS } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { AGENT_SQL, PID_SQL } from '../../schema/host-points.ts';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { type HostKey, keyOf, seriesOf } from './sources.ts';

/** What attributes say of a host, a GPU or a process: the newest word of each agent. */
export interface Facts extends HostKey {
  readonly agent: string;
  /** `hw.id` of a GPU, number of a process, of the host itself its `host.id`; empty when that is not said. */
  readonly device: string;
  readonly first: bigint;
  readonly last: bigint;
  /** Which of the subject's metrics tell of it. */
  readonly metrics: readonly string[];
  /** By attribute key; what is not said is absent. */
  readonly values: ReadonlyMap<string, string>;
}

interface Subject {
  /** Metrics that tell of it: few series, sent by every agent that has such a thing. Undefined: all there are. */
  readonly metrics: readonly string[] | undefined;
  /** Expression of `device`. */
  readonly device: string;
  readonly keys: readonly string[];
  /** Where the keys stand; maps are the dear part of a row. */
  readonly said: 'resource' | 'point' | 'both';
  /** Of one agent of a host: the newest so many count, so that one host cannot take the places of all others. */
  readonly devices?: number;
  readonly limit: number;
}

/** Nearly every agent sends one of these; {@link readHostFacts} finds the hosts of the others. */
const HOSTS = {
  metrics: [
    'system.memory.usage',
    'system.memory.utilization',
    'system.cpu.logical.count',
    'system.cpu.load_average.1m',
    'system.filesystem.utilization',
    'system.network.io',
    'hw.gpu.memory.limit',
  ],
  said: 'resource',
  // Machines that have one name by mistake are told apart by it.
  device: `ResourceAttributes['host.id']`,
  devices: HOST_LIMITS.machines,
  keys: [
    'host.id',
    'host.type',
    'host.arch',
    'os.type',
    'os.description',
    'os.name',
    'os.version',
    'cloud.provider',
    'cloud.platform',
    'cloud.region',
    'cloud.availability_zone',
    'cloud.account.id',
    'k8s.cluster.name',
    'k8s.node.name',
  ],
  // Several agents a host, and several machines that had its name one after the other.
  limit: HOST_LIMITS.hosts * 16,
} as const satisfies Subject;

export const GPUS: Subject = {
  metrics: ['hw.gpu.memory.limit', 'hw.gpu.memory.usage', 'hw.gpu.utilization'],
  device: `Attributes['hw.id']`,
  said: 'point',
  keys: [
    'hw.name',
    'hw.model',
    'hw.vendor',
    'hw.driver_version',
    'gpu.index',
    'gpu.pci_address',
    'hw.parent',
    'gpu.parent.uuid',
    'gpu.mig.profile',
    'gpu.mig.instance_id',
    'hw.gpu.partition',
  ],
  limit: HOST_LIMITS.gpus,
};

export const PROCESSES = {
  metrics: [
    'process.gpu.memory.usage',
    'process.gpu.utilization',
    'process.memory.usage',
    'process.cpu.utilization',
  ],
  device: PID_SQL,
  said: 'both',
  keys: [
    'process.executable.name',
    'process.command',
    'process.command_line',
    'k8s.pod.name',
    'k8s.namespace.name',
    'k8s.container.name',
    'container.name',
    'container.id',
    'process.owner',
    'platform.workload.kind',
    'platform.workload.name',
    'service.name',
  ],
  limit: 40_000,
} as const satisfies Subject;

/** The columns that say it, the first one first. */
const SAID = {
  resource: ['ResourceAttributes'],
  point: ['Attributes'],
  both: ['Attributes', 'ResourceAttributes'],
} as const;

interface Row {
  readonly Environment: string;
  readonly Host: string;
  readonly Agent: string;
  readonly Device: string;
  readonly First: string;
  readonly Last: string;
  readonly Metrics: readonly string[];
  readonly Said: readonly Readonly<Record<string, string>>[];
}

/** Hosts, GPUs or processes that reported within the window, of all hosts or of those of these names. */
export async function readFacts(
  run: Runner,
  context: RequestContext,
  subject: Subject,
  window: Window,
  only: { readonly hosts?: readonly string[] | undefined; readonly devices?: readonly string[] } = {},
): Promise<Facts[]> {
  const { hosts } = only;
  const series = seriesOf(context, subject.metrics, window);
  const { params } = series;
  const scope = series.and(
    hosts === undefined ? `Host != ''` : `Host IN ${params.bind(hosts, 'Array(String)')}`,
  );
  const keys = params.bind(subject.keys, 'Array(String)');
  const maps = SAID[subject.said];
  const said = maps.map((_, index) => `mapFilter((k, v) -> k IN ${keys}, argMax(Told.${index + 1}, Until))`);
  const order =
    subject.devices === undefined
      ? 'Device'
      : `max(Until) DESC, Device LIMIT ${subject.devices} BY Environment, Host, Agent`;
  const which =
    only.devices !== undefined
      ? ` WHERE Device IN ${params.bind(only.devices, 'Array(String)')}`
      : subject === GPUS
        ? ` WHERE Device != ''`
        : '';
  // What conditions take from maps is used again behind them, and asked ahead of the other columns it is taken out
  // twice. Of what is seldom there, and of few hosts, that is still better: no map is read for nothing then.
  const late =
    subject.said === 'both' || hosts !== undefined ? '' : ' SETTINGS optimize_move_to_prewhere = 0';
  const rows = await run.run<Row>(
    scope,
    `SELECT Environment, Host, Agent, Device, toString(min(FirstNs)) AS First, toString(max(Until)) AS Last,
       groupUniqArray(MetricName) AS Metrics, [${said.join(', ')}] AS Said
     FROM (
       SELECT Environment, Host, ${AGENT_SQL} AS Agent, ${subject.device} AS Device, MetricName, FirstNs,
         LastNs AS Until, tuple(${maps.join(', ')}) AS Told
       ${scope.from}
     )${which} GROUP BY Environment, Host, Agent, Device
     ORDER BY Environment, Host, Agent, ${order} LIMIT ${subject.limit + 1}${late}`,
  );
  return rows.map((row) => ({
    environment: row.Environment,
    host: row.Host,
    agent: row.Agent,
    device: row.Device,
    first: BigInt(row.First),
    last: BigInt(row.Last),
    metrics: row.Metrics,
    values: new Map(
      subject.keys.flatMap((key) => {
        const value = row.Said.map((map) => map[key]).find((one) => one !== undefined && one !== '');
        return value === undefined ? [] : [[key, value] as const];
      }),
    ),
  }));
}

/**
 * Hosts that reported within the window, whatever it was: those of which none of the usual metrics tells (an agent that sends
 * only how busy CPUs are) by all that is sent of them. @param host of this name only
 */
export async function readHostFacts(
  run: Runner,
  context: RequestContext,
  window: Window,
  host?: string,
): Promise<Facts[]> {
  const [usual, heard] = await Promise.all([
    readFacts(run, context, HOSTS, window, { hosts: host === undefined ? undefined : [host] }),
    readAnyHosts(run, context, window, host),
  ]);
  const known = new Set(usual.map(idOf));
  const missing = heard.filter((key) => !known.has(idOf(key)));
  if (missing.length === 0) return usual;
  const hosts = [...new Set(missing.map((key) => key.host))];
  const others = await readFacts(run, context, { ...HOSTS, metrics: undefined }, window, { hosts });
  return [...usual, ...others.filter((fact) => !known.has(idOf(fact)))];
}

const idOf = ({ environment, host }: HostKey): string => keyOf(environment, host);

/** Of whom anything is sent: no attributes are read for it, and grouping by one key costs half as much as by two. */
async function readAnyHosts(
  run: Runner,
  context: RequestContext,
  window: Window,
  host: string | undefined,
): Promise<HostKey[]> {
  const all = seriesOf(context, undefined, window);
  const scope = host === undefined ? all : all.and(`Host = ${all.params.bind(host, 'String')}`);
  const rows = await run.run<{ Host: string; Environments: string[] }>(
    scope,
    `SELECT Host, groupUniqArray(Environment) AS Environments ${scope.from} GROUP BY Host LIMIT ${HOSTS.limit}`,
  );
  return rows.flatMap((row) =>
    row.Host === '' ? [] : row.Environments.map((environment) => ({ environment, host: row.Host })),
  );
}
