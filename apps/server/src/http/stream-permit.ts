import { asCandelaError } from '@candela/kernel';

/** How often it is asked: what is taken from somebody ends here within a second, on another replica within two. */
const EVERY_MS = 500;
/** Failures in a row, e.g. while the metadata store is away, that say nothing yet of who asks. */
const PATIENCE = 20;

/**
 * Whether who opened a stream still may: asked again while it is open, because a request is looked at only once and a
 * stream may last for days.
 */
export class StreamPermit {
  readonly #check: () => Promise<void>;
  readonly #everyMs: number;
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  /** `check` throws the refusal. */
  constructor(check: () => Promise<void>, everyMs = EVERY_MS) {
    this.#check = check;
    this.#everyMs = everyMs;
    this.#wait();
  }

  /** Fires with the refusal. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The stream is over. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(): void {
    this.#timer = setTimeout(() => void this.#ask(), this.#everyMs).unref();
  }

  async #ask(): Promise<void> {
    try {
      await this.#check();
      this.#failures = 0;
    } catch (thrown) {
      this.#failures += 1;
      if (asCandelaError(thrown).status < 500 || this.#failures >= PATIENCE) {
        this.#ended.abort(thrown);
        return;
      }
    }
    if (this.#timer !== undefined) this.#wait();
  }
}
