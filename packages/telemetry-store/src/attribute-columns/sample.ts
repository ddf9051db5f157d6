import type { ColumnType } from './statements.ts';

/** What rows that have a key tell of its values. */
interface Sample {
  readonly rows: number;
  /** Different values among them. */
  readonly many: number;
  /** Bytes of the longest, and on average. */
  readonly longest: number;
  readonly mean: number;
}

/** The same with the part of all rows that have the key. */
export interface AskedSample extends Sample {
  readonly share: number;
}

/** Longer values are documents, which nobody groups by. */
const MAX_VALUE_BYTES = 4_000;
/** Longer ones, on average, take more room than reading them from the map takes time. */
const MAX_MEAN_BYTES = 160;
/** On so small a part of the rows even ids are few enough to be counted soon. */
const RARE_SHARE = 0.05;
/** So few are few in a small sample, too. */
const FEW = 100;
/**
 * The column that suits the values of a key: none for ids that many rows have, each another one (counting them takes
 * most of the time, wherever they are read from), nor for long texts.
 * @param maxValues so many a dictionary may hold
 */
export function typeFor(sample: AskedSample, maxValues: number): ColumnType | undefined {
  const { rows, longest, mean, share } = sample;
  if (rows === 0 || longest > MAX_VALUE_BYTES) return undefined;
  if (isDictionary(sample, maxValues)) return 'LowCardinality(String)';
  return mean <= MAX_MEAN_BYTES && (share <= RARE_SHARE || !isId(sample)) ? 'String' : undefined;
}

/** Whether nearly every row has another value. */
const isId = ({ rows, many }: Sample): boolean => many > FEW && many > rows / 2;

const isDictionary = (sample: Sample, maxValues: number): boolean =>
  sample.rows > 0 && !isId(sample) && sample.many <= maxValues;
