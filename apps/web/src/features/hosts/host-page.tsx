import type { HostChart } from '@candela/contract';
import { parseEntityKey } from '@candela/kernel';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ApiError } from '../../api/client.ts';
import { hostCurvesPath, hostCurvesQuery, hostQuery } from '../../api/hosts.ts';
import { cx } from '../../lib/cx.ts';
import { formatDuration } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { Failure, Notice, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { useShell } from '../shell/shell-search.ts';
import { CallsTab } from './calls-tab.tsx';
import { CurveCard, type CurveSource } from './curve-card.tsx';
import type { Name } from './curves.ts';
import { gpuNames, nodesOf } from './fleet.ts';
import { GpuTile } from './gpu-tile.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { HostHeader } from './host-header.tsx';
import { HOST_TABS, type HostTab, persistedFleet } from './hosts-search.ts';
import { OverviewTab } from './overview-tab.tsx';
import { HostProcesses, matchingProcesses } from './processes-table.tsx';

const route = getRouteApi('/hosts/$host/');

const OVERVIEW: readonly HostChart[] = ['cpu', 'cpu_cores', 'memory', 'disk_io', 'filesystem', 'network_io'];
const GPUS: readonly HostChart[] = [
  'gpus_utilization',
  'gpus_memory',
  'gpus_power',
  'gpus_temperature',
  'gpus_clocks',
];
const CALLS: readonly HostChart[] = ['cpu', 'gpus_utilization'];
const CHARTS: Readonly<Record<HostTab, readonly HostChart[]>> = {
  overview: OVERVIEW,
  gpus: GPUS,
  processes: [],
  calls: CALLS,
};
const LABELS: Readonly<Record<HostTab, string>> = {
  overview: 'Overview',
  gpus: 'GPUs',
  processes: 'Processes',
  calls: 'Model calls',
};

/** One host: what it is, how it does, what runs on it, which model calls came from it. */
export function HostPage() {
  const { host: key } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const leave = useNavigate();
  const { window, environment, range, choice } = useShell();
  const name = parseEntityKey(key) ?? '';
  const of = search.in ?? environment;
  const scope = useMemo(() => ({ window, environment: of }), [window, of]);
  const query = useQuery({ ...hostQuery(scope, name), placeholderData: keepPreviousData });
  const host = useStaleData(query, `${choice} ${of}`);
  // A tab that was left open, or linked to, while GPUs reported.
  const isGone = search.tab === 'gpus' && host.data?.host.gpus.length === 0;
  const tab: HostTab = isGone ? 'overview' : (search.tab ?? 'overview');
  const charts = CHARTS[tab];
  const curves = useQuery({
    ...hostCurvesQuery(scope, name, charts),
    enabled: charts.length > 0,
    placeholderData: (before) =>
      before && charts.every((chart) => before.charts.some((one) => one.chart === chart))
        ? before
        : undefined,
  });
  const source: CurveSource = {
    query: curves,
    window,
    environment: of,
    pathOf: (chart, range) => hostCurvesPath(name, chart, range),
  };
  const change = (next: { [Key in 'tab' | 'q']?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  const choose = (next: HostTab) => change({ tab: next === 'overview' ? undefined : next });
  useHotkey('Escape', () => void leave({ to: '/hosts', search: persistedFleet.last() }), {
    label: 'Back to the hosts',
    group: 'Host',
  });
  const detail = host.data;
  const names = useMemo(() => gpuNames(detail?.host.gpus ?? []), [detail]);
  const byGpu = useMemo<Name>(
    () =>
      ({ device }) => ({ key: device, label: names.get(device) ?? device }),
    [names],
  );
  if (host.isPending) return <SkeletonRows label="Loading the host" />;
  if (detail === undefined)
    return host.error instanceof ApiError && host.error.status === 404 ? (
      <Notice title="This host did not report in this time range">
        <title>Host · Candela</title>
        <p>Choose a longer time range, or look at the hosts that did.</p>
        <Link to="/hosts" search={persistedFleet.last()} className="text-accent underline">
          Go to Hosts & GPUs
        </Link>
      </Notice>
    ) : (
      <Failure error={host.error} onRetry={host.refetch} />
    );
  const { gpus } = detail.host;
  const inSearch = search.in === undefined ? {} : { in: search.in };
  const nodes = nodesOf(gpus);
  const tabs = HOST_TABS.filter((value) => value !== 'gpus' || gpus.length > 0).map((value) => ({
    value,
    label: value === 'gpus' ? `GPUs ${nodes.length}` : LABELS[value],
  }));
  return (
    <div className={cx(PAGE_COLUMN, host.isOld && 'opacity-60')} aria-busy={host.isOld}>
      <title>{`${detail.host.name} · Candela`}</title>
      <NotRefreshed error={host.missed} onRetry={host.refetch} />
      <HostHeader host={detail.host} toMs={window.toMs} search={inSearch} />
      <div className="shrink-0 border-b border-line px-2">
        <TabList id="host" label="About this host" tabs={tabs} value={tab} onChoose={choose} />
      </div>
      <TabPanel id="host" value={tab} className={cx('overflow-auto p-3 -outline-offset-2', PAGE_ROWS)}>
        {tab === 'overview' && <OverviewTab detail={detail} source={source} />}
        {tab === 'gpus' && (
          <div className="flex flex-col gap-3">
            <div className="flex flex-wrap content-start items-start gap-1.5">
              {nodes.map((node) => (
                <GpuTile
                  key={node.gpu.id}
                  node={node}
                  host={detail.host.name}
                  search={inSearch}
                  active={undefined}
                  tileKey={(gpu) => gpu.id}
                />
              ))}
            </div>
            <div className="grid grid-cols-2 gap-2 max-lg:grid-cols-1">
              <CurveCard source={source} chart="gpus_utilization" title="Utilisation" name={byGpu} />
              <CurveCard source={source} chart="gpus_memory" title="Memory in use" name={byGpu} />
              <CurveCard source={source} chart="gpus_power" title="Power" name={byGpu} />
              <CurveCard source={source} chart="gpus_temperature" title="Temperature" name={byGpu} />
              <CurveCard
                source={source}
                chart="gpus_clocks"
                title="Clocks"
                note="SM or graphics"
                name={byGpu}
              />
            </div>
          </div>
        )}
        {tab === 'processes' && (
          <div className="flex flex-col gap-2">
            <FilterBox
              label="Filter processes"
              placeholder="Process, command line, pod, service …"
              value={search.q ?? ''}
              onChange={(text) => change({ q: text || undefined })}
            />
            <section className="rounded-md border border-line bg-surface">
              <HostProcesses
                rows={matchingProcesses(detail.processes, search.q ?? '')}
                host={detail.host.name}
                search={inSearch}
                toMs={window.toMs}
                gpuNames={names}
              />
            </section>
            {detail.processesTruncated && (
              <p className="text-sm text-muted">Only the {detail.processes.length} largest are listed.</p>
            )}
          </div>
        )}
        {tab === 'calls' && (
          <CallsTab
            scope={scope}
            host={detail.host.name}
            source={source}
            chart={gpus.length > 0 ? 'gpus_utilization' : 'cpu'}
            title={gpus.length > 0 ? 'GPU utilisation' : 'CPU'}
            name={gpus.length > 0 ? byGpu : cpuName}
          />
        )}
        <p className="pt-3 text-xs text-faint">
          Figures of now are those of the last {formatDuration(detail.freshSeconds * 1_000)} before{' '}
          {range.to === 'now' ? 'now' : 'the end of the time range'}; older ones are a dash.
        </p>
      </TabPanel>
    </div>
  );
}

const cpuName: Name = ({ part }) => ({ key: part || 'busy', label: part || 'busy' });
