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

/** Longer values are texts. */
const MAX_VALUE_BYTES = 1_000;
/** Longer ones, on average, take more room than reading them from the map takes time. */
const MAX_MEAN_BYTES = 64;
/** So few are few in a small sample, too. */
const FEW = 100;
/** How values grow with rows, see {@link growth}: above this not all are seen yet. */
const STILL_GROWING = 0.75;
/** And above this they hardly come back. */
const NEVER_BACK = 0.85;
/** Longer ones, on average, of which there are many, take room that only somebody who asks for them is worth. */
const MAX_UNASKED_MEAN_BYTES = 16;

/**
 * The column that suits the values of a key: none for ids, of which nearly every row has another, nor for texts.
 * @param maxValues so many a dictionary may hold
 */
export function typeFor({ rows, many, longest, mean }: Sample, maxValues: number): ColumnType | undefined {
  if (rows === 0 || longest > MAX_VALUE_BYTES) return undefined;
  if (many > FEW && many > rows / 2) return undefined;
  if (many <= maxValues) return 'LowCardinality(String)';
  return mean <= MAX_MEAN_BYTES ? 'String' : undefined;
}

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
  const allSeen = many <= FEW || growth(sample) <= STILL_GROWING;
  if (allSeen && typeFor(sample, maxValues) === 'LowCardinality(String)') return 'LowCardinality(String)';
  if (rows === 0 || longest > MAX_VALUE_BYTES || mean > MAX_UNASKED_MEAN_BYTES) return undefined;
  return many > FEW && growth(sample) <= NEVER_BACK ? 'String' : undefined;
}
