import { EngineError } from './engine-error.ts';

/** Lets `limit` tasks run at once and `limit * 8` wait; more are refused with ClickHouse's own code. */
export class ConcurrencyGate {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) {
      if (this.#waiting.length >= this.#limit * 8) {
        throw new EngineError(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many simultaneous queries');
      }
      // The one who leaves hands its place over, so #running stays as it is.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
