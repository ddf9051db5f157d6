import type { AlertCondition } from '@candela/contract';
import type { LevelKind, Reading } from './kind.ts';
import { keyOf, measure, valueOf } from './measure.ts';

const WEEK_MS = 604_800_000;
const WEEKS = 4;
/** Fewer weeks than these say nothing yet. */
const LEAST_WEEKS = 3;
/** A deviation below this part of the median is none: four equal weeks would make every change an anomaly. */
const LEAST_SPREAD = 0.05;
/** Makes the median absolute deviation comparable with a standard deviation of normal noise. */
const MAD_TO_SIGMA = 1.4826;

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/** How many robust deviations a value lies from its history, with its sign; undefined: too little history. */
export function deviations(value: number, history: readonly number[]): number | undefined {
  if (history.length < LEAST_WEEKS) return undefined;
  const middle = median(history);
  const mad = median(history.map((one) => Math.abs(one - middle))) * MAD_TO_SIGMA;
  const spread = Math.max(mad, Math.abs(middle) * LEAST_SPREAD, Number.EPSILON);
  return (value - middle) / spread;
}

/** A value unlike that of the same time of the last four weeks. */
export const anomaly: LevelKind<'anomaly'> = {
  mode: 'level',
  async read(sources, { query, windowSeconds, direction, sensitivity }, asked) {
    const length = windowSeconds * 1_000;
    const windows = Array.from({ length: WEEKS + 1 }, (_, week) => asked.end - week * WEEK_MS);
    const [now, ...past] = await Promise.all(
      windows.map((to) => measure(sources, query, { ...asked, from: to - length, to })),
    );
    const history = new Map<string, number[]>();
    for (const { all } of past) {
      for (const one of all) {
        // A week of which nothing is there is no week of zeros.
        const value = one.samples === 0 ? null : valueOf(one, asked.minSamples);
        if (value === null) continue;
        const key = keyOf(one.labels);
        history.set(key, [...(history.get(key) ?? []), value]);
      }
    }
    const condition: AlertCondition = { op: '>', value: sensitivity, recovery: sensitivity * 0.75 };
    let learning = 0;
    const readings = (now?.all ?? []).map((one): Reading => {
      const value = valueOf(one, asked.minSamples);
      const far = value === null ? undefined : deviations(value, history.get(keyOf(one.labels)) ?? []);
      if (value !== null && far === undefined) learning += 1;
      const told =
        far === undefined ? null : direction === 'both' ? Math.abs(far) : direction === 'below' ? -far : far;
      return { labels: one.labels, value: told, condition };
    });
    const note =
      learning > 0 ? `${learning} groups have less than three weeks of history: learning.` : now?.note;
    return { readings, note };
  },
};
