/** Rings when new rows of a table are in the store. Live views wait for it instead of asking all the time. */
export class Notifier {
  readonly #rung = new Map<string, number>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** New rows of that table are there. */
  ring(table: string): void {
    this.#rung.set(table, this.count(table) + 1);
    for (const wake of this.#waiting.get(table) ?? []) wake();
  }

  /** How often it rang for a table: who looks remembers it first, so that no ring is lost meanwhile. */
  count(table: string): number {
    return this.#rung.get(table) ?? 0;
  }

  /** Resolves when it rang more often than `heard` times, after `ms`, or when the signal fires. */
  wait(table: string, heard: number, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.count(table) > heard) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(table) ?? new Set();
      this.#waiting.set(table, waiting);
      const settle = () => {
        clearTimeout(timer);
        waiting.delete(settle);
        signal.removeEventListener('abort', settle);
        resolve();
      };
      const timer = setTimeout(settle, ms);
      waiting.add(settle);
      signal.addEventListener('abort', settle, { once: true });
    });
  }
}
