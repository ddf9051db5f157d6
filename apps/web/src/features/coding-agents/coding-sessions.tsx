import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { codingSessionsQuery } from '../../api/coding-agents.ts';
import { formatCount, formatDuration } from '../../lib/format.ts';
import { SelectField } from '../../ui/field.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { FIGURE_COLUMNS, shortRepository, State } from './cells.tsx';
import { SESSION_SORTS } from './choices.ts';
import type { CodingView } from './coding-page.tsx';

/** Sessions of coding agents; one leads to what was said and done in it. */
export function CodingSessions({ place, choice, search, onChange }: CodingView) {
  const sort = search.sort ?? '-start';
  const query = useInfiniteQuery(codingSessionsQuery(place, choice, sort));
  if (query.isPending) return <SkeletonRows label="Loading sessions" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const rows = query.data.pages.flatMap((page) => page.data);
  return (
    <div className="flex flex-col gap-2 p-3">
      <SelectField
        label="Order"
        className="w-40"
        value={sort}
        onValue={(value) => onChange({ sort: SESSION_SORTS.find((one) => one.value === value)?.value })}
        options={SESSION_SORTS}
      />
      {rows.length === 0 ? (
        <Notice title="No sessions">
          No session of a coding agent matches in the time range. Sessions of people with fewer than five in
          it are listed for admins only.
        </Notice>
      ) : (
        <Table
          label="Sessions of coding agents"
          walked
          rows={rows}
          keyOf={(row) => `${row.agent} ${row.sessionId}`}
          empty=""
          columns={[
            {
              label: 'Started',
              cell: (row) => (
                <Link
                  to="/coding-agents/$session"
                  params={{ session: row.sessionId }}
                  search={{ agent: row.agent, since: row.startedAt }}
                  className="font-medium hover:underline"
                >
                  <When time={row.startedAt} />
                </Link>
              ),
            },
            { label: 'Agent', cell: (row) => row.agent },
            { label: 'State', cell: (row) => <State state={row.state} /> },
            {
              label: 'User',
              cell: (row) =>
                row.user === null ? (
                  <span className="text-muted">not known</span>
                ) : (
                  <span className="block max-w-40">
                    <MiddleTruncation name={row.user} />
                  </span>
                ),
            },
            {
              label: 'Repository',
              cell: (row) => (
                <span className="block max-w-56" title={row.branch ?? undefined}>
                  {row.repository === null ? (
                    <span className="text-muted">none</span>
                  ) : (
                    <MiddleTruncation name={shortRepository(row.repository)} />
                  )}
                </span>
              ),
            },
            {
              label: 'Model',
              cell: (row) => (
                <span className="block max-w-40">
                  <MiddleTruncation name={row.model ?? ''} />
                </span>
              ),
            },
            {
              label: 'Findings',
              align: 'end',
              cell: ({ repository, openFindings }) =>
                repository !== null &&
                openFindings !== null && (
                  <Link to="/scanners" search={{ repository }} className="hover:underline">
                    <span className={openFindings > 0 ? 'text-warn' : 'text-muted'}>
                      {formatCount(openFindings)}
                    </span>
                  </Link>
                ),
            },
            { label: 'Duration', align: 'end', cell: (row) => formatDuration(row.durationMs) },
            { label: 'Turns', align: 'end', cell: (row) => formatCount(row.turns) },
            { label: 'Sub-agents', align: 'end', cell: (row) => formatCount(row.subagents) },
            ...FIGURE_COLUMNS,
          ]}
        />
      )}
      <MoreRows query={query} noun="sessions" />
    </div>
  );
}
