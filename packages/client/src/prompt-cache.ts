import { CandelaError } from './errors.ts';

/** What is kept of an answer. */
export interface Copy<T> {
  readonly value: T;
  readonly etag: string | null;
  /** Characters it takes. */
  readonly size: number;
}

/** How old the value is that a caller was given. */
export interface Held<T> {
  readonly value: T;
  /** The platform did not confirm it because of this failure; undefined when the value is good. */
  readonly staleBecause: CandelaError | undefined;
}

interface Entry<T> extends Copy<T> {
  /** On the clock of the cache, milliseconds. */
  confirmedAt: number;
  /** Until then an older copy is given out without asking again. */
  quietUntil: number;
  failure: CandelaError | undefined;
}

/** After a failed refresh the older copy is given out for this long before the platform is asked again. */
const QUIET_AFTER_FAILURE_MS = 5_000;
/** Longest quiet that a `Retry-After` may ask for. */
const MAX_QUIET_MS = 60_000;
/** Characters of all copies together. */
const MAX_TOTAL_SIZE = 32 * 1024 * 1024;
/**
 * Failures that say nothing of the prompt: an older copy serves meanwhile. Others are decisions of the platform (a
 * deleted prompt, a revoked key) and hold at once.
 */
const mayBeBridged = (error: unknown): error is CandelaError =>
  error instanceof CandelaError &&
  (error.retryable || error.code === 'unexpected_answer' || error.code === 'internal');

export interface PromptCacheSettings {
  readonly ttlMs: number;
  readonly staleMs: number;
  readonly maxEntries: number;
  /** Milliseconds that only grow. Default `performance.now`. */
  readonly now?: () => number;
}

/** The fetched prompts of one client, least recently used first. */
export class PromptCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #settings: PromptCacheSettings;
  readonly #now: () => number;
  #size = 0;

  constructor(settings: PromptCacheSettings) {
    this.#settings = settings;
    this.#now = settings.now ?? (() => performance.now());
  }

  /** The copy that needs no asking: a young one, or an older one shortly after a failed refresh. */
  fresh(key: string): Held<T> | undefined {
    const entry = this.#entries.get(key);
    const now = this.#now();
    if (entry === undefined) return undefined;
    const young = now - entry.confirmedAt < this.#settings.ttlMs;
    if (!young && (now >= entry.quietUntil || !this.#bridges(entry, now))) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return { value: entry.value, staleBecause: young ? undefined : entry.failure };
  }

  /** ETag to ask with; undefined when nothing is held. `bridge`: whether the copy may serve if the platform does not. */
  known(key: string): { readonly etag: string | undefined; readonly bridge: boolean } {
    const entry = this.#entries.get(key);
    if (entry === undefined) return { etag: undefined, bridge: false };
    return { etag: entry.etag ?? undefined, bridge: this.#bridges(entry, this.#now()) };
  }

  /** The platform's answer; `unchanged` keeps the copy held, and is undefined when that one is gone by now. */
  confirm(key: string, answer: Copy<T> | 'unchanged'): T | undefined {
    const held = this.#entries.get(key);
    const copy = answer === 'unchanged' ? held : answer;
    if (held !== undefined) this.#drop(key, held);
    if (copy === undefined) return undefined;
    const { value, etag, size } = copy;
    if (this.#settings.ttlMs === 0 && this.#settings.staleMs === 0) return value;
    if (size > MAX_TOTAL_SIZE) return value;
    const entry = { value, etag, size, confirmedAt: this.#now(), quietUntil: 0, failure: undefined };
    this.#entries.set(key, entry);
    this.#size += size;
    for (const [oldest, other] of this.#entries) {
      if (this.#entries.size <= this.#settings.maxEntries && this.#size <= MAX_TOTAL_SIZE) break;
      this.#drop(oldest, other);
    }
    return value;
  }

  /** What serves after a failed refresh; throws the failure when nothing may. */
  failed(key: string, error: unknown): Held<T> {
    const entry = this.#entries.get(key);
    const now = this.#now();
    if (entry !== undefined && mayBeBridged(error) && this.#bridges(entry, now)) {
      entry.failure = error;
      const askedMs = Math.min(MAX_QUIET_MS, (error.retryAfterSeconds ?? 0) * 1000);
      entry.quietUntil = now + Math.max(QUIET_AFTER_FAILURE_MS, askedMs);
      return { value: entry.value, staleBecause: error };
    }
    if (entry !== undefined && !mayBeBridged(error)) this.#drop(key, entry);
    throw error;
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  #bridges(entry: Entry<T>, now: number): boolean {
    return now - entry.confirmedAt < this.#settings.ttlMs + this.#settings.staleMs;
  }

  #drop(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    this.#size -= entry.size;
  }
}
