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
  /** The selected row: a trace id, for spans followed by `-` and the span id. */
  row?: string;
}

/** What of it changes; undefined takes a part out. */
export type TracesChange = Partial<Record<keyof TracesSearch, string | true | undefined>>;

export function validateTracesSearch(raw: Record<string, unknown>): TracesSearch {
  const q = textParam(raw, 'q');
  const view = choiceParam(raw, 'view', ['spans'] as const);
  const sort = choiceParam(raw, 'sort', view === 'spans' ? SPAN_SORTS : TRACE_SORTS);
  const cols = textParam(raw, 'cols', 300);
  const live = flagParam(raw, 'live');
  const row = textParam(raw, 'row', 49);
  return {
    ...(q === undefined ? {} : { q }),
    ...(view === undefined ? {} : { view }),
    ...(sort === undefined || sort === '-start' ? {} : { sort }),
    ...(cols === undefined ? {} : { cols }),
    ...(live === undefined ? {} : { live }),
    ...(row === undefined || !/^[0-9a-f]{32}(-[0-9a-f]{16})?$/.test(row) ? {} : { row }),
  };
}

let last: TracesSearch = {};
/** Keeps the search for the way back from a trace; time range and environment are the header's and may move on. */
export function rememberTraces(search: TracesSearch): void {
  last = validateTracesSearch({ ...search });
}
/** The search that the Traces page was left with in this tab. */
export const lastTraces = (): TracesSearch => last;
