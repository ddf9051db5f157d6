import type { LogRow, LogSort } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { WrapText } from 'lucide-react';
import { lazy, Suspense, useMemo, useRef } from 'react';
import { addressOf } from '../../api/client.ts';
import { anyLogQuery, logsQuery } from '../../api/logs.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { join, toggleValue } from '../../lib/query-text.ts';
import { isRelative } from '../../lib/time-range.ts';
import { useThrottled } from '../../lib/throttle.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/states.tsx';
import { ChartListButton } from '../boards/chart-list-button.tsx';
import { ColumnChooser } from '../explore/column-chooser.tsx';
import { chosenColumns } from '../explore/columns.ts';
import { ExploreRows } from '../explore/explore-rows.tsx';
import { ExplorerLayout } from '../explore/explorer-layout.tsx';
import { useExplorer } from '../explore/explorer.ts';
import { ExportMenu } from '../explore/export-menu.tsx';
import { LiveToggle } from '../explore/live-toggle.tsx';
import { useLive } from '../explore/live.ts';
import { OpenQueryButton } from '../explore/open-query-button.tsx';
import { SavedViewsMenu } from '../explore/saved-views.tsx';
import { useHasData } from '../explore/use-has-data.ts';
import { refreshNow, useShell } from '../shell/shell-search.ts';
import { logColumns } from './columns.tsx';
import { LOGS_EXPLORE } from './logs-explore.ts';
import type { LogsChange } from './logs-search.ts';
import { SeverityHistogram } from './severity-histogram.tsx';

/** How soon arrivals are followed by a look at list, chart and facets. */
const REFRESH_MS = 10_000;
const route = getRouteApi('/logs');
// Seen once in the life of a project.
const LiveNews = lazy(() => import('../explore/live-news.tsx'));
const FirstLog = lazy(() => import('./first-log.tsx'));
const LogPanel = lazy(() => import('./log-panel.tsx'));
const keyOf = (row: LogRow) => row.id;
const BESIDE = ['time', 'severity', 'body'];

/** Log records: histogram by severity, facets, rows, and one record beside them. */
export function LogsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { environment, range } = useShell();
  const change = (next: LogsChange, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace });
  const explorer = useExplorer(LOGS_EXPLORE, search, change);
  const { scope, q } = explorer;
  const scrolled = useRef(0);
  const canLive = isRelative(range) && search.sort === undefined;
  const isLive = search.live === true && canLive && explorer.trouble === undefined;
  const refreshSoon = useThrottled(refreshNow, REFRESH_MS);
  const live = useLive<LogRow>({
    signal: 'logs',
    q,
    environment,
    enabled: isLive,
    listedMs: scope.window.toMs,
    refresh: refreshNow,
    isHeld: () => scrolled.current > 40,
    onArrival: () => scrolled.current <= 40 && refreshSoon(),
  });
  // Asked for where it is not possible, the page says why; asked once more, it says no more of it.
  const cannotLive = search.live === true && !canLive;
  const toggleLive = () => change({ live: isLive || cannotLive ? undefined : true });
  const wrap = search.wrap === true;
  const toggleWrap = () => change({ wrap: wrap ? undefined : true }, true);
  useHotkey('w', toggleWrap, { label: 'Wrap lines on or off', group: 'Logs' });
  const sort: LogSort = search.sort === 'time' ? 'time' : '-time';
  const rows = useInfiniteQuery({
    ...logsQuery(scope, sort),
    placeholderData: keepPreviousData,
    enabled: explorer.trouble === undefined,
  });
  const columns = useMemo(() => logColumns(wrap), [wrap]);
  const isOpen = search.row !== undefined && search.tab !== undefined;
  // Beside an open record there is room for what tells lines apart.
  const shown = useMemo(
    () =>
      isOpen && search.cols === undefined
        ? columns.filter(({ id }) => BESIDE.includes(id)).map((column) => ({ ...column, shown: true }))
        : columns,
    [columns, isOpen, search.cols],
  );
  const ever = useHasData(anyLogQuery(environment));
  if (ever.data === false) {
    return (
      <Suspense>
        <FirstLog environment={environment} />
      </Suspense>
    );
  }
  if (ever.isLoadingError) return <Failure error={ever.error} onRetry={() => void ever.refetch()} />;

  const chosen = chosenColumns(columns, search.cols);
  // The open record stays open while it still fits.
  const addTerm = (term: string) =>
    change({
      q: join(q, term),
      ...(term.startsWith('-') ? { row: undefined } : {}),
    });
  return (
    <ExplorerLayout
      title="Logs"
      config={LOGS_EXPLORE}
      explorer={explorer}
      chart={
        <SeverityHistogram
          scope={scope}
          onZoom={explorer.zoom}
          onSeverity={(severity) => explorer.setQuery(toggleValue(q, 'severity', severity))}
        />
      }
      aside={
        search.row !== undefined &&
        search.tab !== undefined && (
          <Suspense>
            <LogPanel
              id={search.row}
              tab={search.tab}
              onTab={(tab) => change({ tab }, true)}
              onClose={() => change({ tab: undefined })}
              onFilter={addTerm}
              onOpen={(row) => change({ row: row.id })}
            />
          </Suspense>
        )
      }
      actions={
        <>
          <LiveToggle page="Logs" on={isLive} possible={canLive} live={live} onToggle={toggleLive} />
          <Button
            className="h-8"
            look="plain"
            aria-label="Wrap lines"
            aria-pressed={wrap}
            title="Wrap lines (w)"
            onClick={toggleWrap}
          >
            <WrapText size={15} aria-hidden className={wrap ? 'text-accent' : undefined} />
          </Button>
          <ChartListButton title="log records" start={['logs', 'count']} scope={scope} page="logs" />
          <SavedViewsMenu page="logs" signal="logs" />
          <ExportMenu signal="logs" noun="log records" scope={scope} columns={chosen.map(({ id }) => id)} />
          <OpenQueryButton
            title="Logs"
            query={{
              path: addressOf('searchLogs'),
              environment,
              body: { ...range, ...(q === '' ? {} : { q }), ...(sort === 'time' ? { sort } : {}) },
            }}
          />
          <ColumnChooser all={columns} chosen={chosen} onChange={(cols) => change({ cols })} />
        </>
      }
    >
      <div className="flex h-full flex-col">
        <Suspense>
          <LiveNews live={live} noun="log records" impossible={cannotLive} onRelease={refreshNow} />
        </Suspense>
        {/* The list keeps the focus, so that the next row is a key away. */}
        <p role="status" className="sr-only">
          {isOpen ? 'The record is open beside the list' : ''}
        </p>
        <div className="min-h-0 grow">
          <ExploreRows<LogRow>
            label="Log records"
            noun="log records"
            scope={scope}
            search={search}
            onChange={(next) => change(next)}
            onRow={(row) => {
              explorer.setRow(row);
              if (row === '') change({ tab: undefined }, true);
            }}
            onOpen={(row) => change({ row: row.id, tab: search.tab ?? 'body' })}
            query={rows}
            sort={sort}
            columns={shown}
            keyOf={keyOf}
            onScrolled={(top) => (scrolled.current = top)}
            live={isLive ? live.rows : undefined}
            wrap={wrap}
          />
        </div>
      </div>
    </ExplorerLayout>
  );
}
