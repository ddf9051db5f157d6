import type { Gpu, GpuChart, GpuDetail } from '@candela/contract';
import { entityKey, parseEntityKey } from '@candela/kernel';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { ApiError } from '../../api/client.ts';
import { gpuCurvesPath, gpuCurvesQuery, gpuQuery, hostCallsPath, hostCallsQuery } from '../../api/hosts.ts';
import { MeterBar } from '../../charts/visualise/meter-bar.tsx';
import { Stat } from '../../charts/visualise/stat.tsx';
import { TimeChart } from '../../charts/visualise/time-chart.tsx';
import { cx } from '../../lib/cx.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { formatValue } from '../../lib/format-value.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { Button } from '../../ui/button.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { Failure, Notice, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { ChartCard } from '../explore/chart-card.tsx';
import { valueTerm } from '../explore/filter-term.ts';
import { useShell } from '../shell/shell-search.ts';
import { AsOf } from './as-of.tsx';
import { type Attention, attentionOfGpu, errorName, shareOf, THRESHOLDS } from './attention.ts';
import { CurveCard, type CurveSource, GUTTER } from './curve-card.tsx';
import { type Name, partLabel, prepareCurves, seriesOf } from './curves.ts';
import { GpuActivity } from './gpu-activity.tsx';
import { gpuNames } from './fleet.ts';
import { HostHeader } from './host-header.tsx';
import { agoOf } from './host-row.tsx';
import { Marks } from './marks.tsx';
import { GpuProcesses } from './processes-table.tsx';

const route = getRouteApi('/hosts/$host/gpus/$gpu');
/** Only where CUDA is traced: loaded apart. */
const GpuCuda = lazy(() => import('./gpu-cuda.tsx').then(({ GpuCuda: page }) => ({ default: page })));

const CHARTS: readonly GpuChart[] = [
  'gpu_utilization',
  'gpu_activity',
  'gpu_memory',
  'gpu_power',
  'gpu_temperature',
  'gpu_clocks',
  'gpu_pcie',
  'gpu_interconnect',
  'gpu_errors',
  'gpu_process_memory',
];

const byError: Name = ({ part, values }) =>
  values.every((value) => value === null || value === 0) ? undefined : { key: part, label: errorName(part) };
const byLink: Name = ({ part }) => ({ key: part, label: partLabel(part) });
const used: Name = ({ part }) => ({
  key: part === 'limit' ? 'limit' : 'used',
  label: part === 'limit' ? 'size' : 'used',
});
const watts: Name = ({ part }) => ({
  key: part === 'limit' ? 'limit' : 'power',
  label: part === 'limit' ? 'limit' : 'power',
});

/** One GPU: everything that is measured of it, who is on it, its partitions, the calls of its host. */
export function GpuPage() {
  const params = route.useParams();
  const search = route.useSearch();
  const leave = useNavigate();
  const { window, environment, choice } = useShell();
  const host = parseEntityKey(params.host) ?? '';
  const id = parseEntityKey(params.gpu) ?? '';
  const of = search.in ?? environment;
  const scope = useMemo(() => ({ window, environment: of }), [window, of]);
  const query = useQuery({ ...gpuQuery(scope, host, id), placeholderData: keepPreviousData });
  const gpu = useStaleData(query, `${choice} ${of}`);
  const curves = useQuery({ ...gpuCurvesQuery(scope, host, id, CHARTS), placeholderData: keepPreviousData });
  const source: CurveSource = {
    query: curves,
    window,
    environment: of,
    pathOf: (chart, range) => gpuCurvesPath(host, id, chart, range),
  };
  const inSearch = search.in === undefined ? {} : { in: search.in };
  useHotkey(
    'Escape',
    () =>
      void leave({ to: '/hosts/$host', params: { host: params.host }, search: { ...inSearch, tab: 'gpus' } }),
    { label: 'Back to the host', group: 'GPU' },
  );
  const { data } = gpu;
  const siblings = data?.siblings ?? [];
  const names = gpuNames(siblings);
  // From the address, so that quick steps do not wait for figures.
  const at = siblings.findIndex((one) => one.id === id);
  const stepTo = (by: number) => {
    const to = at < 0 ? undefined : siblings[at + by];
    return to && { id: to.id, name: names.get(to.id) ?? to.id };
  };
  const [earlier, later] = [stepTo(-1), stepTo(1)];
  const go = (to: { id: string } | undefined) => {
    if (to)
      void leave({
        to: '/hosts/$host/gpus/$gpu',
        params: { host: params.host, gpu: entityKey(to.id) },
        search: inSearch,
        replace: true,
      });
  };
  useHotkey(['['], () => go(earlier), { label: 'Previous GPU', group: 'GPU' });
  useHotkey([']'], () => go(later), { label: 'Next GPU', group: 'GPU' });
  const owners = useMemo(
    () => new Map((data?.processes ?? []).map((row) => [row.pid, row.pod ?? row.name])),
    [data],
  );
  const byProcess = useMemo<Name>(
    () =>
      ({ part }) => {
        const name = owners.get(part) ?? 'process';
        // Colours go by the program; several of one program stand in one chart and are told apart.
        const isAlone = [...owners.values()].filter((other) => other === name).length < 2;
        return { key: isAlone ? name : `${name} ${part}`, label: `${name} (${part})` };
      },
    [owners],
  );
  if (gpu.isPending) return <SkeletonRows label="Loading the GPU" />;
  if (data === undefined)
    return gpu.error instanceof ApiError && gpu.error.status === 404 ? (
      <Notice title="This GPU did not report in this time range">
        <title>GPU · Candela</title>
        <p>Choose a longer time range, or look at its host.</p>
        <Link
          to="/hosts/$host"
          params={{ host: params.host }}
          search={inSearch}
          className="text-accent underline"
        >
          Go to {host}
        </Link>
      </Notice>
    ) : (
      <Failure error={gpu.error} onRetry={gpu.refetch} />
    );
  // Of a partition only a part is measured: what never is has no place on its page.
  const told = (chart: GpuChart) => !prepareCurves(curves.data, chart).isEmpty;
  const measured = (chart: GpuChart) => data.parent === null || told(chart);
  const name = `${data.gpu.name}${data.gpu.index === null ? '' : ` · GPU ${data.gpu.index}`}`;
  return (
    <div className={cx(PAGE_COLUMN, gpu.isOld && 'opacity-60')} aria-busy={gpu.isOld}>
      <title>{`${name} on ${data.host.name} · Candela`}</title>
      <NotRefreshed error={gpu.missed} onRetry={gpu.refetch} />
      <HostHeader
        host={data.host}
        toMs={window.toMs}
        search={inSearch}
        gpu={name}
        marks={<Marks list={sinceWhen(attentionOfGpu(data.gpu), data.gpu.lastSeen, window.toMs)} />}
      >
        {siblings.length > 1 && (
          <div className="flex gap-1 pl-7">
            <Button onClick={() => go(earlier)} disabled={earlier === undefined} title="Previous ( [ )">
              <ChevronLeft size={14} aria-hidden />
              {earlier?.name ?? 'First'}
            </Button>
            <Button onClick={() => go(later)} disabled={later === undefined} title="Next ( ] )">
              {later?.name ?? 'Last'}
              <ChevronRight size={14} aria-hidden />
            </Button>
          </div>
        )}
        <dl className="flex flex-wrap gap-x-4 pl-7 text-sm">
          {(
            [
              ['Id', data.gpu.id],
              ['PCI', data.gpu.pciAddress],
              ['Driver', data.gpu.driver],
              ['State', data.gpu.status],
            ] as const
          ).map(([label, value]) =>
            value === null ? null : (
              <div key={label} className="flex min-w-0 gap-1">
                <dt className="text-muted">{label}</dt>
                <dd className="truncate font-mono text-xs leading-5" title={value}>
                  {value}
                </dd>
              </div>
            ),
          )}
        </dl>
      </HostHeader>
      <div
        className={cx('overflow-auto p-3 -outline-offset-2', PAGE_ROWS)}
        tabIndex={0}
        role="region"
        aria-label="Figures of the GPU"
      >
        <div className="flex flex-col gap-3">
          {data.gpu.last !== null && (
            <p className="-mb-2 text-sm text-muted">
              <AsOf iso={data.gpu.last.asOf} />
            </p>
          )}
          <Figures data={data} />
          {(data.parent !== null || data.children.length > 0) && (
            <Family data={data} host={data.host.name} search={inSearch} />
          )}
          <div className="grid grid-cols-2 gap-2 max-lg:grid-cols-1">
            {measured('gpu_utilization') && (
              <CurveCard
                source={source}
                chart="gpu_utilization"
                title="Utilisation"
                note="by task"
                empty={
                  data.children.length > 0
                    ? 'A GPU in MIG mode does not say how busy it is.'
                    : 'Not reported in this time range.'
                }
              />
            )}
            <GpuActivity source={source} host={host} gpu={id} />
            <CurveCard source={source} chart="gpu_memory" title="Memory" name={used} />
            {measured('gpu_power') && (
              <CurveCard
                source={source}
                chart="gpu_power"
                title="Power"
                note="against its limit"
                name={watts}
              />
            )}
            {measured('gpu_temperature') && (
              <CurveCard source={source} chart="gpu_temperature" title="Temperature" note="by sensor" />
            )}
            {measured('gpu_clocks') && (
              <CurveCard source={source} chart="gpu_clocks" title="Clocks" note="by domain" />
            )}
            {measured('gpu_pcie') && (
              <CurveCard source={source} chart="gpu_pcie" title="PCIe" name={byLink} />
            )}
            {/* The only GPU of a host has no other that a link could lead to. */}
            {(siblings.length > 1 && measured('gpu_interconnect')) || told('gpu_interconnect') ? (
              <CurveCard
                source={source}
                chart="gpu_interconnect"
                title="Interconnect"
                name={byLink}
                empty="No link to other GPUs is reported."
              />
            ) : null}
            <CurveCard
              source={source}
              chart="gpu_errors"
              title="Errors"
              kind="bars"
              name={byError}
              empty="No error in this time range."
            />
            <CurveCard
              source={source}
              chart="gpu_process_memory"
              title="Memory by process"
              kind="area"
              name={byProcess}
              empty="No process was on it."
            />
            <HostCallsCard host={data.host.name} environment={of} />
          </div>
          {data.gpu.vendor === 'nvidia' && (
            <Suspense fallback={null}>
              <GpuCuda host={data.host.name} gpu={id} window={window} environment={of} />
            </Suspense>
          )}
          <section className="rounded-md border border-line bg-surface">
            <h2 className="px-2 pt-2 font-medium">Processes</h2>
            <GpuProcesses
              rows={data.processes}
              window={window}
              freshSeconds={data.freshSeconds}
              isCut={data.children.length > 0}
            />
          </section>
        </div>
      </div>
    </div>
  );
}

/** On its own page a GPU that is gone also says for how long. */
const sinceWhen = (list: readonly Attention[], lastSeen: string | null, toMs: number): Attention[] =>
  list.map((one) =>
    one.what === 'silent' ? { ...one, text: `Not reported for ${agoOf(lastSeen, toMs)}` } : one,
  );

/** The newest figures in a row. */
function Figures({ data }: { data: GpuDetail }) {
  // Of a silent GPU what it showed last.
  const gpu = { ...data.gpu, ...data.gpu.last };
  const memory = shareOf(gpu.memoryUsedBytes, gpu.memoryLimitBytes);
  const errors = gpu.errors.reduce((sum, { count }) => sum + count, 0);
  const whole = data.parent === null;
  return (
    <div
      className={cx(
        'grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))]',
        data.gpu.last !== null && 'text-muted',
      )}
      data-testid="gpu-figures"
    >
      {(whole || gpu.utilization !== null) && (
        <Stat label="Utilisation" value={gpu.utilization} unit="1">
          <span className="text-xs text-muted">
            {data.utilizationByTask
              .filter(({ task, utilization }) => task !== 'general' && utilization > 0)
              .map(({ task, utilization }) => `${task} ${formatValue(utilization, '1')}`)
              .join(', ')}
          </span>
        </Stat>
      )}
      <Stat label="Memory" value={gpu.memoryUsedBytes} unit="By">
        <MeterBar
          label="Memory"
          value={memory}
          warnAt={THRESHOLDS.memory.warn}
          dangerAt={THRESHOLDS.memory.danger}
          text={`of ${formatValue(gpu.memoryLimitBytes, 'By')}`}
        />
      </Stat>
      {whole && <WholeFigures data={data} />}
      {data.clocks.map(({ domain, hertz }) => (
        <Stat key={domain} label={`Clock, ${partLabel(domain)}`} value={hertz} unit="Hz" />
      ))}
      <Stat label="Errors" value={errors}>
        <span className="text-xs text-muted">
          {gpu.errors.map(({ type, count }) => `${count} ${errorName(type)}`).join(', ')}
        </span>
      </Stat>
    </div>
  );
}

/** Figures that are measured of a whole GPU only, never of a partition. */
function WholeFigures({ data }: { data: GpuDetail }) {
  const gpu = { ...data.gpu, ...data.gpu.last };
  return (
    <>
      <Stat label="Memory controller" value={data.memoryControllerUtilization} unit="1" />
      <Stat label="Power" value={gpu.powerWatts} unit="W">
        <MeterBar
          label="Power"
          value={shareOf(gpu.powerWatts, gpu.powerLimitWatts)}
          text={`of ${formatValue(gpu.powerLimitWatts, 'W')}`}
        />
      </Stat>
      <Stat label="Energy used" value={data.energyJoules} unit="J" />
      <Stat label="Temperature" value={gpu.temperatureCelsius} unit="Cel">
        <span className="text-xs text-muted">
          {gpu.memoryTemperatureCelsius === null
            ? ''
            : `memory ${formatValue(gpu.memoryTemperatureCelsius, 'Cel')}`}
        </span>
      </Stat>
      {/* Those of machines with many GPUs have none. */}
      {data.fanSpeedRatio === null ? null : <Stat label="Fan" value={data.fanSpeedRatio} unit="1" />}
      {data.fanSpeedRatio !== null || data.fanSpeedRpm === null ? null : (
        <Stat label="Fan" value={data.fanSpeedRpm} unit="rpm" />
      )}
    </>
  );
}

/** The GPU a partition is part of, or the partitions of a GPU. */
function Family(props: { data: GpuDetail; host: string; search: { in?: string } }) {
  const { parent, children, gpu } = props.data;
  const siblings: readonly Gpu[] = children.length > 0 ? children : [];
  const names = gpuNames(siblings);
  return (
    <section className="rounded-md border border-line bg-surface p-2">
      <h2 className="font-medium">{parent === null ? 'Partitions' : 'Partition of'}</h2>
      <ul className="mt-1 flex flex-wrap gap-2">
        {[...(parent === null ? [] : [parent]), ...siblings].map((one) => (
          <li key={one.id}>
            <Link
              to="/hosts/$host/gpus/$gpu"
              params={{ host: entityKey(props.host), gpu: entityKey(one.id) }}
              search={props.search}
              className="flex w-64 flex-col gap-1 rounded-md border border-line px-2 py-1 text-sm hover:bg-hover"
            >
              <span className="flex gap-2">
                <span className="font-medium">
                  {one.id === parent?.id ? one.name : (names.get(one.id) ?? one.id)}
                </span>
                <span className="ml-auto truncate text-muted">{onIt(one, one.id === parent?.id)}</span>
              </span>
              <MemoryOf gpu={one} />
            </Link>
          </li>
        ))}
      </ul>
      {parent !== null && gpu.utilization === null && (
        <p className="mt-1 text-xs text-muted">
          Utilisation, power, clocks, temperature and links are measured of the whole GPU only.
        </p>
      )}
    </section>
  );
}

/** Who is on a GPU. Of one that is silent nobody knows whether anybody is, and of a partitioned one its partitions tell. */
function onIt(gpu: Gpu, isParent: boolean): ReactNode {
  if (gpu.topProcess !== null) return gpu.topProcess.pod ?? gpu.topProcess.name;
  if (gpu.last !== null) return <AsOf iso={gpu.last.asOf} />;
  return gpu.stale || isParent ? '' : 'No process';
}

/** How full it is; what it showed last where it is silent, and that where nothing is known of it. */
function MemoryOf({ gpu }: { gpu: Gpu }) {
  const { memoryUsedBytes, memoryLimitBytes } = gpu.last ?? gpu;
  if (gpu.stale && memoryUsedBytes === null) return <span className="text-muted">not reported</span>;
  return (
    <MeterBar
      label="Memory"
      value={shareOf(memoryUsedBytes, memoryLimitBytes)}
      text={`${formatValue(memoryUsedBytes, 'By')} of ${formatValue(memoryLimitBytes, 'By')}`}
      warnAt={THRESHOLDS.memory.warn}
      dangerAt={THRESHOLDS.memory.danger}
    />
  );
}

/** Model calls of the host on the same time axis. */
function HostCallsCard({ host, environment }: { host: string; environment: string | undefined }) {
  const { window, range, setRange } = useShell();
  const scope = useMemo(() => ({ window, environment }), [window, environment]);
  const calls = useQuery({ ...hostCallsQuery(scope, host), placeholderData: keepPreviousData });
  const { data } = calls;
  const series = useMemo(
    () =>
      data === undefined
        ? []
        : [
            seriesOf('calls', 'calls', data.times, data.callsPerSecond),
            { ...seriesOf('failed', 'failed', data.times, data.errorsPerSecond), tone: 'danger' as const },
          ],
    [data],
  );
  return (
    <ChartCard
      title="Model calls of this host"
      state={calls}
      isEmpty={data?.total.calls === 0}
      empty="No model call came from this host."
      height={120}
      query={{
        path: hostCallsPath(host, range),
        environment,
        rows: { to: '/traces', search: { view: 'spans', q: valueTerm('resource.host.name', host) } },
      }}
    >
      <TimeChart
        label="Model calls a second"
        kind="line"
        unit="{call}/s"
        missing="zero"
        series={series}
        window={window}
        stepSeconds={data?.bucketSeconds ?? 60}
        height={120}
        gutter={GUTTER}
        onZoom={(chosen) =>
          setRange({ from: new Date(chosen.fromMs).toISOString(), to: new Date(chosen.toMs).toISOString() })
        }
      />
    </ChartCard>
  );
}
