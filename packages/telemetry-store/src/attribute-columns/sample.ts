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
/** Values of which there are so many more in twice as many places are not all seen yet. */
const STILL_GROWING = 1.5;

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

/**
 * Whether rows at other places have other values, as with ids of sessions: many neighbours share one, and there are
 * ever more of them. @param half different values at every second of the places
 */
export const growsWithRows = (many: number, half: number): boolean =>
  many > FEW && many > half * STILL_GROWING;
