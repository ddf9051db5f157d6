import { column, type Source } from '../core/source.ts';

/** The scores; the columns of the table are read by their own names. */
export const SCORES: Source = {
  signal: 'spans',
  table: 'scores',
  time: 'Timestamp',
  fields: { name: column('Name') },
  mapOf(source, key) {
    throw new RangeError(`Scores have no ${source}.${key}`);
  },
  pairs: new Map(),
};
