import type { TelemetryStore } from '../client/types.ts';

/** Days whose slow reads count. */
const ASK_DAYS = 7;
/** So long nobody has to look for a word until the index of them is of no use. */
const USE_DAYS = 14;
/** An index that is used is noted so often, milliseconds. */
const NOTE_MS = 3_600_000;

/** Shared by all processes that read the store, so that they come to the same decision; `attribute_use` keeps it for two weeks. */
const NOTE_SQL = `INSERT INTO attribute_use (Kind, TableName, MapName, Key, Asks)
  SELECT 'words', {table:String}, '', '', {asks:UInt32}`;
const KNOWN_SQL = `SELECT sumIf(Asks, At > now64(3) - INTERVAL ${ASK_DAYS} DAY) AS Asks, countIf(At > now64(3) - INTERVAL ${USE_DAYS} DAY) AS Notes
  FROM attribute_use WHERE Kind = 'words' AND TableName = {table:String}`;

/** What one process counted of a table since it was last noted. */
interface Count {
  /** Reads that looked for words in texts and took long. */
  asks: number;
  /** Words were looked for in the index. */
  used: boolean;
  notedAt: number;
  timer?: NodeJS.Timeout | undefined;
  /** Ends the wait for the next of them. */
  wake?: () => void;
}

/** How often words of tables are looked for, and how slowly. */
export class WordUse {
  readonly #store: Pick<TelemetryStore, 'select' | 'command'>;
  readonly #soonMs: number;
  readonly #ended: AbortSignal;
  readonly #counts = new Map<string, Count>();

  constructor(store: Pick<TelemetryStore, 'select' | 'command'>, soonMs: number, ended: AbortSignal) {
    this.#store = store;
    this.#soonMs = soonMs;
    this.#ended = ended;
  }

  /** Words of a table were looked for in its texts, which took long. */
  asked(table: string): void {
    const count = this.#of(table);
    count.asks += 1;
    count.timer ??= setTimeout(() => {
      count.timer = undefined;
      count.wake?.();
    }, this.#soonMs).unref();
  }

  /** Words of a table were looked for in its index. */
  used(table: string): void {
    this.#of(table).used = true;
  }

  /** Writes down what was counted, of an index that is used now and then. */
  async note(table: string): Promise<void> {
    const count = this.#of(table);
    const due = count.used && performance.now() - count.notedAt >= NOTE_MS;
    if (count.asks === 0 && !due) return;
    const { asks } = count;
    await this.#store.command(NOTE_SQL, { table, asks }, { signal: this.#ended });
    count.asks -= asks;
    count.used = false;
    count.notedAt = performance.now();
  }

  /** What all processes noted: slow reads of the last week, and whether there was anything of late. */
  async known(table: string): Promise<{ readonly asks: number; readonly used: boolean }> {
    const [row] = await this.#store.select<{ Asks: number; Notes: number }>(
      KNOWN_SQL,
      { table },
      { signal: this.#ended },
    );
    return { asks: Number(row?.Asks ?? 0), used: Number(row?.Notes ?? 0) > 0 };
  }

  /** Waits for slow reads, or so long at the most. @throws when everything ends */
  async next(table: string, ms: number | undefined): Promise<void> {
    const count = this.#of(table);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms).unref();
    const end = () => reject(new Error('the store is closed'));
    count.wake = resolve;
    // Asked for since the last look.
    if (count.asks > 0 && count.timer === undefined) resolve();
    this.#ended.addEventListener('abort', end, { once: true });
    if (this.#ended.aborted) end();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      delete count.wake;
      this.#ended.removeEventListener('abort', end);
    }
  }

  #of(table: string): Count {
    const known = this.#counts.get(table);
    if (known !== undefined) return known;
    const made: Count = { asks: 0, used: false, notedAt: Number.NEGATIVE_INFINITY };
    this.#counts.set(table, made);
    return made;
  }
}
