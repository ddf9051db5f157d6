import { printFilter } from '@candela/contract/filter';
import { entityKey, parseEntityKey } from '@candela/kernel';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { userQuery } from '../../api/activity.ts';
import type { Scope } from '../../api/telemetry.ts';
import { Stat } from '../../charts/visualise/stat.tsx';
import { cx } from '../../lib/cx.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { shortModels } from '../../lib/models.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { BackLink, PageHead } from '../../ui/page-head.tsx';
import { Notice, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { TimeCell } from '../explore/cells.tsx';
import type { ExploreChange } from '../explore/explorer.ts';
import { persistedUsers } from '../sessions/activity-search.ts';
import { SessionRows } from '../sessions/session-rows.tsx';
import { EntityLinks, EntityTrouble } from '../explore/entity.tsx';
import { useShell } from '../shell/shell-search.ts';
import { UsageCharts } from './user-charts.tsx';

const route = getRouteApi('/users/$user');

/** One user: figures, use over time, sessions. */
export function UserPage() {
  const { user: key } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { window, environment, choice, setRange } = useShell();
  const userId = parseEntityKey(key) ?? key;
  useHotkey('Escape', () => void navigate({ to: '/users', search: persistedUsers.last() }), {
    label: 'Back to the users',
    group: 'User',
  });
  const q = printFilter({ field: 'user', op: '=', value: userId });
  const own: Scope = useMemo(() => ({ window, q, environment }), [window, q, environment]);
  const all: Scope = useMemo(() => ({ window, q: '', environment }), [window, environment]);
  const query = useQuery({ ...userQuery(key, own), placeholderData: keepPreviousData });
  const standing = useStaleData(query, choice);
  const { data: user, isOld } = standing;
  const change = (next: ExploreChange, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace });
  const head = (
    <>
      <title>{`User ${userId.slice(0, 60)} · Candela`}</title>
      <PageHead
        back={<BackLink to="/users" search={persistedUsers.last()} label="Back to the users" />}
        kind="User"
        name={userId}
        copy="user id"
        aside={<EntityLinks q={q} />}
      />
    </>
  );
  if (standing.isPending) return <SkeletonRows label="Loading the user" />;
  if (user === undefined)
    return (
      <div className="flex h-full flex-col">
        {head}
        <EntityTrouble noun="user" error={standing.error} onRetry={standing.refetch} />
      </div>
    );
  const tokens =
    user.inputTokens === null && user.outputTokens === null
      ? null
      : (user.inputTokens ?? 0) + (user.outputTokens ?? 0);
  return (
    // Where the window is low or narrow the whole page scrolls, so that the sessions can be reached.
    <div className="flex h-full flex-col overflow-auto" data-testid="user">
      {head}
      <NotRefreshed error={standing.missed} onRetry={standing.refetch} />
      <div className="flex shrink-0 flex-col gap-2 border-b border-line px-3 py-2">
        <div className={cx('-mx-2 flex flex-wrap gap-x-8 gap-y-2', isOld && 'opacity-60')} aria-busy={isOld}>
          <Stat label="Sessions" value={user.sessions} />
          <Stat label="Traces" value={user.traces} />
          <Stat label="Model calls" value={user.modelCalls} />
          <Stat label="Failed spans" value={user.errors} />
          <Stat label="Tokens" value={tokens} />
          <Stat label="Cost" value={user.costUsd} unit="USD" />
        </div>
        <Facts className="mb-1">
          <Fact label="First seen">
            <TimeCell iso={user.firstSeen} />
          </Fact>
          <Fact label="Last active">
            <TimeCell iso={user.lastSeen} />
          </Fact>
          {user.agents.length > 0 && (
            <Fact label="Agents" title={user.agents.join(', ')}>
              {user.agents.map((agent) => (
                <Link
                  key={agent}
                  to="/agents/$agent"
                  params={{ agent: entityKey(agent) }}
                  className="mr-2 text-accent hover:underline"
                >
                  {agent}
                </Link>
              ))}
            </Fact>
          )}
          {user.models.length > 0 && (
            <Fact label="Models" title={user.models.join(', ')}>
              {shortModels(user.models).join(', ')}
            </Fact>
          )}
          {user.services.length > 0 && (
            <Fact label="Services" title={user.services.join(', ')}>
              {user.services.join(', ')}
            </Fact>
          )}
        </Facts>
        <UsageCharts
          scope={own}
          onZoom={(chosen) =>
            setRange({ from: new Date(chosen.fromMs).toISOString(), to: new Date(chosen.toMs).toISOString() })
          }
        />
      </div>
      <div className="h-80 shrink-0 grow">
        <SessionRows
          scope={all}
          search={search}
          user={userId}
          onChange={change}
          onRow={(row) => change({ row: row === '' ? undefined : row }, true)}
          nothing={
            <Notice title="No sessions">
              <p>The spans of this user in the time range name no session.</p>
            </Notice>
          }
        />
      </div>
    </div>
  );
}
