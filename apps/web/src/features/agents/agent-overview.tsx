import type { getAgent, ResponseOf } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { graphQuery, type Place, versionQuery } from '../../api/agents.ts';
import type { Scope } from '../../api/telemetry.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { formatCount } from '../../lib/format.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { UsageCharts } from '../users/user-charts.tsx';
import { type FiguresLine, FiguresTable } from './figures-table.tsx';

export type Agent = ResponseOf<typeof getAgent>['data'];

/** What an agent is and does: use over time, its models, its tools. */
export function AgentOverview(props: {
  agent: Agent;
  place: Place;
  /** The filter of its spans. */
  q: string;
  onZoom: (window: TimeWindow) => void;
}) {
  const { agent, place, q } = props;
  const scope: Scope = useMemo(() => ({ ...place, q }), [place, q]);
  const models = useBelow(agent, place, 'model', agent.byModel.length === 0);
  const tools = useBelow(agent, place, 'tool', agent.byTool.length === 0);
  return (
    <div className="flex flex-col gap-3 p-3">
      <UsageCharts scope={scope} onZoom={props.onZoom} />
      <div className="grid items-start gap-3 xl:grid-cols-2">
        <FiguresTable
          label="Models"
          noun="Model"
          lines={(models?.parts ?? agent.byModel).map(lineOf)}
          {...(models ?? busiestOf(agent.byModel, agent.modelCount, 'models'))}
        />
        <FiguresTable
          label="Tools"
          noun="Tool"
          lines={(tools?.parts ?? agent.byTool).map(lineOf)}
          note={
            tools?.note ??
            busiestOf(agent.byTool, agent.toolCount, 'tools').note ?? <Declared agent={agent} place={place} />
          }
        />
      </div>
    </div>
  );
}

type Part = Pick<FiguresLine, 'figures'> & { readonly name: string };

const lineOf = ({ name, figures }: Part): FiguresLine => ({
  key: name,
  name: <MiddleTruncation name={name || '(none)'} />,
  figures,
});

/**
 * What an agent uses that is not named by it, as its graph tells it: many frameworks name the agent on its runs alone.
 * Undefined where there is none.
 */
function useBelow(
  agent: Agent,
  place: Place,
  kind: 'model' | 'tool',
  isAsked: boolean,
): { parts: readonly Part[]; note: string } | undefined {
  const { data } = useQuery({
    ...graphQuery(place, agent.key),
    enabled: isAsked && agent.runs.count > 0,
  });
  return useMemo(() => {
    if (!isAsked || data === undefined) return undefined;
    const self = data.nodes.find((node) => node.kind === 'agent' && node.name === agent.name)?.id;
    const named = new Map(
      data.nodes.flatMap((node) => (node.kind === kind ? [[node.id, node.name] as const] : [])),
    );
    const parts = data.edges.flatMap(({ from, to, figures }) => {
      const name = named.get(to);
      return from === self && name !== undefined ? [{ name, figures }] : [];
    });
    if (parts.length === 0) return undefined;
    const traces = data.complete ? 'the traces' : `the newest ${formatCount(data.sampledTraces)} traces`;
    return {
      parts,
      note: `These do not name the agent: told by their parents in ${traces} of the time range, and not in the figures above.`,
    };
  }, [data, isAsked, kind, agent.name]);
}

/** Says so where a table has not all of them. */
function busiestOf(shown: readonly unknown[], total: number, noun: string): { note?: string } {
  if (total <= shown.length) return {};
  return { note: `The ${shown.length} busiest of ${total.toLocaleString('en-US')} ${noun}.` };
}

/** The tools that the newest version offers the model and that were not called. */
function Declared({ agent, place }: { agent: Agent; place: Place }) {
  const newest = agent.byVersion[0]?.version;
  const { data } = useQuery({
    ...versionQuery(place, agent.key, newest ?? ''),
    enabled: newest !== undefined,
  });
  if (newest === undefined || data === undefined || data.tools.length === 0)
    return <>Counted where a tool ran in a span of its own.</>;
  const called = new Set(agent.byTool.map((part) => part.name));
  const idle = data.tools.map((tool) => tool.name).filter((name) => !called.has(name));
  return idle.length === 0 ? (
    <>Every tool that the newest version declares was called.</>
  ) : (
    <>
      Declared by the newest version and not called: <span className="font-mono">{idle.join(', ')}</span>
    </>
  );
}
