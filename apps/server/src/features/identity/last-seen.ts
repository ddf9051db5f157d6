import type { Logger } from '@candela/kernel';

/** How long notes are gathered. */
const GATHER_MS = 2_000;
/** Of one transaction: it holds up whoever else writes. */
const AT_ONCE = 200;

/**
 * When what was last used, written behind the requests and many at once: a write of its own for each would make
 * somebody wait for the disk. What a kill loses is a minute of exactness.
 */
export class LastSeenUpdates {
  readonly #notes = new Map<string, number>();
  readonly #write: (notes: readonly (readonly [id: string, at: number])[]) => Promise<void>;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(
    write: (notes: readonly (readonly [id: string, at: number])[]) => Promise<void>,
    logger: Logger,
  ) {
    this.#write = write;
    this.#logger = logger;
  }

  note(id: string, at: number): void {
    this.#notes.set(id, at);
    this.#timer ??= setTimeout(() => void this.settle(), GATHER_MS).unref();
  }

  /** Everything noted so far is written, or was tried to be. */
  async settle(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One after the other, so that a later note does not lose to an earlier one.
    await this.#writing;
    this.#writing = this.#flush();
    await this.#writing;
  }

  async #flush(): Promise<void> {
    while (this.#notes.size > 0) {
      const batch = [...this.#notes].slice(0, AT_ONCE);
      for (const [id] of batch) this.#notes.delete(id);
      try {
        await this.#write(batch);
      } catch (error) {
        this.#logger.warn({ err: error }, 'when keys or sessions were last used was not noted');
      }
    }
  }
}
