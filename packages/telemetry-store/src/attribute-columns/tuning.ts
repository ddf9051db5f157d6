import type { DecisionBounds } from './decide.ts';
import type { RestBounds } from './rest.ts';

/** When keys get columns. */
export interface ColumnTuning extends DecisionBounds, RestBounds {
  /** A read of a key from its map counts when it takes so long, milliseconds. */
  readonly slowMs: number;
  /** The same from the rest of its map: one that comes sooner than charts should is not worth what filling a column costs those who read meanwhile. */
  readonly restSlowMs: number;
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
  /** So long after a read it is found out whether a look at what is common is due; milliseconds, a quarter more or less. */
  readonly lookAfterMs: number;
  /** Not again before so long, milliseconds. */
  readonly lookPauseMs: number;
}

export const COLUMN_TUNING: ColumnTuning = {
  pool: 24,
  minScore: 3,
  pauseSeconds: 600,
  hourly: 12,
  coolSeconds: 86_400,
  maxValues: 8_000,
  lookRows: 1_000_000,
  lookSeconds: 6 * 3_600,
  lookingSeconds: 600,
  slowMs: 150,
  restSlowMs: 300,
  roundMs: 60_000,
  soonMs: 1_000,
  soonPauseMs: 5_000,
  fillBytesAnAsk: 8 * 2 ** 30,
  plainBytes: 256,
  recheckRounds: 30,
  maxFillBytes: 64 * 2 ** 30,
  lookAfterMs: 3_000,
  lookPauseMs: 600_000,
  restOf: 100,
  restBytes: 6,
  restLeftOut: 64,
  restGrown: 2,
};
