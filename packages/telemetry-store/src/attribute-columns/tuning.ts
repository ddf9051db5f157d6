import type { DecisionBounds } from './decide.ts';

/** When keys get columns. */
export interface ColumnTuning extends DecisionBounds {
  /** A read of a key from its map counts when it takes so long, milliseconds. */
  readonly slowMs: number;
  /** Between two looks at what is asked for, milliseconds. */
  readonly roundMs: number;
  /** One of the columns is looked at again after so many rounds in which nothing else was to do. */
  readonly recheckRounds: number;
  /** Stored rows up to so many bytes get a column in the background, the newest first. */
  readonly maxFillBytes: number;
  /** So long after a read it is found out whether a look at what is common is due; milliseconds, a quarter more or less. */
  readonly lookAfterMs: number;
  /** Not again before so long, milliseconds. */
  readonly lookPauseMs: number;
}

export const COLUMN_TUNING: ColumnTuning = {
  pool: 24,
  minScore: 3,
  pauseSeconds: 600,
  coolSeconds: 86_400,
  maxValues: 8_000,
  lookRows: 1_000_000,
  lookSeconds: 6 * 3_600,
  lookingSeconds: 600,
  slowMs: 150,
  roundMs: 60_000,
  recheckRounds: 30,
  maxFillBytes: 64 * 2 ** 30,
  lookAfterMs: 3_000,
  lookPauseMs: 600_000,
};
