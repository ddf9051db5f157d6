import type { ActivitySort } from '@candela/contract';
import { getRouteApi } from '@tanstack/react-router';
import { addressOf } from '../../api/client.ts';
import { anyOf, listSearch } from '../../api/activity.ts';
import { usePersistedSearch } from '../../lib/persisted-search.ts';
import { Failure } from '../../ui/states.tsx';
import { ChartListButton } from '../boards/chart-list-button.tsx';
import { ColumnChooser } from '../explore/column-chooser.tsx';
import { chosenColumns } from '../explore/columns.ts';
import { SPANS_EXPLORE } from '../explore/explore-config.ts';
import { ExplorerLayout } from '../explore/explorer-layout.tsx';
import { type ExploreChange, useExplorer } from '../explore/explorer.ts';
import { FirstRecord } from '../explore/first-record.tsx';
import { OpenQueryButton } from '../explore/open-query-button.tsx';
import { SavedViewsMenu } from '../explore/saved-views.tsx';
import { useShell } from '../shell/shell-search.ts';
import { persistedSessions } from './activity-search.ts';
import { attributeSnippets } from './attribute-snippets.ts';
import { SESSION_COLUMNS } from './session-columns.tsx';
import { SessionRows } from './session-rows.tsx';
import { useHasData } from '../explore/use-has-data.ts';

const route = getRouteApi('/sessions/');

/** Conversations of several traces: which there are, with whom, how long and at what cost. */
export function SessionsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { environment } = useShell();
  const change = (next: ExploreChange, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace });
  usePersistedSearch(persistedSessions, search);
  const explorer = useExplorer(SPANS_EXPLORE, search, change);
  const { scope } = explorer;
  const ever = useHasData(anyOf('session', environment));
  if (ever.data === false)
    return (
      <FirstRecord
        page="Sessions"
        title="Name the first session"
        noun="session"
        snippets={attributeSnippets(location.origin)}
        arrived={anyOf('session', environment)}
      >
        Spans that carry the same session or conversation id are one session, across traces. Set it where the
        conversation begins; this page shows the session as soon as it arrives.
      </FirstRecord>
    );
  if (ever.isLoadingError) return <Failure error={ever.error} onRetry={() => void ever.refetch()} />;
  return (
    <ExplorerLayout
      title="Sessions"
      config={SPANS_EXPLORE}
      explorer={explorer}
      rows="sessions"
      chart={
        explorer.q.trim() !== '' && (
          <p className="text-sm text-muted">
            Sessions of which at least one span fits the search; the figures are those of the whole session in
            the time range.
          </p>
        )
      }
      actions={
        <>
          <ChartListButton title="sessions" start={['spans', 'sessions']} scope={scope} page="sessions" />
          <SavedViewsMenu page="sessions" signal="spans" />
          <OpenQueryButton
            title="Sessions"
            query={{
              path: addressOf('listSessions', {
                query: { ...listSearch(scope), sort: (search.sort ?? '-last') as ActivitySort },
              }),
              environment,
            }}
          />
          <ColumnChooser
            all={SESSION_COLUMNS}
            chosen={chosenColumns(SESSION_COLUMNS, search.cols)}
            onChange={(cols) => change({ cols })}
          />
        </>
      }
    >
      <SessionRows scope={scope} search={search} onChange={change} onRow={explorer.setRow} />
    </ExplorerLayout>
  );
}
