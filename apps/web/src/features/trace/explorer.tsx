import type { Trace } from '@candela/contract';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { themePreference } from '../../lib/theme.ts';
import { Split } from '../../ui/split.tsx';
import { Notice } from '../../ui/states.tsx';
import { lastTraces } from '../traces/traces-search.ts';
import { ExplorerBar } from './explorer-bar.tsx';
import { Minimap } from './minimap.tsx';
import { SpanPanel } from './span-panel.tsx';
import { type Focus, focusText, readFocus, type TraceSearch } from './trace-search.ts';
import { failedPositions, findPositions, firstToRead, nextOf, type TraceSpan } from './trace-spans.ts';
import { TraceTimeline } from './trace-timeline.tsx';
import { TraceTree } from './trace-tree.tsx';
import { TranscriptView } from './transcript-view.tsx';
import { ancestorsOf, type SpanTree } from './tree.ts';

const route = getRouteApi('/traces/$traceId');
const FIND_DELAY_MS = 300;

/** The spans on the left, read as tree, transcript or timeline; the selected one on the right. */
export function Explorer(props: {
  trace: Trace;
  spans: readonly TraceSpan[];
  tree: SpanTree;
  loading: 'more' | 'done' | 'failed';
  onRetry: () => void;
}) {
  const { trace, spans, tree } = props;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const theme = themePreference.use();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [find, setFind] = useState(search.find ?? '');
  const change = useCallback(
    (next: Partial<Record<keyof TraceSearch, string | undefined>>) =>
      void navigate({ search: (before) => ({ ...before, ...next }) as typeof before, replace: true }),
    [navigate],
  );
  const focus = useMemo(() => readFocus(search.focus), [search.focus]);
  const setFocus = (next: Focus | undefined) => change({ focus: next && focusText(next) });
  const inUrl = search.find ?? '';
  useEffect(() => {
    if (find === inUrl) return undefined;
    const timer = setTimeout(() => change({ find: find === '' ? undefined : find }), FIND_DELAY_MS);
    return () => clearTimeout(timer);
  }, [find, inUrl, change]);

  const span = useMemo(() => {
    const position = search.span === undefined ? undefined : tree.positionOf.get(search.span);
    return position === undefined ? firstToRead(spans, tree) : spans[tree.order[position] ?? -1];
  }, [search.span, spans, tree]);
  const position = span === undefined ? -1 : (tree.positionOf.get(span.spanId) ?? -1);
  const sought = useDeferredValue(find);
  const found = useMemo(() => findPositions(spans, tree, sought), [spans, tree, sought]);
  const foundSet = useMemo(() => new Set(found), [found]);
  const failed = useMemo(() => failedPositions(spans, tree), [spans, tree]);
  const totalMs = Math.max(tree.endMs, trace.durationMs, 0.001);
  const shown = useMemo(() => focus ?? { fromMs: 0, toMs: totalMs }, [focus, totalMs]);

  const select = useCallback((spanId: string) => change({ span: spanId }), [change]);
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
    select((spans[tree.order[target] as number] as TraceSpan).spanId);
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
  const step = (by: 1 | -1) => {
    let target = position + by;
    while (
      target >= 0 &&
      target < tree.order.length &&
      ancestorsOf(tree, spans, target).some((id) => folded.has(id))
    )
      target += by;
    if (target >= 0 && target < tree.order.length) goTo(target);
  };
  const goToFailed = (by: 1 | -1) => goTo(nextOf(failed, position, by));

  const finder = useRef<HTMLInputElement>(null);
  useHotkey([']', 'j', 'ArrowDown'], () => step(1), { label: 'Next span', group: 'Trace' });
  useHotkey(['[', 'k', 'ArrowUp'], () => step(-1), { label: 'Previous span', group: 'Trace' });
  useHotkey('e', () => goToFailed(1), { label: 'Next failed span', group: 'Trace' });
  useHotkey('E', () => goToFailed(-1), { label: 'Previous failed span', group: 'Trace' });
  useHotkey(['/', 'mod+f'], () => finder.current?.focus(), { label: 'Search in the trace', group: 'Trace' });
  useHotkey('t', () => change({ view: search.view === 'transcript' ? undefined : 'transcript' }), {
    label: 'Tree or transcript',
    group: 'Trace',
  });
  const letGo = () => {
    if (focus) return setFocus(undefined);
    if (find === '' && inUrl === '' && search.span === undefined)
      return void navigate({ to: '/traces', search: lastTraces() });
    setFind('');
    return change({ find: undefined, span: undefined });
  };
  useHotkey('Escape', letGo, { label: 'Let go of focus, search, selection; then close', group: 'Trace' });

  const view = search.view ?? 'tree';
  const shared = {
    spans,
    tree,
    selected: span?.spanId,
    folded,
    found: foundSet,
    focus: shown,
    onSelect: select,
    onFold: fold,
  };
  return (
    <Split
      left={
        <>
          <ExplorerBar
            view={view}
            onView={(next) => change({ view: next === 'tree' ? undefined : next })}
            failed={failed.length}
            onFailed={goToFailed}
            finder={finder}
            find={find}
            found={found.length}
            foundAt={found.indexOf(position)}
            onFind={setFind}
            // What was typed last may not have been looked for yet.
            onNext={(by) => goTo(nextOf(findPositions(spans, tree, find), position, by))}
            anyFolded={folded.size > 0}
            onFoldAll={foldAll}
          />
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
          <Foot {...props} />
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

/** What is still missing from the picture. */
function Foot(props: {
  trace: Trace;
  spans: readonly TraceSpan[];
  tree: SpanTree;
  loading: 'more' | 'done' | 'failed';
  onRetry: () => void;
}) {
  const { spans, tree, trace } = props;
  const frame = 'shrink-0 border-t border-line px-3 py-1 text-sm text-muted';
  const counts = `${formatCount(spans.length)} of ${formatCount(trace.spanCount)} spans loaded`;
  if (props.loading === 'more')
    return (
      <p role="status" className={frame}>
        {counts} …
      </p>
    );
  if (props.loading === 'failed')
    return (
      <p role="alert" className={frame}>
        {counts}; the rest could not be fetched.{' '}
        <button type="button" className="text-accent underline" onClick={props.onRetry}>
          Try again
        </button>
      </p>
    );
  if (tree.orphans === 0) return null;
  return (
    <p className={frame}>
      {tree.orphans === 1 ? 'One span names a parent' : `${formatCount(tree.orphans)} spans name a parent`}{' '}
      that was never received.
    </p>
  );
}
