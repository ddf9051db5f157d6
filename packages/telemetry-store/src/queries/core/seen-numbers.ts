import type { Window } from './scope.ts';

/** How long a number is remembered, and how many are. */
const KEPT_MS = 600_000;
const MOST_KEPT = 1_000;

/** About how long a window is: what is rare in a quarter of an hour may be common in a day. How often an instant has to be doubled to be as long. */
export const doublings = ({ from, to }: Window): number => (to - from).toString(2).length;

/**
 * Numbers that answers told by the way, by what was asked: it is asked again and again, page by page and minute by minute. They
 * say how to ask, never what the answer is.
 */
export class SeenNumbers {
  readonly #numbers = new Map<string, { readonly number: number; readonly untilMs: number }>();
  readonly #now: () => number;

  /** @param now milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get(name: string): number | undefined {
    const seen = this.#numbers.get(name);
    return seen === undefined || seen.untilMs < this.#now() ? undefined : seen.number;
  }

  set(name: string, number: number): void {
    this.#numbers.delete(name);
    this.#numbers.set(name, { number, untilMs: this.#now() + KEPT_MS });
    const [oldest] = this.#numbers.keys();
    if (this.#numbers.size > MOST_KEPT && oldest !== undefined) this.#numbers.delete(oldest);
  }
}
