import type { MetricAggregation, MetricMeaning, MetricVariant, Temporality } from '@candela/contract';
import type { MetricKind } from './metric-fields.ts';

/** Series of one name that can be added up: one kind, one unit, one meaning. */
export interface Variant {
  readonly kind: MetricKind;
  readonly unit: string;
  readonly meaning: MetricMeaning;
  readonly temporality: Temporality | null;
  readonly monotonic: boolean | null;
  readonly series: number;
  readonly points: number;
  /** Points that its series have in a second, of the time from their first to their last. */
  readonly perSecond: number;
  /** Nanoseconds of the newest point. */
  readonly last: bigint;
  /** Seconds between the points of a series; null when no series has two. */
  readonly interval: number | null;
  /** The same of series that report rarely, where it is known. */
  readonly slowest?: number | null;
}

export const DELTA = 1;
const CUMULATIVE = 2;

export function meaningOf(kind: MetricKind, temporality: number, monotonic: boolean): MetricMeaning {
  if (kind === 'gauge') return 'level';
  if (kind === 'summary') return 'quantiles';
  if (kind !== 'sum') return 'distribution';
  if (monotonic) return 'counter';
  return temporality === DELTA ? 'change' : 'level';
}

export function temporalityOf(kind: MetricKind, numbers: readonly number[]): Temporality | null {
  if (kind === 'gauge' || kind === 'summary') return null;
  const [first, ...others] = [...new Set(numbers)];
  if (others.length > 0) return 'mixed';
  if (first === DELTA) return 'delta';
  return first === CUMULATIVE ? 'cumulative' : 'unspecified';
}

const LEVEL: readonly MetricAggregation[] = ['avg', 'min', 'max', 'sum', 'last', 'count'];
const QUANTILES: readonly MetricAggregation[] = ['p50', 'p75', 'p90', 'p95', 'p99'];

/** What each meaning can be asked for; the first is the one taken when nothing is asked for. */
export const AGGREGATIONS: Readonly<Record<MetricMeaning, readonly MetricAggregation[]>> = {
  level: LEVEL,
  counter: ['rate', 'increase'],
  change: ['increase', 'rate'],
  distribution: ['p95', 'p50', 'p75', 'p90', 'p99', 'avg', 'min', 'max', 'sum', 'count', 'rate', 'increase'],
  quantiles: [...QUANTILES, 'min', 'max', 'avg', 'sum', 'count', 'rate', 'increase'],
};

/** Words by which what is a share of something is called. */
const SHARE = new Set([
  'utilization',
  'utilisation',
  'ratio',
  'fraction',
  'percent',
  'percentage',
  'occupancy',
]);

/** Whole words, for an operation is no ratio. */
const isShare = (metric: string): boolean =>
  metric
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => SHARE.has(word));

/**
 * What the measurements of a metric are in. `1` stands for shares, and for counts of things without a name, states and
 * plain numbers as well, which only the name tells; a sum is never a share.
 */
export const pointUnitOf = (metric: string, { kind, unit }: Pick<Variant, 'kind' | 'unit'>): string =>
  unit === '1' && (kind === 'sum' || !isShare(metric)) ? '' : unit;

export const shownVariant = ({
  kind,
  unit,
  meaning,
  temporality,
  monotonic,
  series,
}: Omit<Variant, 'points' | 'perSecond' | 'last' | 'interval' | 'slowest'>): MetricVariant => ({
  type: kind,
  unit,
  meaning,
  temporality,
  monotonic,
  series,
});

const WORDS: Partial<Record<MetricMeaning, string>> = {
  counter: 'counter',
  level: 'sum that can fall',
  change: 'delta sum that can fall',
};

/** A shape in words: `counter in s`. */
export const variantWords = ({ kind, unit, meaning }: Pick<Variant, 'kind' | 'unit' | 'meaning'>): string =>
  `${(kind === 'sum' && WORDS[meaning]) || kind.replaceAll('_', ' ')} in ${unit === '' ? 'no unit' : unit}`;
