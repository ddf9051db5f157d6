import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import { type MetricQuestion, metricQuery, questionBody } from '../../api/metrics.ts';
import type { Scope } from '../../api/telemetry.ts';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { formatValue } from '../../lib/format-value.ts';
import { formatCount } from '../../lib/format.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { Table } from '../../ui/table.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { valueTerm } from '../explore/filter-term.ts';
import { linesOf } from '../metrics/explore-series.ts';
import { useShell } from '../shell/shell-search.ts';
import { GUTTER } from './curve-card.tsx';

const KERNEL = 'attributes.cuda.kernel.name';
const PROGRAM = 'attributes.process.executable.name';
const PID = 'attributes.process.pid';
const TOP = 20;

const LAUNCHES = {
  metric: 'gpu.kernel.launch.calls',
  aggregation: 'rate',
  groupBy: [KERNEL],
  limit: 10,
} as const;
const COPIES = {
  metric: 'gpu.memory.copies',
  aggregation: 'rate',
  groupBy: ['attributes.gpu.memory.copy.direction'],
} as const;
const ALLOCATIONS = { metric: 'gpu.memory.allocations', aggregation: 'rate', groupBy: [PROGRAM] } as const;
const OCCUPANCY = {
  metric: 'process.gpu.estimated.sm_active',
  aggregation: 'avg',
  groupBy: [PROGRAM, PID],
} as const;
const TIME_BY_KERNEL = {
  metric: 'gpu.kernel.duration',
  aggregation: 'sum',
  groupBy: [KERNEL],
  limit: TOP,
} as const;
const CALLS_BY_KERNEL = {
  metric: 'gpu.kernel.launch.calls',
  aggregation: 'increase',
  groupBy: [KERNEL],
  limit: 100,
} as const;
const CALLS_BY_PROCESS = {
  metric: 'gpu.kernel.launch.calls',
  aggregation: 'increase',
  groupBy: [PROGRAM, PID],
  limit: TOP,
} as const;
const TIME_BY_PROCESS = { ...CALLS_BY_PROCESS, metric: 'gpu.kernel.duration', aggregation: 'sum' } as const;

/** What stands in `gpu.measurement.source`, and how it is to be read. */
const SOURCES = [
  [
    'Kernel launches, grids, blocks, shared memory',
    'counted',
    'when the call begins; one that fails counts, too',
  ],
  ['Graph launches', 'counted', 'a graph is one call, whatever is in it'],
  ['Memory allocated', 'counted', 'what a framework hands out of its own pool is not seen'],
  ['Memory copied', 'counted', 'copies that kernels make are not seen'],
  ['Time of a kernel', 'model', 'from the launch to the next synchronisation: an upper bound'],
  ['Occupancy', 'model', 'share of time with a launch that was not synchronised: from above'],
  ['Cores in use', 'model', 'threads of open launches, at most the cores of the GPU'],
] as const;

interface Place {
  readonly host: string;
  readonly gpu: string;
  readonly window: TimeWindow;
  readonly environment: string | undefined;
}

/** CUDA calls on a GPU, as the agent sees them in the kernel of the machine; nothing where it does not. */
export function GpuCuda({ host, gpu, window, environment }: Place) {
  const scope: Scope = useMemo(
    () => ({
      window,
      environment,
      q: `${valueTerm('resource.host.name', host)} ${valueTerm('attributes.hw.id', gpu)}`,
    }),
    [window, environment, host, gpu],
  );
  const launches = useQuery({ ...metricQuery(scope, LAUNCHES), placeholderData: keepPreviousData });
  if ((launches.data?.series.length ?? 0) === 0) return null;
  return (
    <section aria-label="CUDA calls" className="flex flex-col gap-2">
      <h2 className="font-medium">CUDA calls</h2>
      <div className="grid grid-cols-2 gap-2 max-lg:grid-cols-1">
        <MetricCard title="Kernel launches" note="a second, by kernel" scope={scope} question={LAUNCHES} />
        <MetricCard title="Memory traffic" note="copied a second" scope={scope} question={COPIES} />
        <MetricCard
          title="Memory asked for"
          note="a second, by program"
          scope={scope}
          question={ALLOCATIONS}
        />
        <MetricCard
          title="Occupancy, estimated"
          note="share of time with an open launch"
          scope={scope}
          question={OCCUPANCY}
        />
      </div>
      <div className="grid grid-cols-2 gap-2 max-lg:grid-cols-1">
        <Kernels scope={scope} />
        <Programs scope={scope} />
      </div>
      <details className="rounded-md border border-line bg-surface p-2">
        <summary className="cursor-pointer text-sm">Which of these are counted, and which are models</summary>
        <Table
          label="Counted or modelled"
          rows={SOURCES}
          keyOf={([what]) => what}
          empty=""
          columns={[
            { label: 'Figure', cell: ([what]) => what },
            { label: 'How', cell: ([, how]) => how },
            { label: 'To know', cell: ([, , know]) => <span className="whitespace-normal">{know}</span> },
          ]}
        />
      </details>
    </section>
  );
}

function MetricCard(props: { title: string; note: string; scope: Scope; question: MetricQuestion }) {
  const { scope, question } = props;
  const { setRange } = useShell();
  const query = useQuery({ ...metricQuery(scope, question), placeholderData: keepPreviousData });
  const { data } = query;
  const series = useMemo(() => (data === undefined ? [] : linesOf(data, undefined)), [data]);
  return (
    <ChartCard
      title={props.title}
      note={props.note}
      state={query}
      isEmpty={series.length === 0}
      empty="Not reported in this time range."
      height={120}
      query={{
        path: addressOf('queryMetric'),
        body: questionBody(scope, question),
        environment: scope.environment,
      }}
    >
      <TimeChart
        label={props.title}
        kind="line"
        unit={data?.valueUnit ?? ''}
        series={series}
        window={scope.window}
        stepSeconds={data?.stepSeconds ?? 60}
        height={120}
        gutter={GUTTER}
        onZoom={(chosen) =>
          setRange({ from: new Date(chosen.fromMs).toISOString(), to: new Date(chosen.toMs).toISOString() })
        }
      />
    </ChartCard>
  );
}

/** Sums over the time range by the labels of a line. */
function useTotals(scope: Scope, question: MetricQuestion): ReadonlyMap<string, number> {
  const { data } = useQuery({ ...metricQuery(scope, question), placeholderData: keepPreviousData });
  return useMemo(
    () =>
      new Map(
        data?.series.map(({ labels, points }) => [
          JSON.stringify(labels),
          points.reduce((sum, [, value]) => sum + (value ?? 0), 0),
        ]),
      ),
    [data],
  );
}

interface Row {
  readonly key: string;
  readonly labels: readonly string[];
  readonly seconds: number;
  readonly calls: number;
}
function rowsOf(times: ReadonlyMap<string, number>, calls: ReadonlyMap<string, number>): Row[] {
  return [...new Set([...times.keys(), ...calls.keys()])]
    .map((key) => ({
      key,
      labels: JSON.parse(key) as string[],
      seconds: times.get(key) ?? 0,
      calls: calls.get(key) ?? 0,
    }))
    .toSorted((a, b) => b.seconds - a.seconds || b.calls - a.calls)
    .slice(0, TOP);
}

function Kernels({ scope }: { scope: Scope }) {
  const times = useTotals(scope, TIME_BY_KERNEL);
  const rows = rowsOf(times, useTotals(scope, CALLS_BY_KERNEL));
  const all = rows.reduce((sum, { seconds }) => sum + seconds, 0);
  return (
    <Table
      label="Top kernels by time"
      rows={rows}
      keyOf={({ key }) => key}
      empty="No kernel was launched in this time range."
      columns={[
        {
          label: 'Kernel',
          cell: ({ labels: [name = ''] }) => (
            <code className="block max-w-72 truncate font-mono text-xs" title={name}>
              {name || '(graph)'}
            </code>
          ),
        },
        { label: 'Time, at most', align: 'end', cell: ({ seconds }) => formatValue(seconds, 's') },
        {
          label: 'Share',
          align: 'end',
          cell: ({ seconds }) => formatValue(all === 0 ? null : seconds / all, '1'),
        },
        { label: 'Launches', align: 'end', cell: ({ calls }) => formatCount(Math.round(calls)) },
        {
          label: 'A launch',
          align: 'end',
          cell: ({ seconds, calls }) => formatValue(calls === 0 ? null : seconds / calls, 's'),
        },
      ]}
    />
  );
}

function Programs({ scope }: { scope: Scope }) {
  const rows = rowsOf(useTotals(scope, TIME_BY_PROCESS), useTotals(scope, CALLS_BY_PROCESS));
  return (
    <Table
      label="CUDA calls by process"
      rows={rows}
      keyOf={({ key }) => key}
      empty="No process launched a kernel in this time range."
      columns={[
        { label: 'Process', cell: ({ labels: [name = '', pid = ''] }) => `${name || 'process'} (${pid})` },
        { label: 'Launches', align: 'end', cell: ({ calls }) => formatCount(Math.round(calls)) },
        { label: 'Kernel time, at most', align: 'end', cell: ({ seconds }) => formatValue(seconds, 's') },
      ]}
    />
  );
}
