/** What scores are grouped by on the page. */
export const SCORE_DIMENSIONS = [
  'name',
  'model',
  'prompt_version',
  'agent',
  'service',
  'version',
  'source',
  'label',
] as const;
export type ScoreDimension = (typeof SCORE_DIMENSIONS)[number];
