import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { formatTickValue, formatValue } from '../../lib/format-value.ts';
import { textScale } from '../../lib/rem.ts';
import type { TimeWindow } from '../../lib/time-range.ts';
import { zonePreference } from '../../lib/zone.ts';
import { apart } from '../prepare/apart.ts';
import {
  brushedSteps,
  type PreparedChart,
  prepareTimeChart,
  type TimeChartInput,
} from '../prepare/time-chart.ts';
import { ChartTooltip, stepSpoken } from './chart-tooltip.tsx';
import { Legend } from './legend.tsx';
import { TimeAxis } from './time-axis.tsx';
import { Crosshair, nearest, type Place, TimeMarks } from './time-marks.tsx';
import { useEscape } from './use-escape.ts';
import { useWidth } from './use-size.ts';

/** A single measurement that leads to the trace it came from. */
export interface Exemplar {
  readonly timeMs: number;
  readonly value: number;
  /** Unique within the chart: a trace id. */
  readonly id: string;
  /** Whose it is and its value, for those who hear it. */
  readonly label: string;
}

export interface TimeChartProps extends TimeChartInput {
  /** What the chart shows, for those who hear it: `p95 duration by model`. */
  readonly label: string;
  /** Height of the plot in pixels. */
  readonly height?: number;
  readonly legend?: boolean;
  /** Pixels that the plot begins from the left at least: charts above each other then share their times. */
  readonly gutter?: number;
  /** New data is under way. */
  readonly pending?: boolean;
  readonly exemplars?: readonly Exemplar[];
  /** Values that are drawn as lines across the plot: thresholds. */
  readonly levels?: readonly { readonly value: number; readonly tone: 'warn' | 'danger' | 'ok' }[];
  /** Dragging over the plot, or Shift with the arrows and Enter, takes these buckets. */
  readonly onZoom?: (window: TimeWindow) => void;
  /** A click, or Enter, on a bucket; with the series pointed at. */
  readonly onDrill?: (window: TimeWindow, key: string | undefined) => void;
  readonly onExemplar?: (exemplar: Exemplar) => void;
}

/** Pixels of a side of what takes the click on an exemplar. */
const MARK = 24;
/** A plot lower than this has room for few values beside it. */
const LOW = 100;
const MINIMUM_DRAG = 0.006;

const LEVELS = { warn: 'stroke-warn', danger: 'stroke-danger', ok: 'stroke-ok' } as const;

/** Lines, areas or bars over time, stacked or not; the one time chart of the product. */
export function TimeChart(props: TimeChartProps) {
  const { kind, unit = '', height = 140 } = props;
  const zone = zonePreference.use();
  const [solo, setSolo] = useState<string>();
  const [pointed, setPointed] = useState<string>();
  const [hover, setHover] = useState<{ at: number; key: string | undefined }>();
  const [cursor, setCursor] = useState<{ step: number; from: number }>();
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  useEscape(drag !== undefined, () => setDrag(undefined));
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);

  const { series, total, colours, window, stepSeconds, missing, previous, exemplars, levels } = props;
  const stacked = props.stacked !== false;
  const all = useMemo(
    () =>
      prepareTimeChart({
        series,
        window,
        stepSeconds,
        kind,
        stacked,
        unit,
        valueTicks: height < LOW ? 2 : 4,
        ...(total === undefined ? {} : { total }),
        ...(colours === undefined ? {} : { colours }),
        ...(missing === undefined ? {} : { missing }),
        ...(previous === undefined ? {} : { previous }),
        alsoFit: [...(exemplars ?? []), ...(levels ?? [])].map((one) => one.value),
      }),
    [
      series,
      total,
      colours,
      window,
      stepSeconds,
      kind,
      stacked,
      unit,
      missing,
      previous,
      exemplars,
      levels,
      height,
    ],
  );
  const alone = useMemo(() => {
    if (solo === undefined) return undefined;
    const kept = series.filter((one) => one.key === solo);
    if (kept.length === 0) return undefined;
    const { colour = '', twin = 0 } = all.series.find((one) => one.key === solo) ?? {};
    const chart = prepareTimeChart({
      series: kept,
      window,
      stepSeconds,
      kind,
      stacked,
      unit,
      valueTicks: height < LOW ? 2 : 4,
      ...(missing === undefined ? {} : { missing }),
      ...(previous === undefined ? {} : { previous }),
    });
    // Alone it keeps the colour that it has among the others.
    const painted = <T extends { colour: string }>(one: T): T => ({ ...one, colour });
    return {
      ...chart,
      series: chart.series.map((one) => ({ ...painted(one), twin })),
      previous: chart.previous.map(painted),
    };
  }, [solo, series, all, window, stepSeconds, kind, stacked, unit, missing, previous, height]);
  const chart = alone ?? all;

  const { axis } = chart;
  const place: Place = {
    width,
    height,
    x: (step) => ((step + 0.5) * width) / chart.steps,
    y: (value) => height - ((value - axis.low) / (axis.high - axis.low || 1)) * (height - 2),
  };
  const marks = (exemplars ?? []).map((exemplar) => ({
    exemplar,
    x: ((exemplar.timeMs - chart.fromMs) / (chart.toMs - chart.fromMs)) * width,
    y: place.y(exemplar.value),
    weight: exemplar.value,
  }));
  const positionOf = (event: PointerEvent): { at: number; y: number } => {
    const area = event.currentTarget.getBoundingClientRect();
    const at = area.width === 0 ? 0 : (event.clientX - area.left) / area.width;
    return { at: Math.min(0.9999, Math.max(0, at)), y: event.clientY - area.top };
  };
  const stepAt = (at: number) => Math.min(chart.steps - 1, Math.floor(at * chart.steps));
  const windowOf = (step: number): TimeWindow => ({
    fromMs: chart.fromMs + step * chart.stepMs,
    toMs: chart.fromMs + (step + 1) * chart.stepMs,
  });
  const step = cursor?.step ?? (hover ? stepAt(hover.at) : undefined);
  const zooms = props.onZoom !== undefined;

  const onKeyDown = (event: KeyboardEvent) => {
    const now = cursor ?? { step: chart.steps - 1, from: chart.steps - 1 };
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (by !== 0) {
      const next = Math.min(chart.steps - 1, Math.max(0, cursor ? now.step + by : now.step));
      setCursor({ step: next, from: event.shiftKey && zooms ? now.from : next });
    } else if (event.key === 'Home') setCursor({ step: 0, from: 0 });
    else if (event.key === 'End') setCursor({ step: chart.steps - 1, from: chart.steps - 1 });
    // Without a cursor it takes nothing: pressed on a chart it is not meant for the row that is chosen below.
    else if (event.key === 'Enter') {
      if (cursor && cursor.from !== cursor.step && props.onZoom) {
        const [low, high] = [Math.min(cursor.from, cursor.step), Math.max(cursor.from, cursor.step)];
        props.onZoom({ fromMs: windowOf(low).fromMs, toMs: windowOf(high).toMs });
      } else if (cursor) props.onDrill?.(windowOf(cursor.step), solo);
      setCursor(undefined);
    } else if (event.key === 'Escape' && cursor) setCursor(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const faded = (key: string) => pointed !== undefined && pointed !== key;
  const brush = drag ?? (cursor && cursor.from !== cursor.step ? edges(cursor, chart.steps) : undefined);
  const gutter = Math.max(
    props.gutter ?? 0,
    Math.max(...axis.ticks.map((tick) => formatTickValue(tick, unit).length)) * 6.4 * textScale() + 8,
  );
  return (
    <figure className={cx('min-w-0', props.pending === true && 'opacity-60')}>
      <div className="relative" style={{ paddingLeft: gutter }}>
        <div className="relative" style={{ height }}>
          {axis.ticks.map((tick) => (
            <div
              key={tick}
              aria-hidden
              className="absolute right-0 border-t border-line/70"
              style={{ top: place.y(tick), left: 0 }}
            >
              <span className="absolute right-full -translate-y-1/2 pr-1.5 text-xs whitespace-nowrap text-faint">
                {formatTickValue(tick, unit)}
              </span>
            </div>
          ))}
          <div
            ref={box}
            data-testid="time-chart"
            role="slider"
            tabIndex={0}
            aria-label={`${props.label}. ${summary(chart, unit)}`}
            aria-valuemin={0}
            aria-valuemax={chart.steps - 1}
            aria-valuenow={step ?? chart.steps - 1}
            aria-valuetext={step === undefined ? 'whole time range' : stepSpoken(chart, step, unit, zone)}
            onKeyDown={onKeyDown}
            onBlur={() => setCursor(undefined)}
            onPointerMove={(event) => {
              const { at, y } = positionOf(event);
              setCursor(undefined);
              setHover({ at, key: nearest(chart, stepAt(at), y, place) });
              if (drag) setDrag({ ...drag, to: at });
            }}
            onPointerLeave={() => setHover(undefined)}
            onPointerDown={(event) => {
              if (event.button !== 0) return;
              event.currentTarget.setPointerCapture(event.pointerId);
              const { at } = positionOf(event);
              setDrag({ from: at, to: at });
            }}
            onPointerUp={() => {
              if (drag && zooms && Math.abs(drag.to - drag.from) > MINIMUM_DRAG)
                props.onZoom?.(brushedSteps(chart, drag.from, drag.to));
              else if (drag) props.onDrill?.(windowOf(stepAt(drag.to)), hover?.key ?? solo);
              setDrag(undefined);
            }}
            onPointerCancel={() => setDrag(undefined)}
            className={cx(
              // A thumb that goes up or down scrolls the page; what goes sideways is ours.
              'absolute inset-0 touch-pan-y select-none',
              zooms ? 'cursor-crosshair' : props.onDrill && 'cursor-pointer',
            )}
          >
            <svg width={width} height={height} className="block overflow-visible" aria-hidden>
              {step !== undefined && kind === 'bars' && (
                <rect
                  x={(step * width) / chart.steps}
                  width={width / chart.steps}
                  height={height}
                  className="fill-hover"
                />
              )}
              {width > 0 && <TimeMarks chart={chart} kind={kind} place={place} faded={faded} />}
              {(levels ?? []).map(({ value, tone }) => (
                <line
                  key={`${tone} ${value}`}
                  x1={0}
                  x2={width}
                  y1={place.y(value)}
                  y2={place.y(value)}
                  strokeDasharray="6 3"
                  className={LEVELS[tone]}
                />
              ))}
              {step !== undefined && kind !== 'bars' && (
                <Crosshair chart={chart} step={step} place={place} pointed={hover?.key} />
              )}
              {brush && (
                <rect
                  x={Math.min(brush.from, brush.to) * width}
                  width={Math.abs(brush.to - brush.from) * width}
                  height={height}
                  className="fill-accent/20"
                />
              )}
            </svg>
            {step !== undefined && !drag && (
              <ChartTooltip
                chart={chart}
                step={step}
                unit={unit}
                zone={zone}
                at={(step + 0.5) / chart.steps}
                pointed={hover?.key}
              />
            )}
          </div>
          {width > 0 &&
            props.onExemplar &&
            apart(marks, MARK * textScale()).map(({ exemplar, x, y }) => (
              <button
                key={exemplar.id}
                type="button"
                title={exemplar.label}
                aria-label={exemplar.label}
                onClick={() => props.onExemplar?.(exemplar)}
                // The mark is small, what takes the click is not.
                className="group absolute flex size-6 -translate-1/2 items-center justify-center"
                style={{
                  left: x,
                  top: y,
                }}
              >
                <span className="size-2 rotate-45 border border-accent bg-accent-fill group-hover:scale-150" />
              </button>
            ))}
        </div>
        <TimeAxis chart={chart} zone={zone} width={width} />
      </div>
      {props.legend !== false && (
        <Legend
          chart={all}
          noun={props.label}
          always={props.legend === true}
          solo={solo}
          onSolo={setSolo}
          onPoint={setPointed}
        />
      )}
    </figure>
  );
}

const edges = (cursor: { step: number; from: number }, steps: number) => ({
  from: Math.min(cursor.step, cursor.from) / steps,
  to: (Math.max(cursor.step, cursor.from) + 1) / steps,
});

function summary(chart: PreparedChart, unit: string): string {
  if (chart.empty) return 'Nothing in the time range';
  const parts = chart.series.map((series) => `${series.label} last ${formatValue(series.last, unit)}`);
  return `${parts.join(', ')}. Arrow keys read the values`;
}
