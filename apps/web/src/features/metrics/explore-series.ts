import { seriesKey } from '../../charts/prepare/aggregate-series.ts';
import type { HeatCell } from '../../charts/prepare/heatmap.ts';
import type { ChartSeries } from '../../charts/prepare/time-chart.ts';

/** The part of an answer that is drawn. */
export interface AnswerLines {
  readonly metric: string;
  readonly aggregation: string | null;
  readonly valueUnit: string;
  readonly groupBy: readonly string[];
  readonly series: readonly {
    readonly labels: readonly string[];
    readonly points: readonly (readonly [number, number | null])[];
  }[];
}

/** Lines of an answer as a chart takes them; `letter` tells queries of one chart apart. */
export function linesOf(answer: AnswerLines, letter: string | undefined): ChartSeries[] {
  const plain = `${answer.aggregation ?? ''} ${answer.metric}`.trim();
  return answer.series.map(({ labels, points }) => {
    const identity = labels.length === 0 ? [plain] : labels;
    const name = labels.length === 0 ? plain : labels.map((label) => label || '(none)').join(' · ');
    return {
      key: seriesKey([...(letter === undefined ? [] : [letter]), ...identity]),
      // The same service is the same colour, whichever query it comes from.
      identity: seriesKey(identity),
      label: letter === undefined ? name : `${letter.toUpperCase()}: ${name}`,
      points: points.map(([timeMs, value]) => ({ timeMs, value })),
    };
  });
}

/**
 * Where the buckets of an earlier period begin, in milliseconds after multiples of their width, so that they lie beside those of the
 * period that many milliseconds later; undefined where that is where they begin anyway.
 */
export function offsetBefore(stepSeconds: number | undefined, laterByMs: number): number | undefined {
  if (stepSeconds === undefined) return undefined;
  const step = stepSeconds * 1_000;
  const offset = (step - (laterByMs % step)) % step;
  return offset === 0 ? undefined : offset;
}

export interface LineFigures {
  readonly least: number | null;
  readonly average: number | null;
  readonly most: number | null;
  readonly last: number | null;
}

/** Smallest, mean, largest and last value of a line; null when it has none. */
export function figuresOf(points: readonly { readonly value: number | null }[]): LineFigures {
  const values = points.map(({ value }) => value).filter((value) => value !== null);
  if (values.length === 0) return { least: null, average: null, most: null, last: null };
  return {
    least: values.reduce((a, b) => Math.min(a, b)),
    average: values.reduce((a, b) => a + b, 0) / values.length,
    most: values.reduce((a, b) => Math.max(a, b)),
    last: values.at(-1) ?? null,
  };
}

/** A range of a heat map as it is drawn: an open one down to nothing, or one more time as far out as its bound. */
export function closedRange(range: {
  readonly low: number | null;
  readonly high: number | null;
}): Pick<HeatCell, 'low' | 'high' | 'open'> {
  const { low, high } = range;
  if (high === null) return { low: low ?? 0, high: Math.max((low ?? 0) * 2, (low ?? 0) + 1), open: 'above' };
  if (low === null) return { low: high > 0 ? 0 : Math.min(high * 2, high - 1), high, open: 'below' };
  return { low, high };
}

/** Exemplars that a chart has room for. */
const MOST_EXEMPLARS = 40;

/** The largest measurement of each stretch of the window: as many as can be told apart and clicked. */
export function thinned<T extends { readonly timeMs: number; readonly value: number }>(
  exemplars: readonly T[],
  window: { readonly fromMs: number; readonly toMs: number },
): T[] {
  const width = (window.toMs - window.fromMs) / MOST_EXEMPLARS;
  const largest = new Map<number, T>();
  for (const one of exemplars) {
    if (one.timeMs < window.fromMs || one.timeMs >= window.toMs) continue;
    const slot = Math.floor((one.timeMs - window.fromMs) / width);
    const other = largest.get(slot);
    if (other === undefined || one.value > other.value) largest.set(slot, one);
  }
  return [...largest.values()];
}
