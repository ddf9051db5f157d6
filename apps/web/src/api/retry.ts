import { backoffMs } from '@candela/kernel';
import { ApiError } from './client.ts';

/** Times that a question is asked again by itself: of a busy server over half a minute, of one that restarts over a moment. */
const BUSY_TRIES = 5;
const AWAY_TRIES = 2;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** A limit is one of a minute; a server that says far more is mistaken. */
const LONGEST_SAID_MS = 120_000;

/** Whether the server has too much to do and said when to come back. */
export const isBusy = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 'overloaded' || error.code === 'rate_limited');

/** Whether asking again may help: the server is busy, restarts, or does not answer. What is too expensive stays so. */
export const heals = (error: unknown): error is ApiError =>
  isBusy(error) || (error instanceof ApiError && (error.status === 0 || error.status === 503));

/** Whether a reading question that failed so often is asked again by itself. */
export const asksAgain = (failures: number, error: unknown): boolean =>
  heals(error) && failures < (isBusy(error) ? BUSY_TRIES : AWAY_TRIES);

/**
 * Milliseconds until then: never sooner than a busy server said, longer each time, and by chance up to half as long
 * again, so that all who were refused together do not come back together.
 */
export function waitBefore(attempt: number, error: unknown, chance = Math.random()): number {
  const said = isBusy(error) ? Math.min(LONGEST_SAID_MS, (error.retryAfterSeconds ?? 0) * 1_000) : 0;
  const firstMs = Math.max(said, FIRST_WAIT_MS * 2 ** attempt);
  return backoffMs(0, { firstMs, maxMs: Math.max(said, LONGEST_WAIT_MS), jitter: true }, chance);
}
