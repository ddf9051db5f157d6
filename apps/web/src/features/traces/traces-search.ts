import { SPAN_SORTS, TRACE_SORTS } from './sorts.ts';
import { choiceParam, flagParam, textParam } from '../../lib/search-params.ts';

/** What the Traces page has in its URL besides time range and environment. */
export interface TracesSearch {
  q?: string;
  /** Rows are traces unless this says spans. */
  view?: 'spans';
  sort?: string;
  /** Column ids, comma separated; absent: the default ones. */
  cols?: string;
  live?: true;
}

export function validateTracesSearch(raw: Record<string, unknown>): TracesSearch {
  const q = textParam(raw, 'q');
  const view = choiceParam(raw, 'view', ['spans'] as const);
  const sort = choiceParam(raw, 'sort', view === 'spans' ? SPAN_SORTS : TRACE_SORTS);
  const cols = textParam(raw, 'cols', 300);
  const live = flagParam(raw, 'live');
  return {
    ...(q === undefined ? {} : { q }),
    ...(view === undefined ? {} : { view }),
    ...(sort === undefined || sort === '-start' ? {} : { sort }),
    ...(cols === undefined ? {} : { cols }),
    ...(live === undefined ? {} : { live }),
  };
}
