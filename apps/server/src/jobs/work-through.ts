import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, backoffMs, CandelaError, RETRY_AFTER_SECONDS } from '@candela/kernel';
import type { MetadataStore, WorkItem } from '@candela/metadata-store';

export interface WorkThrough {
  readonly metadata: Pick<MetadataStore, 'work'>;
  readonly queue: string;
  /** Names this process: `JobRunner.owner`. */
  readonly owner: string;
  /** Items under way at once. */
  readonly concurrency: number;
  readonly leaseMs?: number;
  /** After so many claims an item that fails has failed for good. Default 5. */
  readonly maxAttempts?: number;
  /** A failed item that is due again so soon is waited for, where somebody waits for the whole. Default 0. */
  readonly patienceMs?: number;
  readonly signal: AbortSignal;
  now(): number;
  /** Does one item; what it returns is kept as its result. Throws {@link PermanentError} where trying again is no use. */
  handle(item: WorkItem, signal: AbortSignal): Promise<unknown>;
}

/** Trying an item again would fail the same way. */
export class PermanentError extends Error {
  override readonly name = 'PermanentError';
}

/**
 * An item is due again at a time of its own. Where that is no failure of it (a cap is reached), no attempt is counted;
 * `counted`: it is one.
 */
export class DeferredError extends Error {
  override readonly name = 'DeferredError';
  readonly afterMs: number;
  readonly counted: boolean;

  constructor(message: string, afterMs: number, { counted = false } = {}) {
    super(message);
    this.afterMs = afterMs;
    this.counted = counted;
  }
}

const LEASE_MS = 60_000;
const MAX_ATTEMPTS = 5;
const RETRY: Backoff = { firstMs: 2_000, maxMs: 300_000, jitter: true };

/** Works through a queue until nothing in it is due, or the signal fires. Returns counts for the run of a job. */
export async function workThrough(
  work: WorkThrough,
): Promise<{ done: number; retried: number; failed: number }> {
  const counts = { done: 0, retried: 0, failed: 0 };
  const { owner, leaseMs = LEASE_MS, patienceMs = 0 } = work;
  const dueAgain: number[] = [];
  const lane = async (): Promise<void> => {
    while (!work.signal.aborted) {
      const [item] = await work.metadata.work.claim(work.queue, { owner, leaseMs, limit: 1 });
      if (item === undefined) return;
      const { outcome, retryAt } = await workOn(work, item);
      counts[outcome] += 1;
      if (retryAt !== undefined) dueAgain.push(retryAt);
    }
  };
  for (;;) {
    await Promise.all(Array.from({ length: work.concurrency }, lane));
    const waitMs = Math.min(...dueAgain.splice(0)) - work.now();
    if (work.signal.aborted || waitMs > patienceMs || patienceMs === 0) return counts;
    await sleep(Math.max(waitMs, 1), undefined, { signal: work.signal }).catch(() => undefined);
  }
}

/** What a vendor that takes no more calls asks to wait: sooner would only spend an attempt. */
const askedMs = (thrown: unknown): number => {
  const seconds = thrown instanceof CandelaError ? (thrown.retryAfterSeconds ?? 0) : 0;
  return seconds > RETRY_AFTER_SECONDS ? Math.min(RETRY.maxMs, seconds * 1_000) : 0;
};

interface Worked {
  readonly outcome: 'done' | 'retried' | 'failed';
  /** When one that is tried again is due, epoch milliseconds. */
  readonly retryAt?: number;
}

async function workOn(work: WorkThrough, item: WorkItem): Promise<Worked> {
  const { owner, leaseMs = LEASE_MS, maxAttempts = MAX_ATTEMPTS } = work;
  const queue = work.metadata.work;
  // An item that ends the process is claimed again after its lease: it must not go on for ever.
  if (item.attempts > maxAttempts) {
    await queue.fail(item.id, owner, { error: 'Every attempt ended without an answer.', retryAt: null });
    return { outcome: 'failed' };
  }
  const lost = new AbortController();
  const signal = AbortSignal.any([work.signal, lost.signal]);
  const beat = setInterval(() => {
    queue.heartbeat(item.id, owner, leaseMs).then(
      (held) => held || lost.abort(),
      () => undefined,
    );
  }, leaseMs / 3);
  beat.unref();
  try {
    const result = await work.handle(item, signal);
    await queue.complete(item.id, owner, result);
    return { outcome: 'done' };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    // A platform that stops is no failure of the item: it is due at once.
    if (work.signal.aborted) {
      await queue.fail(item.id, owner, { error, retryAt: work.now() });
      return { outcome: 'retried' };
    }
    const deferred = thrown instanceof DeferredError ? thrown : undefined;
    if (deferred?.counted === false) {
      const retryAt = work.now() + deferred.afterMs;
      await queue.fail(item.id, owner, { error, retryAt, uncounted: true });
      return { outcome: 'retried', retryAt };
    }
    const isLast = thrown instanceof PermanentError || item.attempts >= maxAttempts;
    const waitMs = deferred?.afterMs ?? Math.max(backoffMs(item.attempts - 1, RETRY), askedMs(thrown));
    const retryAt = isLast ? null : work.now() + waitMs;
    await queue.fail(item.id, owner, { error, retryAt });
    return retryAt === null ? { outcome: 'failed' } : { outcome: 'retried', retryAt };
  } finally {
    clearInterval(beat);
  }
}
