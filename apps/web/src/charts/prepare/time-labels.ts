import type { PreparedChart } from './time-chart.ts';

/** Pixels that the longest label takes, with a little room. */
export const LABEL_WIDTH = 84;

export interface TimeLabel {
  readonly tick: number;
  /** Where on the axis, 0 to 1. */
  readonly at: number;
  /** What of the label stands there; one that would stand out over an end of the plot is put at that end. */
  readonly side: 'start' | 'middle' | 'end';
}

/** The labels that an axis of so many pixels has room for, none over another. */
export function timeLabels(
  { ticks, fromMs, toMs }: Pick<PreparedChart, 'ticks' | 'fromMs' | 'toMs'>,
  width: number,
): TimeLabel[] {
  // As many as fit, at equal distances.
  const every = Math.max(1, Math.ceil((ticks.length * LABEL_WIDTH) / Math.max(1, width)));
  const near = (share: number) => share * width < LABEL_WIDTH / 2;
  const labels: TimeLabel[] = [];
  let taken = Number.NEGATIVE_INFINITY;
  for (const [index, tick] of ticks.entries()) {
    const at = (tick - fromMs) / (toMs - fromMs);
    if (index % every !== 0 || at <= 0.02 || at >= 0.97) continue;
    const side = near(1 - at) ? 'end' : near(at) ? 'start' : 'middle';
    const left = side === 'end' ? width - LABEL_WIDTH : side === 'start' ? 0 : at * width - LABEL_WIDTH / 2;
    // One that was moved to an end may lie where its neighbour is.
    if (left < taken) continue;
    taken = left + LABEL_WIDTH;
    labels.push({ tick, at, side });
  }
  return labels;
}
