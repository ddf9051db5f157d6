import type { getAgent, ResponseOf } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Place, versionQuery } from '../../api/agents.ts';
import type { Scope } from '../../api/telemetry.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { CutName } from '../../ui/cut-name.tsx';
import { UsageCharts } from '../users/user-charts.tsx';
import { FiguresTable } from './figures-table.tsx';

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
  return (
    <div className="flex flex-col gap-3 p-3">
      <UsageCharts scope={scope} onZoom={props.onZoom} />
      <div className="grid items-start gap-3 xl:grid-cols-2">
        <FiguresTable
          label="Models"
          noun="Model"
          lines={agent.byModel.map((part) => ({
            key: part.name,
            name: <CutName name={part.name || '(none)'} />,
            figures: part.figures,
          }))}
          {...busiestOf(agent.byModel, agent.modelCount, 'models')}
        />
        <FiguresTable
          label="Tools"
          noun="Tool"
          lines={agent.byTool.map((part) => ({
            key: part.name,
            name: <CutName name={part.name || '(none)'} />,
            figures: part.figures,
          }))}
          note={
            busiestOf(agent.byTool, agent.toolCount, 'tools').note ?? <Declared agent={agent} place={place} />
          }
        />
      </div>
    </div>
  );
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
