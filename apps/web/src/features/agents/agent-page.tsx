import { printFilter } from '@candela/contract/filter';
import { parseEntityKey } from '@candela/kernel';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { agentQuery, type Place } from '../../api/agents.ts';
import { ApiError } from '../../api/client.ts';
import { Stat } from '../../charts/visualise/stat.tsx';
import { cx } from '../../lib/cx.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';
import { AgentOverview } from './agent-overview.tsx';
import { type AgentSearch, VIEWS } from './agent-search.ts';
import { errorRate, mainFigures } from './figures.ts';

const route = getRouteApi('/agents/$agent');
const AgentVersions = lazy(() => import('./agent-versions.tsx'));
const AgentGraph = lazy(() => import('./agent-graph.tsx'));
const LABELS = { overview: 'Overview', versions: 'Versions', graph: 'Graph' } as const;

/** One agent: figures, versions, who calls whom. */
export function AgentPage() {
  const { agent: key } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { window, environment, range, setRange } = useShell();
  const name = parseEntityKey(key) ?? key;
  const place: Place = useMemo(() => ({ window, environment }), [window, environment]);
  const query = useQuery(agentQuery(place, key));
  const view = search.view ?? 'overview';
  const count = query.data?.versions;
  const change = (next: Partial<Record<keyof AgentSearch, string | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  const q = printFilter({ field: 'agent', op: '=', value: name });
  const head = (
    <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line px-3">
      <title>{`Agent ${name.slice(0, 60)} · Candela`}</title>
      <Link to="/agents" aria-label="Back to the agents" className="rounded p-1 text-muted hover:text-text">
        <ArrowLeft size={15} aria-hidden />
      </Link>
      <h1 className="flex min-w-0 items-baseline gap-2 text-lg font-semibold">
        Agent
        <span className="truncate font-normal" title={name}>
          {name}
        </span>
      </h1>
      <CopyButton label="Copy the agent's name" text={() => name} />
      <div role="tablist" aria-label="Views of the agent" className="ml-2 flex">
        {VIEWS.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={one === view}
            aria-controls="agent-view"
            onClick={() => change({ view: one === 'overview' ? undefined : one })}
            className={cx(
              'h-11 border-b-2 px-3',
              one === view ? 'border-accent-fill' : 'border-transparent text-muted hover:text-text',
            )}
          >
            {LABELS[one]}
            {one === 'versions' && count !== undefined && <span className="text-muted"> {count}</span>}
          </button>
        ))}
      </div>
      <span className="ml-auto flex gap-3">
        <Link to="/traces" search={{ q }} className="text-accent hover:underline">
          Traces
        </Link>
        <Link
          to="/traces"
          search={{ q: `${q} status:error`, view: 'spans' }}
          className="text-accent hover:underline"
        >
          Failed spans
        </Link>
      </span>
    </header>
  );
  if (query.isPending) return <SkeletonRows label="Loading the agent" />;
  if (query.isError)
    return (
      <div className="flex h-full flex-col">
        {head}
        {query.error instanceof ApiError && query.error.status === 404 ? (
          <Notice title="Nothing of this agent in the time range">
            {range.from !== '-30d' && (
              <Button onClick={() => setRange({ from: '-30d', to: 'now' })}>Look at the last 30 days</Button>
            )}
          </Notice>
        ) : (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        )}
      </div>
    );
  const { data: agent } = query;
  const main = mainFigures(agent);
  const { inputTokens, outputTokens } = agent.calls;
  return (
    <div className="flex h-full flex-col">
      {head}
      <div className="flex shrink-0 flex-wrap gap-x-8 gap-y-2 border-b border-line px-4 py-2">
        <Stat label="Runs" value={agent.runs.count === 0 ? null : agent.runs.count} />
        <Stat label="Model calls" value={agent.calls.count} />
        <Stat label="Tool calls" value={agent.tools.count} />
        <Stat label="Error rate" value={errorRate(main)} unit="1" />
        <Stat label="p50" value={main.p50Ms} unit="ms" />
        <Stat label="p95" value={main.p95Ms} unit="ms" />
        <Stat label="Tokens" value={inputTokens === null ? null : inputTokens + (outputTokens ?? 0)} />
        <Stat label="Cost" value={agent.calls.costUsd} unit="USD" />
      </div>
      <div
        id="agent-view"
        role="tabpanel"
        aria-labelledby={`tab-${view}`}
        tabIndex={0}
        className="min-h-0 grow overflow-auto -outline-offset-2"
      >
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
      </div>
    </div>
  );
}
