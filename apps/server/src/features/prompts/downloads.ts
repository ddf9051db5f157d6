import type { Clock, Logger } from '@candela/kernel';
import { PROMPT_LIMITS } from '@candela/contract';
import type { MetadataStore, PromptDownloads } from '@candela/metadata-store';

const FLUSH_MS = 1_000;
const DAY_MS = 86_400_000;
/** Different counts that wait for the store at most; it takes a store that is away for long to get there. */
const MAX_WAITING = 20_000;
/** Names of clients that are told apart for one prompt and day; more of them are `other`. */
const MAX_SOURCES = 50;
const SOURCE = /^[A-Za-z0-9][A-Za-z0-9_. /@+-]{0,39}$/;
const SOMEBODY = 'api';
const OTHER = 'other';

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

interface Batch {
  readonly number: number;
  readonly downloads: readonly PromptDownloads[];
}

/**
 * Counts fetches by prompt, version, client and day, and writes them behind once a second. A batch has a number that is
 * kept with it, so one whose answer was lost is counted once. What was not written when the process is killed is lost.
 */
export class DownloadCounter {
  readonly #writer = crypto.randomUUID();
  readonly #metadata: MetadataStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  readonly #sources = new Map<string, Set<string>>();
  #waiting = new Map<string, { -readonly [Field in keyof PromptDownloads]: PromptDownloads[Field] }>();
  /** What is on its way; it stays until the store has it. */
  #batch: Batch | undefined;
  #number = 0;
  #flushing: Promise<boolean> | undefined;
  #day = '';
  #pruned = '';
  #failing = false;
  #dropped = 0;

  constructor(parts: { readonly metadata: MetadataStore; readonly clock: Clock; readonly logger: Logger }) {
    this.#metadata = parts.metadata;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_MS);
    this.#timer.unref();
  }

  count(promptId: string, versionId: string, client: string | null | undefined): void {
    const day = dayOf(this.#clock.now());
    const source = this.#sourceOf(promptId, day, client);
    const key = `${versionId} ${day} ${source}`;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) waiting.count += 1;
    else if (this.#waiting.size < MAX_WAITING) {
      this.#waiting.set(key, { promptId, versionId, source, day, count: 1 });
    } else this.#dropped += 1;
  }

  /** Writes what is left. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    // First what was under way, then what came meanwhile.
    while ((this.#batch !== undefined || this.#waiting.size > 0) && (await this.#flush()));
    const lost = (this.#batch?.downloads.length ?? 0) + this.#waiting.size;
    if (lost > 0) this.#logger.error({ lost }, 'counts of prompt downloads could not be written at the end');
  }

  #sourceOf(promptId: string, day: string, client: string | null | undefined): string {
    const given = client?.trim() ?? '';
    if (given === '') return SOMEBODY;
    if (!SOURCE.test(given)) return OTHER;
    if (day !== this.#day) {
      this.#sources.clear();
      this.#day = day;
    }
    let known = this.#sources.get(promptId);
    if (known === undefined) {
      if (this.#sources.size >= MAX_WAITING) return OTHER;
      known = new Set();
      this.#sources.set(promptId, known);
    }
    if (!known.has(given)) {
      if (known.size >= MAX_SOURCES) return OTHER;
      known.add(given);
    }
    return given;
  }

  /** True when everything that waited at its start is written. One at a time. */
  #flush(): Promise<boolean> {
    this.#flushing ??= this.#write().finally(() => (this.#flushing = undefined));
    return this.#flushing;
  }

  async #write(): Promise<boolean> {
    if (this.#batch === undefined) {
      if (this.#waiting.size === 0) return true;
      this.#number += 1;
      this.#batch = { number: this.#number, downloads: [...this.#waiting.values()] };
      this.#waiting = new Map();
    }
    const { number, downloads } = this.#batch;
    // With the first batch of a process, and of each day.
    const now = this.#clock.now();
    const today = dayOf(now);
    const before = today === this.#pruned ? undefined : dayOf(now - PROMPT_LIMITS.usageDays * DAY_MS);
    try {
      await this.#metadata.change(undefined, async ({ prompts }) => {
        await prompts.countDownloads({ writer: this.#writer, number }, downloads);
        if (before !== undefined) await prompts.pruneDownloads(before);
      });
    } catch (error) {
      if (!this.#failing) {
        this.#logger.warn(
          { err: error },
          'counts of prompt downloads wait: the metadata store does not take them',
        );
      }
      this.#failing = true;
      return false;
    }
    this.#batch = undefined;
    this.#pruned = today;
    if (this.#dropped > 0) {
      this.#logger.warn({ dropped: this.#dropped }, 'prompt downloads were not counted: too many waited');
    }
    this.#failing = false;
    this.#dropped = 0;
    return true;
  }
}
