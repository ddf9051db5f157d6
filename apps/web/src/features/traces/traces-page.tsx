import type { SpanRow } from '@candela/contract';
import { getRouteApi } from '@tanstack/react-router';
import { GitCompareArrows, ListChecks } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { addressOf } from '../../api/client.ts';
import { anyTraceQuery } from '../../api/telemetry.ts';
import { usePersistedSearch } from '../../lib/persisted-search.ts';
import { isRelative } from '../../lib/time-range.ts';
import { useThrottled } from '../../lib/throttle.ts';
import { Button } from '../../ui/button.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Failure } from '../../ui/states.tsx';
import { ChartListButton } from '../boards/chart-list-button.tsx';
import { ColumnChooser } from '../explore/column-chooser.tsx';
import { chosenColumns } from '../explore/columns.ts';
import { CountHistogram } from '../explore/count-histogram.tsx';
import { SPANS_EXPLORE } from '../explore/explore-config.ts';
import { ExplorerLayout } from '../explore/explorer-layout.tsx';
import { useExplorer } from '../explore/explorer.ts';
import { ExportMenu } from '../explore/export-menu.tsx';
import { LiveToggle } from '../explore/live-toggle.tsx';
import { useLive } from '../explore/live.ts';
import { OpenQueryButton } from '../explore/open-query-button.tsx';
import { SavedViewsMenu } from '../explore/saved-views.tsx';
import { useHasData } from '../explore/use-has-data.ts';
import { useWhoAsks } from '../session/use-person.ts';
import { refreshNow, useShell } from '../shell/shell-search.ts';
import { fieldColumns, seeksSaid, spanColumns, TRACE_COLUMNS } from './columns.tsx';
import { MOST_PICKED } from './pick-column.tsx';
import { SpanRows, TraceRows } from './result-rows.tsx';
import { persistedTraces, PICK, type TracesChange } from './traces-search.ts';

/** How soon arrivals are followed by a look at list, chart and facets. */
const TRACES_REFRESH_MS = 2_000;
const SPANS_REFRESH_MS = 10_000;
const route = getRouteApi('/traces/');
// Seen once in the life of a project.
const FirstTrace = lazy(() => import('./first-trace.tsx'));
const LiveNews = lazy(() => import('../explore/live-news.tsx'));
// Asked for after the rows.
const InTraces = lazy(() => import('./in-traces.tsx'));
const DurationMap = lazy(() => import('./duration-map.tsx'));
const ErrorsByModel = lazy(() =>
  import('../home/errors-by-model.tsx').then((room) => ({ default: room.ErrorsByModel })),
);
const PickBar = lazy(() => import('../evaluations/pick-bar.tsx'));
const WhatDiffers = lazy(() => import('../explore/what-differs.tsx'));

/** Search over traces and spans: histogram, facets, rows. */
export function TracesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { environment, range } = useShell();
  const change = (next: TracesChange, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace });
  const explorer = useExplorer(SPANS_EXPLORE, search, change);
  const { scope, q } = explorer;
  usePersistedSearch(persistedTraces, search);
  const isSpans = search.view === 'spans';
  const { can } = useWhoAsks();
  /** Keys of the rows that are ticked; undefined: none can be. */
  const [picked, setPicked] = useState<ReadonlySet<string>>();
  const scrolled = useRef(0);
  const canLive = isRelative(range) && search.sort === undefined;
  const isLive = search.live === true && canLive && explorer.trouble === undefined;
  const refreshSoon = useThrottled(refreshNow, isSpans ? SPANS_REFRESH_MS : TRACES_REFRESH_MS);
  const live = useLive<SpanRow>({
    signal: 'spans',
    q,
    environment,
    enabled: isLive,
    listedMs: scope.window.toMs,
    refresh: refreshNow,
    // Reading further down holds the rows still; back at the top they move again.
    isHeld: () => scrolled.current > 40,
    onArrival: () => scrolled.current <= 40 && refreshSoon(),
  });
  // Asked for where it is not possible, the page says why; asked once more, it says no more of it.
  const cannotLive = search.live === true && !canLive;
  const toggleLive = () => change({ live: isLive || cannotLive ? undefined : true });
  const ever = useHasData(anyTraceQuery(environment));
  if (ever.data === false) {
    return (
      <Suspense>
        <FirstTrace environment={environment} />
      </Suspense>
    );
  }
  if (ever.isLoadingError) return <Failure error={ever.error} onRetry={() => void ever.refetch()} />;

  const compareRectangle = (selected: { diff: string; from?: string; to?: string }) =>
    // The rectangle is compared with what lies beside it.
    void navigate({
      search: ({ against: _against, ...before }) => ({ ...before, ...selected }) as typeof before,
    });
  const fields = isSpans ? fieldColumns(search.cols) : [];
  const ownColumns = spanColumns(fields, seeksSaid(q));
  const Rows = isSpans ? SpanRows : TraceRows;
  const chosen = isSpans ? chosenColumns(ownColumns, search.cols) : chosenColumns(TRACE_COLUMNS, search.cols);
  return (
    <ExplorerLayout
      title="Traces"
      config={SPANS_EXPLORE}
      explorer={explorer}
      rows={isSpans ? 'spans' : 'traces'}
      chart={
        <div className="relative flex flex-col max-sm:flex-col-reverse">
          {search.chart === 'duration' ? (
            <Suspense fallback={<div className="skeleton h-40" />}>
              <DurationMap scope={scope} onSelect={compareRectangle} />
            </Suspense>
          ) : search.chart === 'errors' ? (
            <Suspense fallback={<div className="skeleton h-40" />}>
              <ErrorsByModel scope={scope} />
            </Suspense>
          ) : (
            <CountHistogram
              config={SPANS_EXPLORE}
              scope={scope}
              also={
                !isSpans &&
                !isLive && (
                  <Suspense>
                    <InTraces scope={scope} />
                  </Suspense>
                )
              }
              onZoom={explorer.zoom}
            />
          )}
          <div className="absolute -top-0.5 left-1/2 -translate-x-1/2 max-xl:right-0 max-xl:left-auto max-xl:translate-x-0 max-sm:static max-sm:mb-1 max-sm:self-end">
            <Segments
              label="Chart"
              size="small"
              value={search.chart ?? 'count'}
              choices={['count', 'duration', 'errors']}
              onChoose={(chart) => change({ chart: chart === 'count' ? undefined : chart })}
            />
          </div>
        </div>
      }
      aside={
        search.diff !== undefined && (
          <Suspense>
            <WhatDiffers
              config={SPANS_EXPLORE}
              signal="spans"
              scope={scope}
              isLive={isLive}
              selection={search.diff === PICK ? '' : search.diff}
              against={search.against ?? 'rest'}
              onSelection={(diff) => change({ diff: diff === '' ? PICK : diff })}
              onAgainst={(against) => change({ against: against === 'rest' ? undefined : against })}
              onQuery={explorer.setQuery}
            />
          </Suspense>
        )
      }
      actions={
        <>
          <Segments
            label="Rows"
            value={isSpans ? 'spans' : 'traces'}
            choices={['traces', 'spans']}
            onChoose={(view) => {
              setPicked(undefined);
              change({
                view: view === 'spans' ? view : undefined,
                sort: undefined,
                cols: undefined,
                row: undefined,
              });
            }}
          />
          <LiveToggle page="Traces" on={isLive} possible={canLive} live={live} onToggle={toggleLive} />
          <Button
            className="h-8"
            aria-pressed={search.diff !== undefined}
            title="Compare some of the spans with the rest"
            onClick={() => change({ diff: search.diff === undefined ? PICK : undefined })}
          >
            <GitCompareArrows size={14} className="text-muted" aria-hidden />
            What differs
          </Button>
          {can('member') && (
            <Button
              className="h-8"
              aria-label="Choose rows"
              aria-pressed={picked !== undefined}
              title="Choose rows to evaluate, or to add to a dataset or queue"
              onClick={() => setPicked(picked === undefined ? new Set() : undefined)}
            >
              <ListChecks size={14} className="text-muted" aria-hidden />
            </Button>
          )}
          <ChartListButton
            title={isSpans ? 'spans' : 'traces'}
            start={['spans', isSpans ? 'count' : 'traces']}
            scope={scope}
            page="traces"
          />
          <SavedViewsMenu page="traces" signal="spans" />
          <ExportMenu
            signal={isSpans ? 'spans' : 'traces'}
            noun={isSpans ? 'spans' : 'traces'}
            scope={scope}
            columns={chosen.map(({ id }) => id)}
          />
          <OpenQueryButton
            title={isSpans ? 'Spans' : 'Traces'}
            query={{
              path: addressOf(isSpans ? 'searchSpans' : 'searchTraces'),
              environment,
              body: {
                ...range,
                ...(q === '' ? {} : { q }),
                ...(search.sort === undefined ? {} : { sort: search.sort }),
                ...(fields.length === 0 ? {} : { fields }),
              },
            }}
          />
          <ColumnChooser
            all={isSpans ? ownColumns : TRACE_COLUMNS}
            chosen={chosen}
            onChange={(cols) => change({ cols })}
            {...(isSpans ? { fields: { signal: 'spans', scope } } : {})}
          />
        </>
      }
    >
      <div className="flex h-full flex-col">
        <Suspense>
          <LiveNews live={live} noun="spans" impossible={cannotLive} onRelease={refreshNow} />
        </Suspense>
        {picked && (
          <Suspense>
            <PickBar
              keys={picked}
              noun={isSpans ? 'spans' : 'traces'}
              most={MOST_PICKED}
              onClose={() => setPicked(undefined)}
            />
          </Suspense>
        )}
        <div className="min-h-0 grow">
          <Rows
            scope={scope}
            search={search}
            onChange={change}
            onRow={explorer.setRow}
            onScrolled={(top) => (scrolled.current = top)}
            live={isLive ? live.rows : undefined}
            picking={picked && { keys: picked, onKeys: setPicked }}
          />
        </div>
      </div>
    </ExplorerLayout>
  );
}
