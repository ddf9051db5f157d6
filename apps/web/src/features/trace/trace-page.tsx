import type { Trace } from '@candela/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { traceQuery } from '../../api/telemetry.ts';
import { PAGE_COLUMN } from '../../ui/page-column.ts';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Explorer, loadTree } from './explorer.tsx';
import { LOOK_AGAIN_MS, mayGrow } from './still-running.ts';
import { TraceHeader } from './trace-header.tsx';
import { loadingOf, SPANS_AT_ONCE } from './trace-loading.ts';
import { rootOf, traceSpans } from './trace-spans.ts';
import { buildTree } from './tree.ts';

const TraceAbsent = lazy(() => import('./trace-absent.tsx'));
const route = getRouteApi('/traces/$traceId');

/** One trace: what ran, when, and what was said. */
export function TracePage() {
  const { traceId } = route.useParams();
  // What is no id names no trace that could be asked for.
  return (
    <Suspense>
      {/^[0-9a-f]{32}$/i.test(traceId) ? (
        <ReadTrace key={traceId} traceId={traceId} />
      ) : (
        <TraceAbsent traceId={traceId} />
      )}
    </Suspense>
  );
}

/** Whether a trace that is here whole is to be asked for again. */
const grows = (
  pages: readonly { readonly data: Trace; readonly nextCursor: string | null }[] | undefined,
): boolean =>
  pages?.at(-1)?.nextCursor === null &&
  mayGrow(
    pages.map((page) => page.data.spans),
    Date.now(),
  );

function ReadTrace({ traceId }: { traceId: string }) {
  const sought = route.useSearch({ select: ({ span }) => span });
  const isTree = route.useSearch({ select: ({ view }) => view === undefined });
  useEffect(() => {
    if (isTree) loadTree();
  }, [isTree]);
  const query = useInfiniteQuery({
    ...traceQuery(traceId.toLowerCase()),
    // A program that runs sends its spans as they end.
    refetchInterval: ({ state }) => (grows(state.data?.pages) ? LOOK_AGAIN_MS : false),
  });
  const pages = query.data?.pages;
  const spans = useMemo(() => traceSpans((pages ?? []).map((page) => page.data.spans)), [pages]);
  const [upTo, setUpTo] = useState(SPANS_AT_ONCE);
  const { isFetchingNextPage, fetchNextPage } = query;
  const tree = useMemo(() => buildTree(spans), [spans]);
  const loading = loadingOf(query, spans.length, upTo, sought !== undefined && !tree.positionOf.has(sought));
  useEffect(() => {
    if (loading === 'more' && !isFetchingNextPage) void fetchNextPage();
  }, [loading, isFetchingNextPage, fetchNextPage]);
  const trace = pages?.[0]?.data;
  // With every answer, also one that brought nothing: what was quiet for long is given up.
  const { dataUpdatedAt } = query;
  const looksAgain = useMemo(() => dataUpdatedAt > 0 && grows(pages), [pages, dataUpdatedAt]);
  if (query.isPending)
    return (
      <>
        <title>Trace · Candela</title>
        <SkeletonRows rows={16} label="Loading the trace" />
      </>
    );
  if (!trace) {
    if (query.error instanceof ApiError && query.error.status === 404)
      return <TraceAbsent traceId={traceId} />;
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <div className={PAGE_COLUMN}>
      <title>{`${trace.rootName || trace.traceId} · Candela`}</title>
      <TraceHeader trace={trace} root={rootOf(spans, tree)} />
      <Explorer
        key={trace.traceId}
        trace={trace}
        spans={spans}
        tree={tree}
        loading={loading}
        looksAgain={looksAgain}
        onMore={() => (loading === 'paused' ? setUpTo(spans.length + SPANS_AT_ONCE) : void fetchNextPage())}
      />
    </div>
  );
}
