/** A range of values `(low, high]`. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** A range of values and how many measurements fell into it. */
export interface Range extends Bounds {
  readonly count: number;
}

/** Measurements by range, from low to high, whatever kind of histogram they came from. */
export interface Distribution {
  readonly ranges: readonly Range[];
  /** How values lie inside of a range: evenly, or evenly by their logarithm. */
  readonly spread: 'linear' | 'logarithmic';
  readonly count: number;
  readonly sum: number;
  /** Nothing lies outside of these; null when not known. */
  readonly min: number | null;
  readonly max: number | null;
}

/**
 * The value that the share `q` (0 to 1) of the measurements does not exceed, placed inside its range by `spread`.
 * Open ranges end at the smallest and largest value where these are known, else at their one bound (the lowest also
 * at 0 when its bound is positive). Null when nothing was measured or nothing is known about where.
 */
export function quantile(distribution: Distribution, q: number): number | null {
  const filled = distribution.ranges.filter(({ count }) => count > 0);
  const total = filled.reduce((sum, { count }) => sum + count, 0);
  if (total <= 0) return null;
  const rank = q * total;
  let before = 0;
  for (const [index, range] of filled.entries()) {
    const last = index === filled.length - 1;
    if (before + range.count >= rank || last) {
      const edges = closed(range, distribution);
      if (edges === null) return null;
      const share = Math.min(1, Math.max(0, (rank - before) / range.count));
      return between(edges.low, edges.high, share, distribution.spread);
    }
    before += range.count;
  }
  return null;
}

function closed(range: Range, { min, max }: Distribution): { low: number; high: number } | null {
  let { low, high } = range;
  if (low === Number.NEGATIVE_INFINITY)
    low = min ?? (high > 0 && high !== Number.POSITIVE_INFINITY ? 0 : high);
  if (high === Number.POSITIVE_INFINITY) high = max ?? low;
  if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
  if (min !== null) low = Math.max(low, Math.min(min, high));
  if (max !== null) high = Math.min(high, Math.max(max, low));
  return { low, high };
}

function between(low: number, high: number, share: number, spread: Distribution['spread']): number {
  if (share === 0 || low === high) return low;
  if (share === 1) return high;
  if (spread === 'logarithmic') {
    if (low > 0) return low * (high / low) ** share;
    if (high < 0) return high * (low / high) ** (1 - share);
  }
  return low + (high - low) * share;
}

/** Measurements of explicit buckets, `counts` one longer than `bounds`. */
export interface ExplicitPart {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

/**
 * Adds up buckets. Where bounds differ, only the bounds that all have are kept: then every count is exact, if coarser.
 * Bounds with nothing between them have no say. `exact` is false when bounds were given up.
 */
export function mergeExplicit(parts: readonly ExplicitPart[]): {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly exact: boolean;
} {
  let common: readonly number[] | undefined;
  let exact = true;
  const filled = parts.filter(({ counts }) => counts.some((count) => count > 0));
  for (const { bounds } of filled.length > 0 ? filled : parts.slice(0, 1)) {
    if (common === undefined) common = bounds;
    else if (!same(common, bounds)) {
      const known = new Set(bounds);
      common = common.filter((bound) => known.has(bound));
      exact = false;
    }
  }
  const bounds = common ?? [];
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  for (const part of filled) {
    let into = 0;
    for (const [index, count] of part.counts.entries()) {
      // The upper bound of the bucket decides; the last has none.
      const upper = part.bounds[index] ?? Number.POSITIVE_INFINITY;
      while (into < bounds.length && (bounds[into] ?? 0) < upper) into++;
      counts[into] = (counts[into] ?? 0) + count;
    }
  }
  return { bounds, counts, exact };
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a === b || (a.length === b.length && a.every((value, index) => value === b[index]));
}

/** Ranges of explicit buckets, the open ones included. */
export function explicitRanges(bounds: readonly number[], counts: readonly number[]): Range[] {
  return counts.map((count, index) => ({
    low: bounds[index - 1] ?? Number.NEGATIVE_INFINITY,
    high: bounds[index] ?? Number.POSITIVE_INFINITY,
    count,
  }));
}

/** Counts of the exponential buckets of one side of zero: each index with the count beside it, from the smallest index on. */
export interface ExponentialCounts {
  readonly indexes: readonly number[];
  readonly counts: readonly number[];
}

/**
 * Counts of exponential buckets of one scale on both sides of zero. What grew less than it was taken off is below 0,
 * until it is known what else lies in its range.
 */
export interface ExponentialPart {
  readonly scale: number;
  readonly zero: number;
  /** How far from zero the values in `zero` may lie, as its senders say. */
  readonly zeroWidth?: number;
  /** The smallest and the largest value, where they are known. */
  readonly min?: number | null;
  readonly max?: number | null;
  readonly positive: ExponentialCounts;
  readonly negative: ExponentialCounts;
}

/** `base ** index`, kept inside of what a number holds. */
function edge(scale: number, index: number): number {
  const power = 2 ** (index * 2 ** -scale);
  return Math.min(Number.MAX_VALUE, Math.max(Number.MIN_VALUE, power));
}

const isFilled = ({ counts }: ExponentialCounts): boolean => counts.some((count) => count > 0);

/** Whether buckets beside that of zero hold something. */
export const isBesideZero = ({ positive, negative }: ExponentialPart): boolean =>
  isFilled(positive) || isFilled(negative);

/** On which sides of zero values lie. */
export interface Sides {
  readonly below: boolean;
  readonly above: boolean;
}

/** On which sides of zero values of these lie, as far as is known. */
export const sidesOf = (parts: readonly ExponentialPart[]): Sides => {
  const isBelow = parts.some(({ negative }) => isFilled(negative));
  const isAbove = parts.some(({ positive }) => isFilled(positive));
  return {
    below: isBelow || !isAbove || parts.some(({ min }) => (min ?? 0) < 0),
    above: isAbove || !isBelow || parts.some(({ max }) => (max ?? 0) > 0),
  };
};

/**
 * Where the measurements of exponential buckets lie. What is as near to zero as the zero bucket is wide is a range of its
 * own: where all that is known of other values is on one side of zero, so is that range.
 */
export interface ExponentialAxis {
  readonly zero: Bounds;
  /** Of a bucket by its index; undefined where it lies within `zero`, as what another sender counts as zero does. */
  readonly positive: (index: number) => Bounds | undefined;
  readonly negative: (index: number) => Bounds | undefined;
}

/** The axis of buckets of a scale: bucket `i` ends at `2 ** ((i + 1) * 2 ** -scale)`, as OpenTelemetry defines it. */
export function exponentialAxis(scale: number, zeroWidth: number, { below, above }: Sides): ExponentialAxis {
  const beside = (index: number): Bounds | undefined => {
    const high = edge(scale, index + 1);
    return high <= zeroWidth ? undefined : { low: Math.max(edge(scale, index), zeroWidth), high };
  };
  return {
    zero: { low: below ? 0 - zeroWidth : 0, high: above ? zeroWidth : 0 },
    positive: beside,
    negative: (index) => {
      const mirrored = beside(index);
      return mirrored && { low: -mirrored.high, high: -mirrored.low };
    },
  };
}

/** Calls `found` with each range that holds something, in no order. */
export function eachRange(
  { zero, positive, negative }: ExponentialPart,
  axis: ExponentialAxis,
  found: (bounds: Bounds, count: number) => void,
): void {
  let middle = zero;
  const side = ({ indexes, counts }: ExponentialCounts, boundsOf: ExponentialAxis['positive']): void => {
    indexes.forEach((index, at) => {
      const count = counts[at] ?? 0;
      const bounds = boundsOf(index);
      if (bounds === undefined) middle += count;
      else if (count > 0) found(bounds, count);
    });
  };
  side(positive, axis.positive);
  side(negative, axis.negative);
  if (middle > 0) found(axis.zero, middle);
}

/** Ranges of exponential buckets that hold something, from the most negative to the most positive. */
export function exponentialRanges(part: ExponentialPart): Range[] {
  const ranges: Range[] = [];
  const axis = exponentialAxis(part.scale, part.zeroWidth ?? 0, sidesOf([part]));
  eachRange(part, axis, ({ low, high }, count) => ranges.push({ low, high, count }));
  return ranges.sort((a, b) => a.low - b.low);
}

/** The same counts at a smaller scale, where each bucket is several of the larger one. @throws RangeError for a larger one */
export function atScale(part: ExponentialPart, scale: number): ExponentialPart {
  if (scale > part.scale)
    throw new RangeError(`Counts of scale ${part.scale} cannot be told apart at ${scale}`);
  if (scale === part.scale) return part;
  const several = 2 ** (part.scale - scale);
  const together = (side: ExponentialCounts): ExponentialCounts => {
    const indexes: number[] = [];
    const counts: number[] = [];
    side.indexes.forEach((index, at) => {
      const into = Math.floor(index / several);
      if (indexes.at(-1) !== into) {
        indexes.push(into);
        counts.push(0);
      }
      counts[counts.length - 1] = (counts.at(-1) ?? 0) + (side.counts[at] ?? 0);
    });
    return { indexes, counts };
  };
  return { ...part, scale, positive: together(part.positive), negative: together(part.negative) };
}
