import type { AggregateData } from '../../api/home.ts';
import { bucketSeconds, type TimeWindow } from '../../lib/time-range.ts';

/** Bars of a tile at most. */
export const BARS = 60;
/** So many buckets an answer may have. */
const MOST_BUCKETS = 900;
/** Errors of less than this are too few to tell a course by. */
const LEAST_SECONDS = 300;

/**
 * Seconds of a bucket of errors: narrower than a bar where the range is long, for the errors of a minute are lost among
 * those of hours.
 */
export const errorSeconds = (window: TimeWindow): number =>
  Math.min(bucketSeconds(window, BARS), Math.max(LEAST_SECONDS, bucketSeconds(window, MOST_BUCKETS)));

/** One figure of an answer without buckets and groups, now and in the period before. */
export interface Figure {
  readonly value: number | null;
  readonly previous: number | null;
}

/** Reads measure number `measure`; sums are 0 where nothing was, everything else is unknown then. */
export function figureOf(data: AggregateData | undefined, measure: number, isSum: boolean): Figure {
  const row = data?.rows[0];
  const none = isSum ? 0 : null;
  return {
    value: row?.values[measure] ?? none,
    previous: row?.previous?.[measure] ?? none,
  };
}

/** A cost: nothing where no call was made, unknown where calls were made and none of them has a price. */
export function costOf(cost: Figure, calls: Figure): Figure {
  const spent = (own: number | null, made: number | null) => (own === null && (made ?? 0) === 0 ? 0 : own);
  return { value: spent(cost.value, calls.value), previous: spent(cost.previous, calls.previous) };
}

/**
 * One value a bucket over the window of the answer, which is not the one of the page while another one is asked for; a
 * bucket without a row is 0 of a sum and a gap of anything else.
 */
export function bucketValues(
  data: AggregateData | undefined,
  measure: number,
  isSum: boolean,
): (number | null)[] {
  const step = (data?.bucketSeconds ?? 0) * 1_000;
  if (data === undefined || step === 0) return [];
  const values = new Map(
    data.rows.map((row) => [Date.parse(row.time ?? ''), row.values[measure] ?? null] as const),
  );
  const all: (number | null)[] = [];
  const [fromMs, toMs] = [Date.parse(data.from), Date.parse(data.to)];
  for (let at = Math.floor(fromMs / step) * step; at < toMs && all.length < 1_000; at += step)
    all.push(values.get(at) ?? (isSum ? 0 : null));
  return all;
}

/** A group of a ranked answer: its values, and how the first of them was in the period before. */
export interface Ranked {
  readonly group: readonly string[];
  readonly values: readonly (number | null)[];
  readonly before: number | null;
}

/** Groups of an answer without buckets, in their order; those that measured nothing, or 0, are left out. */
export function rankedOf(data: AggregateData | undefined): Ranked[] {
  return (data?.rows ?? [])
    .filter((row) => (row.values[0] ?? 0) > 0 && row.group.some((part) => part !== ''))
    .map((row) => ({ group: row.group, values: row.values, before: row.previous?.[0] ?? null }));
}
