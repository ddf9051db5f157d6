import { useEffect, useRef, useState } from 'react';
import { useEscape } from '../../charts/visualise/use-escape.ts';
import { formatDuration } from '../../lib/format.ts';
import { transfersFocus } from '../../lib/transfer-focus.ts';
import type { ReadingKind } from '../../lib/span-kind.ts';
import { Button } from '../../ui/button.tsx';
import type { Focus } from './trace-search.ts';
import type { TraceSpan } from './trace-spans.ts';
import type { SpanTree } from './tree.ts';

const HEIGHT = 44;

/** All spans of the trace at a glance; dragging focuses a stretch of time, a double click or the button below lets go of it. */
export function Minimap(props: {
  spans: readonly TraceSpan[];
  tree: SpanTree;
  totalMs: number;
  focus: Focus | undefined;
  theme: string;
  onFocus: (focus: Focus | undefined) => void;
}) {
  const { spans, tree, totalMs, theme } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  useEscape(drag !== undefined, () => setDrag(undefined));
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current && width > 0) draw(canvas.current, width, spans, tree, totalMs);
    // The theme is not read here, but the colours of the canvas follow it.
  }, [spans, tree, totalMs, width, theme]);
  const positionOf = (clientX: number) => {
    const area = canvas.current?.getBoundingClientRect();
    return area ? Math.min(1, Math.max(0, (clientX - area.left) / area.width)) : 0;
  };
  const shown = drag
    ? { from: Math.min(drag.from, drag.to), to: Math.max(drag.from, drag.to) }
    : props.focus && { from: props.focus.fromMs / totalMs, to: props.focus.toMs / totalMs };
  return (
    <>
      <div
        data-testid="minimap"
        aria-hidden
        className="relative h-11 shrink-0 low:hidden cursor-crosshair touch-none overflow-hidden border-b border-line bg-sunken select-none"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = positionOf(event.clientX);
          setDrag({ from: at, to: at });
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: positionOf(event.clientX) })}
        onPointerUp={() => {
          if (drag && shown && shown.to - shown.from > 0.005)
            props.onFocus({ fromMs: shown.from * totalMs, toMs: shown.to * totalMs });
          setDrag(undefined);
        }}
        onPointerCancel={() => setDrag(undefined)}
        onDoubleClick={() => props.onFocus(undefined)}
        title="Drag to focus on a stretch of time, double click to see all"
      >
        <canvas ref={canvas} className="size-full" />
        {shown && (
          <>
            <div className="absolute inset-y-0 left-0 bg-bg/70" style={{ width: `${shown.from * 100}%` }} />
            <div
              className="absolute inset-y-0 right-0 bg-bg/70"
              style={{ width: `${(1 - shown.to) * 100}%` }}
            />
            <div
              className="absolute inset-y-0 border-x border-accent-fill"
              style={{ left: `${shown.from * 100}%`, width: `${(shown.to - shown.from) * 100}%` }}
            />
          </>
        )}
      </div>
      {props.focus && (
        <p
          ref={leadsToList}
          className="flex shrink-0 flex-wrap items-center justify-between gap-x-3 border-b border-line bg-selected px-2 py-0.5 text-sm"
        >
          Only {formatDuration(props.focus.fromMs)} to {formatDuration(props.focus.toMs)} of{' '}
          {formatDuration(totalMs)}
          <Button className="h-6" title="Show all of the time (Esc)" onClick={() => props.onFocus(undefined)}>
            Show all of the time
          </Button>
        </p>
      )}
    </>
  );
}

/** Whoever lets go of the stretch of time by the line that tells it walks on in the spans below. */
const leadsToList = (line: HTMLElement | null) =>
  transfersFocus(line, () => document.querySelector<HTMLElement>('[role=tree], [role=listbox]'));

const KINDS: readonly ReadingKind[] = ['other', 'agent', 'tool', 'retrieval', 'embedding', 'llm'];

function draw(
  canvas: HTMLCanvasElement,
  width: number,
  spans: readonly TraceSpan[],
  tree: SpanTree,
  totalMs: number,
): void {
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(HEIGHT * ratio);
  const pen = canvas.getContext('2d');
  if (!pen || totalMs <= 0) return;
  pen.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const colours = new Map(KINDS.map((kind) => [kind, style.getPropertyValue(`--kind-${kind}`)]));
  const danger = style.getPropertyValue('--danger');
  const count = tree.order.length;
  const tall = Math.max(1, Math.min(5, (HEIGHT - 4) / Math.max(1, count) - 0.5));
  const scale = width / totalMs;
  // Failed spans last, so that they stay visible where thousands share a pixel.
  for (const failures of [false, true]) {
    for (let position = 0; position < count; position += 1) {
      const span = spans[tree.order[position] as number] as TraceSpan;
      if (span.failed !== failures) continue;
      pen.fillStyle = failures ? danger : (colours.get(span.reading) ?? '#888888');
      pen.fillRect(
        span.startMs * scale,
        2 + (position / Math.max(count, 6)) * (HEIGHT - 4),
        Math.max(1, (span.light.unfinished ? totalMs - span.startMs : span.durationMs) * scale),
        tall,
      );
    }
  }
}
