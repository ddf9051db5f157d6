import type { SaidHit, SpanRow, SpanSort, TraceRow, TraceSort } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import {
  mayHavePreview,
  type Scope,
  type SpanLine,
  spansQuery,
  tracePreviewsQuery,
  tracesQuery,
} from '../../api/telemetry.ts';
import { ExploreRows, useShownRows } from '../explore/explore-rows.tsx';
import { fieldColumns, seeksSaid, spanColumns, TRACE_COLUMNS, TracePreviews } from './columns.tsx';
import { SaidHits, useSaidHits } from '../explore/said.ts';
import { pickColumn, type Picking } from './pick-column.tsx';
import type { TracesChange, TracesSearch } from './traces-search.ts';

interface RowsProps {
  scope: Scope;
  search: TracesSearch;
  onChange: (next: TracesChange) => void;
  /** The row that the keyboard stands on; it becomes part of the page's own address, not a step of its history. */
  onRow: (key: string) => void;
  onScrolled: (top: number) => void;
  /** While live: spans that arrived since. */
  live: readonly SpanRow[] | undefined;
  /** While rows are ticked. */
  picking: Picking | undefined;
}

/** Traces are asked for again when spans arrive: a span alone makes no row of theirs. */
const NO_TRACES: readonly TraceRow[] = [];
const keyOfTrace = (row: TraceRow) => row.traceId;
const keyOfSpan = (row: SpanRow) => `${row.traceId}-${row.spanId}`;
const nameOfTrace = (row: TraceRow) => row.rootName || row.traceId;
const nameOfSpan = (row: SpanRow) => row.name || row.spanId;
/** The word that led to a row, sought in the trace too. */
const findOf = (hit: SaidHit | undefined) => (hit === undefined ? {} : { find: hit.match.toLowerCase() });
const isRunning = (row: SpanRow) => row.unfinished;

/** The traces that hold a fitting span. */
export function TraceRows(props: RowsProps) {
  const navigate = useNavigate();
  const sort = (props.search.sort ?? '-start') as TraceSort;
  const query = useInfiniteQuery({ ...tracesQuery(props.scope, sort), placeholderData: keepPreviousData });
  const pages = useShownRows(query, props).data?.pages ?? [];
  const previews = useQueries({
    queries: pages.map((page) => tracePreviewsQuery(page.data, props.scope.environment)),
    combine: (answers) => ({
      found: answers.map((answer) => answer.data),
      awaited: pages.filter((_, index) => answers[index]?.isLoading).flatMap((page) => page.data),
    }),
  });
  const ids = useMemo(() => pages.map(({ data }) => data.map(keyOfTrace)), [pages]);
  const said = useSaidHits('traces', ids, props.scope);
  const first = useMemo(
    () => ({
      words: new Map(previews.found.flatMap((answer) => [...(answer ?? [])])),
      awaited: new Set(previews.awaited.filter(mayHavePreview).map((row) => row.traceId)),
    }),
    [previews],
  );
  return (
    <TracePreviews value={first}>
      <SaidHits value={said}>
        <ExploreRows<TraceRow>
          {...props}
          live={props.live && NO_TRACES}
          label="Traces"
          noun="traces"
          query={query}
          sort={sort}
          columns={TRACE_COLUMNS}
          first={props.picking && pickColumn(props.picking, keyOfTrace, nameOfTrace)}
          keyOf={keyOfTrace}
          onOpen={(row) => {
            const hit = said.get(row.traceId);
            const search = hit === undefined ? {} : { span: hit.spanId, ...findOf(hit) };
            void navigate({ to: '/traces/$traceId', params: { traceId: row.traceId }, search });
          }}
        />
      </SaidHits>
    </TracePreviews>
  );
}

/** The fitting spans themselves. */
export function SpanRows(props: RowsProps) {
  const navigate = useNavigate();
  const sort = (props.search.sort ?? '-start') as SpanSort;
  const { cols } = props.search;
  const fields = useMemo(() => fieldColumns(cols), [cols]);
  const query = useInfiniteQuery({
    ...spansQuery(props.scope, sort, fields),
    placeholderData: keepPreviousData,
  });
  const pages = useShownRows(query, props).data?.pages ?? [];
  const ids = useMemo(() => pages.map(({ data }) => data.map(keyOfSpan)), [pages]);
  const said = useSaidHits('spans', ids, props.scope);
  const columns = useMemo(() => spanColumns(fields, seeksSaid(props.scope.q)), [fields, props.scope.q]);
  return (
    <SaidHits value={said}>
      <ExploreRows<SpanLine>
        {...props}
        label="Spans"
        noun="spans"
        query={query}
        sort={sort}
        columns={columns}
        first={props.picking && pickColumn(props.picking, keyOfSpan, nameOfSpan)}
        keyOf={keyOfSpan}
        isRunning={isRunning}
        onOpen={(row) =>
          void navigate({
            to: '/traces/$traceId',
            params: { traceId: row.traceId },
            search: { span: row.spanId, ...findOf(said.get(keyOfSpan(row))) },
          })
        }
      />
    </SaidHits>
  );
}
