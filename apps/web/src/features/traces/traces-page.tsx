import type { SpanRow, SpanSort, TraceRow, TraceSort } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Radio, SearchX } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { anyTraceQuery, histogramQuery, type Scope, spansQuery, tracesQuery } from '../../api/telemetry.ts';
import { prepareHistogram } from '../../charts/prepare/histogram.ts';
import { HistogramChart } from '../../charts/visualise/histogram.tsx';
import { curlOf } from '../../lib/curl.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { bucketSeconds, isRelative } from '../../lib/time-range.ts';
import { zonePreference } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DataGrid } from '../../ui/data-grid.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { refreshNow, useShell } from '../shell/shell-search.ts';
import { ColumnChooser } from './column-chooser.tsx';
import { chosenColumns, SPAN_COLUMNS, TRACE_COLUMNS } from './columns.tsx';
import { FacetsPanel } from './facets-panel.tsx';
import { FilterChips } from './filter-chips.tsx';
import { FirstTrace } from './first-trace.tsx';
import { SearchBox, queryTrouble } from './search-box.tsx';
import { nextSort } from './sorts.ts';
import type { TracesSearch } from './traces-search.ts';

const route = getRouteApi('/traces/');
const LIVE_MS = 4_000;

/** Search over traces and spans: histogram, facets, rows. */
export function TracesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { window, environment, range, setRange } = useShell();
  const q = search.q ?? '';
  const scope: Scope = useMemo(() => ({ window, q, environment }), [window, q, environment]);
  const change = (next: Partial<Record<keyof TracesSearch, string | true | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before });
  const setQuery = (text: string) => change({ q: text === '' ? undefined : text });
  const trouble = queryTrouble(q);
  const scrolled = useRef(0);
  const canLive = isRelative(range) && search.sort === undefined;
  const live = search.live === true && canLive;
  useEffect(() => {
    if (!live) return undefined;
    // Reading further down holds the rows still; back at the top they move again.
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && scrolled.current < 40) refreshNow();
    }, LIVE_MS);
    return () => clearInterval(timer);
  }, [live]);
  const toggleLive = () => change({ live: live ? undefined : true });
  useHotkey('l', toggleLive, { label: 'Live on or off', group: 'Traces', enabled: canLive });
  const ever = useQuery(anyTraceQuery(environment));
  const waiting = useRef(false);
  useEffect(() => {
    // The window that was empty ended before the first trace arrived.
    if (ever.data === true && waiting.current) refreshNow();
    waiting.current = ever.data === false;
  }, [ever.data]);
  const client = useQueryClient();
  if (ever.data === false) return <FirstTrace environment={environment} />;
  if (ever.isError) return <Failure error={ever.error} onRetry={() => void client.resetQueries()} />;

  const isSpans = search.view === 'spans';
  const columns = isSpans ? SPAN_COLUMNS : TRACE_COLUMNS;
  return (
    <div className="flex h-full flex-col">
      <title>Traces · Candela</title>
      <h1 className="sr-only">Traces</h1>
      <div className="flex shrink-0 flex-col gap-2 border-b border-line px-3 py-2">
        <div className="flex items-start gap-2">
          <SearchBox value={q} scope={scope} onSearch={setQuery} />
          <div
            role="group"
            aria-label="Rows"
            className="flex h-8 items-center rounded-md border border-line bg-surface p-0.5"
          >
            {(['traces', 'spans'] as const).map((view) => (
              <button
                key={view}
                type="button"
                aria-pressed={isSpans === (view === 'spans')}
                onClick={() =>
                  change({ view: view === 'spans' ? 'spans' : undefined, sort: undefined, cols: undefined })
                }
                className="h-full rounded px-2 text-muted capitalize aria-pressed:bg-selected aria-pressed:text-text"
              >
                {view}
              </button>
            ))}
          </div>
          <Button
            className="h-8"
            aria-pressed={live}
            disabled={!canLive}
            onClick={toggleLive}
            title={
              canLive
                ? 'Fetch new rows every few seconds (l)'
                : 'Live needs a relative time range and newest first'
            }
          >
            <Radio size={14} aria-hidden className={live ? 'text-accent' : 'text-muted'} />
            Live
          </Button>
          <CopyButton
            label="Copy this search as cURL"
            className="h-8"
            text={() =>
              curlOf(location.origin, `/api/telemetry/${isSpans ? 'spans' : 'traces'}/search`, {
                ...range,
                ...(q === '' ? {} : { q }),
                ...(search.sort === undefined ? {} : { sort: search.sort }),
              })
            }
          />
          <ColumnChooser
            all={columns}
            chosen={
              isSpans ? chosenColumns(SPAN_COLUMNS, search.cols) : chosenColumns(TRACE_COLUMNS, search.cols)
            }
            onChange={(cols) => change({ cols })}
          />
        </div>
        <FilterChips query={q} onChange={setQuery} />
        {!trouble && (
          <SpanHistogram
            scope={scope}
            onZoom={(chosen) =>
              setRange({
                from: new Date(chosen.fromMs).toISOString(),
                to: new Date(chosen.toMs).toISOString(),
              })
            }
          />
        )}
      </div>
      {trouble ? (
        <Notice title="The search cannot be read">
          <p>Correct the marked part above and press Enter.</p>
        </Notice>
      ) : (
        <div className="flex min-h-0 grow">
          <FacetsPanel scope={scope} onChange={setQuery} />
          <div className="min-w-0 grow">
            {isSpans ? (
              <SpanRows
                scope={scope}
                search={search}
                onChange={change}
                onScrolled={(top) => (scrolled.current = top)}
              />
            ) : (
              <TraceRows
                scope={scope}
                search={search}
                onChange={change}
                onScrolled={(top) => (scrolled.current = top)}
              />
            )}
          </div>
        </div>
      )}
    </div>
  );
}

function SpanHistogram(props: { scope: Scope; onZoom: (window: { fromMs: number; toMs: number }) => void }) {
  const { scope } = props;
  const zone = zonePreference.use();
  const step = bucketSeconds(scope.window);
  const { data, isError, isPlaceholderData } = useQuery({
    ...histogramQuery(scope, step),
    placeholderData: keepPreviousData,
  });
  const histogram = useMemo(() => {
    const rows = (data?.data.rows ?? []).map((row) => ({
      timeMs: Date.parse(row.time ?? ''),
      count: row.values[0] ?? 0,
      errors: row.values[1] ?? 0,
    }));
    return prepareHistogram(rows, scope.window, data?.data.bucketSeconds ?? step);
  }, [data, scope.window, step]);
  if (isError)
    return (
      <p className="py-2 text-sm text-muted">
        The chart could not be loaded; the rows below stand for themselves.
      </p>
    );
  if (!data) return <div role="status" aria-label="Loading the chart" className="skeleton h-25" />;
  return (
    <HistogramChart
      histogram={histogram}
      noun="spans"
      zone={zone}
      pending={isPlaceholderData}
      onZoom={props.onZoom}
    />
  );
}

interface RowsProps {
  scope: Scope;
  search: TracesSearch;
  onChange: (next: Partial<Record<keyof TracesSearch, string | true | undefined>>) => void;
  onScrolled: (top: number) => void;
}

function TraceRows({ scope, search, onChange, onScrolled }: RowsProps) {
  const navigate = useNavigate();
  const sort = (search.sort ?? '-start') as TraceSort;
  const query = useInfiniteQuery({ ...tracesQuery(scope, sort), placeholderData: keepPreviousData });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
  if (query.isPending) return <SkeletonRows label="Loading traces" />;
  if (query.isError && rows.length === 0)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (rows.length === 0) return <NoMatch scope={scope} onClear={() => onChange({ q: undefined })} />;
  return (
    <DataGrid<TraceRow>
      label="Traces"
      place={`traces ${scope.q} ${sort}`}
      columns={chosenColumns(TRACE_COLUMNS, search.cols)}
      rows={rows}
      keyOf={(row) => row.traceId}
      onOpen={(row) => void navigate({ to: '/traces/$traceId', params: { traceId: row.traceId } })}
      sort={sort}
      onSort={(field) => onChange({ sort: nextSort(sort, field), live: undefined })}
      more={query.hasNextPage && !query.isFetchingNextPage && !query.isError}
      onMore={() => void query.fetchNextPage()}
      onScrolled={onScrolled}
      footer={
        <Footer
          shown={rows.length}
          fetching={query.isFetchingNextPage}
          failed={query.isError}
          done={!query.hasNextPage}
          onRetry={() => void query.fetchNextPage()}
        />
      }
    />
  );
}

function SpanRows({ scope, search, onChange, onScrolled }: RowsProps) {
  const navigate = useNavigate();
  const sort = (search.sort ?? '-start') as SpanSort;
  const query = useInfiniteQuery({ ...spansQuery(scope, sort), placeholderData: keepPreviousData });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
  if (query.isPending) return <SkeletonRows label="Loading spans" />;
  if (query.isError && rows.length === 0)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (rows.length === 0) return <NoMatch scope={scope} onClear={() => onChange({ q: undefined })} />;
  return (
    <DataGrid<SpanRow>
      label="Spans"
      place={`spans ${scope.q} ${sort}`}
      columns={chosenColumns(SPAN_COLUMNS, search.cols)}
      rows={rows}
      keyOf={(row) => `${row.traceId} ${row.spanId}`}
      onOpen={(row) =>
        void navigate({
          to: '/traces/$traceId',
          params: { traceId: row.traceId },
          search: { span: row.spanId },
        })
      }
      sort={sort}
      onSort={(field) => onChange({ sort: nextSort(sort, field), live: undefined })}
      more={query.hasNextPage && !query.isFetchingNextPage && !query.isError}
      onMore={() => void query.fetchNextPage()}
      onScrolled={onScrolled}
      footer={
        <Footer
          shown={rows.length}
          fetching={query.isFetchingNextPage}
          failed={query.isError}
          done={!query.hasNextPage}
          onRetry={() => void query.fetchNextPage()}
        />
      }
    />
  );
}

function Footer(props: {
  shown: number;
  fetching: boolean;
  failed: boolean;
  done: boolean;
  onRetry: () => void;
}) {
  return (
    <p className="sticky left-0 px-4 py-2 text-sm text-muted" role="status">
      {props.failed ? (
        <>
          More rows could not be loaded.{' '}
          <button type="button" className="text-accent underline" onClick={props.onRetry}>
            Try again
          </button>
        </>
      ) : props.fetching ? (
        'Loading more …'
      ) : props.done ? (
        `All ${props.shown} rows shown`
      ) : (
        ''
      )}
    </p>
  );
}

function NoMatch({ scope, onClear }: { scope: Scope; onClear: () => void }) {
  const { setRange, range } = useShell();
  return (
    <Notice icon={<SearchX className="text-muted" aria-hidden />} title="Nothing matches">
      <p>
        {scope.q === ''
          ? 'Nothing was received in this time range.'
          : 'No span in this time range fits the search.'}
      </p>
      <div className="flex gap-2">
        {scope.q !== '' && <Button onClick={onClear}>Clear the search</Button>}
        {range.from !== '-30d' && (
          <Button onClick={() => setRange({ from: '-30d', to: 'now' })}>Look at the last 30 days</Button>
        )}
      </div>
    </Notice>
  );
}
