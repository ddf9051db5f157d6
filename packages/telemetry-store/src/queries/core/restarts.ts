/** Expressions of what a point of a cumulative counter says. */
export interface CounterPoint {
  /** Its time, in nanoseconds. */
  readonly t: string;
  /** Since when it counts, in nanoseconds; 0: not said. */
  readonly s: string;
  /** What it stands at. */
  readonly x: string;
}

/**
 * Whether a counter began again between a point and the one before it: its value falls, or its start time lies at or after
 * the point before. A start time that only wanders is no restart.
 */
export const restarted = (point: CounterPoint, earlier: CounterPoint): string =>
  `${point.x} < ${earlier.x} OR (${point.s} > ${earlier.s} AND ${point.s} >= ${earlier.t} AND ${point.s} < ${point.t})`;

/**
 * Whether the first known point of a series counts whole: it says that the counter began at or after `from`, before which
 * no points were looked for.
 */
export const beganSince = ({ t, s }: CounterPoint, from: string): string =>
  `(${s} > 0 AND ${s} < ${t} AND ${s} >= ${from})`;

/**
 * Whether a fall of a counter shows a second writer: it goes to one that began before the point before was sent. Both have to say
 * since when they count.
 */
export const fallsToOther = (point: CounterPoint, earlier: CounterPoint): string =>
  `${point.x} < ${earlier.x} AND ${point.s} > 0 AND ${earlier.s} > 0 AND ${point.s} != ${earlier.s} AND ${point.s} < ${earlier.t}`;
