import type { SpanRow, SpanSort, TraceRow, TraceSort } from '@candela/contract';
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Scope, spansQuery, tracesQuery } from '../../api/telemetry.ts';
import { DataGrid } from '../../ui/data-grid.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { chosenColumns, type RowColumn, SPAN_COLUMNS, TRACE_COLUMNS } from './columns.tsx';
import { NoMatch, RowsFooter } from './rows-state.tsx';
import { nextSort } from './sorts.ts';
import type { TracesChange, TracesSearch } from './traces-search.ts';

interface RowsProps {
  scope: Scope;
  search: TracesSearch;
  onChange: (next: TracesChange) => void;
  /** The row that the keyboard stands on; it becomes part of the page's own address, not a step of its history. */
  onRow: (key: string) => void;
  onScrolled: (top: number) => void;
}

/** The traces that hold a fitting span. */
export function TraceRows(props: RowsProps) {
  const navigate = useNavigate();
  const sort = (props.search.sort ?? '-start') as TraceSort;
  const query = useInfiniteQuery({ ...tracesQuery(props.scope, sort), placeholderData: keepPreviousData });
  return (
    <Rows<TraceRow>
      {...props}
      noun="traces"
      query={query}
      sort={sort}
      columns={TRACE_COLUMNS}
      keyOf={(row) => row.traceId}
      onOpen={(row) => void navigate({ to: '/traces/$traceId', params: { traceId: row.traceId } })}
    />
  );
}

/** The fitting spans themselves. */
export function SpanRows(props: RowsProps) {
  const navigate = useNavigate();
  const sort = (props.search.sort ?? '-start') as SpanSort;
  const query = useInfiniteQuery({ ...spansQuery(props.scope, sort), placeholderData: keepPreviousData });
  return (
    <Rows<SpanRow>
      {...props}
      noun="spans"
      query={query}
      sort={sort}
      columns={SPAN_COLUMNS}
      keyOf={(row) => `${row.traceId}-${row.spanId}`}
      onOpen={(row) =>
        void navigate({
          to: '/traces/$traceId',
          params: { traceId: row.traceId },
          search: { span: row.spanId },
        })
      }
    />
  );
}

function Rows<Row>(
  props: RowsProps & {
    noun: 'traces' | 'spans';
    query: UseInfiniteQueryResult<InfiniteData<{ readonly data: readonly Row[] }>>;
    sort: string;
    columns: readonly RowColumn<Row>[];
    keyOf: (row: Row) => string;
    onOpen: (row: Row) => void;
  },
) {
  const { query, search, scope, sort, noun, onChange } = props;
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.data) ?? [], [query.data]);
  if (query.isPending) return <SkeletonRows label={`Loading ${noun}`} />;
  if (query.isError && rows.length === 0)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (rows.length === 0) return <NoMatch scope={scope} onClear={() => onChange({ q: undefined })} />;
  return (
    <DataGrid<Row>
      label={noun === 'traces' ? 'Traces' : 'Spans'}
      place={`${noun} ${scope.q} ${sort}`}
      columns={chosenColumns(props.columns, search.cols)}
      rows={rows}
      keyOf={props.keyOf}
      active={search.row}
      onActive={props.onRow}
      onOpen={props.onOpen}
      sort={sort}
      onSort={(field) => onChange({ sort: nextSort(sort, field), live: undefined })}
      more={query.hasNextPage && !query.isFetchingNextPage && !query.isError}
      onMore={() => void query.fetchNextPage()}
      onScrolled={props.onScrolled}
      footer={
        <RowsFooter
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
