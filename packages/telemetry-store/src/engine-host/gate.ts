import { EngineError } from './engine-error.ts';

/** One that waits for its turn. */
interface Waiter {
  readonly start: () => void;
  readonly refuse: (reason: EngineError) => void;
}

/**
 * Lets `limit` tasks run at once and `limit * 8` wait; more are refused with ClickHouse's own code. Nobody keeps the
 * others out: who asks gets a place as long as more are free than it holds already (so half of all when alone, half of
 * the rest beside one such), turns go round among those who wait, and of too many the newest of whom waits most is
 * refused.
 */
export class ConcurrencyGate {
  readonly #limit: number;
  readonly #running = new Map<string, number>();
  /** By who asks, in the order of their next turn. Nobody is in it without waiting. */
  readonly #waiting = new Map<string, Waiter[]>();
  #free: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.#free = limit;
  }

  /** Runs the task when its turn comes, or never when whoever waits for it `left` before. */
  async run(asker: string, task: () => Promise<void>, left?: AbortSignal): Promise<void> {
    if (!(await this.#enter(asker, left))) return;
    try {
      await task();
    } finally {
      this.#leave(asker);
    }
  }

  async #enter(asker: string, left: AbortSignal | undefined): Promise<boolean> {
    if (left?.aborted === true) return false;
    if (this.#mayStart(asker)) {
      this.#take(asker);
      return true;
    }
    this.#makeRoom(asker);
    return new Promise((resolve, reject) => {
      const own = this.#waiting.get(asker) ?? [];
      const away = (): void => {
        own.splice(own.indexOf(waiter), 1);
        if (own.length === 0) this.#waiting.delete(asker);
        resolve(false);
      };
      const waiter: Waiter = {
        start: () => {
          left?.removeEventListener('abort', away);
          resolve(true);
        },
        refuse: (reason) => {
          left?.removeEventListener('abort', away);
          reject(reason);
        },
      };
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

  /** @throws EngineError when no more may wait and whoever asks would have as many waiting as anybody */
  #makeRoom(asker: string): void {
    let all = 0;
    let most: readonly [string, Waiter[]] | undefined;
    for (const each of this.#waiting) {
      all += each[1].length;
      if (most === undefined || each[1].length > most[1].length) most = each;
    }
    if (all < this.#limit * 8 || most === undefined) return;
    const refusal = new EngineError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many simultaneous queries');
    const [greedy, waiters] = most;
    if ((this.#waiting.get(asker)?.length ?? 0) + 1 >= waiters.length) throw refusal;
    const newest = waiters.pop();
    if (waiters.length === 0) this.#waiting.delete(greedy);
    newest?.refuse(refusal);
  }
}
