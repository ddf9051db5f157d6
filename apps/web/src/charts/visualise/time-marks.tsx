import type { ReactNode } from 'react';
import { pieces, type PreparedChart, type PreparedSeries } from '../prepare/time-chart.ts';

/** Positions in pixels of the drawing. */
export interface Place {
  readonly width: number;
  readonly height: number;
  /** Middle of a step. */
  x(step: number): number;
  y(value: number): number;
}

/** Lines of one colour: the first is solid, the second broken by dots, all others dotted. */
const DASHES = [undefined, '8 2 2 2', '1.5 2.5'];
/** Layers of one colour, from strong to weak. */
const WEIGHTS = [0.85, 0.5, 0.3];
const oneOf = <T,>(ways: readonly T[], twin: number): T => ways[Math.min(twin, ways.length - 1)] as T;

const round = (value: number) => Math.round(value * 10) / 10;

/** The series of a chart as lines, areas or bars, stacked or not; `faded` tells which stand back. */
export function TimeMarks(props: {
  chart: PreparedChart;
  kind: 'line' | 'area' | 'bars';
  place: Place;
  faded: (key: string) => boolean;
}): ReactNode {
  const { chart, kind, place } = props;
  return (
    <>
      {chart.previous.map((series) => (
        <g key={`before ${series.key}`} opacity={props.faded(series.key) ? 0.15 : 0.7}>
          <path
            d={linePath(series, place)}
            fill="none"
            stroke={series.colour}
            strokeWidth={1.25}
            strokeDasharray="4 3"
          />
        </g>
      ))}
      {chart.series.map((series, at) => (
        <g key={series.key} opacity={props.faded(series.key) ? 0.15 : 1}>
          {kind === 'bars' ? (
            <path
              d={barsPath(chart, series, place, at)}
              fill={series.colour}
              fillOpacity={oneOf(WEIGHTS, series.twin)}
            />
          ) : kind === 'area' ? (
            <>
              <path
                d={areaPath(chart, series, place)}
                fill={series.colour}
                fillOpacity={chart.stacked ? 0.3 : 0.15}
              />
              <path
                d={linePath(series, place) + loneTops(chart, series, place)}
                fill="none"
                stroke={series.colour}
                strokeWidth={1.25}
                strokeDasharray={oneOf(DASHES, series.twin)}
              />
            </>
          ) : (
            <>
              <path
                d={linePath(series, place)}
                fill="none"
                stroke={series.colour}
                strokeWidth={1.5}
                strokeDasharray={oneOf(DASHES, series.twin)}
                strokeLinejoin="round"
              />
              {pieces(series.values)
                .filter((piece) => piece.from === piece.to)
                .map(({ from }) => (
                  <circle
                    key={from}
                    cx={place.x(from)}
                    cy={place.y(series.high[from] as number)}
                    r={2}
                    fill={series.colour}
                  />
                ))}
            </>
          )}
        </g>
      ))}
    </>
  );
}

function linePath(series: PreparedSeries, place: Place): string {
  const parts: string[] = [];
  for (const { from, to } of pieces(series.values)) {
    if (from === to) continue;
    for (let at = from; at <= to; at += 1)
      parts.push(
        `${at === from ? 'M' : 'L'}${round(place.x(at))} ${round(place.y(series.high[at] as number))}`,
      );
  }
  return parts.join('');
}

/** Half the width of an area that is one step wide: an area between neighbours that are not there would be nothing. */
const loneHalf = (chart: PreparedChart, place: Place) => Math.max(1.5, (place.width / chart.steps) * 0.42);

function areaPath(chart: PreparedChart, series: PreparedSeries, place: Place): string {
  const half = loneHalf(chart, place);
  const parts: string[] = [];
  for (const { from, to } of pieces(series.values)) {
    const at = (step: number, edge: Float64Array, by = 0) =>
      `${round(place.x(step) + by)} ${round(place.y(edge[step] as number))}`;
    const [left, right] = from === to ? [-half, half] : [0, 0];
    parts.push(`M${at(from, series.high, left)}`);
    for (let step = from + 1; step < to; step += 1) parts.push(`L${at(step, series.high)}`);
    parts.push(`L${at(to, series.high, right)}L${at(to, series.low, right)}`);
    for (let step = to - 1; step > from; step -= 1) parts.push(`L${at(step, series.low)}`);
    parts.push(`L${at(from, series.low, left)}Z`);
  }
  return parts.join('');
}

/** The upper edges of areas that are one step wide. */
function loneTops(chart: PreparedChart, series: PreparedSeries, place: Place): string {
  const half = loneHalf(chart, place);
  return pieces(series.values)
    .filter(({ from, to }) => from === to)
    .map(
      ({ from }) =>
        `M${round(place.x(from) - half)} ${round(place.y(series.high[from] as number))}h${round(2 * half)}`,
    )
    .join('');
}

/** One path a series: hundreds of bars cost one element. Those that are not stacked stand beside each other. */
function barsPath(chart: PreparedChart, series: PreparedSeries, place: Place, index: number): string {
  const slot = place.width / chart.steps;
  const all = Math.max(1, slot * 0.84);
  const wide = chart.stacked ? all : Math.max(1, all / chart.series.length);
  const shift = chart.stacked ? 0 : index * wide;
  const parts: string[] = [];
  for (const [at, value] of series.values.entries()) {
    if (value === null || value === 0) continue;
    const [bottom, top] = [place.y(series.low[at] as number), place.y(series.high[at] as number)];
    // A few failures among thousands stay visible.
    const tall = Math.max(2, Math.abs(bottom - top));
    const x = at * slot + (slot - all) / 2 + shift;
    parts.push(
      `M${round(x)} ${round(top <= bottom ? bottom - tall : bottom)}h${round(wide)}v${round(tall)}h${-round(wide)}Z`,
    );
  }
  return parts.join('');
}

/** The series under the pointer: of a stack the layer it is in, of lines the nearest one. */
export function nearest(chart: PreparedChart, step: number, y: number, place: Place): string | undefined {
  let best: { key: string; distance: number } | undefined;
  for (const series of chart.series) {
    if (series.values[step] === null || series.values[step] === undefined) continue;
    const [top, bottom] = [place.y(series.high[step] as number), place.y(series.low[step] as number)];
    const isIn = y >= Math.min(top, bottom) && y <= Math.max(top, bottom);
    const distance = chart.stacked && isIn ? -1 : Math.abs(y - top);
    if (best === undefined || distance < best.distance) best = { key: series.key, distance };
  }
  return best?.key;
}

/** A line through a step with a dot on every series. */
export function Crosshair(props: {
  chart: PreparedChart;
  step: number;
  place: Place;
  pointed: string | undefined;
}) {
  const { chart, step, place } = props;
  const x = place.x(step);
  return (
    <>
      <line x1={x} x2={x} y1={0} y2={place.height} className="stroke-line-strong" />
      {chart.series.map((series) =>
        series.values[step] === null || series.values[step] === undefined ? null : (
          <circle
            key={series.key}
            cx={x}
            cy={place.y(series.high[step] as number)}
            r={props.pointed === series.key ? 3.5 : 2.5}
            fill={series.colour}
          />
        ),
      )}
    </>
  );
}
