import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { entityKey } from '@candela/kernel';
import { useMemo } from 'react';
import { graphQuery, type Place } from '../../api/agents.ts';
import { edgeKey, type GraphEdge, type GraphNode } from '../../charts/prepare/graph.ts';
import { GraphView } from '../../charts/visualise/graph/graph-view.tsx';
import { cx } from '../../lib/cx.ts';
import { exact, formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { TimeCell } from '../explore/cells.tsx';
import { FiguresList } from '../sessions/figures-list.tsx';
import { errorRate } from './figures.ts';
import { SpansLink } from './figures-table.tsx';

const KINDS = { agent: 'agent', model: 'llm', tool: 'tool' } as const;

/** Who calls what: the agent, what it uses, whom it calls and who calls it. */
export default function AgentGraphPanel(props: {
  name: string;
  agentKey: string;
  place: Place;
  pick: string | undefined;
  onPick: (pick: string) => void;
}) {
  const query = useQuery({ ...graphQuery(props.place, props.agentKey), placeholderData: keepPreviousData });
  const { data } = query;
  const [nodes, edges] = useMemo((): [GraphNode[], GraphEdge[]] => {
    const all = data?.edges ?? [];
    return [
      (data?.nodes ?? []).map((node) => {
        const calls = all
          .filter((edge) => edge.to === node.id)
          .reduce((sum, edge) => sum + edge.figures.count, 0);
        return {
          id: node.id,
          label: node.name,
          kind: KINDS[node.kind],
          ...(calls === 0 ? {} : { detail: `${formatCount(calls)} ${calls === 1 ? 'call' : 'calls'}` }),
        };
      }),
      all.map(({ from, to, figures }) => ({
        from,
        to,
        count: figures.count,
        label: `${formatCount(figures.count)} · ${formatDuration(figures.p50Ms)}`,
        failed: figures.errors > 0,
      })),
    ];
  }, [data]);
  if (query.isPending) return <SkeletonRows label="Loading the graph" />;
  if (!data) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const chosenEdge = data.edges.find((edge) => edgeKey(edge) === props.pick);
  const chosenNode = data.nodes.find((node) => node.id === props.pick);
  const nameOf = (id: string) => data.nodes.find((node) => node.id === id)?.name ?? id;
  return (
    <div
      className={cx('flex h-full min-h-96 max-lg:flex-col', query.isPlaceholderData && 'opacity-60')}
      aria-busy={query.isPlaceholderData}
    >
      <div className="min-h-80 min-w-0 grow">
        <GraphView
          label={`Who calls what around ${props.name}`}
          nodes={nodes}
          edges={edges}
          selected={props.pick}
          onNode={props.onPick}
          onEdge={(edge) => props.onPick(edgeKey(edge))}
          legend={
            <p className="border-t border-line px-3 py-1.5 text-sm text-muted">
              Models and tools that the agent names: every call of the time range. Other agents, and calls
              that name none: told by their parents in the{' '}
              {data.complete
                ? 'traces of the time range'
                : `newest ${formatCount(data.sampledTraces)} traces`}
              {!data.complete && data.sampledFrom !== null && (
                <>
                  , since <TimeCell iso={data.sampledFrom} />
                </>
              )}
              .{data.hidden > 0 && ` ${formatCount(data.hidden)} less busy ones are left out.`}
            </p>
          }
        />
      </div>
      <aside
        aria-label="Chosen part of the graph"
        className="flex w-72 shrink-0 flex-col gap-3 overflow-auto border-l border-line p-4 max-lg:w-full max-lg:border-t max-lg:border-l-0"
      >
        {chosenEdge ? (
          <>
            <h2 className="font-medium break-words">
              {nameOf(chosenEdge.from)} <span className="text-muted">calls</span> {nameOf(chosenEdge.to)}
            </h2>
            <FiguresList
              items={[
                ['Calls', <SpansLink figures={chosenEdge.figures} />],
                ['Failed', formatCount(chosenEdge.figures.errors)],
                ['Error rate', formatValue(errorRate(chosenEdge.figures), '1')],
                ['p50', formatDuration(chosenEdge.figures.p50Ms)],
                ['p95', formatDuration(chosenEdge.figures.p95Ms)],
                [
                  'Tokens in',
                  <span title={exact(chosenEdge.figures.inputTokens)}>
                    {formatCount(chosenEdge.figures.inputTokens)}
                  </span>,
                ],
                [
                  'Tokens out',
                  <span title={exact(chosenEdge.figures.outputTokens)}>
                    {formatCount(chosenEdge.figures.outputTokens)}
                  </span>,
                ],
                ['Cost', formatCost(chosenEdge.figures.costUsd)],
              ]}
            />
            <p className="text-sm text-muted">
              {chosenEdge.basis === 'window' ? 'All of the time range.' : 'Of the traces that were followed.'}
            </p>
          </>
        ) : chosenNode ? (
          <>
            <h2 className="font-medium break-words">{chosenNode.name}</h2>
            {chosenNode.kind === 'agent' && chosenNode.name !== props.name && (
              <Link
                to="/agents/$agent"
                params={{ agent: entityKey(chosenNode.name) }}
                className="text-accent hover:underline"
              >
                Open this agent
              </Link>
            )}
            <Calls
              title="Called by"
              edges={data.edges.filter((edge) => edge.to === chosenNode.id)}
              name={(edge) => nameOf(edge.from)}
              onPick={props.onPick}
            />
            <Calls
              title="Calls"
              edges={data.edges.filter((edge) => edge.from === chosenNode.id)}
              name={(edge) => nameOf(edge.to)}
              onPick={props.onPick}
            />
          </>
        ) : (
          <p className="text-sm text-muted">Choose a node or an edge to see its figures.</p>
        )}
      </aside>
    </div>
  );
}

type Edge = {
  readonly from: string;
  readonly to: string;
  readonly figures: { readonly count: number; readonly q: string | null };
};

function Calls(props: {
  title: string;
  edges: readonly Edge[];
  name: (edge: Edge) => string;
  /** Chooses the edge: in a narrow window its label is not drawn. */
  onPick: (key: string) => void;
}) {
  if (props.edges.length === 0) return null;
  return (
    <div>
      <h3 className="mb-1 text-sm text-muted">{props.title}</h3>
      <FiguresList
        items={props.edges.map((edge) => [
          props.name(edge),
          <span className="inline-flex items-center gap-3">
            <SpansLink figures={edge.figures} />
            <button
              type="button"
              className="min-h-6 text-muted hover:text-text hover:underline"
              aria-label={`Figures of the calls: ${props.name(edge)}`}
              onClick={() => props.onPick(edgeKey(edge))}
            >
              Figures
            </button>
          </span>,
        ])}
      />
    </div>
  );
}
