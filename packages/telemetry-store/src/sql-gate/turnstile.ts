import { fail } from '@candela/kernel';

/** Statements of one person or key that run at once; the others of theirs wait. */
const AT_ONCE = 2;
/** Those that may wait: a board asks for all its charts together. */
const WAITING = 60;

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** Lets a few statements of everybody through at a time, so that one person's board does not take all places. */
export class Turnstile {
  readonly #lines = new Map<string, Line>();

  /** @throws overloaded where too many wait already; what the signal was aborted with */
  async pass<T>(asker: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(asker) ?? { running: 0, waiting: [] };
    this.#lines.set(asker, line);
    if (line.running >= AT_ONCE) await this.#wait(line, signal);
    else line.running += 1;
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = line.waiting.shift();
      // Its place goes to who waits longest.
      if (next === undefined) line.running -= 1;
      else next();
      if (line.running === 0) this.#lines.delete(asker);
    }
  }

  #wait(line: Line, signal: AbortSignal | undefined): Promise<void> {
    if (line.waiting.length >= WAITING) {
      throw fail('overloaded', {
        detail: 'Too many SQL statements of yours wait already. Try again shortly.',
      });
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const at = line.waiting.indexOf(enter);
        if (at !== -1) line.waiting.splice(at, 1);
        reject(signal?.reason as Error);
      };
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      line.waiting.push(enter);
    });
  }
}
