import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router';
import { type ComponentProps, useDeferredValue, useMemo } from 'react';
import { anyOf } from '../../api/activity.ts';
import { agentsPath, agentsQuery, type Place } from '../../api/agents.ts';
import { usePersistedSearch } from '../../lib/persisted-search.ts';
import { cx } from '../../lib/cx.ts';
import { useNarrow } from '../../lib/narrow.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { DataGrid } from '../../ui/data-grid.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { Failure, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { ChartListButton } from '../boards/chart-list-button.tsx';
import { FirstRecord } from '../explore/first-record.tsx';
import { OpenQueryButton } from '../explore/open-query-button.tsx';
import NoMatch from '../explore/no-match.tsx';
import { nextSort } from '../explore/sorting.ts';
import { attributeSnippets } from '../sessions/attribute-snippets.ts';
import { useHasData } from '../explore/use-has-data.ts';
import { useShell } from '../shell/shell-search.ts';
import { AGENT_COLUMNS, type AgentLine } from './agent-columns.tsx';
import { type AgentsSearch, DEFAULT_SORT, fillTrend, persistedAgents, sortAgents } from './agents-search.ts';

const route = getRouteApi('/agents/');
/** How a chart of agents begins: their spans, of those whose name has the text. */
const agentsChart = (text: string) =>
  ({
    kind: 'aggregate',
    body: {
      signal: 'spans',
      q: /^[\w.-]+$/.test(text) ? `agent:*${text}*` : 'agent:*',
      groupBy: ['agent'],
      measures: ['count'],
      bucketSeconds: 'auto',
      limit: 8,
      comparePrevious: false,
    },
  }) satisfies ComponentProps<typeof ChartListButton>['start'];

const keyOf = (line: AgentLine) => line.agent.key;

/** The agents that traces tell of: how busy, how quick, how often they fail, at what cost. */
export function AgentsPage() {
  const { environment } = useShell();
  const ever = useHasData(anyOf('agent', environment));
  if (ever.data === false)
    return (
      <FirstRecord
        page="Agents"
        title="Name the first agent"
        noun="agent"
        snippets={attributeSnippets(location.origin)}
        arrived={anyOf('agent', environment)}
      >
        Spans that carry an agent name are counted for that agent. Most frameworks set it; where yours does
        not, set gen_ai.agent.name.
      </FirstRecord>
    );
  if (ever.isLoadingError) return <Failure error={ever.error} onRetry={() => void ever.refetch()} />;
  return <Agents />;
}

function Agents() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  usePersistedSearch(persistedAgents, search);
  const router = useRouter();
  const { window, environment } = useShell();
  const text = search.search ?? '';
  const place: Place = useMemo(() => ({ window, environment }), [window, environment]);
  const change = (next: Partial<Record<keyof AgentsSearch, string | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });
  return (
    <div className={PAGE_COLUMN}>
      <title>Agents · Candela</title>
      <h1 className="sr-only">Agents</h1>
      <div className="flex shrink-0 items-center gap-2 border-b border-line px-3 py-2">
        <FilterBox
          label="Search agents"
          placeholder="Part of an agent's name"
          value={text}
          onChange={(next) => change({ search: next || undefined })}
        />
        <ChartListButton title="spans" start={agentsChart(text)} scope={{ ...place, q: '' }} />
        <OpenQueryButton title="Agents" query={{ path: agentsPath(place, text), environment }} />
      </div>
      <AgentsNews place={place} text={text} />
      <div className={PAGE_ROWS}>
        <AgentRows
          place={place}
          search={search}
          onChange={change}
          onRow={(row) => {
            change({ row: row === '' ? undefined : row });
            // Opening the row comes next: written now, the entry that Back returns to knows it.
            router.history.flush();
          }}
        />
      </div>
    </div>
  );
}

/** That nothing matches, for those who hear it. */
function AgentsNews(props: { place: Place; text: string }) {
  const { data } = useQuery({ ...agentsQuery(props.place, props.text), placeholderData: keepPreviousData });
  return (
    <p role="status" className="sr-only">
      {data?.agents.length === 0 ? 'Nothing matches' : ''}
    </p>
  );
}

function AgentRows(props: {
  place: Place;
  search: AgentsSearch;
  onChange: (next: Partial<Record<keyof AgentsSearch, string | undefined>>) => void;
  onRow: (key: string) => void;
}) {
  const { place, search } = props;
  const navigate = useNavigate();
  const records = useNarrow();
  const { choice } = useShell();
  const text = useDeferredValue(search.search ?? '');
  const query = useQuery({ ...agentsQuery(place, text), placeholderData: keepPreviousData });
  const list = useStaleData(query, `${choice} ${text}`);
  const { data } = list;
  const lines = useMemo(
    () =>
      sortAgents(data?.agents ?? [], search.sort).map((agent) => ({
        agent,
        counts: fillTrend(agent.trend, place.window, data?.bucketSeconds ?? 300),
      })),
    [data, search.sort, place.window],
  );
  if (list.isPending || (list.isOld && lines.length === 0)) return <SkeletonRows label="Loading agents" />;
  if (data === undefined) return <Failure error={list.error} onRetry={list.refetch} />;
  if (lines.length === 0)
    return (
      <NoMatch
        scope={{ ...place, q: text }}
        noun="agents"
        onClear={() => props.onChange({ search: undefined })}
      />
    );
  const { total } = data;
  return (
    <div className={cx('flex h-full flex-col', list.isOld && 'opacity-60')} aria-busy={list.isOld}>
      <NotRefreshed error={list.missed} onRetry={list.refetch} />
      <div className="min-h-0 grow">
        <DataGrid<AgentLine>
          label="Agents"
          key={records ? 'records' : 'line'}
          place={`agents ${choice} ${text} ${search.sort ?? ''}${records ? ' records' : ''}`}
          columns={AGENT_COLUMNS}
          records={records}
          rows={lines}
          keyOf={keyOf}
          active={search.row}
          onActive={props.onRow}
          onOpen={({ agent }) => void navigate({ to: '/agents/$agent', params: { agent: agent.key } })}
          sort={search.sort ?? DEFAULT_SORT}
          onSort={(field) => props.onChange({ sort: nextSort(search.sort ?? DEFAULT_SORT, field) })}
          more={false}
          onMore={() => undefined}
          footer={
            <p className="sticky left-0 px-4 py-2 text-sm text-muted" role="status">
              {total > lines.length
                ? `The ${lines.length} busiest of ${total.toLocaleString('en-US')} agents`
                : lines.length === 1
                  ? 'The only agent'
                  : `All ${lines.length} agents shown`}
            </p>
          }
        />
      </div>
    </div>
  );
}
