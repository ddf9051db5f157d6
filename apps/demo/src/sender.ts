import type { Batch } from './simulation.ts';

export interface SenderOptions {
  /** Base address of the OTLP HTTP receiver, e.g. `http://127.0.0.1:4318`. */
  readonly endpoint: string;
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  /** Called with a sentence when something is in the way; not more than once for the same obstacle in a row. */
  readonly notice: (text: string) => void;
  /** How long one batch may wait for a platform that takes it; without it as long as the signal allows. */
  readonly patienceMs?: number;
}

/** No platform took a batch within the patience of the sender. */
export class NotTakenError extends Error {
  override readonly name = 'NotTakenError';
}

export interface Counts {
  traces: number;
  logs: number;
  metrics: number;
  refused: number;
  retries: number;
}

const RETRYABLE = new Set([429, 502, 503, 504]);
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Sends batches one after another; waits as long as the other side asks for or is away, drops what it refuses. */
export class Sender {
  readonly counts: Counts = { traces: 0, logs: 0, metrics: 0, refused: 0, retries: 0 };
  readonly #options: SenderOptions;
  readonly #endpoint: string;
  #lastNotice = '';

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#endpoint = options.endpoint.replace(/\/+$/, '').replace(/\/v1\/(traces|logs|metrics)$/, '');
  }

  /**
   * Resolves when the batch was taken or refused for good; gives up silently when the signal aborts.
   * @throws NotTakenError when the patience is over
   */
  async send(batch: Batch): Promise<void> {
    const body = JSON.stringify(batch.body);
    const { signal, patienceMs = Number.POSITIVE_INFINITY } = this.#options;
    const until = performance.now() + patienceMs;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const outcome = await this.#post(batch.signal, body);
      if (outcome.done) {
        if (outcome.taken) {
          this.counts[batch.signal] += batch.items - outcome.rejected;
          this.counts.refused += outcome.rejected;
          this.#lastNotice = '';
        } else this.counts.refused += batch.items;
        if (outcome.text) this.#notice(outcome.text);
        return;
      }
      this.counts.retries++;
      if (outcome.text) this.#notice(outcome.text);
      const left = until - performance.now();
      if (left <= 0) {
        throw new NotTakenError(
          `No platform took the telemetry at ${this.#endpoint} within ${Math.round(patienceMs / 1_000)} s. Start the platform (npm start, or candela start), or name it with --endpoint, and run this again.`,
        );
      }
      await pause(Math.min(outcome.waitMs ?? pauseMs, left), signal);
    }
  }

  async #post(
    kind: Batch['signal'],
    body: string,
  ): Promise<
    | { done: true; taken: boolean; rejected: number; text?: string }
    | { done: false; waitMs: number | undefined; text?: string }
  > {
    const { key, signal } = this.#options;
    let response: Response;
    try {
      response = await fetch(`${this.#endpoint}/v1/${kind}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body,
        signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
      });
    } catch (error) {
      if (signal.aborted) return { done: false, waitMs: 0 };
      const cause =
        error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      return {
        done: false,
        waitMs: undefined,
        text: `Nobody answers at ${this.#endpoint} (${cause}). Start the platform (npm start, or candela start), or name it with --endpoint; waiting ...`,
      };
    }
    const answer = await response.text().catch(() => '');
    if (response.ok) {
      const rejected = rejectedIn(answer);
      return rejected > 0
        ? { done: true, taken: true, rejected, text: `${rejected} ${kind} records were refused: ${answer}` }
        : { done: true, taken: true, rejected: 0 };
    }
    if (RETRYABLE.has(response.status)) {
      const seconds = Number(response.headers.get('retry-after'));
      return {
        done: false,
        waitMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined,
        text: `The platform answers ${response.status}, waiting as asked.`,
      };
    }
    const hint = response.status === 401 || response.status === 403 ? ' Give a key with --key.' : '';
    return {
      done: true,
      taken: false,
      rejected: 0,
      text: `The platform refused ${kind} with ${response.status}: ${answer.slice(0, 300)}${hint}`,
    };
  }

  #notice(text: string): void {
    if (text === this.#lastNotice) return;
    this.#lastNotice = text;
    this.#options.notice(text);
  }
}

/** `partialSuccess.rejectedX` of an answer; a string in canonical JSON. */
function rejectedIn(answer: string): number {
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: Record<string, unknown> };
    for (const [name, value] of Object.entries(partialSuccess ?? {})) {
      if (name.startsWith('rejected')) return Number(value) || 0;
    }
  } catch {
    // An empty answer is a full success.
  }
  return 0;
}

/** Waits, or returns at once when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
