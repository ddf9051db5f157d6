import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { exact, formatTime, nounOf } from '../../lib/format.ts';
import { formatTickValue, formatValue } from '../../lib/format-value.ts';
import { textScale } from '../../lib/rem.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { zonePreference } from '../../lib/zone.ts';
import {
  type HeatCell,
  heatCellAt,
  type HeatCursor,
  heatCursor,
  heatMarked,
  heatMoved,
  heatPlace,
  type HeatRange,
  heatValue,
  prepareHeatmap,
} from '../prepare/heatmap.ts';
import { BesidePlace } from './beside-place.tsx';
import { TimeAxis } from './time-axis.tsx';
import { useEscape } from './use-escape.ts';
import { useWidth } from './use-size.ts';

/** `1 s – 2 s`, `over 2 s`. */
function rangeText({ low, high, open }: HeatRange, unit: string): string {
  if (open === 'above') return `over ${formatValue(low, unit)}`;
  if (open === 'below') return `up to ${formatValue(high, unit)}`;
  return `${formatValue(low, unit)} – ${formatValue(high, unit)}`;
}

/** A rectangle of time and value. */
export interface HeatSelection extends TimeWindow {
  readonly low: number;
  readonly high: number;
}

/**
 * How values are spread over time. Dragging selects a rectangle of time and value; with the keyboard arrows read the cells,
 * Shift with them marks, Enter takes.
 */
export function Heatmap(props: {
  /** What it shows: `Duration of spans`. */
  label: string;
  cells: readonly HeatCell[];
  window: TimeWindow;
  stepSeconds: number;
  unit?: string;
  /** What is counted, in the plural. */
  noun: string;
  height?: number;
  pending?: boolean;
  /** Stays drawn while it is the page's selection. */
  selection?: HeatSelection | undefined;
  onSelect?: (selection: HeatSelection) => void;
}) {
  const { cells, window, stepSeconds, unit = '', height = 120, onSelect } = props;
  const map = useMemo(
    () => prepareHeatmap(cells, window, stepSeconds, unit),
    [cells, window, stepSeconds, unit],
  );
  const zone = zonePreference.use();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [hover, setHover] = useState<{ x: number; y: number }>();
  const [drag, setDrag] = useState<{ x: number; y: number }>();
  /** Where the keyboard stands, on the map that it was led there on: newer figures move what stands where. */
  const [stands, setStands] = useState<{ on: typeof map; at: HeatCursor }>();
  const cursor = stands && heatMoved(stands.on, map, stands.at);
  useEscape(drag !== undefined, () => setDrag(undefined));
  const spanMs = map.toMs - map.fromMs;
  const at = (event: PointerEvent) => {
    const area = event.currentTarget.getBoundingClientRect();
    const share = (value: number, size: number) => Math.min(1, Math.max(0, size === 0 ? 0 : value / size));
    return {
      x: share(event.clientX - area.left, area.width),
      y: share(event.clientY - area.top, area.height),
    };
  };
  const chosen = (a: { x: number; y: number }, b: { x: number; y: number }): HeatSelection => ({
    fromMs: Math.round(map.fromMs + Math.min(a.x, b.x) * spanMs),
    toMs: Math.round(map.fromMs + Math.max(a.x, b.x) * spanMs),
    low: heatValue(map, 1 - Math.max(a.y, b.y)),
    high: heatValue(map, 1 - Math.min(a.y, b.y)),
  });
  const pointed = cursor
    ? heatCellAt(map, cursor)
    : hover &&
      map.cells.find(
        (cell) =>
          hover.x >= cell.x &&
          hover.x < cell.x + cell.width &&
          hover.y >= cell.y &&
          hover.y <= cell.y + cell.height,
      );
  const onKeyDown = (event: KeyboardEvent) => {
    const next = heatCursor(map, cursor, event.key, event.shiftKey && onSelect !== undefined);
    if (next) setStands({ on: map, at: next });
    else if (event.key === 'Enter' || (event.key === 'Escape' && cursor)) {
      if (event.key === 'Enter' && cursor) onSelect?.(heatMarked(map, cursor));
      setStands(undefined);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const spoken = ({ column, row }: HeatCursor): string => {
    const range = map.rows[row];
    const counted = pointed ? `${exact(pointed.count)} ${nounOf(pointed.count, props.noun)}` : 'nothing';
    const time = formatTime(map.fromMs + column * map.stepMs, zone).slice(0, -4);
    return [time, ...(range ? [rangeText(range, unit)] : []), counted].join(', ');
  };
  const frame =
    drag && hover ? rectangle(drag, hover) : held(map, cursor ? heatMarked(map, cursor) : props.selection);
  const gutter =
    Math.max(2, ...map.valueTicks.map((tick) => formatTickValue(tick, unit).length)) * 6.4 * textScale() + 8;
  return (
    <figure className={cx('min-w-0', props.pending === true && 'opacity-60')}>
      <div className="relative" style={{ paddingLeft: gutter }}>
        <div className="relative" style={{ height }}>
          {map.valueTicks.map((tick) => (
            <div
              key={tick}
              aria-hidden
              className="absolute right-0 left-0 border-t border-line/70"
              style={{ top: (1 - heatPlace(map, tick)) * height }}
            >
              <span className="absolute right-full -translate-y-1/2 pr-1.5 text-xs whitespace-nowrap text-faint">
                {formatTickValue(tick, unit)}
              </span>
            </div>
          ))}
          <div
            ref={box}
            data-testid="heatmap"
            role="slider"
            tabIndex={0}
            aria-label={`${props.label}: ${exact(map.total)} ${nounOf(map.total, props.noun)} between ${formatValue(map.low, unit)} and ${formatValue(map.high, unit)}. Arrow keys read the cells${onSelect ? ', with Shift they mark, Enter takes' : ''}`}
            aria-valuemin={0}
            aria-valuemax={map.columns - 1}
            aria-valuenow={cursor?.column ?? map.columns - 1}
            aria-valuetext={cursor ? spoken(cursor) : 'whole time range'}
            onKeyDown={onKeyDown}
            onBlur={() => setStands(undefined)}
            className={cx('absolute inset-0 touch-pan-y select-none', onSelect && 'cursor-crosshair')}
            onPointerMove={(event) => {
              setStands(undefined);
              setHover(at(event));
            }}
            onPointerLeave={() => !drag && setHover(undefined)}
            onPointerDown={(event) => {
              if (event.button !== 0 || !onSelect) return;
              event.currentTarget.setPointerCapture(event.pointerId);
              setDrag(at(event));
              setHover(at(event));
            }}
            onPointerUp={(event) => {
              const to = at(event);
              if (drag && onSelect && (Math.abs(to.x - drag.x) > 0.004 || Math.abs(to.y - drag.y) > 0.02))
                onSelect(chosen(drag, to));
              setDrag(undefined);
            }}
            onPointerCancel={() => setDrag(undefined)}
          >
            <svg width={width} height={height} className="block" aria-hidden>
              {map.cells.map((cell) => (
                <rect
                  key={`${cell.timeMs} ${cell.low}`}
                  x={cell.x * width}
                  width={Math.max(1, cell.width * width - 0.5)}
                  y={cell.y * height}
                  height={Math.max(1.5, cell.height * height - 0.5)}
                  className={pointed === cell ? 'fill-text' : 'fill-accent-fill'}
                  fillOpacity={cell.heat}
                />
              ))}
              {frame && (
                <rect
                  x={frame.x * width}
                  y={frame.y * height}
                  width={frame.width * width}
                  height={frame.height * height}
                  className="fill-accent/15 stroke-accent"
                />
              )}
            </svg>
            {pointed && !drag && (
              <BesidePlace from={pointed.x} to={pointed.x + pointed.width} testId="heatmap-tooltip">
                <p className="text-muted">{formatTime(pointed.timeMs, zone).slice(0, -4)}</p>
                <p>
                  {exact(pointed.count)} {nounOf(pointed.count, props.noun)}, {rangeText(pointed, unit)}
                </p>
              </BesidePlace>
            )}
          </div>
        </div>
        <TimeAxis chart={map} zone={zone} width={width} />
      </div>
    </figure>
  );
}

const rectangle = (a: { x: number; y: number }, b: { x: number; y: number }) => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  width: Math.abs(a.x - b.x),
  height: Math.abs(a.y - b.y),
});

function held(map: ReturnType<typeof prepareHeatmap>, selection: HeatSelection | undefined) {
  if (!selection || map.cells.length === 0) return undefined;
  const x = (ms: number) => (ms - map.fromMs) / (map.toMs - map.fromMs);
  const y = (value: number) => 1 - Math.min(1, Math.max(0, heatPlace(map, value)));
  return rectangle(
    { x: x(selection.fromMs), y: y(selection.high) },
    { x: x(selection.toMs), y: y(selection.low) },
  );
}
