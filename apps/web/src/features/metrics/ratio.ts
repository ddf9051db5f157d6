import { seriesKey } from '../../charts/prepare/aggregate-series.ts';
import type { ChartSeries } from '../../charts/prepare/time-chart.ts';
import type { Letter } from './explore-search.ts';
import { type AnswerLines, figuresOf, type LineFigures } from './explore-series.ts';

/** One query of a chart divided by another. */
export interface Ratio {
  readonly top: Letter;
  readonly bottom: Letter;
}

interface RatioLine {
  readonly line: ChartSeries;
  readonly figures: LineFigures;
}

export interface RatioLines {
  readonly lines: readonly RatioLine[];
  /** Lines above that have none below to be divided by. */
  readonly alone: number;
}

/** `A ÷ B`. */
export const ratioName = ({ top, bottom }: Ratio): string => `${top.toUpperCase()} ÷ ${bottom.toUpperCase()}`;

/**
 * Each line of one answer divided by the line of the same labels of another, or by its only one where that has no
 * labels. A bucket that either does not know, or that divides by nothing, is a gap. Undefined: their labels differ.
 */
export function ratioLines(top: AnswerLines, bottom: AnswerLines, name: string): RatioLines | undefined {
  const places = top.groupBy.map((field) => bottom.groupBy.indexOf(field));
  const whole = bottom.groupBy.length === 0;
  if (!whole && (places.includes(-1) || bottom.groupBy.length !== top.groupBy.length)) return undefined;
  const below = new Map(bottom.series.map(({ labels, points }) => [seriesKey(labels), new Map(points)]));
  const lines = top.series.flatMap(({ labels, points }): RatioLine[] => {
    const divisors = below.get(seriesKey(whole ? [] : inOrder(labels, places)));
    if (divisors === undefined) return [];
    let [above, under] = [0, 0];
    const ratios = points.map(([timeMs, value]) => {
      const divisor = divisors.get(timeMs) ?? null;
      if (value === null || divisor === null) return { timeMs, value: null };
      above += value;
      under += divisor;
      return { timeMs, value: divisor === 0 ? null : value / divisor };
    });
    const identity = labels.length === 0 ? [name] : labels;
    return [
      {
        line: {
          key: seriesKey([name, ...labels]),
          identity: seriesKey(identity),
          label: identity.map((label) => label || '(none)').join(' · '),
          points: ratios,
        },
        // Of all that was above and below: a mean of the ratios would count a quiet bucket as much as a busy one.
        figures: { ...figuresOf(ratios), average: under === 0 ? null : above / under },
      },
    ];
  });
  return { lines, alone: top.series.length - lines.length };
}

/** Labels in the order of the other query. */
function inOrder(labels: readonly string[], places: readonly number[]): string[] {
  const ordered: string[] = [];
  for (const [index, place] of places.entries()) ordered[place] = labels[index] ?? '';
  return ordered;
}

const PER_SECOND = /\/s$/;

/** What a ratio is in: a share of two of one unit, else the one unit per the other. */
export function ratioUnit(top: string, bottom: string): string {
  if (top === bottom) return '1';
  if (bottom === '' || bottom === '1') return top;
  const rates = PER_SECOND.test(top) && PER_SECOND.test(bottom);
  const [above, below] = rates
    ? [top.replace(PER_SECOND, ''), bottom.replace(PER_SECOND, '')]
    : [top, bottom];
  return `${above === '1' ? '' : above}/${below}`;
}
