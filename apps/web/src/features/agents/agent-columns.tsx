import type { AgentRow } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { Sparkline } from '../../charts/visualise/sparkline.tsx';
import { exact, formatDuration } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import type { GridColumn } from '../../ui/data-grid.tsx';
import { SpanGlyph } from '../../ui/span-glyph.tsx';
import {
  costCell,
  countCell,
  durationCell,
  modelsCell,
  TIME_WIDTH,
  TimeCell,
  tokensCell,
} from '../explore/cells.tsx';
import { frameworksOf } from './frameworks.ts';
import { errorRate, mainFigures, namedCount } from './figures.ts';

/** A row with its course over the whole time range: what has no bucket counted nothing. */
export interface AgentLine {
  readonly agent: AgentRow;
  readonly counts: readonly number[];
}

/** A duration of the agent's runs; of an agent without runs that of its model calls, which the cell says. */
function quantileCell({ runs, calls }: AgentRow, figure: 'p50Ms' | 'p95Ms', share: string) {
  const isRun = runs.count > 0;
  const value = (isRun ? runs : calls)[figure];
  if (value === null) return durationCell(null);
  const of = isRun
    ? `its ${exact(runs.count)} runs`
    : `its ${exact(calls.count)} model calls: it has no runs`;
  return (
    <span title={`${exact(value, ' ms')}: ${share} took at most this, of ${of}`}>
      {formatDuration(value)}
      {!isRun && <span className="text-xs text-muted"> a call</span>}
    </span>
  );
}

/** Columns of the agents, in order; `sort` names the figure they are put in order by. */
export const AGENT_COLUMNS: readonly GridColumn<AgentLine>[] = [
  {
    id: 'name',
    label: 'Agent',
    width: 150,
    grow: 1.4,
    sort: 'name',
    record: 'lead',
    cell: ({ agent }, tabIndex) => (
      <span className="flex items-center gap-1.5">
        <SpanGlyph kind="agent" />
        <Link
          tabIndex={tabIndex}
          to="/agents/$agent"
          params={{ agent: agent.key }}
          className="min-w-0 font-medium hover:underline"
        >
          <MiddleTruncation name={agent.name} />
        </Link>
      </span>
    ),
  },
  {
    id: 'trend',
    label: 'Over time',
    width: 96,
    cell: ({ agent, counts }) => (
      <Sparkline
        label={`${agent.runs.count > 0 ? 'Runs' : 'Model calls'} of ${agent.name} over time`}
        values={counts}
        kind="bars"
        width={88}
      />
    ),
  },
  {
    id: 'runs',
    label: 'Runs',
    width: 52,
    align: 'end',
    sort: 'runs',
    cell: ({ agent }) => countCell(namedCount(agent.runs)),
  },
  {
    id: 'calls',
    label: 'Calls',
    width: 56,
    align: 'end',
    sort: 'calls',
    cell: ({ agent }) => countCell(namedCount(agent.calls)),
  },
  {
    id: 'tools',
    label: 'Tool calls',
    width: 74,
    align: 'end',
    sort: 'tools',
    cell: ({ agent }) => countCell(namedCount(agent.tools)),
  },
  {
    id: 'errors',
    label: 'Error rate',
    width: 74,
    align: 'end',
    sort: 'errors',
    cell: ({ agent }) => {
      const figures = mainFigures(agent);
      return (
        <span
          title={`${exact(figures.errors)} of ${exact(figures.count)} failed`}
          className={figures.errors > 0 ? 'text-danger' : 'text-muted'}
        >
          {formatValue(errorRate(figures), '1')}
        </span>
      );
    },
  },
  {
    id: 'p50',
    label: 'Run p50',
    width: 80,
    align: 'end',
    sort: 'p50',
    cell: ({ agent }) => quantileCell(agent, 'p50Ms', 'Half'),
  },
  {
    id: 'p95',
    label: 'Run p95',
    width: 80,
    align: 'end',
    sort: 'p95',
    cell: ({ agent }) => quantileCell(agent, 'p95Ms', '95%'),
  },
  {
    id: 'tokens',
    label: 'Tokens',
    width: 108,
    align: 'end',
    sort: 'tokens',
    cell: ({ agent }) => tokensCell(agent.calls),
  },
  {
    id: 'cost',
    label: 'Cost',
    width: 76,
    align: 'end',
    sort: 'cost',
    cell: ({ agent }) => costCell(agent.calls.costUsd),
  },
  {
    id: 'versions',
    label: 'Versions',
    width: 66,
    align: 'end',
    sort: 'versions',
    cell: ({ agent }) => countCell(agent.versions),
  },
  { id: 'models', label: 'Models', width: 106, grow: 0.8, cell: ({ agent }) => modelsCell(agent.models) },
  {
    id: 'framework',
    label: 'Framework',
    width: 92,
    grow: 0.6,
    cell: ({ agent }) => (
      <span
        className="text-muted"
        title={`${frameworksOf(agent.frameworks)}: ${agent.frameworks.join(', ')}`}
      >
        {frameworksOf(agent.frameworks) || '–'}
      </span>
    ),
  },
  {
    id: 'last',
    label: 'Last seen',
    width: TIME_WIDTH,
    sort: 'last',
    cell: ({ agent }) => <TimeCell iso={agent.lastSeen} />,
  },
];
