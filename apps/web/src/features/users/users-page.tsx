import type { UserRow, UserSort } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import { anyOf, listSearch, usersQuery } from '../../api/activity.ts';
import type { Scope } from '../../api/telemetry.ts';
import { usePersistedSearch } from '../../lib/persisted-search.ts';
import { Failure } from '../../ui/states.tsx';
import { ColumnChooser } from '../explore/column-chooser.tsx';
import { chosenColumns } from '../explore/columns.ts';
import { SPANS_EXPLORE } from '../explore/explore-config.ts';
import { ExploreRows } from '../explore/explore-rows.tsx';
import { ExplorerLayout } from '../explore/explorer-layout.tsx';
import { type ExploreChange, type ExploreSearch, useExplorer } from '../explore/explorer.ts';
import { FirstRecord } from '../explore/first-record.tsx';
import { OpenQueryButton } from '../explore/open-query-button.tsx';
import { ChartListButton } from '../boards/chart-list-button.tsx';
import { SavedViewsMenu } from '../explore/saved-views.tsx';
import { persistedUsers } from '../sessions/activity-search.ts';
import { attributeSnippets } from '../sessions/attribute-snippets.ts';
import { useHasData } from '../explore/use-has-data.ts';
import { useShell } from '../shell/shell-search.ts';
import { USER_COLUMNS } from './user-columns.tsx';

const route = getRouteApi('/users/');
const keyOf = (row: UserRow) => row.key;

/** The people behind the traffic: who is active, at what cost, with how many failures. */
export function UsersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { environment } = useShell();
  const change = (next: ExploreChange, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace });
  usePersistedSearch(persistedUsers, search);
  const explorer = useExplorer(SPANS_EXPLORE, search, change);
  const ever = useHasData(anyOf('user', environment));
  if (ever.data === false)
    return (
      <FirstRecord
        page="Users"
        title="Name the first user"
        noun="user"
        snippets={attributeSnippets(location.origin)}
        arrived={anyOf('user', environment)}
      >
        Spans that carry a user id are counted for that user. Any stable id will do; it need not be a name.
      </FirstRecord>
    );
  if (ever.isLoadingError) return <Failure error={ever.error} onRetry={() => void ever.refetch()} />;
  return (
    <ExplorerLayout
      title="Users"
      config={SPANS_EXPLORE}
      explorer={explorer}
      rows="users"
      chart={
        explorer.q.trim() !== '' && (
          <p className="text-sm text-muted">
            Users of whom at least one span fits the search; the figures are those of all their spans in the
            time range.
          </p>
        )
      }
      actions={
        <>
          <ChartListButton title="users" start={['spans', 'users']} scope={explorer.scope} page="users" />
          <SavedViewsMenu page="users" signal="spans" />
          <OpenQueryButton
            title="Users"
            query={{
              path: addressOf('listUsers', {
                query: { ...listSearch(explorer.scope), sort: (search.sort ?? '-last') as UserSort },
              }),
              environment,
            }}
          />
          <ColumnChooser
            all={USER_COLUMNS}
            chosen={chosenColumns(USER_COLUMNS, search.cols)}
            onChange={(cols) => change({ cols })}
          />
        </>
      }
    >
      <UserRows scope={explorer.scope} search={search} onChange={change} onRow={explorer.setRow} />
    </ExplorerLayout>
  );
}

function UserRows(props: {
  scope: Scope;
  search: ExploreSearch;
  onChange: (next: ExploreChange) => void;
  onRow: (key: string) => void;
}) {
  const navigate = useNavigate();
  const sort = (props.search.sort ?? '-last') as UserSort;
  const query = useInfiniteQuery({ ...usersQuery(props.scope, sort), placeholderData: keepPreviousData });
  return (
    <ExploreRows<UserRow>
      {...props}
      label="Users"
      noun="users"
      query={query}
      sort={sort}
      columns={USER_COLUMNS}
      keyOf={keyOf}
      onOpen={(row) => void navigate({ to: '/users/$user', params: { user: row.key } })}
    />
  );
}
