import type { DecisionBounds } from './decide.ts';

/** When keys get columns. */
export interface ColumnTuning extends DecisionBounds {
  /** A read of a key from its map counts when it takes so long, milliseconds. */
  readonly slowMs: number;
  /** Between two looks at what is asked for, milliseconds. */
  readonly roundMs: number;
  /** So soon after a slow read of a key there is one, and no sooner than so long after the one before; milliseconds. */
  readonly soonMs: number;
  readonly soonPauseMs: number;
  /** Each slow read of a key pays for filling so many bytes of parts; a table of fewer fills a column after the first. */
  readonly fillBytesAnAsk: number;
  /** Bytes a row that plain columns of a table may take together. */
  readonly plainBytes: number;
  /** One of the columns is looked at again after so many rounds in which nothing else was to do. */
  readonly recheckRounds: number;
  /** Stored rows up to so many bytes get a column in the background, the newest first. */
  readonly maxFillBytes: number;
}

export const COLUMN_TUNING: ColumnTuning = {
  pool: 24,
  minScore: 3,
  pauseSeconds: 600,
  hourly: 12,
  coolSeconds: 86_400,
  maxValues: 8_000,
  slowMs: 150,
  roundMs: 60_000,
  soonMs: 1_000,
  soonPauseMs: 5_000,
  fillBytesAnAsk: 8 * 2 ** 30,
  plainBytes: 256,
  recheckRounds: 30,
  maxFillBytes: 64 * 2 ** 30,
};
