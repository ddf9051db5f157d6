import { useQueries } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { conversationQuery } from './conversation-query.ts';
import { cx } from '../../lib/cx.ts';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { SpanGlyph } from '../../ui/span-glyph.tsx';
import { SkeletonRows } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { MessageView, ToolBox } from './message-view.tsx';
import { ResultBlock } from './result-block.tsx';
import type { TraceSpan } from './trace-spans.ts';
import { buildTranscript, type Entry, foldedAtFirst, stepsOf } from './transcript.ts';
import type { SpanTree } from './tree.ts';

const BATCH = 40;

/** The trace read as a conversation. Contents are fetched for the steps shown so far, a batch at a time. */
export default function TranscriptView(props: {
  traceId: string;
  spans: readonly TraceSpan[];
  tree: SpanTree;
  selected: string | undefined;
  onSelect: (spanId: string) => void;
}) {
  const { traceId, spans, tree } = props;
  const steps = useMemo(() => stepsOf(spans, tree), [spans, tree]);
  const [shown, setShown] = useState(BATCH);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const atFirst = useMemo(() => foldedAtFirst(steps), [steps]);
  const folded = useMemo(() => atFirst.symmetricDifference(turned), [atFirst, turned]);
  const wanted = steps.slice(0, shown);
  const details = useQueries({ queries: wanted.map((step) => conversationQuery(traceId, step.span.spanId)) });
  const pending = details.filter((detail) => detail.isPending).length;
  const failed = details.filter((detail) => detail.isError).length;
  const conversations = new Map(
    details.flatMap((detail) =>
      detail.data ? [[detail.data.spanId, detail.data.conversation] as const] : [],
    ),
  );
  const open = new Set(
    details.flatMap((detail, index) => (detail.isPending ? [wanted[index]?.span.spanId ?? ''] : [])),
  );
  const entries = buildTranscript(wanted, conversations, folded, open);
  if (steps.length === 0)
    return (
      <p className="p-6 text-muted">
        This trace has no model calls, tools or agents, so there is no conversation to read. The tree shows
        what ran.
      </p>
    );
  const fold = (spanId: string) => {
    const next = new Set(turned);
    if (!next.delete(spanId)) next.add(spanId);
    setTurned(next);
  };
  return (
    <div className="min-h-0 grow overflow-auto" data-testid="transcript">
      <div className="mx-auto flex max-w-4xl flex-col gap-2 p-3">
        {entries.map((entry) => (
          <EntryView
            key={entry.key}
            entry={entry}
            selected={entry.span.spanId === props.selected}
            folded={folded.has(entry.span.spanId)}
            onSelect={() => props.onSelect(entry.span.spanId)}
            onFold={() => fold(entry.span.spanId)}
          />
        ))}
        {pending > 0 && <SkeletonRows rows={3} label="Loading the conversation" />}
        {failed > 0 && (
          <p role="alert" className="text-sm text-danger">
            {failed === 1 ? 'One step' : `${failed} steps`} could not be loaded.{' '}
            <button
              type="button"
              className="underline"
              onClick={() => {
                for (const detail of details) if (detail.isError) void detail.refetch();
              }}
            >
              Try again
            </button>
          </p>
        )}
        {pending === 0 && entries.length === 0 && (
          <p className="text-muted">
            The steps of this trace carry no messages. Content capture may be off in the SDK.
          </p>
        )}
        {steps.length > shown && pending === 0 && (
          <Button className="self-center" onClick={() => setShown(shown + BATCH)}>
            {formatCount(steps.length - shown)} more steps
          </Button>
        )}
      </div>
    </div>
  );
}

function EntryView(props: {
  entry: Entry;
  selected: boolean;
  folded: boolean;
  onSelect: () => void;
  onFold: () => void;
}) {
  const { entry } = props;
  const indent = { marginLeft: Math.min(entry.depth, 8) * 16 };
  return (
    <div
      style={indent}
      // What is not on screen is not laid out: a transcript may be thousands of entries long.
      className={cx(
        'rounded-md [contain-intrinsic-size:auto_120px] [content-visibility:auto]',
        props.selected && 'ring-1 ring-accent-fill',
      )}
    >
      <EntryBody {...props} />
    </div>
  );
}

function EntryBody(props: { entry: Entry; folded: boolean; onSelect: () => void; onFold: () => void }) {
  const { entry } = props;
  const { light } = entry.span;
  // What the model call took and cost stands at its answer, not at every tool it asked for.
  const hasFigures = entry.kind !== 'tool' || entry.ran;
  const open = (
    <button
      type="button"
      onClick={props.onSelect}
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
            onClick={props.onFold}
            className="flex min-w-0 grow items-center gap-2 text-left"
          >
            <ChevronRight size={13} aria-hidden className={cx('text-muted', !props.folded && 'rotate-90')} />
            <SpanGlyph kind="agent" />
            <span className="truncate font-medium">{light.agent ?? light.name}</span>
            <span className="shrink-0 text-sm text-muted">
              {entry.steps === 1 ? '1 step' : `${formatCount(entry.steps)} steps`}
            </span>
            {entry.span.failed && <StatusIcon status="error" />}
          </button>
          {open}
        </div>
      );
    case 'message':
      return <MessageView message={entry.message} aside={entry.side === 'output' ? open : undefined} />;
    case 'tool':
      return (
        <ToolBox title={entry.name} id={entry.id} label="" payload={entry.arguments}>
          <div className="border-t border-line px-2 py-1.5">
            <div className="mb-1 flex items-center gap-2 text-sm text-muted">
              Result
              {entry.failed && <StatusIcon status="error" />}
              <span className="ml-auto">{open}</span>
            </div>
            {entry.result === undefined ? (
              <span className="text-sm text-muted">no result was recorded</span>
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
            {light.name}: {light.statusMessage ?? light.errorType ?? 'failed'}
          </span>
          <span className="ml-auto">{open}</span>
        </p>
      );
  }
}
