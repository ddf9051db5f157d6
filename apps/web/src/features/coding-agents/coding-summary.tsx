import type { CodingPeriod } from '@candela/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { codingSummaryQuery } from '../../api/coding-agents.ts';
import { Stat } from '../../charts/visualise/stat.tsx';
import { formatCost, formatCount } from '../../lib/format.ts';
import { cx } from '../../lib/cx.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Failure, Notice, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useShell } from '../shell/shell-search.ts';
import { FIGURE_COLUMNS, shortRepository, tokensOf } from './cells.tsx';
import type { CodingView } from './coding-page.tsx';

const CodingCharts = lazy(() => import('./coding-charts.tsx'));

const GROUPS = [
  { by: 'agent', title: 'Agents', noun: 'Agent' },
  { by: 'repository', title: 'Repositories', noun: 'Repository' },
  { by: 'model', title: 'Models', noun: 'Model' },
  { by: 'captureMode', title: 'Content capture', noun: 'Mode' },
] as const;

/** Sums of the time range beside those of the one before, their course, and who and what they belong to. */
export function CodingSummary({ place, choice, onChange }: CodingView) {
  const shell = useShell();
  const query = useQuery({
    ...codingSummaryQuery(place, choice, shell.compare),
    placeholderData: keepPreviousData,
  });
  const standing = useStaleData(query, `${shell.choice} ${JSON.stringify(choice)} ${shell.compare}`);
  if (standing.isPending) return <SkeletonRows label="Loading coding agents" />;
  if (standing.data === undefined) return <Failure error={standing.error} onRetry={standing.refetch} />;
  const { data, previous } = standing.data;
  if (data.totals.sessions === 0 && (previous?.totals.sessions ?? 0) === 0)
    return (
      <Notice title="No session of a coding agent">
        <p>
          Claude Code, Cursor, Codex, Windsurf, Gemini CLI, Copilot CLI and OpenCode are recorded by their
          hooks:
        </p>
        <pre className="max-w-full overflow-x-auto rounded-md border border-line bg-sunken p-2 text-left text-sm">
          {`candela coding configure --endpoint ${location.origin} --api-key KEY\ncandela coding install all`}
        </pre>
        <p>A key with the scope ingest is enough. Sessions in the time range show up here.</p>
      </Notice>
    );
  return (
    <div className={cx('flex flex-col gap-4 p-3', standing.isOld && 'opacity-60')} aria-busy={standing.isOld}>
      <NotRefreshed error={standing.missed} onRetry={standing.refetch} />
      <Totals data={data} previous={previous} />
      <Suspense fallback={<div className="h-44" />}>
        <CodingCharts
          data={data}
          onZoom={({ fromMs, toMs }) =>
            shell.setRange({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })
          }
        />
      </Suspense>
      {GROUPS.map(({ by, title, noun }) => (
        <section key={by} aria-label={title} className="flex flex-col gap-1">
          <h2 className="font-semibold">{title}</h2>
          <Table
            label={title}
            rows={data.groups.filter((group) => group.by === by)}
            keyOf={(group) => group.name ?? ''}
            empty="None in the time range."
            columns={[
              {
                label: noun,
                cell: ({ name }) =>
                  name === null ? (
                    <span className="text-muted">not known</span>
                  ) : by === 'agent' || by === 'repository' ? (
                    <button
                      type="button"
                      title={name}
                      className="block max-w-80 text-left hover:underline"
                      onClick={() => onChange({ [by]: name, view: 'sessions' })}
                    >
                      <MiddleTruncation name={shortRepository(name)} />
                    </button>
                  ) : (
                    <span className="block max-w-80">
                      <MiddleTruncation name={name} />
                    </span>
                  ),
              },
              { label: 'Sessions', align: 'end', cell: ({ sessions }) => formatCount(sessions) },
              { label: 'Users', align: 'end', cell: ({ users }) => formatCount(users) },
              ...(previous === null
                ? []
                : [
                    {
                      label: 'Cost before',
                      align: 'end' as const,
                      cell: ({ name }: { name: string | null }) =>
                        formatCost(
                          previous.groups.find((one) => one.by === by && one.name === name)?.costUsd ?? null,
                        ),
                    },
                  ]),
              ...FIGURE_COLUMNS,
            ]}
          />
        </section>
      ))}
      <p className="text-sm text-muted">
        Cost is an estimate at list price. Acceptance counts edits that were accepted or allowed by a rule
        against those that were refused. Commits and pull requests are heuristic. More charts are on the{' '}
        <Link to="/boards" className="text-accent underline">
          board Coding agents
        </Link>
        .
      </p>
    </div>
  );
}

function Totals({ data, previous }: { data: CodingPeriod; previous: CodingPeriod | null }) {
  const { totals } = data;
  const before = previous?.totals;
  const { main, subagent, side } = totals.costBySource;
  const was = <Value,>(read: (of: CodingPeriod['totals']) => Value) =>
    before === undefined ? {} : { previous: read(before) };
  return (
    <div className="-mx-2 flex flex-wrap gap-x-6 gap-y-2">
      <Stat label="Sessions" value={totals.sessions} {...was((of) => of.sessions)} />
      <Stat label="Users" value={totals.users} {...was((of) => of.users)} />
      <Stat label="Cost" value={totals.costUsd} unit="USD" better="lower" {...was((of) => of.costUsd)}>
        <span className="text-xs text-muted">
          {formatCost(main)} main · {formatCost(subagent)} sub-agents · {formatCost(side)} side
        </span>
        {totals.unpricedCalls > 0 && (
          <span className="text-xs text-warn">{formatCount(totals.unpricedCalls)} calls unpriced</span>
        )}
      </Stat>
      <Stat label="Tokens" value={tokensOf(totals)} {...was(tokensOf)} />
      <Stat
        label="Cache hits"
        value={totals.cacheHitRatio}
        unit="1"
        better="higher"
        {...was((of) => of.cacheHitRatio)}
      />
      <Stat label="Tool calls" value={totals.toolCalls} {...was((of) => of.toolCalls)}>
        <span className="text-xs text-muted">{formatCount(totals.failedToolCalls)} failed</span>
      </Stat>
      <Stat label="Lines added" value={totals.lines.added} {...was((of) => of.lines.added)}>
        <span className="text-xs text-muted">{formatCount(totals.lines.removed)} removed</span>
      </Stat>
      <Stat
        label="Acceptance"
        value={totals.acceptance}
        unit="1"
        better="higher"
        {...was((of) => of.acceptance)}
      >
        <span className="text-xs text-muted">
          {formatCount(totals.edits.accept)} accepted · {formatCount(totals.edits.autoAccepted)} by rule ·{' '}
          {formatCount(totals.edits.reject)} refused
        </span>
      </Stat>
      <Stat label="Commits" value={totals.commits} {...was((of) => of.commits)} />
      <Stat label="Pull requests" value={totals.pullRequests} {...was((of) => of.pullRequests)} />
      <Stat
        label="Waited for permission"
        value={totals.waitedMs}
        unit="ms"
        better="lower"
        {...was((of) => of.waitedMs)}
      />
      <Stat label="Compactions" value={totals.compactions} {...was((of) => of.compactions)} />
    </div>
  );
}
