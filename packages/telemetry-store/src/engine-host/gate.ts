import { EngineError } from './engine-error.ts';

/** What a statement is to the gate. */
export interface Entering {
  /** Who asks. */
  readonly asker: string;
  /** How much it looks at: 1 (a list, a name) to {@link HEAVIEST}. */
  readonly weight?: number;
  /** How long it may wait, milliseconds; no longer than the gate lets anybody wait. */
  readonly waitMs?: number | undefined;
  /** Fires when whoever waits for it left. */
  readonly left?: AbortSignal;
}

export const HEAVIEST = 4;
/** So many wait for each that runs. */
const WAITING_PER_PLACE = 32;
/** Who waited so long for a turn is told so, and asks again when it is calmer. */
const LONGEST_WAIT_MS = 6_000;

/** One that waits for its turn. */
interface Waiter {
  readonly weight: number;
  readonly start: () => void;
  readonly refuse: (reason: EngineError) => void;
}

/**
 * Lets `limit` tasks run at once and `limit * 32` wait, each for some seconds; more are refused with ClickHouse's own
 * code. Nobody keeps the others out: who asks gets a place as long as more are free than it holds already (so half of all
 * when alone, half of the rest beside one such), turns go round among those who wait, and of too many the heaviest of whom
 * waits with the most weight is refused, of equal ones the newest.
 */
export class ConcurrencyGate {
  readonly #limit: number;
  readonly #longestWaitMs: number;
  readonly #running = new Map<string, number>();
  /** By who asks, in the order of their next turn. Nobody is in it without waiting. */
  readonly #waiting = new Map<string, Waiter[]>();
  #free: number;

  constructor(limit: number, longestWaitMs = LONGEST_WAIT_MS) {
    this.#limit = limit;
    this.#longestWaitMs = longestWaitMs;
    this.#free = limit;
  }

  /**
   * Runs the task when its turn comes, or never when whoever waits for it `left` before.
   * @throws EngineError when it is refused: too many wait, or it waited too long
   */
  async run(entering: Entering, task: () => Promise<void>): Promise<void> {
    if (!(await this.#enter(entering))) return;
    try {
      await task();
    } finally {
      this.#leave(entering.asker);
    }
  }

  async #enter({ asker, weight = 1, waitMs = this.#longestWaitMs, left }: Entering): Promise<boolean> {
    if (left?.aborted === true) return false;
    if (this.#mayStart(asker)) {
      this.#take(asker);
      return true;
    }
    this.#makeRoom(asker, weight);
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(tooLong);
        left?.removeEventListener('abort', away);
      };
      const forget = (): void => {
        const own = this.#waiting.get(asker);
        const at = own?.indexOf(waiter) ?? -1;
        if (own === undefined || at === -1) return;
        own.splice(at, 1);
        if (own.length === 0) this.#waiting.delete(asker);
      };
      const away = (): void => {
        settle();
        forget();
        resolve(false);
      };
      const waiter: Waiter = {
        weight,
        start: () => {
          settle();
          resolve(true);
        },
        refuse: (reason) => {
          settle();
          reject(reason);
        },
      };
      const tooLong = setTimeout(
        () => {
          forget();
          waiter.refuse(refusal());
        },
        Math.min(waitMs, this.#longestWaitMs),
      );
      const own = this.#waiting.get(asker) ?? [];
      own.push(waiter);
      this.#waiting.set(asker, own);
      left?.addEventListener('abort', away, { once: true });
    });
  }

  #mayStart(asker: string): boolean {
    return (this.#running.get(asker) ?? 0) < this.#free;
  }

  #take(asker: string): void {
    this.#free -= 1;
    this.#running.set(asker, (this.#running.get(asker) ?? 0) + 1);
  }

  #leave(asker: string): void {
    this.#free += 1;
    const rest = (this.#running.get(asker) ?? 1) - 1;
    if (rest > 0) this.#running.set(asker, rest);
    else this.#running.delete(asker);
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.start();
  }

  /** Takes the place for whose turn it is, of those that may have one, and puts them behind all others. */
  #next(): Waiter | undefined {
    for (const [asker, waiters] of this.#waiting) {
      if (!this.#mayStart(asker)) continue;
      const waiter = waiters.shift();
      this.#waiting.delete(asker);
      if (waiters.length > 0) this.#waiting.set(asker, waiters);
      this.#take(asker);
      return waiter;
    }
    return undefined;
  }

  /** @throws EngineError when no more may wait and whoever asks would wait with as much weight as anybody */
  #makeRoom(asker: string, weight: number): void {
    let all = 0;
    let most: { readonly asker: string; readonly waiters: Waiter[]; readonly weight: number } | undefined;
    let own = weight;
    for (const [each, waiters] of this.#waiting) {
      all += waiters.length;
      const sum = waiters.reduce((total, waiter) => total + waiter.weight, 0);
      if (each === asker) own += sum;
      if (most === undefined || sum > most.weight) most = { asker: each, waiters, weight: sum };
    }
    if (all < this.#limit * WAITING_PER_PLACE || most === undefined) return;
    const { waiters } = most;
    const heaviest = Math.max(...waiters.map((waiter) => waiter.weight));
    // It is the newest itself. Of its own it takes the place of what is heavier.
    if (most.asker === asker ? weight >= heaviest : own >= most.weight) throw refusal();
    const at = waiters.findLastIndex((waiter) => waiter.weight === heaviest);
    const [refused] = waiters.splice(at, 1);
    if (waiters.length === 0) this.#waiting.delete(most.asker);
    refused?.refuse(refusal());
  }
}

const refusal = (): EngineError =>
  new EngineError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many simultaneous queries');
