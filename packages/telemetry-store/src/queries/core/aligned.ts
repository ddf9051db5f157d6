import { LAST_SECOND, ROLLUP_BUCKET_SECONDS } from '../../rollups/rollup.ts';
import type { Window } from './scope.ts';

const BUCKET = BigInt(ROLLUP_BUCKET_SECONDS) * 1_000_000_000n;
/** The last bucket of a rollup also holds what is later than a `DateTime` can say: it is no aligned part. */
const LAST_BUCKET = BigInt(LAST_SECOND) * 1_000_000_000n;

/** All that a column of times can hold since 1970. */
export const LONGEST: Window = { from: 0n, to: 2n ** 63n - 1n };

/** A window cut where a rollup's buckets begin and end. */
export interface Aligned {
  /** Whole buckets: what a rollup knows. */
  readonly middle: Window;
  /** The rest, before and after it: what only the rows know. At most two. */
  readonly edges: readonly Window[];
}

/** Cuts a window into the whole buckets of a rollup and its edges; undefined when it holds no whole bucket. */
export function alignedParts({ from, to }: Window): Aligned | undefined {
  const first = ((from + BUCKET - 1n) / BUCKET) * BUCKET;
  const end = to < LAST_BUCKET ? (to / BUCKET) * BUCKET : LAST_BUCKET;
  if (first >= end) return undefined;
  const edges = [
    { from, to: first },
    { from: end, to },
  ];
  return { middle: { from: first, to: end }, edges: edges.filter((edge) => edge.from < edge.to) };
}

/** The whole buckets of a rollup that the window touches, as far as they lie in the outer one. */
export function alignedAround({ from, to }: Window, outer: Window): Window {
  const first = (from / BUCKET) * BUCKET;
  const end = ((to + BUCKET - 1n) / BUCKET) * BUCKET;
  return { from: first > outer.from ? first : outer.from, to: end < outer.to ? end : outer.to };
}
