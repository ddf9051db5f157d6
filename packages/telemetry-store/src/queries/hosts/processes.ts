import { HOST_LIMITS, type HostProcess } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import type { Window } from '../core/scope.ts';
import { lastReadings, leftBefore } from './current.ts';
import type { Facts } from './facts.ts';
import { isoOf, keyOf, points } from './sources.ts';
import type { OneHost } from './one-host.ts';

export interface Owner {
  readonly pid: string;
  readonly name: string;
  readonly commandLine: string | null;
  readonly owner: string | null;
  readonly pod: string | null;
  readonly namespace: string | null;
  readonly container: string | null;
  readonly workload: string | null;
}

const PYTHON = /^(?:python|node|java|bash|sh)[\d.]*$/;
const baseName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/** What people call a process: its program, or the script an interpreter runs, or whatever else is known of it. */
function nameOf(values: ReadonlyMap<string, string>, pid: string, agent: string): string {
  const words = (values.get('process.command_line') ?? '').split(/\s+/).filter((word) => word !== '');
  const program = baseName(
    values.get('process.executable.name') ?? values.get('process.command') ?? words[0] ?? '',
  );
  if (PYTHON.test(program)) {
    const [first = ''] = words;
    // A program that gave itself a title: `ray::RolloutWorker.step`.
    if (first !== '' && !PYTHON.test(baseName(first))) return baseName(first);
    const module = words.indexOf('-m');
    const script = module > 0 ? words[module + 1] : words.slice(1).find((word) => !word.startsWith('-'));
    if (script !== undefined) return baseName(script);
  }
  const known = program || values.get('k8s.container.name') || values.get('service.name');
  // Who measures itself names no number.
  return known || (pid === '' ? agent || 'process' : `pid ${pid}`);
}

/** Whose work it is, as far as anybody says. */
export function ownerOf(pid: string, facts: Facts | undefined, agent = ''): Owner {
  const values = facts?.values ?? new Map<string, string>();
  return {
    pid,
    name: nameOf(values, pid, agent),
    commandLine: values.get('process.command_line') ?? null,
    owner: values.get('process.owner') ?? null,
    pod: values.get('k8s.pod.name') ?? null,
    namespace: values.get('k8s.namespace.name') ?? null,
    container:
      values.get('k8s.container.name') ??
      values.get('container.name') ??
      values.get('container.id')?.slice(0, SHORT_ID) ??
      null,
    workload: workloadOf(values),
  };
}

/** As container tools shorten ids. */
const SHORT_ID = 12;

function workloadOf(values: ReadonlyMap<string, string>): string | null {
  const name = values.get('platform.workload.name');
  return name === undefined ? null : `${values.get('platform.workload.kind') ?? ''} ${name}`.trim();
}

/** Facts of processes by environment, host, agent and number. */
export const byProcess = (facts: readonly Facts[]): ReadonlyMap<string, Facts> =>
  new Map(facts.map((fact) => [keyOf(fact.environment, fact.host, fact.agent, fact.device), fact]));

interface Row {
  readonly Agent: string;
  readonly Pid: string;
  readonly Gpus: readonly string[];
  readonly GpuMemory: number | null;
  readonly GpuUtilization: number | null;
  readonly Cpu: number | null;
  readonly Memory: number | null;
  readonly Uptime: number | null;
  readonly Last: string;
}

const METRICS = [
  'process.gpu.memory.usage',
  'process.gpu.utilization',
  'process.cpu.utilization',
  'process.memory.usage',
  'process.uptime',
];

/** The processes of a host that reported within the window, with the newest figures of each. */
export async function readProcesses(
  run: Runner,
  context: RequestContext,
  window: Window,
  one: OneHost,
): Promise<{ processes: HostProcess[]; truncated: boolean }> {
  const host = one.key;
  const scope = points(context, METRICS, window, host);
  const [rows, facts, fresh, readings] = await Promise.all([
    run.run<Row>(
      scope,
      `SELECT Agent, Pid, arraySort(groupUniqArrayIf(Device, MetricName = 'process.gpu.memory.usage' AND Device != '')) AS Gpus,
         sumOrNullIf(Now, MetricName = 'process.gpu.memory.usage') AS GpuMemory,
         maxOrNullIf(Now, MetricName = 'process.gpu.utilization') AS GpuUtilization,
         sumOrNullIf(Now, MetricName = 'process.cpu.utilization' AND Mode NOT IN ('wait', 'idle')) AS Cpu,
         sumOrNullIf(Now, MetricName = 'process.memory.usage') AS Memory,
         maxOrNullIf(Now, MetricName = 'process.uptime') AS Uptime, toString(max(At)) AS Last
       FROM (
         SELECT Agent, MetricName, toString(Device) AS Device, splitByChar('/', toString(Part))[1] AS First,
           if(match(First, '^[0-9]+$'), First, '') AS Pid, if(Pid = '', toString(Part), splitByChar('/', toString(Part))[2]) AS Mode,
           argMax(Value, TimeUnix) AS Now, max(toUnixTimestamp64Nano(TimeUnix)) AS At
         ${scope.from} GROUP BY Agent, MetricName, Device, Part
       ) GROUP BY Agent, Pid ORDER BY GpuMemory DESC NULLS LAST, Memory DESC NULLS LAST, Agent, Pid
       LIMIT ${HOST_LIMITS.processes + 1}`,
    ),
    one.processes,
    one.fresh,
    one.fresh.then((known) => lastReadings(run, context, known, host)),
  ]);
  const known = byProcess(facts);
  const freshFrom = fresh.fromOf(host);
  const processes = rows.slice(0, HOST_LIMITS.processes).map((row): HostProcess => {
    const fact = known.get(keyOf(host.environment, host.host, row.Agent, row.Pid));
    const last = BigInt(row.Last);
    const left =
      row.Gpus.length > 0 && row.Gpus.every((gpu) => leftBefore(last, readings.get(keyOf(row.Agent, gpu))));
    return {
      ...ownerOf(row.Pid, fact, row.Agent),
      agent: row.Agent,
      service: fact?.values.get('service.name') ?? null,
      gpus: [...row.Gpus],
      gpuMemoryBytes: row.GpuMemory,
      gpuUtilization: row.GpuUtilization,
      cpuUtilization: row.Cpu,
      memoryBytes: row.Memory,
      uptimeSeconds: row.Uptime,
      lastSeen: isoOf(last),
      running: last >= freshFrom && !left,
    };
  });
  // What is gone had the most at times, and is of the past all the same.
  processes.sort((a, b) => Number(b.running) - Number(a.running));
  return { processes, truncated: rows.length > HOST_LIMITS.processes };
}
