import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import {
  around,
  EXCEPTION_KINDS,
  mayFollow,
  OCCURRENCES,
  traceExceptionsQuery,
  traceLogsQuery,
  type TraceSpanOfTime,
} from '../../api/trace.ts';
import { cx } from '../../lib/cx.ts';
import { failureWords } from '../../lib/failure-words.ts';
import { formatCount, formatDuration, formatTime } from '../../lib/format.ts';
import { useStaleData } from '../../lib/use-stale-data.ts';
import { zonePreference } from '../../lib/zone.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Failure, FailureLine, NotRefreshed, SkeletonRows } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { PayloadBlock } from '../../ui/text-block.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Line as LogLine } from '../logs/log-line.tsx';
import { withoutAnsi } from '../logs/log-text.ts';
import { type LogEntry, logEntries, spanIdOf } from './log-entries.ts';
import { LOOK_AGAIN_MS } from './still-running.ts';
import type { TraceSpan } from './trace-spans.ts';

const ROW = 26;
/** More pages are not read again and again while the trace runs. */
const MOST_PAGES_AGAIN = 4;
const LOUD: Record<string, string> = { fatal: 'text-danger', error: 'text-danger', warn: 'text-warn' };

/** What was logged while the trace ran, failures among it; choosing a line chooses its span. */
export default function TraceLogs(props: {
  traceId: string;
  during: TraceSpanOfTime;
  /** The spans whose failures belong among the lines. */
  spans: readonly TraceSpan[];
  /** Only the lines of this span. */
  spanId?: string;
  selected?: string | undefined;
  onSelect?: (spanId: string) => void;
  /** Whether the trace is asked for again while it runs. */
  looksAgain: boolean;
}) {
  const { traceId, during, spans, selected } = props;
  const ofTrace = props.spanId === undefined;
  const query = useInfiniteQuery({
    ...traceLogsQuery(traceId, during, props.spanId),
    // What is new comes at the end: behind pages that nobody asked for, nothing of it shows.
    refetchInterval: ({ state: { data } }) =>
      (props.looksAgain || mayFollow(during.endMs, Date.now())) &&
      data?.pages.at(-1)?.nextCursor === null &&
      data.pages.length <= MOST_PAGES_AGAIN
        ? LOOK_AGAIN_MS
        : false,
  });
  const ofAll = useStaleData(
    useQuery({ ...traceExceptionsQuery(traceId, during, props.looksAgain), enabled: ofTrace }),
    traceId,
  );
  // Of one span its events tell; here they would be lost among the spans that did not fail.
  const exceptions = ofTrace ? ofAll : undefined;
  const pages = query.data?.pages;
  const entries = useMemo(
    () =>
      logEntries(
        (pages ?? []).flatMap((page) => page.data),
        spans,
        during.startMs,
        exceptions?.data?.thrown,
      ),
    [pages, spans, during.startMs, exceptions?.data],
  );
  const names = useMemo(() => new Map(spans.map((span) => [span.spanId, span.light.name])), [spans]);
  const failure = exceptions?.error ?? exceptions?.missed ?? null;
  const exceptionsFailed = failure !== null && (
    <FailureLine
      what="Exceptions that spans survived"
      error={failure}
      onRetry={ofAll.refetch}
      className="shrink-0 border-b border-line px-3 py-1"
    />
  );
  // Nothing is said to be missing before all that may be a line was asked for.
  if (query.isPending || (entries.length === 0 && exceptions?.isPending))
    return <SkeletonRows rows={8} label="Loading the logs" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (entries.length === 0)
    return (
      <>
        {exceptionsFailed}
        <p className="p-4 text-muted">
          No log record names {ofTrace ? 'this trace' : 'this span'}. SDKs add trace and span ids to log
          records when logs are sent through OpenTelemetry.
        </p>
      </>
    );
  return (
    <div className="flex min-h-0 grow flex-col">
      {exceptionsFailed}
      {exceptions?.data?.more === true && (
        <p className="shrink-0 border-b border-line px-3 py-1 text-sm text-muted">
          The trace has more exceptions than are shown: the newest {OCCURRENCES} of {EXCEPTION_KINDS} kinds.
        </p>
      )}
      {query.isRefetchError && (
        <NotRefreshed error={query.error} onRetry={() => void query.refetch({ cancelRefetch: false })} />
      )}
      <Lines {...props} entries={entries} names={names} selected={selected} />
      {query.hasNextPage && (
        <div className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line px-3 py-1 text-sm text-muted">
          {formatCount(entries.length)} lines shown.
          <MoreRows query={query} noun="lines" />
        </div>
      )}
    </div>
  );
}

function Lines(props: {
  traceId: string;
  during: TraceSpanOfTime;
  entries: readonly LogEntry[];
  names: ReadonlyMap<string, string>;
  selected: string | undefined;
  onSelect?: (spanId: string) => void;
}) {
  const { entries, selected } = props;
  const [open, setOpen] = useState('');
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: 16,
  });
  const first = selected === undefined ? -1 : entries.findIndex((entry) => spanIdOf(entry) === selected);
  const reveal = useEffectEvent(() => {
    if (first !== -1) virtual.scrollToIndex(first, { align: 'auto' });
  });
  useEffect(() => reveal(), [selected]);
  const choose = (entry: LogEntry) => {
    setOpen(open === entry.key ? '' : entry.key);
    const spanId = spanIdOf(entry);
    if (spanId !== null) props.onSelect?.(spanId);
  };
  return (
    <div ref={scroller} data-testid="trace-logs" className="min-h-0 grow overflow-auto">
      <ol aria-label="Log lines" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const entry = entries[item.index] as LogEntry;
          return (
            <li
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              style={{ transform: `translateY(${item.start}px)` }}
              className={cx(
                'absolute top-0 left-0 w-full border-b border-line/40',
                spanIdOf(entry) !== null && spanIdOf(entry) === selected && 'bg-selected',
              )}
            >
              <Line
                entry={entry}
                way={{ traceId: props.traceId, during: props.during }}
                names={props.names}
                open={open === entry.key}
                onChoose={() => choose(entry)}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Line(props: {
  entry: LogEntry;
  /** Among which records of the Logs page a record stands. */
  way: { traceId: string; during: TraceSpanOfTime };
  names: ReadonlyMap<string, string>;
  open: boolean;
  onChoose: () => void;
}) {
  const { entry, open } = props;
  const spanId = spanIdOf(entry);
  const { look, said, text } = wordsOf(entry);
  const zone = zonePreference.use();
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={props.onChoose}
        className="flex h-6.5 w-full items-center gap-2 px-2 text-left text-sm hover:bg-hover"
      >
        <span className="w-16 shrink-0 text-right font-mono text-muted">
          {entry.offsetMs < 0 ? '' : '+'}
          {formatDuration(entry.offsetMs)}
        </span>
        <span className={cx('flex w-14 shrink-0 items-center gap-1', look)}>
          {entry.kind === 'failure' && <StatusIcon status="error" />}
          {said}
        </span>
        <span className={cx('min-w-0 grow truncate font-mono', entry.kind === 'failure' && 'text-danger')}>
          {entry.kind === 'log' ? <LogLine row={entry.log} /> : text.slice(0, 400)}
        </span>
        {spanId !== null && (
          <MiddleTruncation
            name={props.names.get(spanId) ?? ''}
            className="max-w-40 shrink-0 text-xs text-muted"
          />
        )}
      </button>
      {open && (
        <div className="flex items-start gap-2 border-t border-line/40 bg-surface py-2 pr-2 pl-20">
          <div className="min-w-0 grow">
            {entry.kind === 'log' && (
              <p className="mb-1 text-xs text-muted">
                <time dateTime={entry.log.timestamp} title={entry.log.timestamp}>
                  {formatTime(Date.parse(entry.log.timestamp), zone)}
                </time>{' '}
                · {entry.log.service}
                {entry.log.eventName !== null && ` · ${entry.log.eventName}`}
                {entry.log.bodyTruncated && ' · the beginning of a longer text'} ·{' '}
                <RecordLink id={entry.log.id} {...props.way} />
              </p>
            )}
            {text !== '' && <PayloadBlock text={text} />}
          </div>
          {text !== '' && <CopyButton label="Copy the line" text={() => text} />}
        </div>
      )}
    </>
  );
}

/** To the record with its attributes and all of its body, among those of the trace. */
function RecordLink(props: { id: string; traceId: string; during: TraceSpanOfTime }) {
  const { from, to } = around(props.during);
  return (
    <Link
      to="/logs"
      search={{
        q: `trace_id:${props.traceId}`,
        row: props.id,
        tab: 'body',
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      }}
      className="text-accent underline"
    >
      The whole record
    </Link>
  );
}

interface Words {
  readonly look: string;
  /** What kind of line it is. */
  readonly said: string;
  readonly text: string;
}

function wordsOf(entry: LogEntry): Words {
  if (entry.kind === 'log') {
    const { severity, body } = entry.log;
    const said = severity === 'unset' ? '' : severity;
    return { look: LOUD[severity] ?? 'text-muted', said, text: withoutAnsi(body) };
  }
  if (entry.kind === 'failure') return { look: 'text-danger', said: 'failed', text: failureText(entry.span) };
  const { type, message } = entry.exception;
  const text = [type, message].filter((part) => part !== '').join(': ') || 'An exception without words';
  return { look: 'text-warn', said: 'thrown', text };
}

const failureText = ({ light }: TraceSpan): string => failureWords(light) ?? `${light.name} failed`;
