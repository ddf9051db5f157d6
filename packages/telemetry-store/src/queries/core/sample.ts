import type { Params } from './params.ts';

/**
 * A part of the rows of a window, taken by chance. Whole granules, since the engine reads no less of a text: one run of rows in
 * `every`, each part of the table beginning at another place.
 */
export interface Sample {
  readonly every: number;
  /** Rows of a run: as many as a granule of the window holds. */
  readonly run: number;
}

/** Whether a row is in the sample: nothing is read to tell. */
export const isTaken = ({ every, run }: Sample, params: Params): string =>
  `(intDiv(_part_offset, ${params.bind(run, 'UInt64')}) + cityHash64(_part)) % ${params.bind(every, 'UInt64')} = 0`;
