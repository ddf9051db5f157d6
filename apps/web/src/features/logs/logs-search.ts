import { choiceParam, flagParam, textParam } from '../../lib/search-params.ts';
import { type ExploreSearch, validateExploreSearch } from '../explore/explore-search.ts';

const LOG_TABS = ['body', 'attributes', 'context'] as const;
export type LogTab = (typeof LOG_TABS)[number];

/** What the Logs page has in its URL besides time range and environment; a row is the id of a record. */
export interface LogsSearch extends ExploreSearch {
  /** The tab of the selected record; present: its panel is open. */
  tab?: LogTab;
  /** Bodies are shown whole instead of one line each. */
  wrap?: true;
}

export type LogsChange = Partial<Record<keyof LogsSearch, string | true | undefined>>;

export function validateLogsSearch(raw: Record<string, unknown>): LogsSearch {
  const row = textParam(raw, 'row', 64);
  const sort = choiceParam(raw, 'sort', ['time'] as const);
  const tab = choiceParam(raw, 'tab', LOG_TABS);
  const wrap = flagParam(raw, 'wrap');
  const known = row !== undefined && /^[\w-]{22,28}$/.test(row);
  return {
    ...validateExploreSearch(raw),
    ...(sort === undefined ? {} : { sort }),
    ...(wrap === undefined ? {} : { wrap }),
    ...(known ? { row, ...(tab === undefined ? {} : { tab }) } : {}),
  };
}
