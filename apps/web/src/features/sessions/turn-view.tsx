import type { SessionTrace, Turn, TurnEntry } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { ArrowUpRight, ChevronRight } from 'lucide-react';
import { use } from 'react';
import { cx } from '../../lib/cx.ts';
import { exact, formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { transfersFocus } from '../../lib/transfer-focus.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { SpanGlyph } from '../../ui/span-glyph.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { PayloadBlock } from '../../ui/text-block.tsx';
import { modelsCell, TimeCell } from '../explore/cells.tsx';
import { MessageView } from '../trace/message-view.tsx';
import { Speaker, Speakers } from './speakers.tsx';

/** Shorter pauses are no news. */
const NOTED_GAP_MS = 30_000;

/** One trace of a session: the pause before it, its figures, and what it adds to the conversation. */
export function TurnView(props: {
  index: number;
  turn: SessionTrace;
  /** Undefined while it is fetched. */
  said: Turn | undefined;
  failed: boolean;
  /** None of its spans of the session names a model, other than of the turn before it. */
  isFirstWithoutModel: boolean;
  selected: boolean;
  onSelect: () => void;
  onRetry: () => void;
}) {
  const { turn, said } = props;
  const gap = turn.gapMs ?? 0;
  const several = use(Speakers).size > 0;
  return (
    <section aria-label={`Turn ${props.index + 1}`} data-testid="turn" className="pb-3">
      {gap >= NOTED_GAP_MS && (
        <p className="my-2 flex items-center gap-3 text-sm text-muted" data-testid="gap">
          <span aria-hidden className="h-px grow bg-line" />
          {formatDuration(gap)} later
          <span aria-hidden className="h-px grow bg-line" />
        </p>
      )}
      <header
        className={cx(
          'mb-2 flex min-h-8 flex-wrap items-center gap-x-3 rounded-md px-2 text-sm text-muted',
          props.selected ? 'bg-selected' : 'bg-hover',
        )}
      >
        <button
          type="button"
          aria-label={`Turn ${props.index + 1}`}
          aria-pressed={props.selected}
          onClick={props.onSelect}
          className="h-8 font-medium text-text"
        >
          {props.index + 1}
        </button>
        <TimeCell iso={turn.startTime} />
        {several && turn.users.map((name) => <Speaker key={name} name={name} />)}
        <MiddleTruncation name={turn.name} />
        {turn.errors > 0 && (
          <span className="flex items-center gap-1 text-danger">
            <StatusIcon status="error" />
            {turn.errors === 1 ? '1 failed span' : `${formatCount(turn.errors)} failed spans`}
          </span>
        )}
        <span className="ml-auto flex max-w-full min-w-0 items-center gap-x-3">
          <span className="min-w-0 truncate">{turn.models.length > 0 && modelsCell(turn.models)}</span>
          <span className="shrink-0" title={exact(turn.durationMs, ' ms')}>
            {formatDuration(turn.durationMs)}
          </span>
          <span className="shrink-0" title={exact(turn.costUsd, ' USD')}>
            {formatCost(turn.costUsd)}
          </span>
          <Link
            to="/traces/$traceId"
            params={{ traceId: turn.traceId }}
            className="flex h-8 shrink-0 items-center gap-0.5 text-accent hover:underline"
            aria-label={`Open the trace of turn ${props.index + 1}`}
          >
            Trace
            <ArrowUpRight size={13} aria-hidden />
          </Link>
        </span>
      </header>
      {props.failed ? (
        // All turns of a page fail together: the conversation says so once.
        <p ref={transfersFocus} className="px-2 text-sm text-danger">
          This part could not be loaded.{' '}
          <button type="button" className="underline" onClick={props.onRetry}>
            Try again
          </button>
        </p>
      ) : said === undefined ? (
        <div role="status" aria-label="Loading the turn" className="skeleton mx-2 h-16" />
      ) : (
        <>
          <Said turn={said} />
          {props.isFirstWithoutModel && said.entries.some(({ model }) => model !== null) && (
            <p className="px-2 pt-2 text-sm text-muted">
              The model calls here do not carry the session id: their tokens, cost and failures are not in the
              figures.
            </p>
          )}
        </>
      )}
    </section>
  );
}

function Said({ turn }: { turn: Turn }) {
  const last = turn.entries.at(-1);
  if (turn.entries.length === 0 && !turn.truncated)
    return (
      <p className="px-2 text-sm text-muted">
        Nothing was said here: the spans carry no messages of their own.
      </p>
    );
  return (
    <div className="flex flex-col gap-2">
      {turn.entries.map((entry, index) => (
        <EntryView key={index} traceId={turn.traceId} entry={entry} />
      ))}
      {turn.truncated && (
        <p className="px-2 text-sm text-muted">
          There is more in this trace than is shown here.{' '}
          <Link
            to="/traces/$traceId"
            params={{ traceId: turn.traceId }}
            search={{ view: 'transcript', ...(last === undefined ? {} : { span: last.spanId }) }}
            className="text-accent hover:underline"
          >
            Read on in its transcript
          </Link>
        </p>
      )}
    </div>
  );
}

function EntryView({ traceId, entry }: { traceId: string; entry: TurnEntry }) {
  const open = (label: string) => (
    <Link
      to="/traces/$traceId"
      params={{ traceId }}
      search={{ span: entry.spanId }}
      title="Show the span"
      className="block max-w-40 truncate rounded px-1 text-xs text-muted hover:bg-hover hover:text-text sm:max-w-80"
    >
      {label}
    </Link>
  );
  const who = entry.agent ?? entry.model ?? 'span';
  switch (entry.kind) {
    case 'message':
      return <MessageView message={entry.message} aside={open(who)} />;
    case 'tool':
      return (
        <details
          data-failed={entry.failed ? '' : undefined}
          className="group/tool rounded-md border border-line bg-surface"
        >
          <summary className="flex h-8 items-center gap-2 px-2">
            <ChevronRight size={13} aria-hidden className="shrink-0 text-muted group-open/tool:rotate-90" />
            <SpanGlyph kind="tool" />
            <span className="font-mono text-sm">{entry.name || 'tool'}</span>
            {entry.failed && <StatusIcon status="error" />}
            <span className="min-w-0 truncate font-mono text-xs text-muted">
              {entry.arguments.slice(0, 200)}
            </span>
            <span className="ml-auto shrink-0 text-xs text-muted">
              {entry.durationMs !== null && formatDuration(entry.durationMs)}
            </span>
          </summary>
          <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
            {entry.arguments !== '' && (
              <div className="flex items-start gap-2">
                <div className="min-w-0 grow">
                  <PayloadBlock text={entry.arguments} />
                </div>
                <CopyButton label="Copy the arguments" text={() => entry.arguments} />
              </div>
            )}
            <div className="flex items-center text-sm text-muted">
              Result
              <span className="ml-auto">{open('show the span')}</span>
              {entry.result !== null && (
                <CopyButton label="Copy the result" text={() => entry.result ?? ''} />
              )}
            </div>
            {entry.result === null ? (
              <span className="text-sm text-muted">no result was recorded</span>
            ) : (
              <PayloadBlock text={entry.result} open={1} />
            )}
          </div>
        </details>
      );
    case 'failure':
      return (
        <p data-failed="" className="flex items-center gap-2 rounded-md bg-danger-soft px-2 py-1 text-danger">
          <StatusIcon status="error" />
          <span className="truncate" title={entry.message ?? undefined}>
            {entry.name}: {entry.message ?? 'failed'}
          </span>
          <span className="ml-auto shrink-0">{open(who)}</span>
        </p>
      );
  }
}
