import { choiceParam, textParam } from '../../lib/search-params.ts';

const EVALUATION_TABS = ['overview', 'evaluators', 'datasets', 'experiments', 'annotation'] as const;
export type EvaluationTab = (typeof EVALUATION_TABS)[number];

/** What the page of evaluations has in its address. */
export interface EvaluationsSearch {
  tab?: EvaluationTab;
  name?: string;
  open?: string;
  with?: string;
}

export function validateEvaluationsSearch(raw: Record<string, unknown>): EvaluationsSearch {
  const found: EvaluationsSearch = {};
  const tab = choiceParam(raw, 'tab', EVALUATION_TABS);
  if (tab !== undefined) found.tab = tab;
  for (const key of ['name', 'open', 'with'] as const) {
    const value = textParam(raw, key, 256);
    if (value !== undefined) found[key] = value;
  }
  return found;
}
