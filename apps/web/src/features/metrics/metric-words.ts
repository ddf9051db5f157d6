import type { MetricType, Temporality } from '@candela/contract';

const TYPES: Readonly<Record<MetricType, string>> = {
  gauge: 'gauge',
  sum: 'sum',
  histogram: 'histogram',
  exponential_histogram: 'exponential histogram',
  summary: 'summary',
};

/** What a person calls it: a sum that only rises is a counter. */
export function typeWords(metric: {
  readonly type: MetricType;
  readonly monotonic: boolean | null;
  readonly temporality: Temporality | null;
}): string {
  const name =
    metric.type === 'sum' ? (metric.monotonic === true ? 'counter' : 'up-down counter') : TYPES[metric.type];
  return metric.temporality === null || metric.temporality === 'cumulative'
    ? name
    : `${name}, ${metric.temporality}`;
}

/** What a chart's values are in, for its title; of a share and of what has no unit the axis says all. */
export const unitWords = (unit: string): string => (unit === '1' ? '' : unit.replaceAll(/[{}]/g, ''));

/** Why there is nothing to draw, of the answers of one chart. */
export function emptyWords(
  answers: readonly {
    readonly type: MetricType | null;
    readonly temporality: Temporality | null;
    readonly monotonic: boolean | null;
    readonly matchedSeries: number;
    readonly series: readonly unknown[];
  }[],
): string {
  const matched = answers.filter(({ matchedSeries }) => matchedSeries > 0);
  if (matched.length === 0) return 'No series matches in this time range.';
  // Lines without a value: of a histogram in which nothing fell, or that has no buckets.
  if (matched.some(({ series }) => series.length > 0))
    return 'Nothing was measured that this could be told from.';
  // Of gauges and sums that fall `monotonic` is never true; of histograms it is not said.
  const grows = matched.every(
    ({ type, temporality, monotonic }) =>
      temporality === 'cumulative' && (monotonic === true || (type !== 'sum' && monotonic === null)),
  );
  return grows
    ? 'The series that match say nothing new: what they grew by is known from their second point on.'
    : 'The series that match reported no value in this time range.';
}

export const typeName = (type: string): string => type.replaceAll('_', ' ');

/** `every 15 s`, `every minute`. */
export function everyWords(seconds: number): string {
  if (seconds < 1) return 'more than once a second';
  const [count, unit] =
    seconds < 90
      ? [Math.round(seconds), 's']
      : seconds < 5_400
        ? [Math.round(seconds / 60), 'min']
        : [Math.round(seconds / 3_600), 'h'];
  return `every ${count} ${unit}`;
}

/** `30 s`, `5 min`, `1 h`, `1 d` of a step. */
export function stepWords(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  if (seconds % 60 === 0) return `${seconds / 60} min`;
  return `${seconds} s`;
}
