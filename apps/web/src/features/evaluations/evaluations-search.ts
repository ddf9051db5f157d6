import { SCORE_DIMENSIONS, type ScoreDimension } from '../../lib/score-dimensions.ts';
import { choiceParam, flagParam, textParam } from '../../lib/search-params.ts';
import { MOST_PANEL } from '../explore/explore-search.ts';

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
  /** A chart of the scores that is open, as on the explorers. */
  panel?: string;
}

export function validateEvaluationsSearch(raw: Record<string, unknown>): EvaluationsSearch {
  const found: EvaluationsSearch = {};
  const tab = choiceParam(raw, 'tab', EVALUATION_TABS);
  if (tab !== undefined) found.tab = tab;
  const since = choiceParam(raw, 'since', SCORE_WINDOWS);
  if (since !== undefined) found.since = since;
  const by = choiceParam(raw, 'by', SCORE_DIMENSIONS);
  if (by !== undefined) found.by = by;
  if (flagParam(raw, 'fails')) found.fails = true;
  const panel = textParam(raw, 'panel', MOST_PANEL);
  if (panel !== undefined) found.panel = panel;
  for (const key of ['name', 'open', 'with'] as const) {
    const value = textParam(raw, key, 256);
    if (value !== undefined) found[key] = value;
  }
  return found;
}
