import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { firstPageOf, partOf, type SearchPage } from '../../api/pages.ts';
import type { Scope } from '../../api/telemetry.ts';
import { cx } from '../../lib/cx.ts';
import { exact, nounOf } from '../../lib/format.ts';
import { useNarrow } from '../../lib/narrow.ts';
import { type StaleData, useStaleData } from '../../lib/use-stale-data.ts';
import { DataGrid } from '../../ui/data-grid.tsx';
import { Failure, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';
import { eachOnce } from './each-once.ts';
import { chosenColumns, type RowColumn } from './columns.ts';
import type { ExploreChange, ExploreSearch } from './explorer.ts';
import { FoundInPart, RowsFooter } from './rows-state.tsx';
import { nextSort } from './sorting.ts';

const NoMatch = lazy(() => import('./no-match.tsx'));

type Pages<Row> = UseInfiniteQueryResult<InfiniteData<SearchPage<Row>>>;
/** The pages that are shown. */
type Shown<Row> = StaleData<InfiniteData<SearchPage<Row>>>;

/** The part of the spans that the rows shown were found in; null: all, or nobody knows yet. */
const partOfRows = ({ data, isPlaceholderData }: Pages<unknown>): number | null => {
  const first = data?.pages[0];
  return first === undefined || isPlaceholderData ? null : partOf(first);
};

/** The rows of an explorer with every state of a list: skeleton, refusal, nothing matches, more to come. */
export function ExploreRows<Row>(props: ExploreRowsProps<Row>) {
  const { query } = props;
  const shown = useShownRows(query, props);
  const part = partOfRows(query);
  const moreFailed = isMoreMissing(query, shown);
  // While live the same question, asked a moment ago, is no other one.
  const isOld = shown.isOld || (query.isPlaceholderData && props.live === undefined);
  return (
    <>
      <RowsNews query={query} noun={props.noun} isOld={isOld} live={props.live} />
      {/* Rows of the question before must not be read as the answer to the one that stands above them. */}
      <div
        data-rows
        className={cx('relative flex h-full flex-col -outline-offset-2', isOld && 'opacity-60')}
        aria-busy={isOld}
      >
        <NotRefreshed error={moreFailed ? null : shown.missed} onRetry={shown.refetch} />
        <div className="min-h-0 grow">
          <Rows {...props} shown={shown} moreFailed={moreFailed} />
        </div>
        {part !== null && query.isFetching && <FoundInPart part={part} />}
      </div>
    </>
  );
}

/**
 * The pages that stand in a list: of the newest question, or of an earlier one that asked for the same while that has no
 * answer.
 */
export function useShownRows<Row>(
  query: Pages<Row>,
  { scope, search }: Pick<ExploreRowsProps<Row>, 'scope' | 'search'>,
): Shown<Row> {
  const { choice } = useShell();
  return useStaleData(query, JSON.stringify([choice, scope.q, search.sort, search.cols]));
}

/** Whether rows below those that are shown could not be had: a further page, the rest, or all that were before Live. */
const isMoreMissing = (query: Pages<unknown>, shown: Shown<unknown>): boolean =>
  query.isFetchNextPageError || shown.error !== null || (partOfRows(query) !== null && query.isError);

interface ExploreRowsProps<Row> {
  /** Name of the grid: `Traces`. */
  label: string;
  /** What the rows are, in the plural. */
  noun: string;
  scope: Scope;
  search: ExploreSearch;
  onChange: (next: ExploreChange) => void;
  /** The row that the keyboard stands on; it becomes part of the page's own address, not a step of its history. */
  onRow: (key: string) => void;
  onOpen: (row: Row) => void;
  query: Pages<Row>;
  sort: string;
  columns: readonly RowColumn<Row>[];
  /** Stands before those that are chosen. */
  first?: RowColumn<Row> | undefined;
  keyOf: (row: Row) => string;
  onScrolled?: (top: number) => void;
  /** Rows are as high as their text. */
  wrap?: boolean;
  /** While live: rows that arrived since by the stream, newest first; they stand above those of the query. */
  live?: readonly Row[] | undefined;
  /** Whether a row is of something that has not ended: it gives way to one that has. */
  isRunning?: (row: Row) => boolean;
  /** Instead of the usual "nothing matches". */
  nothing?: ReactNode;
}

/**
 * What became of the search, for those who hear it. While live nothing is counted out: what arrives is told beside the
 * list, not with every look at it.
 */
function RowsNews(props: {
  query: Pages<unknown>;
  noun: string;
  isOld: boolean;
  live: readonly unknown[] | undefined;
}) {
  const { query, noun, live } = props;
  const pages = query.data?.pages ?? [];
  const first = firstPageOf(pages).length;
  const more = query.hasNextPage || first < pages.reduce((rows, { data }) => rows + data.length, 0);
  const part = partOfRows(query);
  const said =
    query.isPending || props.isOld || (part !== null && first === 0 && !query.isError)
      ? `Loading ${noun}`
      : query.isError
        ? ''
        : first === 0 && (live?.length ?? 0) === 0
          ? 'Nothing matches'
          : live !== undefined
            ? ''
            : part !== null
              ? `${exact(first)} ${nounOf(first, noun)} so far`
              : `${exact(first)}${more ? ' or more' : ''} ${nounOf(first, noun)}`;
  return (
    <p role="status" data-testid="rows-news" className="sr-only">
      {said}
    </p>
  );
}

function Rows<Row>(props: ExploreRowsProps<Row> & { shown: Shown<Row>; moreFailed: boolean }) {
  const { query, shown, moreFailed, search, scope, sort, noun, onChange, keyOf, live, isRunning } = props;
  // Whoever chose columns gets them on a telephone too.
  const records = useNarrow() && search.cols === undefined;
  const layout = records ? 'records' : props.wrap ? 'wrap' : 'line';
  const pages = shown.data?.pages;
  const rows = useMemo(() => {
    const fetched = pages?.flatMap((page) => page.data) ?? [];
    if (live === undefined || live.length === 0) return fetched;
    return eachOnce(live, fetched, keyOf, isRunning);
  }, [pages, live, keyOf, isRunning]);
  const part = partOfRows(query);
  const { choice } = useShell();
  // Of what is shown, not of what is under way or failed, which may be another question.
  const more = pages?.at(-1)?.nextCursor !== null;
  const isPart = pages?.[0] !== undefined && partOf(pages[0]) !== null;
  const isOwn = pages === query.data?.pages && !query.isPlaceholderData;
  if (shown.isPending || (part !== null && rows.length === 0 && !query.isError))
    return <SkeletonRows label={`Loading ${noun}`} />;
  if (moreFailed && rows.length === 0)
    return <Failure error={query.error ?? shown.error} onRetry={shown.refetch} />;
  if (rows.length === 0)
    return (
      props.nothing ?? (
        <Suspense>
          <NoMatch scope={scope} noun={noun} onClear={() => onChange({ q: undefined })} />
        </Suspense>
      )
    );
  return (
    <DataGrid<Row>
      label={props.label}
      key={layout}
      place={`${noun} ${choice} ${scope.q} ${sort} ${layout}`}
      columns={[...(props.first ? [props.first] : []), ...chosenColumns(props.columns, search.cols)]}
      rows={rows}
      keyOf={keyOf}
      active={search.row}
      onActive={props.onRow}
      onOpen={props.onOpen}
      sort={sort}
      onSort={(field) => onChange({ sort: nextSort(sort, field), live: undefined })}
      more={more}
      paused={!isOwn || query.isFetchingNextPage || moreFailed}
      onMore={() => void query.fetchNextPage()}
      wrap={props.wrap ?? false}
      records={records}
      {...(props.onScrolled ? { onScrolled: props.onScrolled } : {})}
      footer={
        <RowsFooter
          shown={rows.length}
          fetching={query.isFetchingNextPage}
          failed={moreFailed ? (query.error ?? shown.error) : null}
          done={!more && !isPart}
          onRetry={() => void (query.isFetchNextPageError ? query.fetchNextPage() : shown.refetch())}
        />
      }
    />
  );
}
