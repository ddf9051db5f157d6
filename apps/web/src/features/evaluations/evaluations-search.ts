import { SCORE_DIMENSIONS, type ScoreDimension } from '../../lib/score-dimensions.ts';
import { choiceParam, textParam } from '../../lib/search-params.ts';

const EVALUATION_TABS = ['overview', 'evaluators', 'datasets', 'experiments', 'annotation'] as const;
export type EvaluationTab = (typeof EVALUATION_TABS)[number];
export const SCORE_WINDOWS = ['-24h', '-7d', '-30d'] as const;
export type ScoreWindow = (typeof SCORE_WINDOWS)[number];

/** What the page of evaluations has in its address. */
export interface EvaluationsSearch {
  tab?: EvaluationTab;
  name?: string;
  open?: string;
  with?: string;
  since?: ScoreWindow;
  by?: ScoreDimension;
  fails?: true;
}

export function validateEvaluationsSearch(raw: Record<string, unknown>): EvaluationsSearch {
  const found: EvaluationsSearch = {};
  const tab = choiceParam(raw, 'tab', EVALUATION_TABS);
  if (tab !== undefined) found.tab = tab;
  const since = choiceParam(raw, 'since', SCORE_WINDOWS);
  if (since !== undefined) found.since = since;
  const by = choiceParam(raw, 'by', SCORE_DIMENSIONS);
  if (by !== undefined) found.by = by;
  if (raw['fails'] === true) found.fails = true;
  for (const key of ['name', 'open', 'with'] as const) {
    const value = textParam(raw, key, 256);
    if (value !== undefined) found[key] = value;
  }
  return found;
}
