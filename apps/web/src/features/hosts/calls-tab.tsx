import type { HostCalls } from '@candela/contract';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { hostCallsPath, hostCallsQuery, type HostScope } from '../../api/hosts.ts';
import { Stat } from '../../charts/visualise/stat.tsx';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { cx } from '../../lib/cx.ts';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { Notice } from '../../ui/states.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { valueTerm } from '../explore/filter-term.ts';
import { useShell } from '../shell/shell-search.ts';
import { CurveCard, type CurveSource } from './curve-card.tsx';
import { type Name, seriesOf } from './curves.ts';
import { Table, type TableColumn } from '../../ui/table.tsx';

type ModelRow = HostCalls['byModel'][number];

/** Room for `0.025 calls/s`: what happens at one time stands in one line, from the GPUs down. */
const GUTTER = 94;

/** The search that finds the model calls of a host among the spans. */
const termOfHost = (host: string): string => valueTerm('resource.host.name', host);

/** Model calls of the programs on a host beside its GPUs, on one time axis. */
export function CallsTab(props: {
  scope: HostScope;
  host: string;
  source: CurveSource;
  /** The chart to lie beside, and how its curves are called. */
  chart: string;
  title: string;
  name: Name;
}) {
  const calls = useQuery({ ...hostCallsQuery(props.scope, props.host), placeholderData: keepPreviousData });
  const none = calls.data?.total.calls === 0 && !calls.isPlaceholderData;
  return (
    <div className="flex flex-col gap-2">
      <CallCharts {...props} calls={calls} none={none} />
      {none ? (
        <Notice title="No model call came from this host in this time range">
          <p>
            Calls are told to be a host's by <code className="font-mono">host.name</code> of the program that
            makes them; OpenTelemetry's host detector sets it.
            {props.scope.environment !== undefined &&
              ` Calls of other environments than ${props.scope.environment} are not counted here.`}
          </p>
        </Notice>
      ) : (
        <section
          className={cx('rounded-md border border-line bg-surface', calls.isPlaceholderData && 'opacity-60')}
          aria-busy={calls.isPlaceholderData}
        >
          <h2 className="px-2 pt-2 font-medium">By model</h2>
          {calls.data && <ByModel rows={calls.data.byModel} host={props.host} />}
        </section>
      )}
    </div>
  );
}

function CallCharts(props: {
  calls: UseQueryResult<HostCalls>;
  /** There was no call. */
  none: boolean;
  host: string;
  scope: HostScope;
  source: CurveSource;
  chart: string;
  title: string;
  name: Name;
}) {
  const { calls } = props;
  const { range, setRange } = useShell();
  const { data } = calls;
  const drawn = useMemo(() => {
    if (data === undefined) return undefined;
    const { times } = data;
    return {
      calls: [
        seriesOf('calls', 'calls', times, data.callsPerSecond),
        { ...seriesOf('failed', 'failed', times, data.errorsPerSecond), tone: 'danger' as const },
      ],
      latency: [seriesOf('p50', 'p50', times, data.p50Ms), seriesOf('p95', 'p95', times, data.p95Ms)],
      tokens: [seriesOf('output tokens', 'output tokens', times, data.outputTokensPerSecond)],
    };
  }, [data]);
  const query = {
    path: hostCallsPath(props.host, range),
    environment: props.scope.environment,
    rows: { to: '/traces', search: { view: 'spans', q: termOfHost(props.host) } },
  };
  const common = {
    window: props.scope.window,
    stepSeconds: data?.bucketSeconds ?? 60,
    height: 96,
    gutter: GUTTER,
    onZoom: (chosen: { fromMs: number; toMs: number }) =>
      setRange({ from: new Date(chosen.fromMs).toISOString(), to: new Date(chosen.toMs).toISOString() }),
  };
  const card = {
    state: calls,
    height: 96,
    query,
  };
  return (
    <>
      {data && data.total.calls > 0 && (
        <div
          className={cx('flex flex-wrap gap-x-4', calls.isPlaceholderData && 'opacity-60')}
          aria-busy={calls.isPlaceholderData}
        >
          <Stat label="Calls" value={data.total.calls} />
          <Stat label="Failed" value={data.total.errors} />
          <Stat label="p50" value={data.total.p50Ms} unit="ms" />
          <Stat label="p95" value={data.total.p95Ms} unit="ms" />
          <Stat label="Output tokens" value={data.total.outputTokens} />
          <Stat label="Cost" value={data.total.costUsd} unit="USD" />
        </div>
      )}
      <CurveCard
        source={props.source}
        chart={props.chart}
        title={props.title}
        name={props.name}
        height={96}
        gutter={GUTTER}
      />
      {!props.none && (
        <>
          <ChartCard title="Model calls" note="a second" {...card}>
            {drawn && (
              <TimeChart
                label="Model calls a second"
                kind="line"
                unit="{call}/s"
                missing="zero"
                series={drawn.calls}
                {...common}
              />
            )}
          </ChartCard>
          <ChartCard title="Duration of model calls" {...card}>
            {drawn && (
              <TimeChart
                label="Duration of model calls"
                kind="line"
                unit="ms"
                series={drawn.latency}
                {...common}
              />
            )}
          </ChartCard>
          <ChartCard title="Output tokens" note="a second" {...card}>
            {drawn && (
              <TimeChart
                label="Output tokens a second"
                kind="line"
                unit="{token}/s"
                missing="zero"
                series={drawn.tokens}
                {...common}
              />
            )}
          </ChartCard>
        </>
      )}
    </>
  );
}

function ByModel({ rows, host }: { rows: readonly ModelRow[]; host: string }) {
  const columns: TableColumn<ModelRow>[] = [
    {
      label: 'Model',
      cell: (row) => (
        <Link
          to="/traces"
          search={{
            view: 'spans',
            q: [termOfHost(host), valueTerm('model', row.model), valueTerm('service', row.service)].join(' '),
          }}
          className="text-accent underline"
        >
          {row.model ?? 'not said'}
        </Link>
      ),
    },
    { label: 'Provider', cell: (row) => row.provider ?? '–' },
    { label: 'Service', cell: (row) => row.service },
    { label: 'Calls', align: 'end', cell: (row) => formatCount(row.calls) },
    { label: 'Failed', align: 'end', cell: (row) => formatCount(row.errors) },
    { label: 'p50', align: 'end', cell: (row) => formatDuration(row.p50Ms) },
    { label: 'p95', align: 'end', cell: (row) => formatDuration(row.p95Ms) },
    { label: 'Input', align: 'end', cell: (row) => formatCount(row.inputTokens) },
    { label: 'Output', align: 'end', cell: (row) => formatCount(row.outputTokens) },
    { label: 'Cost', align: 'end', cell: (row) => formatCost(row.costUsd) },
  ];
  return (
    <Table
      label="Model calls by model"
      columns={columns}
      rows={rows}
      keyOf={(row) => JSON.stringify([row.service, row.provider, row.model])}
      empty="No model call came from this host in this time range."
    />
  );
}
