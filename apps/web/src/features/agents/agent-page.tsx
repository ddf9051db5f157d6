import { printFilter } from '@candela/contract/filter';
import { parseEntityKey } from '@candela/kernel';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { agentQuery, type Place } from '../../api/agents.ts';
import { Stat } from '../../charts/visualise/stat.tsx';
import { cx } from '../../lib/cx.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { BackLink, PageHead } from '../../ui/page-head.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { TimeCell } from '../explore/cells.tsx';
import { EntityLinks, EntityTrouble } from '../explore/entity.tsx';
import { useShell } from '../shell/shell-search.ts';
import { type Agent, AgentOverview } from './agent-overview.tsx';
import { type AgentSearch, VIEWS } from './agent-search.ts';
import { persistedAgents } from './agents-search.ts';
import { frameworksOf } from './frameworks.ts';
import { errorRate, mainFigures, namedCount } from './figures.ts';

const route = getRouteApi('/agents/$agent');
const AgentVersions = lazy(() => import('./agent-versions.tsx'));
const AgentGraph = lazy(() => import('./agent-graph.tsx'));
const LABELS = { overview: 'Overview', versions: 'Versions', graph: 'Graph' } as const;

/** One agent: figures, versions, who calls whom. */
export function AgentPage() {
  const { agent: key } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { window, environment, choice, setRange } = useShell();
  const name = parseEntityKey(key) ?? key;
  useHotkey('Escape', () => void navigate({ to: '/agents', search: persistedAgents.last() }), {
    label: 'Back to the agents',
    group: 'Agent',
  });
  const place: Place = useMemo(() => ({ window, environment }), [window, environment]);
  const query = useQuery({ ...agentQuery(place, key), placeholderData: keepPreviousData });
  const standing = useStaleData(query, choice);
  const { data: agent } = standing;
  const view = search.view ?? 'overview';
  const count = agent?.versions;
  const change = (next: Partial<Record<keyof AgentSearch, string | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  const q = printFilter({ field: 'agent', op: '=', value: name });
  const head = (
    <>
      <title>{`Agent ${name.slice(0, 60)} · Candela`}</title>
      <PageHead
        back={<BackLink to="/agents" search={persistedAgents.last()} label="Back to the agents" />}
        kind="Agent"
        name={name}
        copy="agent's name"
        aside={<EntityLinks q={q} />}
      >
        <div className="ml-2 self-end">
          <TabList
            id="agent"
            label="Views of the agent"
            tabClassName="h-11 px-3"
            tabs={VIEWS.map((one) => ({
              value: one,
              label:
                one === 'versions' && count !== undefined ? (
                  <>
                    {LABELS[one]} <span className="text-muted">{count}</span>
                  </>
                ) : (
                  LABELS[one]
                ),
            }))}
            value={view}
            onChoose={(one) => change({ view: one === 'overview' ? undefined : one })}
          />
        </div>
      </PageHead>
    </>
  );
  if (standing.isPending) return <SkeletonRows label="Loading the agent" />;
  if (agent === undefined)
    return (
      <div className="flex h-full flex-col">
        {head}
        <EntityTrouble noun="agent" error={standing.error} onRetry={standing.refetch} />
      </div>
    );
  const main = mainFigures(agent);
  const { inputTokens, outputTokens } = agent.calls;
  return (
    <div className={cx(PAGE_COLUMN, standing.isOld && 'opacity-60')} aria-busy={standing.isOld}>
      {head}
      <NotRefreshed error={standing.missed} onRetry={standing.refetch} />
      <div className="flex shrink-0 flex-col gap-2 border-b border-line px-3 py-2">
        <div className="-mx-2 flex flex-wrap gap-x-8 gap-y-2">
          <Stat label="Runs" value={namedCount(agent.runs)} />
          <Stat label="Model calls" value={namedCount(agent.calls)} />
          <Stat label="Tool calls" value={namedCount(agent.tools)} />
          <Stat label="Error rate" value={errorRate(main)} unit="1" />
          <Stat label="p50" value={main.p50Ms} unit="ms" />
          <Stat label="p95" value={main.p95Ms} unit="ms" />
          <Stat label="Tokens" value={inputTokens === null ? null : inputTokens + (outputTokens ?? 0)} />
          <Stat label="Cost" value={agent.calls.costUsd} unit="USD" />
        </div>
        <AgentFacts agent={agent} />
      </div>
      <TabPanel id="agent" value={view} className={cx('overflow-auto -outline-offset-2', PAGE_ROWS)}>
        <Suspense fallback={<SkeletonRows label="Loading the view" />}>
          {view === 'overview' && (
            <AgentOverview
              agent={agent}
              place={place}
              q={q}
              onZoom={(chosen) =>
                setRange({
                  from: new Date(chosen.fromMs).toISOString(),
                  to: new Date(chosen.toMs).toISOString(),
                })
              }
            />
          )}
          {view === 'versions' && (
            <AgentVersions agent={agent} place={place} search={search} onChange={change} />
          )}
          {view === 'graph' && (
            <AgentGraph
              name={name}
              agentKey={key}
              place={place}
              pick={search.pick}
              onPick={(pick) => change({ pick })}
            />
          )}
        </Suspense>
      </TabPanel>
    </div>
  );
}

function AgentFacts({ agent }: { agent: Agent }) {
  const lists = [
    ['Framework', agent.frameworks],
    ['Providers', agent.providers],
    ['Services', agent.services],
  ] as const;
  return (
    <Facts className="mb-1">
      {lists.map(([label, names]) =>
        names.length === 0 ? null : (
          <Fact key={label} label={label} title={names.join(', ')}>
            {label === 'Framework' ? frameworksOf(names) : names.join(', ')}
          </Fact>
        ),
      )}
      <Fact label="First seen">
        <TimeCell iso={agent.firstSeen} />
      </Fact>
      <Fact label="Last seen">
        <TimeCell iso={agent.lastSeen} />
      </Fact>
    </Facts>
  );
}
