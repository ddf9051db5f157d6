import { persistedSearch } from '../../lib/persisted-search.ts';
import { choiceParam, textParam } from '../../lib/search-params.ts';
import { type ExploreSearch, validateExploreSearch } from '../explore/explore-search.ts';
import { SPAN_SORTS, TRACE_SORTS } from './sorts.ts';

/** The comparison is open and nothing is selected yet. */
export const PICK = '*';

/** What the Traces page has in its URL besides time range and environment; a row is `trace id[-span id]`. */
export interface TracesSearch extends ExploreSearch {
  /** Rows are traces unless this says spans. */
  view?: 'spans';
  /** What the chart shows: counts unless this says durations, or how many calls of each model failed. */
  chart?: 'duration' | 'errors';
  /** What of the spans is compared with the rest; `*` opens the panel without a selection. */
  diff?: string;
  /** It is compared with the same of the period before instead; then `*` is everything. */
  against?: 'before';
}

/** What of it changes; undefined takes a part out. */
export type TracesChange = Partial<Record<keyof TracesSearch, string | true | undefined>>;

export function validateTracesSearch(raw: Record<string, unknown>): TracesSearch {
  const view = choiceParam(raw, 'view', ['spans'] as const);
  const sort = choiceParam(raw, 'sort', view === 'spans' ? SPAN_SORTS : TRACE_SORTS);
  const chart = choiceParam(raw, 'chart', ['duration', 'errors'] as const);
  const diff = textParam(raw, 'diff', 1_000);
  const against = diff === undefined ? undefined : choiceParam(raw, 'against', ['before'] as const);
  const row = textParam(raw, 'row', 49);
  return {
    ...validateExploreSearch(raw),
    ...(view === undefined ? {} : { view }),
    ...(chart === undefined ? {} : { chart }),
    ...(diff === undefined ? {} : { diff }),
    ...(against === undefined ? {} : { against }),
    ...(sort === undefined || sort === '-start' ? {} : { sort }),
    ...(row === undefined || !/^[0-9a-f]{32}(-[0-9a-f]{16})?$/.test(row) ? {} : { row }),
  };
}

export const persistedTraces = persistedSearch(validateTracesSearch);
