import type { GpuDetail, HostProcess } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { Link } from '@tanstack/react-router';
import { formatDuration, formatIso, formatRowTime } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { zonePreference } from '../../lib/zone.ts';
import { agoOf } from './host-row.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';

interface Owner {
  readonly pid: string;
  readonly name: string;
  readonly commandLine: string | null;
  readonly owner: string | null;
  readonly pod: string | null;
  readonly namespace: string | null;
  readonly container: string | null;
  readonly workload: string | null;
}

const ownerColumns = <Row extends Owner>(): TableColumn<Row>[] => [
  { label: 'PID', align: 'end', cell: (row) => <span className="font-mono">{row.pid || '–'}</span> },
  {
    label: 'Process',
    className: 'max-w-80',
    cell: (row) => (
      <span className="flex min-w-0 flex-col">
        <MiddleTruncation name={row.name} className="font-medium" />
        {row.commandLine !== null && (
          <span className="truncate font-mono text-xs text-muted" title={row.commandLine}>
            {row.commandLine}
          </span>
        )}
      </span>
    ),
  },
  {
    label: 'Belongs to',
    className: 'max-w-64',
    cell: (row) =>
      row.pod === null ? (
        (row.container ?? '–')
      ) : (
        <span className="flex min-w-0 flex-col">
          <MiddleTruncation name={row.pod} />
          <span className="truncate text-xs text-muted">
            {[row.namespace, row.container, row.workload].filter((part) => part !== null).join(' / ')}
          </span>
        </span>
      ),
  },
  { label: 'User', className: 'max-w-32 truncate', cell: (row) => row.owner ?? '–' },
];

/** Processes that hold every word somewhere. */
export function matchingProcesses(rows: readonly HostProcess[], q: string): readonly HostProcess[] {
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = [
      row.pid,
      row.name,
      row.commandLine,
      row.pod,
      row.namespace,
      row.container,
      row.workload,
      row.owner,
      row.service,
      row.agent,
    ]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Everything that runs on a host, as far as anybody measures it. */
export function HostProcesses(props: {
  rows: readonly HostProcess[];
  host: string;
  search: { in?: string };
  toMs: number;
  /** Index and name by `hw.id`. */
  gpuNames: ReadonlyMap<string, string>;
}) {
  const columns: TableColumn<HostProcess>[] = [
    ...ownerColumns<HostProcess>(),
    { label: 'Service', cell: (row) => row.service ?? '–' },
    {
      label: 'GPU',
      cell: (row) =>
        row.gpus.length === 0 ? (
          '–'
        ) : (
          <span className="flex gap-1.5">
            {row.gpus.slice(0, 8).map((gpu) => (
              <Link
                key={gpu}
                to="/hosts/$host/gpus/$gpu"
                params={{ host: entityKey(props.host), gpu: entityKey(gpu) }}
                search={props.search}
                title={gpu}
                className="text-accent underline"
              >
                {props.gpuNames.get(gpu) ?? gpu.slice(0, 8)}
              </Link>
            ))}
          </span>
        ),
    },
    { label: 'GPU memory', align: 'end', cell: (row) => formatValue(row.gpuMemoryBytes, 'By') },
    { label: 'GPU use', align: 'end', cell: (row) => formatValue(row.gpuUtilization, '1') },
    { label: 'CPU', align: 'end', cell: (row) => formatValue(row.cpuUtilization, '1') },
    { label: 'Memory', align: 'end', cell: (row) => formatValue(row.memoryBytes, 'By') },
    {
      label: 'State',
      cell: (row) =>
        row.running
          ? row.uptimeSeconds === null
            ? 'runs'
            : `runs for ${formatDuration(row.uptimeSeconds * 1_000)}`
          : `gone for ${agoOf(row.lastSeen, props.toMs)}`,
    },
  ];
  return (
    <Table
      label="Processes"
      columns={columns}
      rows={props.rows}
      keyOf={(row) => JSON.stringify([row.agent, row.pid])}
      isPast={(row) => !row.running}
      empty="No process fits, or none was reported in this time range."
    />
  );
}

/** Who is and was on a GPU. */
export function GpuProcesses(props: {
  rows: GpuDetail['processes'];
  window: TimeWindow;
  /** Seconds within which a report must have come: what was there that soon may have been there before. */
  freshSeconds: number;
  /** Its processes are on its partitions. */
  isCut: boolean;
}) {
  const { rows, window, freshSeconds } = props;
  const zone = zonePreference.use();
  type Row = GpuDetail['processes'][number];
  const columns: TableColumn<Row>[] = [
    ...ownerColumns<Row>(),
    { label: 'Memory', align: 'end', cell: (row) => formatValue(row.memoryBytes, 'By') },
    { label: 'Most', align: 'end', cell: (row) => formatValue(row.maxMemoryBytes, 'By') },
    { label: 'Use', align: 'end', cell: (row) => formatValue(row.utilization, '1') },
    {
      label: 'Since',
      align: 'end',
      cell: ({ firstSeen }) => {
        const ms = Date.parse(firstSeen);
        const early = ms - window.fromMs <= freshSeconds * 1_000;
        return (
          <span title={early ? 'It was there when the time range began' : formatIso(ms)}>
            {early && 'before '}
            {formatRowTime(ms, Date.now(), zone)}
          </span>
        );
      },
    },
    {
      label: 'Seen for',
      align: 'end',
      cell: (row) => formatDuration(Math.max(0, Date.parse(row.lastSeen) - Date.parse(row.firstSeen))),
    },
    {
      label: 'State',
      cell: (row) => (row.running ? 'runs' : `gone for ${agoOf(row.lastSeen, window.toMs)}`),
    },
  ];
  return (
    <Table
      label="Processes on this GPU"
      columns={columns}
      rows={rows}
      keyOf={(row) => row.pid}
      isPast={(row) => !row.running}
      empty={props.isCut ? 'Its partitions tell who is on them.' : 'Nobody was on it in this time range.'}
    />
  );
}
