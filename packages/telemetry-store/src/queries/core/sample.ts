import type { Params } from './params.ts';

/** A part of the rows of a window, taken by chance. Whole granules, since the engine reads no less of a text. */
export interface Sample {
  /** One granule in so many, each part of the table beginning at another one. */
  readonly every: number;
  /** Rows of a granule of the window, in the mean. */
  readonly run: number;
}

/** Whether a row is in the sample: nothing is read to tell. */
export const isTaken = ({ every }: Sample, params: Params): string =>
  `(_part_granule_offset + cityHash64(_part)) % ${params.bind(every, 'UInt64')} = 0`;
