import type { ExceptionSort, TriagedException } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import { anyExceptionQuery, exceptionsQuery } from '../../api/exceptions.ts';
import { usePersistedSearch } from '../../lib/persisted-search.ts';
import { Segments } from '../../ui/segments.tsx';
import { Failure } from '../../ui/states.tsx';
import { ChartListButton } from '../boards/chart-list-button.tsx';
import { ColumnChooser } from '../explore/column-chooser.tsx';
import { chosenColumns } from '../explore/columns.ts';
import { ExploreRows } from '../explore/explore-rows.tsx';
import { ExplorerLayout } from '../explore/explorer-layout.tsx';
import { type ExploreChange, useExplorer } from '../explore/explorer.ts';
import { ExportMenu } from '../explore/export-menu.tsx';
import { OpenQueryButton } from '../explore/open-query-button.tsx';
import { SavedViewsMenu } from '../explore/saved-views.tsx';
import { useHasData } from '../explore/use-has-data.ts';
import { useShell } from '../shell/shell-search.ts';
import { exceptionColumns } from './columns.tsx';
import { EXCEPTIONS_EXPLORE, failedSpans } from './exceptions-explore.ts';
import { persistedExceptions, TRIAGE } from './exceptions-search.ts';
import { FirstException } from './first-exception.tsx';

const route = getRouteApi('/exceptions/');
const keyOf = (row: TriagedException) => row.fingerprint;

/** Exceptions grouped by type and message. */
export function ExceptionsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { environment, range } = useShell();
  const change = (next: ExploreChange & { status?: (typeof TRIAGE)[number] | undefined }, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace });
  usePersistedSearch(persistedExceptions, search);
  const explorer = useExplorer(EXCEPTIONS_EXPLORE, search, change);
  const { scope, q } = explorer;
  const sort = (search.sort ?? '-lastSeen') as ExceptionSort;
  const rows = useInfiniteQuery({
    ...exceptionsQuery(scope, sort, search.status ?? 'any'),
    placeholderData: keepPreviousData,
    enabled: explorer.trouble === undefined,
  });
  const columns = useMemo(() => exceptionColumns(q), [q]);
  const ever = useHasData(anyExceptionQuery(environment));
  if (ever.data === false) return <FirstException environment={environment} />;
  if (ever.isLoadingError) return <Failure error={ever.error} onRetry={() => void ever.refetch()} />;
  const chosen = chosenColumns(columns, search.cols);
  return (
    <ExplorerLayout
      title="Exceptions"
      config={EXCEPTIONS_EXPLORE}
      explorer={explorer}
      actions={
        <>
          <Segments
            label="Status"
            value={search.status ?? 'all'}
            choices={['all', ...TRIAGE]}
            onChoose={(status) => change({ status: status === 'all' ? undefined : status })}
          />
          <ChartListButton title="exceptions" start={failedSpans(q)} scope={scope} page="exceptions" />
          <SavedViewsMenu page="exceptions" signal="exceptions" />
          <ExportMenu
            signal="exceptions"
            noun="exceptions"
            scope={scope}
            columns={chosen.map(({ id }) => id)}
          />
          <OpenQueryButton
            title="Exceptions"
            query={{
              path: addressOf('searchExceptions'),
              environment,
              body: {
                ...range,
                ...(q === '' ? {} : { q }),
                ...(search.sort === undefined ? {} : { sort: search.sort }),
              },
            }}
          />
          <ColumnChooser all={columns} chosen={chosen} onChange={(cols) => change({ cols })} />
        </>
      }
    >
      <ExploreRows<TriagedException>
        label="Exceptions"
        noun="exceptions"
        scope={scope}
        search={search}
        onChange={(next) => change(next)}
        onRow={explorer.setRow}
        onOpen={(row) =>
          void navigate({
            to: '/exceptions/$fingerprint',
            params: { fingerprint: row.fingerprint },
            search: q === '' ? {} : { q },
          })
        }
        query={rows}
        sort={sort}
        columns={columns}
        keyOf={keyOf}
      />
    </ExplorerLayout>
  );
}
