import type { MetricRow } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { ChartLine, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import { addressOf } from '../../api/client.ts';
import { anyMetricQuery, catalogueQuery } from '../../api/metrics.ts';
import { cx } from '../../lib/cx.ts';
import { exact, nounOf } from '../../lib/format.ts';
import { usePersistedSearch } from '../../lib/persisted-search.ts';
import { useNarrow } from '../../lib/narrow.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { Button } from '../../ui/button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { DataGrid } from '../../ui/data-grid.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { PAGE_COLUMN, PAGE_ROWS } from '../../ui/page-column.ts';
import { Failure, Notice, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { ExportMenu } from '../explore/export-menu.tsx';
import { FacetsPopover } from '../explore/facets-popover.tsx';
import { OpenQueryButton } from '../explore/open-query-button.tsx';
import { RowsFooter } from '../explore/rows-state.tsx';
import { useHasData } from '../explore/use-has-data.ts';
import { useShell } from '../shell/shell-search.ts';
import { type CatalogueSearch, persistedCatalogue, METRIC_TYPE_NAMES } from './catalogue-search.ts';
import { printQuery } from './explore-search.ts';
import { FirstMetric } from './first-metric.tsx';
import { metricColumns } from './metric-columns.tsx';
import { typeName } from './metric-words.ts';

const route = getRouteApi('/metrics/');
const TYPING_MS = 250;

/** Every metric that reported in the time range: search, facets, a line and the last value of each. */
export function MetricsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const records = useNarrow();
  usePersistedSearch(persistedCatalogue, search);
  const router = useRouter();
  const { window, environment, range, choice } = useShell();
  const change = (next: Partial<Record<keyof CatalogueSearch, string | undefined>>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace });
  const scope = useMemo(() => ({ window, q: search.q ?? '', environment }), [window, search.q, environment]);
  const filter = useMemo(
    () => ({ type: search.type, unit: search.unit, service: search.service }),
    [search.type, search.unit, search.service],
  );
  const query = useInfiniteQuery({ ...catalogueQuery(scope, filter), placeholderData: keepPreviousData });
  const list = useStaleData(query, JSON.stringify([choice, scope.q, filter]));
  const ever = useHasData(anyMetricQuery(environment));
  const columns = useMemo(() => metricColumns({ window, q: '', environment }), [window, environment]);
  if (ever.data === false) return <FirstMetric environment={environment} />;
  if (ever.isLoadingError) return <Failure error={ever.error} onRetry={() => void ever.refetch()} />;

  const pages = list.data?.pages;
  const rows = pages?.flatMap((page) => page.data) ?? [];
  const first = pages?.[0];
  const more = pages?.at(-1)?.nextCursor !== null;
  // What stands is not always of the question that is asked now.
  const isOwn = pages === query.data?.pages && !query.isPlaceholderData;
  const open = (row: MetricRow) =>
    void navigate({
      to: '/metrics/explore',
      search: (before: Record<string, unknown>) => ({
        ...shellPart(before),
        a: printQuery({ metric: row.name, groupBy: [], filter: '' }),
      }),
    } as Parameters<typeof navigate>[0]);
  const narrowed =
    scope.q !== '' || search.type !== undefined || search.unit !== undefined || search.service !== undefined;
  const facets = first && (
    <>
      <Facet
        label="Type"
        values={first.facets.types}
        chosen={search.type}
        nameOf={typeName}
        onChoose={(value) =>
          change({ type: METRIC_TYPE_NAMES.find((type) => type === value), row: undefined })
        }
      />
      <Facet
        label="Service"
        values={first.facets.services}
        chosen={search.service}
        onChoose={(service) => change({ service, row: undefined })}
      />
      <Facet
        label="Unit"
        values={first.facets.units}
        chosen={search.unit}
        onChoose={(unit) => change({ unit, row: undefined })}
      />
    </>
  );
  return (
    <div className={PAGE_COLUMN}>
      <title>Metrics · Candela</title>
      <h1 className="sr-only">Metrics</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <FilterBox
          label="Search metrics"
          placeholder="Words of the name or the description"
          value={scope.q}
          restMs={TYPING_MS}
          onChange={(q) => change({ q: q === '' ? undefined : q, row: undefined }, true)}
        />
        <FacetsPopover chosen={Object.values(filter).filter((value) => value !== undefined).length}>
          {facets}
        </FacetsPopover>
        <span role="status" className="text-sm text-muted">
          {first === undefined
            ? ''
            : `${first.atLeast ? 'at least ' : ''}${exact(first.total)} ${nounOf(first.total, 'metrics')}`}
        </span>
        <Link
          to="/metrics/explore"
          search={{}}
          className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line bg-surface px-2 hover:bg-hover"
        >
          <ChartLine size={14} className="text-muted" aria-hidden />
          Explorer
        </Link>
        <ExportMenu signal="metrics" noun="metrics" scope={scope} metrics={filter} />
        <OpenQueryButton
          title="Metrics"
          query={{
            path: addressOf('listMetrics', { query: { ...range, q: scope.q || undefined, ...filter } }),
            environment,
          }}
        />
      </div>
      <NotRefreshed error={list.missed} onRetry={list.refetch} />
      <div className={cx('flex', PAGE_ROWS)}>
        <aside
          aria-label="Facets"
          className="w-52 shrink-0 overflow-auto border-r border-line px-2 py-2 max-lg:hidden"
        >
          {facets}
        </aside>
        <div className={cx('min-w-0 grow', list.isOld && 'opacity-60')} aria-busy={list.isOld}>
          {list.isPending ? (
            <SkeletonRows label="Loading metrics" />
          ) : list.error !== null ? (
            <Failure error={list.error} onRetry={list.refetch} />
          ) : rows.length === 0 ? (
            <Notice icon={<SearchX className="text-muted" aria-hidden />} title="Nothing matches">
              <p>
                {narrowed
                  ? 'No metric in this time range fits the search.'
                  : 'No metric reported in this time range.'}
              </p>
              {narrowed && (
                <Button
                  onClick={() =>
                    change({ q: undefined, type: undefined, unit: undefined, service: undefined })
                  }
                >
                  Clear the search
                </Button>
              )}
            </Notice>
          ) : (
            <DataGrid
              // Rows of another height are another list.
              key={records ? 'records' : 'line'}
              label="Metrics"
              place={`metrics ${choice}${records ? ' records' : ''}`}
              records={records}
              columns={columns}
              rows={rows}
              keyOf={(row) => row.name}
              active={search.row}
              onActive={(row) => {
                change({ row: row === '' ? undefined : row }, true);
                // Opening the row comes next: written now, the entry that Back returns to knows it.
                router.history.flush();
              }}
              onOpen={open}
              sort="name"
              onSort={() => {}}
              more={more}
              paused={!isOwn || query.isFetchingNextPage || query.isFetchNextPageError}
              onMore={() => void query.fetchNextPage()}
              footer={
                <RowsFooter
                  shown={rows.length}
                  fetching={query.isFetchingNextPage}
                  failed={query.isFetchNextPageError ? query.error : null}
                  done={!more}
                  onRetry={() => void query.fetchNextPage()}
                />
              }
            />
          )}
        </div>
      </div>
    </div>
  );
}

/** Time range and environment go along to another page. */
const shellPart = (search: Record<string, unknown>) =>
  Object.fromEntries(['from', 'to', 'env'].flatMap((key) => (key in search ? [[key, search[key]]] : [])));

function Facet(props: {
  label: string;
  values: readonly { readonly value: string; readonly count: number }[];
  chosen: string | undefined;
  nameOf?: (value: string) => string;
  onChoose: (value: string | undefined) => void;
}) {
  const values = props.values.filter(({ value }) => value !== '');
  if (values.length === 0) return null;
  return (
    <section aria-label={props.label} className="mb-3">
      <h2 className="flex h-6 items-center px-1.5 text-sm text-muted">{props.label}</h2>
      <ul>
        {values.map(({ value, count }) => {
          const isChosen = value === props.chosen;
          return (
            <li key={value}>
              <button
                type="button"
                aria-pressed={isChosen}
                title={value}
                onClick={() => props.onChoose(isChosen ? undefined : value)}
                className="flex h-6 w-full items-center gap-1.5 rounded px-1.5 text-left hover:bg-hover aria-pressed:bg-selected"
              >
                <span
                  className={cx(
                    'size-2.5 shrink-0 rounded-xs border',
                    isChosen ? 'border-accent bg-accent-fill' : 'border-line-strong',
                  )}
                />
                <MiddleTruncation name={props.nameOf?.(value) ?? value} title="" />
                <span className="ml-auto text-sm text-muted">{exact(count)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
