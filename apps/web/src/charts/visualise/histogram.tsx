import { useRef, useState } from 'react';
import { exact, formatCount, formatTick, formatTime, type Zone } from '../../lib/format.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { brushed, type Histogram } from '../prepare/histogram.ts';

const HEIGHT = 64;

/** Draws prepared bars; dragging over them zooms. The time range picker does the same by keyboard. */
export function HistogramChart(props: {
  histogram: Histogram;
  noun: string;
  zone: Zone;
  pending: boolean;
  onZoom: (window: TimeWindow) => void;
}) {
  const { histogram, zone } = props;
  const box = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<number>();
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const { bars } = histogram;
  const first = bars[0]?.fromMs ?? 0;
  const spanMs = Math.max(1, (bars.at(-1)?.toMs ?? 1) - first);
  const positionOf = (clientX: number) => {
    const area = box.current?.getBoundingClientRect();
    return area ? Math.min(0.9999, Math.max(0, (clientX - area.left) / area.width)) : 0;
  };
  const scale = histogram.highest === 0 ? 0 : (HEIGHT - 4) / histogram.highest;
  const pointed = hover === undefined ? undefined : bars[Math.floor(hover * bars.length)];
  const width = 100 / bars.length;
  const [low, high] = drag ? [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)] : [0, 0];
  return (
    <figure className={props.pending ? 'opacity-60' : ''}>
      <figcaption className="flex h-5 items-baseline gap-3 text-sm text-muted">
        <span title={exact(histogram.total)}>
          <span className="font-medium text-text">{formatCount(histogram.total)}</span> {props.noun}
        </span>
        {histogram.errors > 0 && (
          <span className="text-danger" title={exact(histogram.errors)}>
            {formatCount(histogram.errors)} failed
          </span>
        )}
        {pointed && (
          <span className="ml-auto" data-testid="histogram-hover">
            {formatTime(pointed.fromMs, zone).slice(0, -4)} – {formatTime(pointed.toMs, zone).slice(-12, -4)}{' '}
            · {exact(pointed.count)} {props.noun}
            {pointed.errors > 0 && `, ${exact(pointed.errors)} failed`}
          </span>
        )}
        {!pointed && <span className="ml-auto text-faint">drag to zoom</span>}
      </figcaption>
      <div
        ref={box}
        data-testid="histogram"
        className="relative cursor-crosshair touch-none border-b border-line select-none"
        onPointerMove={(event) => {
          const at = positionOf(event.clientX);
          setHover(at);
          if (drag) setDrag({ ...drag, to: at });
        }}
        onPointerLeave={() => setHover(undefined)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = positionOf(event.clientX);
          setDrag({ from: at, to: at });
        }}
        onPointerUp={() => {
          const chosen =
            drag && Math.abs(drag.to - drag.from) > 0.004 && brushed(histogram, drag.from, drag.to);
          setDrag(undefined);
          if (chosen) props.onZoom(chosen);
        }}
        onPointerCancel={() => setDrag(undefined)}
      >
        <svg
          role="img"
          aria-label={`${exact(histogram.total)} ${props.noun}, ${exact(histogram.errors)} failed, over the time range`}
          viewBox={`0 0 100 ${HEIGHT}`}
          preserveAspectRatio="none"
          width="100%"
          height={HEIGHT}
          className="block"
        >
          {bars.map((bar, index) => {
            if (bar.count === 0) return null;
            const tall = Math.max(2, bar.count * scale);
            // A few failures stay visible on a tall bar, but never fill a low one.
            const red = bar.errors === 0 ? 0 : Math.max((bar.errors / bar.count) * tall, tall * 0.04, 0.8);
            const x = index * width + width * 0.08;
            return (
              <g key={bar.fromMs}>
                <rect
                  x={x}
                  width={width * 0.84}
                  y={HEIGHT - tall}
                  height={Math.max(0, tall - red)}
                  className={pointed === bar ? 'fill-accent-fill' : 'fill-accent-fill/65'}
                />
                <rect x={x} width={width * 0.84} y={HEIGHT - red} height={red} className="fill-danger" />
              </g>
            );
          })}
          {drag && (
            <rect x={low * 100} width={(high - low) * 100} y={0} height={HEIGHT} className="fill-accent/20" />
          )}
        </svg>
        {histogram.highest > 0 && (
          <span className="pointer-events-none absolute top-0 left-0 bg-bg/70 pr-1 text-xs leading-none text-faint">
            {formatCount(histogram.highest)}
          </span>
        )}
      </div>
      <div className="relative h-4 text-xs text-faint" aria-hidden>
        {histogram.ticks.map((tick) => {
          const at = (tick - first) / spanMs;
          return at > 0.02 && at < 0.97 ? (
            <span
              key={tick}
              className="absolute -translate-x-1/2 whitespace-nowrap"
              style={{ left: `${at * 100}%` }}
            >
              {formatTick(tick, spanMs, zone)}
            </span>
          ) : null;
        })}
      </div>
    </figure>
  );
}
