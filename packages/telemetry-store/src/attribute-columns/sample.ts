import type { ColumnType } from './statements.ts';

/** What a look at rows that have a key tells of its values. */
export interface Sample {
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
/** How values grow with rows, see {@link growth}: above this not all are seen yet. */
const STILL_GROWING = 0.75;
/** And above this they hardly come back. */
const NEVER_BACK = 0.85;
/** Longer ones are texts; on average, of which there are many, they take room that only somebody who asks for them is worth. */
const MAX_UNASKED_BYTES = 1_000;
const MAX_UNASKED_MEAN_BYTES = 16;

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

/** What a look at rows from all over a table tells of a key. */
export interface SpreadSample extends Sample {
  /** Different values at every second of the places, and rows with the key there. */
  readonly half: number;
  readonly halfRows: number;
}

/** 1 when all other places have other values, a half when they have the same where half of the rows are. */
const growth = ({ rows, many, half, halfRows }: SpreadSample): number =>
  half === 0 || rows === 0 ? 1 : (many / half) * (halfRows / rows);

/**
 * The column that suits a key that nobody asked for: a dictionary where all values are seen by now, a plain one where
 * there are more, short ones that come back at other places, as addresses do. None where rows at other places have
 * other values: ids, also those of sessions, which many neighbours share.
 * @param maxValues so many a dictionary may hold
 */
export function unaskedTypeFor(sample: SpreadSample, maxValues: number): ColumnType | undefined {
  const { rows, many, longest, mean } = sample;
  if (longest > MAX_UNASKED_BYTES) return undefined;
  const allSeen = many <= FEW || growth(sample) <= STILL_GROWING;
  if (allSeen && isDictionary(sample, maxValues)) return 'LowCardinality(String)';
  if (rows === 0 || mean > MAX_UNASKED_MEAN_BYTES) return undefined;
  return many > FEW && growth(sample) <= NEVER_BACK ? 'String' : undefined;
}
