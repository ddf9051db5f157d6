import type { Alert } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { createLink, getRouteApi, Link } from '@tanstack/react-router';
import { BellRing, Plus } from 'lucide-react';
import { alertsQuery } from '../../api/alerts.ts';
import { Badge } from '../../ui/badge.tsx';
import { PAGE_COLUMN } from '../../ui/page-column.ts';
import { Failure, NotRefreshed, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import type { AlertTab } from './alerts-search.ts';
import { Destinations } from './destinations.tsx';
import { kindLabel } from './draft.ts';
import { AlertEvents, Deliveries } from './events.tsx';
import { Silences } from './silences.tsx';
import { StateBadge } from './state-badge.tsx';

const route = getRouteApi('/alerts/');
const TABS: readonly { value: AlertTab; label: string }[] = [
  { value: 'alerts', label: 'Alerts' },
  { value: 'history', label: 'History' },
  { value: 'silences', label: 'Silences' },
  { value: 'destinations', label: 'Destinations' },
  { value: 'messages', label: 'Messages' },
];
const NewLink = createLink(({ ...rest }: React.ComponentProps<'a'>) => (
  <a
    {...rest}
    className="inline-flex h-7 items-center gap-1.5 rounded-md bg-accent-fill px-2.5 text-on-accent hover:opacity-90"
  >
    <Plus size={14} aria-hidden />
    New alert
  </a>
));

/** What is watched, what happened, who is told. */
export function AlertsPage() {
  const { tab = 'alerts' } = route.useSearch();
  const navigate = route.useNavigate();
  const { can } = useWhoAsks();
  return (
    <div className={PAGE_COLUMN}>
      <title>Alerts · Candela</title>
      <h1 className="sr-only">Alerts</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 pt-1">
        <div className="min-w-0">
          <TabList
            id="alerts"
            label="Alerts"
            tabs={TABS}
            value={tab}
            onChoose={(next) =>
              void navigate({ search: next === 'alerts' ? {} : { tab: next }, replace: true })
            }
          />
        </div>
        {can('member') && (
          <span className="ml-auto pb-1">
            <NewLink to="/alerts/$alert" params={{ alert: 'new' }} />
          </span>
        )}
      </div>
      <TabPanel id="alerts" value={tab} className="min-h-0 grow overflow-auto p-3 -outline-offset-2">
        {tab === 'alerts' && <AlertList mayMake={can('member')} />}
        {tab === 'history' && <AlertEvents />}
        {tab === 'silences' && <Silences mayChange={can('member')} />}
        {tab === 'destinations' && <Destinations mayChange={can('admin')} />}
        {tab === 'messages' && <Deliveries />}
      </TabPanel>
    </div>
  );
}

const ORDER = { error: 0, firing: 1, no_data: 2, pending: 3, ok: 4 } as const;

function AlertList({ mayMake }: { mayMake: boolean }) {
  const query = useQuery(alertsQuery());
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonRows rows={5} label="Loading the alerts" />;
  if (query.data.length === 0) {
    return (
      <Notice icon={<BellRing className="text-muted" aria-hidden />} title="Hear of it when it breaks">
        <p>
          An alert watches what a chart shows: errors, cost, latency, tokens, a budget, new exceptions. Open
          the query of any chart and choose “Alert on this”, or begin here.
        </p>
        {mayMake && <NewLink to="/alerts/$alert" params={{ alert: 'new' }} />}
      </Notice>
    );
  }
  const rows = query.data.toSorted(
    (a, b) => ORDER[a.status] - ORDER[b.status] || a.name.localeCompare(b.name),
  );
  return (
    <>
      <NotRefreshed error={query.error} onRetry={() => void query.refetch()} />
      <Table
        label="Alerts"
        walked
        rows={rows}
        keyOf={({ id }) => id}
        empty=""
        isPast={({ enabled }) => !enabled}
        columns={[
          { label: 'State', cell: (alert: Alert) => <AlertState alert={alert} /> },
          {
            label: 'Name',
            leads: true,
            cell: ({ id, name }) => (
              <Link
                to="/alerts/$alert"
                params={{ alert: id }}
                className="flex min-h-6 max-w-96 items-center font-medium hover:underline"
              >
                <span className="truncate" title={name}>
                  {name}
                </span>
              </Link>
            ),
          },
          { label: 'Watches', cell: ({ source }) => kindLabel(source.kind) },
          { label: 'Severity', cell: ({ severity }) => severity },
          { label: 'Environment', cell: ({ environment }) => environment ?? 'all' },
          { label: 'Groups firing', align: 'end', cell: ({ firing }) => firing },
          { label: 'Tells', align: 'end', cell: ({ destinations }) => destinations.length },
          {
            label: 'Evaluated',
            cell: ({ lastEvaluatedAt }) => <When time={lastEvaluatedAt} none="not yet" />,
          },
        ]}
      />
    </>
  );
}

function AlertState({ alert }: { alert: Alert }) {
  if (!alert.enabled) return <Badge>off</Badge>;
  return (
    <span className="flex items-center gap-1">
      <StateBadge status={alert.status} />
      {alert.silenced && <Badge>silenced</Badge>}
    </span>
  );
}
