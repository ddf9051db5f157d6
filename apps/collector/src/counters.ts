/** What no counter has reached from zero: hardware that is gone answers with all ones. */
const NO_COUNT = 2n ** 63n;
/** Ticks a key may be missing before its sum is forgotten: a device that comes back soon goes on where it was. */
const KEPT_TICKS = 60;

interface Sum {
  raw: bigint;
  /** What this counter stands at: never goes down. */
  total: number;
  seen: number;
}

/**
 * Sums of counters that the system may reset (a driver loaded again, an interface that was replugged) or wrap (32 bits
 * wide): what goes out never goes down. The first reading counts as it is, since the system counts from its own start.
 */
export class MonotonicCounters {
  readonly #sums = new Map<string, Sum>();
  #tick = 0;

  /**
   * The sum of `key` after reading `raw`; undefined for a reading that cannot be one (negative, not whole,
   * all ones). A number
   * above 2^53 has lost digits already: give such as bigint. `bits` is the width at which this counter wraps, where
   * that is known; without it any fall is a reset, after which the system counts from zero.
   */
  read(key: string, raw: number | bigint, bits?: number): number | undefined {
    if (typeof raw === 'number' && !Number.isInteger(raw)) return undefined;
    const now = BigInt(raw);
    if (now < 0n || now >= NO_COUNT) return undefined;
    const sum = this.#sums.get(key);
    if (sum === undefined) {
      this.#sums.set(key, { raw: now, total: Number(now), seen: this.#tick });
      return Number(now);
    }
    sum.total += Number(grown(sum.raw, now, bits));
    sum.raw = now;
    sum.seen = this.#tick;
    return sum.total;
  }

  /** Ends a tick: what has not been read for long is forgotten. */
  sweep(): void {
    this.#tick += 1;
    for (const [key, sum] of this.#sums) if (this.#tick - sum.seen > KEPT_TICKS) this.#sums.delete(key);
  }

  get size(): number {
    return this.#sums.size;
  }
}

/** By how much a counter grew from `before` to `now`. */
function grown(before: bigint, now: bigint, bits: number | undefined): bigint {
  if (now >= before) return now - before;
  if (bits === undefined) return now;
  const range = 1n << BigInt(bits);
  // Beyond its width it cannot have wrapped. From its lower half it was reset: half the range in one tick is unlikely.
  if (before >= range || before < range / 2n) return now;
  return range - before + now;
}
