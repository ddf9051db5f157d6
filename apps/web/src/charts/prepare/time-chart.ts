import { bucketSeconds, type TimeWindow } from '../../lib/time-range.ts';
import { paletteOf, PALETTE_SIZE, type Tone, toneColour } from './palette.ts';
import { type Axis, axisOf } from './scale.ts';

/** A value at the start of its bucket; null says that nothing was measured. */
export interface ChartPoint {
  readonly timeMs: number;
  readonly value: number | null;
}

/** One line, area or part of the bars. */
export interface ChartSeries {
  /** What it is, the same on every page, and once in a chart: its colour follows from it. */
  readonly key: string;
  /** What its colour follows from instead, where several queries draw the same thing in one chart. */
  readonly identity?: string;
  readonly label: string;
  /** Its whole name, where the label is a shorter one. */
  readonly title?: string;
  readonly points: readonly ChartPoint[];
  /** For outcomes only: a colour that has a meaning. */
  readonly tone?: Tone;
}

export interface TimeChartInput {
  readonly series: readonly ChartSeries[];
  /** How many series exist, when the answer holds only the largest of them. */
  readonly total?: number;
  /** Colours of identities that several charts of a page share. */
  readonly colours?: ReadonlyMap<string, string>;
  readonly window: TimeWindow;
  readonly stepSeconds: number;
  readonly kind: 'line' | 'area' | 'bars';
  /** Whether areas and bars lie on each other; absent: they do. Lines never do. */
  readonly stacked?: boolean;
  readonly unit?: string;
  /** What a bucket without a point is: `gap` (nothing measured, the default) or `zero` (truly none, for counts). */
  readonly missing?: 'gap' | 'zero';
  /**
   * The same series over the period before, moved onto this window by whoever asked; drawn dashed, in the colour of
   * their series or, without one, in their tone.
   */
  readonly previous?: readonly ChartSeries[];
  /** About so many values are written beside the plot; absent: four. */
  readonly valueTicks?: number;
  /** Points that must fit the axis though they are no series: exemplars, thresholds. */
  readonly alsoFit?: readonly number[];
}

export interface PreparedSeries {
  readonly key: string;
  readonly label: string;
  /** Its whole name. */
  readonly title: string;
  readonly colour: string;
  /** How many series of the same colour come before it: those are told apart by how they are drawn. */
  readonly twin: number;
  /** One entry a step; null is a gap. */
  readonly values: readonly (number | null)[];
  /** Lower and upper edge when stacked. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly sum: number;
  readonly last: number | null;
}

export interface PreparedChart {
  readonly series: readonly PreparedSeries[];
  readonly previous: readonly PreparedSeries[];
  /** Series that exist but are not drawn. */
  readonly hidden: number;
  readonly total: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  readonly steps: number;
  readonly stacked: boolean;
  readonly axis: Axis;
  /** Round times to write below. */
  readonly ticks: readonly number[];
  /** Whether there is anything to draw. */
  readonly empty: boolean;
}

/** More steps than a screen has pixels for cannot be told apart. */
const MOST_STEPS = 2_000;

/** Lays series over the window: at most eight, the largest; gaps stay gaps; stacks add up from below. */
export function prepareTimeChart(input: TimeChartInput): PreparedChart {
  const { window } = input;
  const stepMs = Math.max(1_000 * input.stepSeconds, (window.toMs - window.fromMs) / MOST_STEPS, 1);
  const fromMs = Math.floor(window.fromMs / stepMs) * stepMs;
  const steps = Math.max(1, Math.ceil((window.toMs - fromMs) / stepMs));
  const stacked = input.kind !== 'line' && input.stacked !== false;
  const fill = input.missing === 'zero' ? 0 : null;
  const weighed = input.series.map((series) => {
    const values = valuesOf(series, fromMs, stepMs, steps, fill);
    return { series, values, sum: values.reduce<number>((sum, value) => sum + (value ?? 0), 0) };
  });
  const drawn = weighed.length > PALETTE_SIZE ? largest(weighed, PALETTE_SIZE) : weighed;
  const colours = paletteOf(
    drawn.filter(({ series }) => series.tone === undefined).map(({ series }) => identityOf(series)),
  );
  const twins = new Map<string, number>();
  // What is negative goes down from zero: on top of what is positive it would hide that.
  const [up, down] = [new Float64Array(steps), new Float64Array(steps)];
  const prepared = drawn.map(({ series, values, sum }): PreparedSeries => {
    const low = new Float64Array(steps);
    const high = Float64Array.from(values, (value) => value ?? 0);
    if (stacked) {
      for (const at of values.keys()) {
        const base = (high[at] as number) < 0 ? down : up;
        low[at] = base[at] as number;
        high[at] = base[at] = (base[at] as number) + (high[at] as number);
      }
    }
    const identity = identityOf(series);
    const colour = series.tone
      ? toneColour(series.tone)
      : (input.colours?.get(identity) ?? colours.get(identity) ?? toneColour('muted'));
    const twin = twins.get(colour) ?? 0;
    twins.set(colour, twin + 1);
    const last = values.findLast((value) => value !== null) ?? null;
    return {
      key: series.key,
      label: series.label,
      title: series.title ?? series.label,
      colour,
      twin,
      values,
      low,
      high,
      sum,
      last,
    };
  });
  const keys = new Map(prepared.map((series) => [series.key, series.colour]));
  const previous = (input.previous ?? [])
    .filter((series) => keys.has(series.key) || series.tone !== undefined)
    .map((series): PreparedSeries => {
      const values = valuesOf(series, fromMs, stepMs, steps, fill);
      const high = Float64Array.from(values, (value) => value ?? 0);
      return {
        key: series.key,
        label: series.label,
        title: series.title ?? series.label,
        colour: keys.get(series.key) ?? toneColour(series.tone ?? 'muted'),
        twin: 0,
        values,
        low: new Float64Array(steps),
        high,
        sum: 0,
        last: null,
      };
    });
  const total = Math.max(input.total ?? 0, input.series.length);
  return {
    series: prepared,
    previous,
    hidden: total - prepared.length,
    total,
    fromMs,
    toMs: fromMs + steps * stepMs,
    stepMs,
    steps,
    stacked,
    axis: axisFor(prepared, previous, input),
    ticks: timeTicks({ fromMs: window.fromMs, toMs: window.toMs }),
    empty: prepared.every((series) => series.values.every((value) => value === null || value === 0)),
  };
}

export const identityOf = (series: Pick<ChartSeries, 'key' | 'identity'>): string =>
  series.identity ?? series.key;

function largest<T extends { readonly sum: number }>(all: readonly T[], most: number): T[] {
  const kept = new Set([...all].sort((a, b) => Math.abs(b.sum) - Math.abs(a.sum)).slice(0, most));
  return all.filter((entry) => kept.has(entry));
}

function valuesOf(
  series: ChartSeries,
  fromMs: number,
  stepMs: number,
  steps: number,
  fill: number | null,
): (number | null)[] {
  const values = Array.from({ length: steps }, () => fill);
  for (const { timeMs, value } of series.points) {
    const at = Math.floor((timeMs - fromMs) / stepMs + 1e-6);
    if (at >= 0 && at < steps && value !== null && Number.isFinite(value)) values[at] = value;
  }
  return values;
}

/** Units of things that are counted: none, or an annotation. */
const COUNTED = /^(\{.*\})?$/;

function axisFor(
  series: readonly PreparedSeries[],
  previous: readonly PreparedSeries[],
  input: TimeChartInput,
): Axis {
  let low = 0;
  let high = 0;
  for (const one of series) {
    for (const [at, value] of one.values.entries()) {
      if (value === null) continue;
      high = Math.max(high, one.high[at] as number);
      low = Math.min(low, one.high[at] as number);
    }
  }
  for (const one of previous)
    for (const value of one.values)
      if (value !== null) [low, high] = [Math.min(low, value), Math.max(high, value)];
  for (const value of input.alsoFit ?? [])
    if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const values = [...series, ...previous].flatMap((one) => one.values);
  const whole = values.every((value) => value === null || Number.isInteger(value));
  return axisOf(low, high, input.unit, input.valueTicks, whole && COUNTED.test(input.unit ?? ''));
}

/** Round times of the window, about eight. */
export function timeTicks(window: TimeWindow, most = 8): number[] {
  const step = bucketSeconds(window, most) * 1_000;
  const ticks: number[] = [];
  for (let at = Math.ceil(window.fromMs / step) * step; at < window.toMs; at += step) ticks.push(at);
  return ticks;
}

/** The whole buckets between two positions (0..1) of the plot. */
export function brushedSteps(chart: PreparedChart, a: number, b: number): TimeWindow {
  const step = (x: number) => Math.min(chart.steps - 1, Math.max(0, Math.floor(x * chart.steps)));
  const [low, high] = [step(Math.min(a, b)), step(Math.max(a, b))];
  return { fromMs: chart.fromMs + low * chart.stepMs, toMs: chart.fromMs + (high + 1) * chart.stepMs };
}

/** Points of a line, cut where a value is missing; a lone point becomes a piece of one. */
export function pieces(values: readonly (number | null)[]): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let at = 0; at < values.length; at += 1) {
    if (values[at] === null) continue;
    const last = found.at(-1);
    if (last && last.to === at - 1) last.to = at;
    else found.push({ from: at, to: at });
  }
  return found;
}
