import { type Clock, fail } from '@candela/kernel';

/** A counter a key, refilled evenly. Bounded: the keys longest unused are forgotten. */
export class RateLimiter {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();
  private readonly perMinute: number;
  private readonly clock: Clock;
  private readonly maxKeys: number;

  constructor(perMinute: number, clock: Clock, maxKeys = 10_000) {
    this.perMinute = perMinute;
    this.clock = clock;
    this.maxKeys = maxKeys;
  }

  /** Takes one from the bucket of `key`. @throws rate_limited with the seconds to wait */
  take(key: string): void {
    const now = this.clock.now();
    const perMs = this.perMinute / 60_000;
    const known = this.buckets.get(key);
    // A clock that went back must not empty a bucket.
    const refill = known === undefined ? 0 : Math.max(0, now - known.at) * perMs;
    const tokens = known === undefined ? this.perMinute : Math.min(this.perMinute, known.tokens + refill);
    this.buckets.delete(key);
    this.buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    if (this.buckets.size > this.maxKeys) {
      const oldest = this.buckets.keys().next();
      if (oldest.done !== true) this.buckets.delete(oldest.value);
    }
    if (tokens < 1)
      throw fail('rate_limited', { seconds: Math.max(1, Math.ceil((1 - tokens) / perMs / 1_000)) });
  }
}
