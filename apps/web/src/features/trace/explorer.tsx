import type { Trace } from '@candela/contract';
import { searchTerms } from '@candela/contract/filter';
import { CatchBoundary, getRouteApi, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { mayTakeFocus, useHotkey } from '../../lib/hotkeys.ts';
import { themePreference } from '../../lib/theme.ts';
import { Sought } from '../../ui/fold.tsx';
import { Split } from '../../ui/split.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { persistedTraces } from '../traces/traces-search.ts';
import { ExplorerBar } from './explorer-bar.tsx';
import { Minimap } from './minimap.tsx';
import { SpanPanel } from './span-panel.tsx';
import {
  type Focus,
  focusText,
  type MessagePlace,
  readFocus,
  readMessagePlace,
  type TraceSearch,
} from './trace-search.ts';
import { TraceFoot } from './trace-foot.tsx';
import { failuresOf, type Loading } from './trace-loading.ts';
import {
  failedPositions,
  firstToRead,
  nextOf,
  positionNear,
  reasonBelow,
  spanNews,
  type TraceSpan,
} from './trace-spans.ts';
import { ancestorsOf, type SpanTree } from './tree.ts';
import { useHighlight } from './use-highlight.ts';
import type { Jump } from './use-reveal.ts';
import { useTraceFind } from './use-trace-find.ts';

const route = getRouteApi('/traces/$traceId');
// Each comes when the address or a click asks for it: who reads the transcript loads no tree.
const TraceGraphView = lazy(() => import('./trace-graph-view.tsx'));
const TraceLogs = lazy(() => import('./trace-logs.tsx'));
const importTree = () => import('./trace-tree.tsx');
const TraceTree = lazy(importTree);
const TraceTimeline = lazy(() => import('./trace-timeline.tsx'));
const TranscriptView = lazy(() => import('./transcript-view.tsx'));

/** Fetches the tree beside the spans, so that it waits for nothing once they are there. */
export const loadTree = (): void => void importTree().catch(() => undefined);

/** The spans on the left, read as tree, transcript or timeline; the selected one on the right. */
export function Explorer(props: {
  trace: Trace;
  spans: readonly TraceSpan[];
  tree: SpanTree;
  loading: Loading;
  /** Whether the trace is asked for again while it runs. */
  looksAgain: boolean;
  onMore: () => void;
}) {
  const { trace, spans, tree } = props;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const theme = themePreference.use();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const change = useCallback(
    (next: Partial<Record<keyof TraceSearch, string | undefined>>) =>
      void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true }),
    [navigate],
  );
  const focus = useMemo(() => readFocus(search.focus), [search.focus]);
  const setFocus = (next: Focus | undefined) => change({ focus: next && focusText(next) });
  const toUrl = useCallback((text: string | undefined) => change({ find: text }), [change]);
  const find = useTraceFind(trace, spans, tree, search.find ?? '', toUrl);

  const [jump, setJump] = useState<Jump>({ spanId: '', position: -1 });
  const first = useMemo(() => firstToRead(spans, tree), [spans, tree]);
  const absent = search.span === undefined || tree.positionOf.has(search.span) ? undefined : search.span;
  // One that may be on a page to come is waited for, instead of another that would be gone in a moment.
  const looking = absent !== undefined && props.loading === 'more';
  const selected = looking
    ? undefined
    : absent === undefined
      ? (search.span ?? first?.spanId)
      : first?.spanId;
  const position = useMemo(
    () => (selected === undefined ? -1 : (positionNear(spans, tree, selected, jump) ?? -1)),
    [spans, tree, selected, jump],
  );
  const span = spans[tree.order[position] ?? -1];
  const failed = useMemo(() => failedPositions(spans, tree), [spans, tree]);
  const failures = failuresOf(props.loading, failed.length, trace.errorCount);
  const reason = useMemo(() => span && reasonBelow(spans, tree, span), [spans, tree, span]);
  const totalMs = Math.max(tree.endMs, trace.durationMs, 0.001);
  const during = useMemo(() => {
    const startMs = Date.parse(trace.startTime);
    return { startMs, endMs: startMs + trace.durationMs };
  }, [trace.startTime, trace.durationMs]);
  const shown = useMemo(() => focus ?? { fromMs: 0, toMs: totalMs }, [focus, totalMs]);

  const select = useCallback(
    (spanId: string, at = -1) => {
      setJump({ spanId, position: at, startTime: spans[tree.order[at] ?? -1]?.light.startTime });
      change({ span: spanId, message: undefined });
    },
    [change, spans, tree],
  );
  const router = useRouter();
  const linkTo = useCallback(
    (spanId: string, { side, index }: MessagePlace) => {
      const { href } = router.buildLocation({
        to: '/traces/$traceId',
        params: { traceId: trace.traceId },
        search: (before) => {
          const { find: _find, tab: _tab, ...rest } = before;
          return { ...rest, span: spanId, message: `${side}.${index}` } as TraceSearch;
        },
      });
      return new URL(href, window.location.href).href;
    },
    [router, trace.traceId],
  );
  const linked = useMemo(() => readMessagePlace(search.message), [search.message]);
  const fold = useCallback((spanId: string, on: boolean) => {
    setFolded((before) => {
      const next = new Set(before);
      if (on) next.add(spanId);
      else next.delete(spanId);
      return next;
    });
  }, []);
  const goTo = (target: number | undefined) => {
    if (target === undefined) return;
    const above = ancestorsOf(tree, spans, target);
    if (above.some((id) => folded.has(id)))
      setFolded(new Set([...folded].filter((id) => !above.includes(id))));
    select((spans[tree.order[target] as number] as TraceSpan).spanId, target);
  };
  const foldAll = () => {
    const next = new Set<string>();
    if (folded.size === 0)
      tree.order.forEach((index, at) => {
        if ((tree.depth[at] ?? 0) > 0 && (tree.descendants[at] ?? 0) > 0)
          next.add((spans[index] as TraceSpan).spanId);
      });
    setFolded(next);
  };
  const views = useRef<HTMLDivElement>(null);
  /** Where a key led to, for those who do not see it, unless a list that has the focus names it. */
  const [said, setSaid] = useState('');
  /** A list of spans takes the focus as it is walked; a transcript, a graph and logs are none. */
  const toList = (): boolean => {
    const list = views.current?.querySelector<HTMLElement>('[role=tree], [role=listbox]');
    if (!list || !mayTakeFocus()) return document.activeElement === list;
    list.focus();
    return true;
  };
  const step = (by: 1 | -1) => {
    let target = position + by;
    while (
      target >= 0 &&
      target < tree.order.length &&
      ancestorsOf(tree, spans, target).some((id) => folded.has(id))
    )
      target += by;
    if (target < 0 || target >= tree.order.length) return;
    goTo(target);
    setSaid(toList() ? '' : spanNews(spans[tree.order[target] as number] as TraceSpan));
  };
  const goToFailed = (by: 1 | -1) => {
    const target = nextOf(failed, position, by);
    if (target === undefined) return;
    goTo(target);
    const span = spans[tree.order[target] as number] as TraceSpan;
    setSaid(spanNews(span, failed.indexOf(target), failures));
  };

  const panel = useRef<HTMLDivElement>(null);
  const terms = useMemo(() => searchTerms(search.find ?? ''), [search.find]);
  useHighlight(panel, terms, { within: '[role=tabpanel]', of: span?.spanId ?? '' });
  const finder = useRef<HTMLInputElement>(null);
  useHotkey([']', 'j', 'ArrowDown'], () => step(1), { label: 'Next span', group: 'Trace' });
  useHotkey(['[', 'k', 'ArrowUp'], () => step(-1), { label: 'Previous span', group: 'Trace' });
  const walkFailed = (by: 1 | -1) => {
    goToFailed(by);
    toList();
  };
  useHotkey('e', () => walkFailed(1), { label: 'Next failed span', group: 'Trace' });
  useHotkey('E', () => walkFailed(-1), { label: 'Previous failed span', group: 'Trace' });
  useHotkey('f', () => span && setFocus({ fromMs: span.startMs, toMs: span.startMs + span.durationMs }), {
    label: 'Look only at the time of this span',
    group: 'Trace',
    enabled: span !== undefined && !span.light.unfinished && span.durationMs > 0,
  });
  useHotkey(['/', 'mod+f'], () => finder.current?.focus(), { label: 'Search in the trace', group: 'Trace' });
  useHotkey('t', () => change({ view: search.view === 'transcript' ? undefined : 'transcript' }), {
    label: 'Tree or transcript',
    group: 'Trace',
  });
  const letGo = () => {
    if (focus) return setFocus(undefined);
    if (find.text === '' && search.find === undefined && search.span === undefined)
      return void navigate({ to: '/traces', search: persistedTraces.last() });
    find.setText('');
    return change({ find: undefined, span: undefined, message: undefined });
  };
  useHotkey('Escape', letGo, { label: 'Let go of focus, search, selection; then close', group: 'Trace' });

  const view = search.view ?? 'tree';
  const shared = {
    spans,
    tree,
    selected: span?.spanId,
    position,
    jump,
    folded,
    found: find.foundSet,
    focus: shown,
    onSelect: select,
    onFold: fold,
  };
  return (
    <Sought value={terms}>
      <Split
        fits={view === 'tree' || view === 'timeline'}
        left={
          <>
            <ExplorerBar
              view={view}
              onView={(next) => change({ view: next === 'tree' ? undefined : next })}
              failed={failures}
              canWalkFailed={failed.length > 0}
              onFailed={goToFailed}
              finder={finder}
              find={find}
              isPart={props.loading === 'paused'}
              foundAt={find.found.indexOf(position)}
              excerpt={span === undefined ? undefined : find.excerpts.get(span.spanId)}
              onNext={(by) => goTo(nextOf(find.now(), position, by))}
              onBeyond={() => find.beyond[0] && select(find.beyond[0])}
              anyFolded={folded.size > 0}
              onFoldAll={foldAll}
            />
            {(view === 'tree' || view === 'timeline') && (
              <Minimap
                spans={spans}
                tree={tree}
                totalMs={totalMs}
                focus={focus}
                theme={theme}
                onFocus={setFocus}
              />
            )}
            <div
              ref={views}
              role="tabpanel"
              id="trace-views-panel"
              aria-labelledby={`trace-views-${view}`}
              className="flex min-h-0 grow flex-col"
            >
              <CatchBoundary
                getResetKey={() => view}
                errorComponent={({ error, reset }) => <Failure error={error} onRetry={reset} />}
              >
                <Suspense fallback={<SkeletonRows rows={8} label={`Loading the ${view}`} />}>
                  {view === 'tree' && <TraceTree {...shared} />}
                  {view === 'timeline' && <TraceTimeline {...shared} />}
                  {view === 'transcript' && (
                    <TranscriptView
                      traceId={trace.traceId}
                      spans={spans}
                      tree={tree}
                      selected={search.span}
                      terms={terms}
                      linked={linked}
                      linkTo={linkTo}
                      looksAgain={props.looksAgain}
                      onSelect={select}
                    />
                  )}
                  {view === 'graph' && (
                    <TraceGraphView spans={spans} tree={tree} selected={span?.spanId} onSelect={select} />
                  )}
                  {view === 'logs' && (
                    <TraceLogs
                      traceId={trace.traceId}
                      during={during}
                      spans={spans}
                      selected={search.span}
                      onSelect={select}
                      looksAgain={props.looksAgain}
                    />
                  )}
                </Suspense>
              </CatchBoundary>
            </div>
            <p role="status" className="sr-only">
              {said}
            </p>
            <TraceFoot {...props} />
          </>
        }
        right={
          <div ref={panel} className="flex h-full flex-col">
            {absent !== undefined && (
              <p role="status" className="shrink-0 border-b border-line bg-selected px-3 py-1 text-sm">
                {looking ? 'Looking for span' : 'Span'} <code>{absent}</code>{' '}
                {looking
                  ? '…'
                  : `is not ${props.loading === 'done' ? 'in this trace' : 'among those loaded'}.`}
              </p>
            )}
            <div className="min-h-0 grow">
              {span ? (
                <SpanPanel
                  traceId={trace.traceId}
                  during={during}
                  span={span}
                  isRepeat={position !== tree.positionOf.get(span.spanId)}
                  tab={search.tab}
                  onTab={(tab) => change({ tab })}
                  linked={search.span === span.spanId ? linked : undefined}
                  linkTo={linkTo}
                  looksAgain={props.looksAgain}
                  reason={reason}
                  onSelect={(spanId) => goTo(tree.positionOf.get(spanId))}
                />
              ) : (
                !looking && <Notice title="No spans yet" />
              )}
            </div>
          </div>
        }
      />
    </Sought>
  );
}
