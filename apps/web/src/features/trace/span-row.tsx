import { ChevronRight } from 'lucide-react';
import { cx } from '../../lib/cx.ts';
import { exact, formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { namesModel } from '../../lib/models.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { kindFill, SpanGlyph } from '../../ui/span-glyph.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import type { Focus } from './trace-search.ts';
import type { TraceSpan } from './trace-spans.ts';

/** Deeper levels are indented less, so that a chain of hundreds stays on screen. */
const indentOf = (depth: number): number => (depth <= 12 ? depth * 14 : 168 + Math.min(depth - 12, 40) * 3);

/** Name, facts and fold button of one span. */
export function SpanName(props: {
  span: TraceSpan;
  depth: number;
  below: number;
  failedBelow: number;
  folded: boolean;
  found: boolean;
  onFold: () => void;
}) {
  const { light, reading, failed } = props.span;
  return (
    <div
      className="flex min-w-0 items-center gap-1.5 overflow-hidden pr-2"
      style={{ paddingLeft: 4 + indentOf(props.depth) }}
    >
      {props.below > 0 ? (
        // For the pointer: the row itself says whether it is folded, and arrows fold it.
        <span
          aria-hidden
          title={props.folded ? 'Unfold' : 'Fold'}
          onClick={(event) => {
            event.stopPropagation();
            props.onFold();
          }}
          // Drawn small, taken large: as high as the row.
          className="relative flex size-4 shrink-0 cursor-pointer items-center justify-center rounded text-muted before:absolute before:-inset-x-1 before:-inset-y-1.5 hover:bg-line"
        >
          <ChevronRight size={13} className={cx(!props.folded && 'rotate-90')} />
        </span>
      ) : (
        <span className="w-4 shrink-0" />
      )}
      <SpanGlyph kind={reading} />
      {failed && (
        <span className="shrink-0">
          <StatusIcon status="error" />
        </span>
      )}
      <MiddleTruncation
        name={light.name || light.spanId}
        className={cx(failed && 'text-danger', props.found && 'bg-accent-fill/30')}
      />
      {props.folded && (
        <span className="shrink-0 rounded bg-hover px-1 text-xs text-muted">
          +{formatCount(props.below)}
          {props.failedBelow > 0 && (
            <span className="text-danger"> {formatCount(props.failedBelow)} failed</span>
          )}
        </span>
      )}
      <Facts span={props.span} />
    </div>
  );
}

function Facts({ span }: { span: TraceSpan }) {
  const { light, reading } = span;
  if (reading === 'other')
    return (
      // The whole service or nothing: beside an empty first line, what has no room wraps out of sight.
      <span className="flex h-5 min-w-0 shrink-[999] flex-wrap overflow-hidden text-sm leading-5 text-faint">
        <span className="h-5 w-px" />
        <span className="whitespace-nowrap">{light.service}</span>
      </span>
    );
  const tokens = (light.inputTokens ?? 0) + (light.outputTokens ?? 0);
  const subject = reading === 'tool' ? light.tool : reading === 'agent' ? light.agent : light.model;
  return (
    <span className="flex min-w-0 items-center gap-2 text-sm text-muted">
      {subject !== null && !namesModel(light.name, subject) && <MiddleTruncation name={subject} />}
      {/* A figure whole or not at all, for one that is cut reads as another: what has no room wraps out of sight. */}
      <span className="flex h-5 min-w-0 flex-wrap overflow-hidden leading-5">
        <span className="h-5 w-px" />
        {tokens > 0 && (
          <span
            className="mr-2 whitespace-nowrap"
            title={`${exact(light.inputTokens)} in, ${exact(light.outputTokens)} out`}
          >
            {formatCount(tokens)} tok
          </span>
        )}
        {light.costUsd !== null && light.countsUsage && (
          <span className="whitespace-nowrap max-xl:hidden" title={exact(light.costUsd, ' USD')}>
            {formatCost(light.costUsd)}
          </span>
        )}
      </span>
    </span>
  );
}

/** When the span ran, within the focused stretch; without an end it is open to the right. */
export function SpanBar({ span, focus, label }: { span: TraceSpan; focus: Focus; label?: string }) {
  const length = Math.max(focus.toMs - focus.fromMs, 0.000_001);
  const left = ((span.startMs - focus.fromMs) / length) * 100;
  const { unfinished } = span.light;
  const width = unfinished ? Math.max(0, 100 - left) : (span.durationMs / length) * 100;
  const took = unfinished ? 'no end yet' : formatDuration(span.durationMs);
  const text = label === undefined ? took : `${label} · ${took}`;
  if (left > 100) return <span className="absolute right-1 text-xs text-faint">→</span>;
  if (left + width < 0) return <span className="absolute left-1 text-xs text-faint">←</span>;
  const from = Math.max(0, left);
  const shown = Math.min(100, left + width) - from;
  const end = from + shown;
  // Beside the bar where there is room, else in it.
  const place = end < 72 ? 'after' : from > 30 ? 'before' : 'inside';
  const words = (
    <span
      title={
        unfinished ? 'The span was sent while it ran; its end never came' : exact(span.durationMs, ' ms')
      }
      className={cx(
        'max-w-full truncate px-1 text-xs',
        place === 'inside' ? 'leading-none font-medium text-bg' : 'absolute text-muted',
      )}
      style={place === 'after' ? { left: `${end}%` } : place === 'before' ? { right: `${100 - from}%` } : {}}
    >
      {text}
    </span>
  );
  return (
    <>
      <div
        data-mark
        className={cx(
          'absolute flex h-3.5 items-center rounded-xs',
          span.failed ? 'bg-danger' : kindFill(span.reading),
          // Half there: how long it took is not known.
          unfinished && 'mask-r-from-10%',
        )}
        style={{ left: `${Math.min(from, 99.6)}%`, width: `max(2px, ${shown}%)` }}
      >
        {place === 'inside' && words}
      </div>
      {place !== 'inside' && words}
    </>
  );
}
