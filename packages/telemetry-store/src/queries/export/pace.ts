import { CandelaError } from '@candela/kernel';

/** Rows of one read: few enough to hold in memory with all they carry. */
const MOST = 2_000;
/** Before it is known how much they carry. */
const FIRST = 200;
/** Text of one page: what is parsed and written at once keeps everybody else waiting. */
const PAGE_CHARACTERS = 8_000_000;

/** How many rows the next read of an export takes: many small ones, few large ones. */
export class Pace {
  #rows = FIRST;

  get rows(): number {
    return this.#rows;
  }

  /** Learns from a page that was read. */
  read(page: readonly object[]): void {
    if (page.length === 0) return;
    const each = page.reduce((sum, row) => sum + characters(Object.values(row)), 0) / page.length;
    const fitting = Math.floor(PAGE_CHARACTERS / Math.max(1, each));
    this.#rows = Math.max(1, Math.min(MOST, this.#rows * 4, fitting));
  }

  /** True when a read that failed can be tried again with fewer rows: they were larger than those before. */
  slower(thrown: unknown): boolean {
    if (this.#rows === 1 || !(thrown instanceof CandelaError)) return false;
    if (thrown.code !== 'query_too_expensive') return false;
    this.#rows = Math.ceil(this.#rows / 8);
    return true;
  }
}

/** Length of all texts of a row, nested ones too. */
function characters(values: readonly unknown[]): number {
  let sum = 0;
  for (const value of values) {
    if (typeof value === 'string') sum += value.length;
    else if (Array.isArray(value)) sum += characters(value);
  }
  return sum;
}
