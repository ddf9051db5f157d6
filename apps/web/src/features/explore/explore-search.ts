import { flagParam, textParam } from '../../lib/search-params.ts';

/** Characters of a panel in an address; encoded, they still fit a saved view. */
export const MOST_PANEL = 4_000;

/** What every explorer has in its URL besides time range and environment. */
export interface ExploreSearch {
  q?: string;
  sort?: string;
  /** Column ids, comma separated; absent: the default ones. */
  cols?: string;
  /** Facets beyond those of the page, like columns; absent: those that the person added. */
  facets?: string;
  live?: true;
  /** A chart of the list that is open, as JSON: see `boards/chart-list-dialog.tsx`. */
  panel?: string;
  /** Key of the selected row. */
  row?: string;
}

/** What of it changes; undefined takes a part out. */
export type ExploreChange = Partial<Record<keyof ExploreSearch, string | true | undefined>>;

/** The parts of the URL that mean the same on every explorer; `sort` and `row` are each page's own to validate. */
export function validateExploreSearch(
  raw: Record<string, unknown>,
): Pick<ExploreSearch, 'q' | 'cols' | 'facets' | 'live' | 'panel'> {
  const q = textParam(raw, 'q');
  const cols = textParam(raw, 'cols', 4_096);
  const facets = textParam(raw, 'facets');
  const live = flagParam(raw, 'live');
  const panel = textParam(raw, 'panel', MOST_PANEL);
  return {
    ...(q === undefined ? {} : { q }),
    ...(cols === undefined ? {} : { cols }),
    ...(facets === undefined ? {} : { facets }),
    ...(live === undefined ? {} : { live }),
    ...(panel === undefined ? {} : { panel }),
  };
}
