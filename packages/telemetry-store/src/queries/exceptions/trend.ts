import type { ExceptionTrend } from '@candela/contract';
import type { Window } from '../core/scope.ts';

const SECOND = 1_000_000_000n;

/** The equal buckets a window is drawn in. */
export interface TrendGrid {
  readonly from: bigint;
  readonly width: bigint;
  readonly buckets: number;
}

/** About `points` buckets, whole seconds wide, over the window. */
export function trendGrid({ from, to }: Window, points: number): TrendGrid {
  const seconds = (to - from + SECOND - 1n) / SECOND;
  const wide = (seconds + BigInt(points) - 1n) / BigInt(points);
  const width = (wide > 0n ? wide : 1n) * SECOND;
  return { from, width, buckets: Number((to - from + width - 1n) / width) };
}

export function toTrend(
  grid: TrendGrid,
  counted: Iterable<readonly [bucket: number, count: number]>,
): ExceptionTrend {
  const counts = Array.from({ length: grid.buckets }, () => 0);
  for (const [bucket, count] of counted) if (bucket >= 0 && bucket < counts.length) counts[bucket] = count;
  return {
    fromMs: Number(grid.from / 1_000_000n),
    bucketSeconds: Number(grid.width / SECOND),
    counts,
  };
}
