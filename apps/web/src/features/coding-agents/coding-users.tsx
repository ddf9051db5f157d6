import { useInfiniteQuery } from '@tanstack/react-query';
import { codingUsersQuery } from '../../api/coding-agents.ts';
import { formatCount } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { FIGURE_COLUMNS } from './cells.tsx';
import { USER_SORTS } from './choices.ts';
import type { CodingView } from './coding-page.tsx';

const WEEK_MS = 7 * 86_400_000;

/** Who works with coding agents, their sessions summed up. */
export function CodingUsers({ place, choice, search, onChange }: CodingView) {
  const order = search.order ?? '-last';
  const silent = search.silent === true;
  const query = useInfiniteQuery(codingUsersQuery(place, choice, order, silent));
  if (query.isPending) return <SkeletonRows label="Loading users" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const rows = query.data.pages.flatMap((page) => page.data);
  return (
    <div className="flex flex-col gap-2 p-3">
      <div className="flex flex-wrap items-end gap-4">
        <SelectField
          label="Order"
          className="w-40"
          value={order}
          onValue={(value) => onChange({ order: USER_SORTS.find((one) => one.value === value)?.value })}
          options={USER_SORTS}
        />
        <CheckField
          label="Inactive for 7 days"
          checked={silent}
          onChange={(checked) => onChange({ silent: checked ? true : undefined })}
        />
      </div>
      {rows.length === 0 ? (
        <Notice title="No users">
          {silent
            ? 'Nobody who was active in the time range has been inactive for seven days since. A longer range looks further back.'
            : 'No user of a coding agent in the time range, or none that you may see: a user shows up here with five sessions, those with fewer together when they are at least two.'}
        </Notice>
      ) : (
        <Table
          label="Users of coding agents"
          walked
          rows={rows}
          keyOf={(row) => row.user ?? ''}
          empty=""
          columns={[
            {
              label: 'User',
              cell: ({ user, users }) =>
                user === null ? (
                  <span className="text-muted">{users} users with fewer than five sessions</span>
                ) : (
                  <button
                    type="button"
                    className="block max-w-60 text-left font-medium hover:underline"
                    onClick={() => onChange({ user, view: 'sessions' })}
                  >
                    <MiddleTruncation name={user} />
                  </button>
                ),
            },
            {
              label: 'Last seen',
              cell: ({ lastSeen }) => (
                <>
                  <When time={lastSeen} />{' '}
                  {Date.parse(lastSeen) < place.window.toMs - WEEK_MS && <Badge tone="warn">inactive</Badge>}
                </>
              ),
            },
            { label: 'Sessions', align: 'end', cell: ({ sessions }) => formatCount(sessions) },
            { label: 'Mostly', cell: ({ topAgent }) => topAgent },
            ...FIGURE_COLUMNS,
          ]}
        />
      )}
      <MoreRows query={query} noun="users" />
    </div>
  );
}
