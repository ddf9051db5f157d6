export interface Backoff {
  /** Wait after the first failure, milliseconds. */
  readonly firstMs: number;
  /** No wait is longer before jitter, milliseconds. */
  readonly maxMs: number;
  /** Adds a random part of up to half the wait, so that clients that failed together do not retry together. */
  readonly jitter?: boolean;
}

/**
 * Milliseconds to wait before the next retry: exponential backoff, doubling from `firstMs` to `maxMs`.
 * @param failures failures before this one, 0 after the first
 * @param random 0 to 1, for the jitter
 */
export function backoffMs(
  failures: number,
  { firstMs, maxMs, jitter }: Backoff,
  random = Math.random(),
): number {
  const wait = Math.min(maxMs, firstMs * 2 ** failures);
  return jitter === true ? Math.round(wait * (1 + random / 2)) : wait;
}
