import type { Trace } from '@candela/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, ChevronsDownUp, ChevronsUpDown, SearchX } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { traceQuery } from '../../api/telemetry.ts';
import { formatCount } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { themePreference } from '../../lib/theme.ts';
import { Button } from '../../ui/button.tsx';
import { Split } from '../../ui/split.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { type Focus, Minimap } from './minimap.tsx';
import { SpanPanel } from './span-panel.tsx';
import { TraceHeader } from './trace-header.tsx';
import { LEFT_VIEWS, type TraceSearch } from './trace-search.ts';
import {
  failedPositions,
  findPositions,
  firstToRead,
  nextOf,
  type TraceSpan,
  traceSpans,
} from './trace-spans.ts';
import { TraceTimeline } from './trace-timeline.tsx';
import { TraceTree } from './trace-tree.tsx';
import { TranscriptView } from './transcript-view.tsx';
import { ancestorsOf, buildTree, type SpanTree } from './tree.ts';

const route = getRouteApi('/traces/$traceId');

/** One trace: what ran, when, and what was said. */
export function TracePage() {
  const { traceId } = route.useParams();
  const query = useInfiniteQuery(traceQuery(traceId.toLowerCase()));
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  const pages = query.data?.pages;
  const spans = useMemo(() => traceSpans((pages ?? []).map((page) => page.data.spans)), [pages]);
  const tree = useMemo(() => buildTree(spans), [spans]);
  const trace = pages?.[0]?.data;
  if (query.isPending) return <SkeletonRows rows={16} label="Loading the trace" />;
  if (!trace) {
    if (query.error instanceof ApiError && query.error.status === 404) return <Absent traceId={traceId} />;
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <div className="flex h-full flex-col">
      <TraceHeader trace={trace} failed={spans[tree.order[0] ?? -1]?.failed ?? false} />
      <Explorer key={trace.traceId} trace={trace} spans={spans} tree={tree} complete={!hasNextPage} />
    </div>
  );
}

function Absent({ traceId }: { traceId: string }) {
  return (
    <Notice icon={<SearchX className="text-muted" aria-hidden />} title="This trace is not here">
      <p>
        No span with the trace id <code className="font-mono break-all">{traceId}</code> is stored. It may
        have been kept out by sampling, or its time to live is over.
      </p>
      <Link to="/traces" className="text-accent underline">
        Back to Traces
      </Link>
    </Notice>
  );
}

function Explorer(props: { trace: Trace; spans: readonly TraceSpan[]; tree: SpanTree; complete: boolean }) {
  const { trace, spans, tree } = props;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const theme = themePreference.use();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [focus, setFocus] = useState<Focus>();
  const change = (next: Partial<Record<keyof TraceSearch, string | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true });

  const span = useMemo(() => {
    const position = search.span === undefined ? undefined : tree.positionOf.get(search.span);
    return position === undefined ? firstToRead(spans, tree) : spans[tree.order[position] ?? -1];
  }, [search.span, spans, tree]);
  const position = span === undefined ? -1 : (tree.positionOf.get(span.spanId) ?? -1);
  const found = useMemo(() => findPositions(spans, tree, search.find ?? ''), [spans, tree, search.find]);
  const foundSet = useMemo(() => new Set(found), [found]);
  const failed = useMemo(() => failedPositions(spans, tree), [spans, tree]);
  const totalMs = Math.max(tree.endMs, trace.durationMs, 0.001);
  const whole = useMemo(() => ({ fromMs: 0, toMs: totalMs }), [totalMs]);

  const select = (spanId: string) => change({ span: spanId });
  const goTo = (target: number | undefined) => {
    if (target === undefined) return;
    const above = ancestorsOf(tree, spans, target);
    if (above.some((id) => folded.has(id)))
      setFolded(new Set([...folded].filter((id) => !above.includes(id))));
    select((spans[tree.order[target] as number] as TraceSpan).spanId);
  };
  const fold = (spanId: string, on: boolean) => {
    const next = new Set(folded);
    if (on) next.add(spanId);
    else next.delete(spanId);
    setFolded(next);
  };
  const foldAll = () => {
    if (folded.size > 0) return setFolded(new Set());
    const next = new Set<string>();
    tree.order.forEach((index, at) => {
      if ((tree.depth[at] ?? 0) >= 1 && (tree.descendants[at] ?? 0) > 0)
        next.add((spans[index] as TraceSpan).spanId);
    });
    return setFolded(next);
  };

  const nextSpan = (step: 1 | -1) => {
    let target = position + step;
    while (
      target >= 0 &&
      target < tree.order.length &&
      ancestorsOf(tree, spans, target).some((id) => folded.has(id))
    )
      target += step;
    if (target >= 0 && target < tree.order.length) goTo(target);
  };
  const finder = useRef<HTMLInputElement>(null);
  useHotkey([']', 'j', 'ArrowDown'], () => nextSpan(1), { label: 'Next span', group: 'Trace' });
  useHotkey(['[', 'k', 'ArrowUp'], () => nextSpan(-1), { label: 'Previous span', group: 'Trace' });
  useHotkey('e', () => goTo(nextOf(failed, position, 1)), { label: 'Next failed span', group: 'Trace' });
  useHotkey('E', () => goTo(nextOf(failed, position, -1)), { label: 'Previous failed span', group: 'Trace' });
  useHotkey(['/', 'mod+f'], () => finder.current?.focus(), { label: 'Search in the trace', group: 'Trace' });
  useHotkey('t', () => change({ view: search.view === 'transcript' ? undefined : 'transcript' }), {
    label: 'Tree or transcript',
    group: 'Trace',
  });
  useHotkey('Escape', () => (focus ? setFocus(undefined) : change({ find: undefined, span: undefined })), {
    label: 'Let go of focus, search, selection',
    group: 'Trace',
  });

  const view = search.view ?? 'tree';
  const shared = {
    spans,
    tree,
    selected: span?.spanId,
    folded,
    found: foundSet,
    focus: focus ?? whole,
    onSelect: select,
    onFold: fold,
  };
  return (
    <Split
      left={
        <>
          <div className="flex h-9 shrink-0 items-center gap-1 border-b border-line px-2">
            <div role="tablist" aria-label="Ways to read the trace" className="flex">
              {LEFT_VIEWS.map((one) => (
                <button
                  key={one}
                  type="button"
                  role="tab"
                  aria-selected={view === one}
                  onClick={() => change({ view: one === 'tree' ? undefined : one })}
                  className="h-6 rounded px-2 text-muted capitalize hover:text-text aria-selected:bg-selected aria-selected:text-text"
                >
                  {one}
                </button>
              ))}
            </div>
            <div className="ml-auto flex min-w-0 items-center gap-1">
              {failed.length > 0 && (
                <span className="flex shrink-0 items-center text-sm text-danger">
                  {formatCount(failed.length)} failed
                  <Button
                    look="plain"
                    className="px-1"
                    aria-label="Previous failed span"
                    title="Previous failed span (E)"
                    onClick={() => goTo(nextOf(failed, position, -1))}
                  >
                    <ArrowUp size={13} aria-hidden />
                  </Button>
                  <Button
                    look="plain"
                    className="px-1"
                    aria-label="Next failed span"
                    title="Next failed span (e)"
                    onClick={() => goTo(nextOf(failed, position, 1))}
                  >
                    <ArrowDown size={13} aria-hidden />
                  </Button>
                </span>
              )}
              <input
                ref={finder}
                type="search"
                aria-label="Search in the trace"
                placeholder="Search in the trace"
                value={search.find ?? ''}
                onChange={(event) => change({ find: event.target.value || undefined })}
                onKeyDown={(event) => {
                  if (event.key === 'Enter') goTo(nextOf(found, position, event.shiftKey ? -1 : 1));
                  else if (event.key === 'Escape') event.currentTarget.blur();
                  else return;
                  event.preventDefault();
                }}
                className="h-6 w-40 min-w-0 rounded-md border border-line bg-surface px-2 text-sm"
              />
              {search.find !== undefined && (
                <span className="shrink-0 text-sm text-muted" role="status">
                  {found.includes(position) ? `${found.indexOf(position) + 1} of ` : ''}
                  {formatCount(found.length)}
                </span>
              )}
              {view === 'tree' && (
                <Button
                  look="plain"
                  className="px-1"
                  onClick={foldAll}
                  aria-label={folded.size > 0 ? 'Unfold all' : 'Fold all'}
                  title={folded.size > 0 ? 'Unfold all' : 'Fold all'}
                >
                  {folded.size > 0 ? (
                    <ChevronsUpDown size={14} aria-hidden />
                  ) : (
                    <ChevronsDownUp size={14} aria-hidden />
                  )}
                </Button>
              )}
            </div>
          </div>
          {view !== 'transcript' && (
            <Minimap
              spans={spans}
              tree={tree}
              totalMs={totalMs}
              focus={focus}
              theme={theme}
              onFocus={setFocus}
            />
          )}
          {view === 'tree' && <TraceTree {...shared} />}
          {view === 'timeline' && <TraceTimeline {...shared} />}
          {view === 'transcript' && (
            <TranscriptView
              traceId={trace.traceId}
              spans={spans}
              tree={tree}
              selected={search.span}
              onSelect={select}
            />
          )}
          {!props.complete && (
            <p role="status" className="shrink-0 border-t border-line px-3 py-1 text-sm text-muted">
              {formatCount(spans.length)} of {formatCount(trace.spanCount)} spans loaded …
            </p>
          )}
          {props.complete && tree.orphans > 0 && (
            <p className="shrink-0 border-t border-line px-3 py-1 text-sm text-muted">
              {tree.orphans === 1
                ? 'One span names a parent'
                : `${formatCount(tree.orphans)} spans name a parent`}{' '}
              that was never received.
            </p>
          )}
        </>
      }
      right={
        span ? (
          <SpanPanel traceId={trace.traceId} span={span} tab={search.tab} onTab={(tab) => change({ tab })} />
        ) : (
          <Notice title="No spans yet" />
        )
      }
    />
  );
}
