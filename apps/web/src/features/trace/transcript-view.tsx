import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import {
  memo,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { conversationQuery, type SpokenSpan } from './conversation-query.ts';
import { cx } from '../../lib/cx.ts';
import { failureWords } from '../../lib/failure-words.ts';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { scrollToSee } from '../../lib/scroll-to-see.ts';
import { useHeld } from '../../lib/use-held.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { SpanGlyph } from '../../ui/span-glyph.tsx';
import { SkeletonRows } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { MessageView, ToolBox } from './message-view.tsx';
import { ResultBlock } from './result-block.tsx';
import type { LinkTo } from './span-panel.tsx';
import type { MessagePlace } from './trace-search.ts';
import type { TraceSpan } from './trace-spans.ts';
import {
  aroundStep,
  BATCH,
  buildTranscript,
  type Entry,
  foldedAtFirst,
  speakingAlone,
  stepAt,
  stepsInside,
  stepsOf,
  stepsToRead,
  stretchTo,
  toldBefore,
} from './transcript.ts';
import type { SpanTree } from './tree.ts';
import { useHighlight } from './use-highlight.ts';

/** How far below the edge the next steps are asked for, so that a reader seldom waits. */
const AHEAD = '1200px';
/** So much of an entry has to be in sight, else it is brought there. */
const SEEN_PX = 80;

const readings = (answers: readonly UseQueryResult<SpokenSpan>[]) => ({
  conversations: new Map(
    answers.flatMap(({ data }) => (data ? [[data.key, data.conversation] as const] : [])),
  ),
  isPending: answers.map((answer) => answer.isPending),
  // One that could only not be read again still says what it said.
  failed: answers.filter((answer) => answer.isLoadingError).length,
  retry: () => {
    for (const answer of answers) if (answer.isLoadingError) void answer.refetch();
  },
});

/**
 * The trace read as a conversation. Contents are fetched for a stretch of steps around the selected span, which grows as
 * it is read.
 */
export default function TranscriptView(props: {
  traceId: string;
  spans: readonly TraceSpan[];
  tree: SpanTree;
  selected: string | undefined;
  /** What is sought, to be marked. */
  terms: readonly string[];
  /** The message of the selected span that the address names. */
  linked: MessagePlace | undefined;
  linkTo: LinkTo;
  /** Whether the trace is asked for again while it runs. */
  looksAgain: boolean;
  onSelect: (spanId: string) => void;
}) {
  const { traceId, spans, tree, selected, linked, looksAgain, onSelect } = props;
  const steps = useMemo(() => stepsOf(spans, tree), [spans, tree]);
  const inside = useMemo(() => stepsInside(steps), [steps]);
  const alone = useMemo(() => speakingAlone(steps), [steps]);
  const at = useMemo(() => stepAt(steps, tree, selected), [steps, tree, selected]);
  const [stretch, setStretch] = useState(() => stretchTo(undefined, at));
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const atFirst = useMemo(() => foldedAtFirst(steps), [steps]);
  const folded = useMemo(() => atFirst.symmetricDifference(turned), [atFirst, turned]);

  const { from, to, seen } = stretch;
  const outer = useMemo(() => aroundStep(steps, from), [steps, from]);
  const toldIf = useMemo(() => toldBefore(steps, from), [steps, from]);
  const toldNow = useMemo(() => toldBefore(steps, seen), [steps, seen]);
  const wanted = useMemo(
    () => stepsToRead(steps, stretch, [...toldIf, ...toldNow], folded, alone),
    [steps, stretch, toldIf, toldNow, folded, alone],
  );
  const { conversations, isPending, failed, retry } = useQueries({
    queries: wanted.map((step) => conversationQuery(traceId, step, looksAgain)),
    combine: readings,
  });
  const open = useMemo(
    () => new Set(wanted.filter((_, index) => isPending[index]).map((step) => step.key)),
    [wanted, isPending],
  );
  const isEarlier = [...outer, ...toldIf, ...steps.slice(from, seen)].some((step) => open.has(step.key));
  // What stands must not go while the steps before it are read.
  const first = isEarlier ? seen : from;
  const entries = useMemo(() => {
    const told = first === from ? toldIf : toldNow;
    return buildTranscript(
      [...aroundStep(steps, first), ...told, ...steps.slice(first, to)],
      conversations,
      folded,
      open,
      new Set(told.map((step) => step.key)),
      inside,
      alone,
    );
  }, [steps, first, from, to, toldIf, toldNow, conversations, folded, open, inside, alone]);

  const named = useMemo(
    () =>
      entries.find(
        (entry) =>
          entry.kind === 'message' &&
          entry.span.spanId === selected &&
          entry.side === linked?.side &&
          entry.index === linked.index,
      )?.key,
    [entries, selected, linked],
  );

  const fold = useCallback((key: string) => {
    setTurned((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);

  const scroller = useRef<HTMLDivElement>(null);
  useHighlight(scroller, props.terms);
  /** The span that was chosen by a click here: it stands where the reader looks. */
  const chosen = useRef<string>(undefined);
  /** The span that was brought into sight. */
  const { held, release, released } = useHeld<string>();
  const choose = useCallback(
    (spanId: string) => {
      chosen.current = spanId;
      onSelect(spanId);
    },
    [onSelect],
  );
  const bring = useEffectEvent(() => {
    const box = scroller.current;
    if (box === null || held.current === undefined) return;
    const position = tree.positionOf.get(held.current) ?? 0;
    // A call that only asked for tools stands in their entries.
    const target =
      (held.current === selected ? entries.find((entry) => entry.key === named) : undefined) ??
      entries.find((entry) => entry.span.spanId === held.current) ??
      entries.find(
        (entry) => entry.kind !== 'agent' && (tree.positionOf.get(entry.span.spanId) ?? 0) >= position,
      );
    const shown = target && box.querySelector(`[data-entry="${CSS.escape(target.key)}"]`);
    if (shown) scrollToSee(shown, 'top', SEEN_PX);
  });
  const reveal = useEffectEvent((spanId: string | undefined) => {
    if (spanId === undefined || spanId === chosen.current) return;
    chosen.current = spanId;
    held.current = spanId;
    setStretch((before) => stretchTo(before, at));
    const around = steps[at]?.agents ?? [];
    if (around.some((agent) => folded.has(agent)))
      setTurned(atFirst.symmetricDifference(new Set([...folded].filter((id) => !around.includes(id)))));
    bring();
  });
  useEffect(() => reveal(selected), [selected]);
  // Steps that come in above push what is read down: it is brought back.
  const stood = useRef<{ spanId: string; top: number }>(undefined);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null || stood.current === undefined) return;
    const now = placesOf(box, stood.current.spanId).at(-1);
    if (now) box.scrollTop += now.getBoundingClientRect().top - stood.current.top;
    stood.current = undefined;
  }, [first]);
  useLayoutEffect(() => bring(), [entries]);
  // What comes into sight is drawn then, and is higher than what stood for it: the span must not be pushed away.
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (content.current === null) return undefined;
    const observer = new ResizeObserver(() => bring());
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [steps]);
  const earlier = () => {
    release();
    const spanId = entries.find((entry) => entry.kind !== 'agent')?.span.spanId;
    const place = spanId && scroller.current && placesOf(scroller.current, spanId).at(-1);
    if (place) stood.current = { spanId, top: place.getBoundingClientRect().top };
    setStretch({ from: Math.max(0, from - BATCH), to, seen: from });
  };

  const rest = steps.length - to;
  const isReading = open.size > 0;
  const further = useCallback(() => setStretch((before) => ({ ...before, to: before.to + BATCH })), []);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const mark = end.current;
    if (mark === null || isReading || rest <= 0) return undefined;
    const observer = new IntersectionObserver(
      (seenNow) => seenNow.some((one) => one.isIntersecting) && further(),
      {
        root: scroller.current,
        rootMargin: `0px 0px ${AHEAD}`,
      },
    );
    observer.observe(mark);
    return () => observer.disconnect();
  }, [isReading, rest, further]);

  if (steps.length === 0)
    return (
      <p className="p-6 text-muted">
        This trace has no model calls, tools or agents, so there is no conversation to read. The tree shows
        what ran.
      </p>
    );
  return (
    <div ref={scroller} {...released} className="min-h-0 grow overflow-auto" data-testid="transcript">
      <div ref={content} className="mx-auto flex max-w-4xl flex-col gap-2 p-3">
        {first > 0 && entries.length > 0 && (
          <Button className="self-center" onClick={earlier} busy={isEarlier}>
            {isEarlier ? 'Reading earlier steps' : `${formatCount(first)} earlier steps`}
          </Button>
        )}
        {entries.map((entry) => (
          <EntryView
            key={entry.key}
            entry={entry}
            selected={named === undefined ? entry.span.spanId === selected : entry.key === named}
            folded={folded.has(entry.key)}
            whole={rest <= 0 && !isReading}
            onSelect={choose}
            onFold={fold}
            linkTo={props.linkTo}
          />
        ))}
        {isReading && !isEarlier && <SkeletonRows rows={3} label="Loading the conversation" />}
        {failed > 0 && (
          <p role="alert" className="text-sm text-danger">
            {failed === 1 ? 'One step' : `${failed} steps`} could not be loaded.{' '}
            <button type="button" className="underline" onClick={retry}>
              Try again
            </button>
          </p>
        )}
        {!isReading && entries.length === 0 && (
          <p className="text-muted">
            The steps of this trace carry no messages. Content capture may be off in the SDK.
          </p>
        )}
        {rest > 0 && !isReading && (
          <div ref={end} className="self-center">
            <Button onClick={further}>{formatCount(rest)} more steps</Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** What a span says, from its first entry to its last. */
const placesOf = (box: Element, spanId: string): Element[] => [
  ...box.querySelectorAll(`[data-span="${CSS.escape(spanId)}"]`),
];

interface EntryProps {
  readonly entry: Entry;
  readonly folded: boolean;
  /** Whether all steps are read: what was not seen then is nowhere. */
  readonly whole: boolean;
  readonly onSelect: (spanId: string) => void;
  readonly onFold: (key: string) => void;
  readonly linkTo: LinkTo;
}

const EntryView = memo(function EntryView(props: EntryProps & { readonly selected: boolean }) {
  const { entry } = props;
  const indent = { marginLeft: Math.min(entry.depth, 8) * 16 };
  return (
    <div
      style={indent}
      data-span={entry.span.spanId}
      data-entry={entry.key}
      data-marked={props.selected || undefined}
      aria-current={props.selected || undefined}
      // What is not on screen is not laid out: a transcript may be thousands of entries long.
      className={cx(
        'rounded-md [contain-intrinsic-size:auto_120px] [content-visibility:auto]',
        props.selected && 'ring-1 ring-accent-fill',
      )}
    >
      <EntryBody {...props} />
    </div>
  );
});

function EntryBody(props: EntryProps) {
  const { entry } = props;
  const { light } = entry.span;
  // What the model call took and cost stands at its answer, not at every tool it asked for.
  const hasFigures = entry.kind !== 'tool' || entry.ran;
  const open = (
    <button
      type="button"
      onClick={() => props.onSelect(entry.span.spanId)}
      title="Show the span"
      className="flex items-center gap-2 rounded px-1 text-xs text-muted hover:bg-hover hover:text-text"
    >
      {light.model ?? light.name}
      {hasFigures && ` · ${light.unfinished ? 'running' : formatDuration(light.durationMs)}`}
      {hasFigures && light.costUsd !== null && ` · ${formatCost(light.costUsd)}`}
    </button>
  );
  switch (entry.kind) {
    case 'agent':
      return (
        <div className="flex h-8 items-center gap-2 rounded-md bg-hover px-2">
          <button
            type="button"
            aria-expanded={!props.folded}
            onClick={() => props.onFold(entry.key)}
            className="flex min-w-0 grow items-center gap-2 text-left"
          >
            <ChevronRight size={13} aria-hidden className={cx('text-muted', !props.folded && 'rotate-90')} />
            <SpanGlyph kind="agent" />
            <MiddleTruncation name={light.agent ?? light.name} className="font-medium" />
            <span className="shrink-0 text-sm text-muted">
              {entry.steps === 1 ? '1 step' : `${formatCount(entry.steps)} steps`}
            </span>
            {entry.span.failed && <StatusIcon status="error" />}
          </button>
          {open}
        </div>
      );
    case 'message':
      return (
        <MessageView
          message={entry.message}
          aside={entry.side === 'output' ? open : undefined}
          link={() => props.linkTo(entry.span.spanId, entry)}
        />
      );
    case 'tool':
      return (
        <ToolBox title={entry.name} id={entry.id} label="" payload={entry.arguments}>
          <div className="border-t border-line px-2 py-1.5">
            <div className="mb-1 flex items-center gap-2 text-sm text-muted">
              Result
              {entry.failed && <StatusIcon status="error" />}
              <span className="ml-auto">{open}</span>
              {entry.result !== undefined && entry.result !== '' && (
                <CopyButton
                  label="Copy the result"
                  text={() => entry.result ?? ''}
                  className="-my-0.5 -ml-1 h-6"
                />
              )}
            </div>
            {entry.result === undefined ? (
              <span className="text-sm text-muted">
                {props.whole ? 'no result was recorded' : 'no result in the steps read so far'}
              </span>
            ) : (
              <ResultBlock text={entry.result} />
            )}
          </div>
        </ToolBox>
      );
    case 'failure':
      return (
        <p className="flex items-center gap-2 rounded-md bg-danger-soft px-2 py-1 text-danger">
          <StatusIcon status="error" />
          <span className="truncate">
            {light.name}: {failureWords(light) ?? 'failed'}
          </span>
          <span className="ml-auto">{open}</span>
        </p>
      );
  }
}
