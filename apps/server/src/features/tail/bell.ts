/** Rings when new rows of a table are in the store. Live views wait for it instead of asking all the time. */
export class Bell {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** New rows of that table are there. */
  ring(table: string): void {
    for (const wake of this.#waiting.get(table) ?? []) wake();
  }

  /** Resolves with true at the next ring, with false after `ms` or when the signal fires. */
  wait(table: string, ms: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(table) ?? new Set();
      this.#waiting.set(table, waiting);
      const settle = (rung: boolean) => {
        clearTimeout(timer);
        waiting.delete(wake);
        signal.removeEventListener('abort', aborted);
        resolve(rung);
      };
      const wake = () => settle(true);
      const aborted = () => settle(false);
      const timer = setTimeout(() => settle(false), ms);
      waiting.add(wake);
      signal.addEventListener('abort', aborted, { once: true });
    });
  }
}
