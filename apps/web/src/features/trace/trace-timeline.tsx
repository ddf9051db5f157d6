import { useVirtualizer } from '@tanstack/react-virtual';
import { useId, useMemo, useRef } from 'react';
import { cx } from '../../lib/cx.ts';
import { textScale } from '../../lib/rem.ts';
import { SpanGlyph } from '../../ui/span-glyph.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { SpanBar } from './span-row.tsx';
import { TimeRuler } from './time-ruler.tsx';
import type { TraceSpan } from './trace-spans.ts';
import type { TreeProps } from './trace-tree.tsx';
import { useReveal } from './use-reveal.ts';

const ROW = 24;
/** What stands before the bars is as wide for a failed span as for any other: one scale for all. */
const LEAD = 'flex w-8 shrink-0 items-center gap-1';

/** The spans by start over the whole width: what ran at the same time as what. */
export default function TraceTimeline(props: TreeProps) {
  const { spans, tree, focus } = props;
  const order = useMemo(() => {
    const inFocus: { span: TraceSpan; position: number }[] = [];
    for (const [position, index] of tree.order.entries()) {
      const span = spans[index] as TraceSpan;
      if (
        span.startMs <= focus.toMs &&
        (span.light.unfinished || span.startMs + span.durationMs >= focus.fromMs)
      )
        inFocus.push({ span, position });
    }
    return inFocus.sort((a, b) => a.span.startMs - b.span.startMs || b.span.durationMs - a.span.durationMs);
  }, [spans, tree, focus]);
  const id = useId();
  const scale = textScale();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW * scale,
    overscan: 16,
  });
  const at = order.findIndex(({ position }) => position === props.position);
  useReveal(virtual, {
    row: at,
    rowHeight: ROW * scale,
    selected: props.selected,
    jump: props.jump,
    version: tree,
  });
  const go = (row: number) => {
    const next = order[Math.min(order.length - 1, Math.max(0, row))];
    if (next) props.onSelect(next.span.spanId, next.position);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowDown') go(at + 1);
    else if (event.key === 'ArrowUp') go(at - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(order.length - 1);
    else if (event.key === 'PageDown') go(at + 20);
    else if (event.key === 'PageUp') go(at - 20);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="flex min-h-0 grow flex-col">
      <div className="flex h-5 shrink-0 gap-1 border-b border-line px-2">
        <span className={LEAD} />
        <TimeRuler focus={focus} most={6} className="grow" />
      </div>
      <div
        ref={scroller}
        role="listbox"
        aria-label="Spans by time"
        tabIndex={0}
        aria-activedescendant={at === -1 ? undefined : `${id}-${at}`}
        onKeyDown={onKeyDown}
        // The row walked on shows where the keyboard is.
        className={cx(
          'group/spans min-h-0 grow overflow-auto',
          at === -1 ? '-outline-offset-2' : 'outline-none',
        )}
      >
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const { span, position } = order[item.index] as (typeof order)[number];
            const selected = position === props.position;
            return (
              <div
                key={item.key}
                id={`${id}-${item.index}`}
                role="option"
                aria-posinset={item.index + 1}
                aria-setsize={order.length}
                aria-selected={selected}
                onClick={() => props.onSelect(span.spanId, position)}
                style={{ transform: `translateY(${item.start}px)` }}
                className={cx(
                  'absolute top-0 left-0 flex h-6 w-full cursor-pointer items-center gap-1 px-2',
                  selected
                    ? 'bg-selected -outline-offset-2 outline-accent-fill group-focus-visible/spans:outline-2'
                    : 'hover:bg-hover',
                )}
              >
                <span className={LEAD}>
                  <SpanGlyph kind={span.reading} />
                  {span.failed && <StatusIcon status="error" />}
                </span>
                <div className="relative flex h-full grow items-center overflow-hidden">
                  <SpanBar span={span} focus={focus} label={span.light.name} />
                </div>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
