import type { GpuChart } from '@candela/contract';
import { entityKey, parseEntityKey } from '@candela/kernel';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { ApiError } from '../../api/client.ts';
import { gpuCurvesPath, gpuCurvesQuery, gpuQuery } from '../../api/hosts.ts';
import { cx } from '../../lib/cx.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { Button } from '../../ui/button.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { Failure, Notice, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';
import { AsOf } from './as-of.tsx';
import { type Attention, attentionOfGpu, errorName } from './attention.ts';
import { CurveCard, type CurveSource } from './curve-card.tsx';
import { type Name, partLabel, prepareCurves } from './curves.ts';
import { GpuActivity } from './gpu-activity.tsx';
import { GpuFamily } from './gpu-family.tsx';
import { GpuFigures } from './gpu-figures.tsx';
import { gpuNames } from './fleet.ts';
import { HostCallsCard } from './host-calls-card.tsx';
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
          <GpuFigures data={data} />
          {(data.parent !== null || data.children.length > 0) && (
            <GpuFamily data={data} host={data.host.name} search={inSearch} />
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
