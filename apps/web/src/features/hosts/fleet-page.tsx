import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ArrowDownWideNarrow, Group } from 'lucide-react';
import { type ComponentProps, useDeferredValue, useEffect, useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import { anyHostQuery, fleetQuery } from '../../api/hosts.ts';
import { Stat } from '../../charts/visualise/stat.tsx';
import { cx } from '../../lib/cx.ts';
import { usePersistedSearch } from '../../lib/persisted-search.ts';
import { isRelative } from '../../lib/time-range.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { Button } from '../../ui/button.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { Segments } from '../../ui/segments.tsx';
import { Failure, Notice, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { ChartListButton } from '../boards/chart-list-button.tsx';
import { OpenQueryButton } from '../explore/open-query-button.tsx';
import { useHasData } from '../explore/use-has-data.ts';
import { refreshNow, useShell } from '../shell/shell-search.ts';
import { FleetGrid } from './fleet-grid.tsx';
import { FirstHost } from './first-host.tsx';
import { FLEET_GROUPS, FLEET_SHOWS, FLEET_SORTS } from './fleet-choices.ts';
import { fleetRows, type FleetTotals, totalsOf } from './fleet.ts';
import { type FleetSearch, persistedFleet } from './hosts-search.ts';

const route = getRouteApi('/hosts/');
/** Agents report once a minute or so. */
const REFRESH_MS = 30_000;

/** How a chart of hosts begins. */
const HOSTS_CHART = {
  kind: 'metric',
  body: { metric: 'system.cpu.utilization', groupBy: ['resource.host.name'], limit: 10 },
} as const satisfies ComponentProps<typeof ChartListButton>['start'];

const SORTS: Readonly<Record<string, string>> = {
  name: 'Name',
  utilization: 'Utilisation',
  memory: 'Memory',
  temperature: 'Temperature',
  errors: 'Errors',
  cpu: 'CPU',
  uptime: 'Started last',
};
const GROUPS: Readonly<Record<string, string>> = {
  none: 'No groups',
  zone: 'Cloud zone',
  model: 'GPU model',
  type: 'Instance type',
  cluster: 'Cluster',
  environment: 'Environment',
};
const SHOWS: Readonly<Record<string, string>> = {
  all: 'All',
  gpus: 'With GPUs',
  attention: 'Needs attention',
  idle: 'Idle GPUs',
};
const choices = (values: readonly string[], labels: Readonly<Record<string, string>>) =>
  values.map((value) => ({ value, label: labels[value] ?? value }));

/** The fleet: every host with a tile for each GPU. */
export function FleetPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { window, environment, range, choice } = useShell();
  const scope = useMemo(() => ({ window, environment }), [window, environment]);
  usePersistedSearch(persistedFleet, search);
  const query = useQuery({ ...fleetQuery(scope), placeholderData: keepPreviousData });
  const fleet = useStaleData(query, choice);
  const empty = fleet.data !== undefined && !fleet.isOld && fleet.data.hosts.length === 0;
  const ever = useHasData({ ...anyHostQuery(environment), enabled: empty });
  const moving = isRelative(range);
  useEffect(() => {
    if (!moving) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && refreshNow(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [moving]);
  const change = (next: { [Key in keyof FleetSearch]?: string | undefined }, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace });

  const q = useDeferredValue(search.q ?? '');
  const { sort = 'name', group = 'none', show = 'all' } = search;
  const hosts = fleet.data?.hosts;
  const rows = useMemo(() => fleetRows(hosts ?? [], { q, sort, group, show }), [hosts, q, sort, group, show]);
  const totals = useMemo(() => totalsOf(hosts ?? []), [hosts]);
  const twice = useMemo(() => namesOfSeveral(hosts ?? []), [hosts]);
  const environments = useMemo(() => new Set((hosts ?? []).map((host) => host.environment)), [hosts]);

  if (fleet.error !== null) return <Failure error={fleet.error} onRetry={fleet.refetch} />;
  if (empty && ever.data === false) return <FirstHost environment={environment} />;
  return (
    <div className={PAGE_COLUMN}>
      <title>Hosts & GPUs · Candela</title>
      <h1 className="sr-only">Hosts & GPUs</h1>
      <div className="flex shrink-0 flex-col gap-2 border-b border-line px-3 py-2">
        <div className="flex flex-wrap items-center gap-2">
          <FilterBox
            label="Filter hosts and GPUs"
            placeholder="Name, type, zone, GPU, process, pod, xid …"
            value={search.q ?? ''}
            onChange={(text) => change({ q: text || undefined, row: undefined }, true)}
          />
          <Segments
            label="Show"
            value={show}
            choices={FLEET_SHOWS}
            nameOf={(value) => SHOWS[value] ?? value}
            onChoose={(value) => change({ show: value === 'all' ? undefined : value, row: undefined })}
          />
          <ChoiceMenu
            label="Sort by"
            value={sort}
            choices={choices(FLEET_SORTS, SORTS)}
            onChoose={(value) => change({ sort: value === 'name' ? undefined : value })}
            trigger={
              <Button className="h-8" aria-label={`Sort by ${SORTS[sort]}`}>
                <ArrowDownWideNarrow size={14} aria-hidden className="text-muted" />
                {SORTS[sort]}
              </Button>
            }
          />
          <ChoiceMenu
            label="Group by"
            value={group}
            choices={choices(FLEET_GROUPS, GROUPS)}
            onChoose={(value) => change({ group: value === 'none' ? undefined : value })}
            trigger={
              <Button className="h-8" aria-label={`Group by ${GROUPS[group]}`}>
                <Group size={14} aria-hidden className="text-muted" />
                {GROUPS[group]}
              </Button>
            }
          />
          <ChartListButton title="hosts" start={HOSTS_CHART} scope={{ ...scope, q: '' }} />
          <OpenQueryButton
            title="Fleet"
            query={{
              path: addressOf('listHosts', { query: { from: range.from, to: range.to } }),
              environment,
            }}
          />
        </div>
        <Totals
          totals={totals}
          pending={fleet.isPending}
          isOld={fleet.isOld}
          onShow={(value) => change({ show: value, row: undefined })}
        />
      </div>
      <NotRefreshed error={fleet.missed} onRetry={fleet.refetch} />
      <div className={cx(PAGE_ROWS, fleet.isOld && 'opacity-60')} aria-busy={fleet.isOld}>
        {fleet.isPending || (fleet.isOld && fleet.data?.hosts.length === 0) || (empty && ever.isPending) ? (
          <SkeletonRows label="Loading the hosts" />
        ) : empty ? (
          <Notice title="No host reported in this time range">
            <p>Hosts reported at other times. Choose a longer time range.</p>
          </Notice>
        ) : rows.length === 0 ? (
          <Notice title="Nothing matches">
            <p>No host or GPU fits the filter.</p>
            <Button onClick={() => change({ q: undefined, show: undefined })}>Show all hosts</Button>
          </Notice>
        ) : (
          <FleetGrid
            rows={rows}
            toMs={window.toMs}
            showEnvironment={environments.size > 1}
            searchOf={(of, name) => (environment === undefined && twice.has(name) ? { in: of } : {})}
            active={search.row}
            onActive={(row) => change({ row }, true)}
          />
        )}
      </div>
      {fleet.data?.truncated && (
        <p className="shrink-0 border-t border-line px-3 py-1 text-sm text-muted">
          There are more hosts than one picture holds. Choose an environment to see them all.
        </p>
      )}
    </div>
  );
}

/** Names that more than one environment has. */
function namesOfSeveral(hosts: readonly { readonly name: string }[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(hosts.filter(({ name }) => seen.has(name) || !seen.add(name)).map(({ name }) => name));
}

function Totals(props: {
  totals: FleetTotals;
  pending: boolean;
  isOld: boolean;
  onShow: (show: 'attention' | 'idle') => void;
}) {
  const { totals } = props;
  if (props.pending) return <div className="skeleton h-12 w-full" />;
  return (
    <div
      className={cx('flex flex-wrap gap-x-4', props.isOld && 'opacity-60')}
      aria-busy={props.isOld}
      data-testid="fleet-totals"
    >
      <Stat label="Hosts" value={totals.hosts}>
        {totals.silent > 0 && <span className="text-xs text-danger">{totals.silent} not reporting</span>}
      </Stat>
      <Stat label="GPUs" value={totals.gpus} />
      <Stat label="GPU utilisation" value={totals.utilization} unit="1" />
      <Stat label="GPU memory in use" value={totals.memoryUsed} unit="By">
        <span className="text-xs text-muted">
          {totals.memoryLimit !== null && totals.memoryUsed !== null && totals.memoryLimit > 0
            ? `${Math.round((totals.memoryUsed / totals.memoryLimit) * 100)}% of all`
            : ''}
        </span>
      </Stat>
      <Stat label="GPU power" value={totals.watts} unit="W" />
      <Stat
        label="Idle GPUs"
        value={totals.idle}
        {...(totals.idle > 0 ? { onChoose: () => props.onShow('idle') } : {})}
      />
      <Stat
        label="Need attention"
        value={totals.attention}
        {...(totals.attention > 0 ? { onChoose: () => props.onShow('attention') } : {})}
      />
    </div>
  );
}
